// What every kernel shares: agents, the batch an agent is at, functions of one number.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
// The upper half of a float.
typedef unsigned short bf16;

enum { FORWARD = 0, INPUT = 1, WEIGHT = 2 };
enum { FP32 = 0, TF32 = 1, TF32X3 = 2, BF16 = 3 };
enum { ACTIVATIONS = 0, BYTES = 1, FLOATS = 2 };
enum { NONE = 0, RELU = 1, GELU = 2, SOFTPLUS = 3, TANH = 4 };
// The largest float there is.
#define LARGEST 3.402823466e+38f

enum { MEAN = 0, LOG_UTILITY = 1, SUM = 2 };

// How one agent trains. Mirrors `Agent` in `agent.rs`.
struct Agent {
    u64 seed;
    u32 first, epoch_rows, batch, steps;
    float rate, momentum, decay, ceiling, floor;
    u32 objective;
};

// Where everything is. Mirrors `Args` in `arena.rs`. Floats of `factors`, `x`, `y`, `dx` and `dy` may be bf16: kernels know
// which.
struct Args {
    const Agent* agents;
    u32* clock;
    const u32* order;
    const void* x;
    const float* shade;
    const u8* labels;
    float* params;
    float* factors;
    float* velocity;
    const float* drift;
    double* sum;
    float* y;
    float* z;
    u8* index;
    float* dy;
    float* dx;
    const float* before;
    const u8* largest;
    float* partial;
    u32* arrivals;
    float* losses;
    u8* correct;
    u64 stride;
    u32 batch;
    u32 splits;
    u32 training;
    u32 layer;
};

// The rows of a step: `count` of them, from `at` in the order. None when the agent is done.
struct Now {
    u32 at, count;
};

__device__ __forceinline__ Now rows_of(const Agent& agent, u32 step) {
    if (step >= agent.steps) return {0, 0};
    const u32 per_epoch = (agent.epoch_rows + agent.batch - 1) / agent.batch;
    const u32 epoch = step / per_epoch, within = (step % per_epoch) * agent.batch;
    const u32 left = agent.epoch_rows - within;
    return {agent.first + epoch * agent.epoch_rows + within, left < agent.batch ? left : agent.batch};
}

template <int ACT> __device__ __forceinline__ float activate(float x) {
    if (ACT == RELU) return x > 0.0f ? x : 0.0f;
    if (ACT == GELU) return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f));
    if (ACT == SOFTPLUS) return fmaxf(x, 0.0f) + log1pf(expf(-fabsf(x)));
    if (ACT == TANH) return tanhf(x);
    return x;
}

// Derivative at `z`, the number that went in; `y` is what came out.
template <int ACT> __device__ __forceinline__ float slope(float z, float y) {
    if (ACT == RELU) return y > 0.0f ? 1.0f : 0.0f;
    if (ACT == GELU)
        return 0.5f * (1.0f + erff(z * 0.70710678118654752f)) + z * 0.39894228040143268f * expf(-0.5f * z * z);
    if (ACT == SOFTPLUS) return 1.0f / (1.0f + expf(-z));
    if (ACT == TANH) return 1.0f - y * y;
    return 1.0f;
}

// A number of a resident image.
template <int BYTES, int CHANNELS>
__device__ __forceinline__ float pixel(const Args& a, u64 place, u32 within) {
    if (BYTES) {
        const u32 channel = within % CHANNELS;
        return fmaf((float)((const u8*)a.x)[place], a.shade[channel], a.shade[CHANNELS + channel]);
    }
    return ((const float*)a.x)[place];
}
