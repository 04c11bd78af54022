// Losses of a batch and their slopes with respect to logits: one warp per row, one block per agent in training.

__device__ __forceinline__ float warp_max(float v) {
    for (int d = 16; d; d >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
    return v;
}

__device__ __forceinline__ float warp_sum(float v) {
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    return v;
}

template <int CLASSES, bool BOUNDED> __device__ __forceinline__ void loss(const Args& a, float smoothing) {
    const u32 agent = blockIdx.z, step = a.clock[0];
    if ((blockIdx.x | blockIdx.z | threadIdx.x) == 0) a.clock[1] = step;
    const Agent who = a.agents[agent];
    const Now now = rows_of(who, step);
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const u64 base = (u64)agent * a.batch * CLASSES;
    __shared__ float totals[32];
    float total = 0.0f;
    for (u32 row = blockIdx.x * warps + warp; row < now.count; row += gridDim.x * warps) {
        const float* const logits = a.y + base + (u64)row * CLASSES;
        float* const slopes = a.dy + base + (u64)row * CLASSES;
        const u32 label = a.labels[a.order[now.at + row]];
        float largest = -LARGEST;
        for (u32 c = lane; c < CLASSES; c += 32) largest = fmaxf(largest, logits[c]);
        largest = warp_max(largest);
        float mass = 0.0f;
        u32 first = CLASSES;
        for (u32 c = lane; c < CLASSES; c += 32) {
            mass += expf(logits[c] - largest);
            if (logits[c] == largest && c < first) first = c;
        }
        mass = warp_sum(mass);
        for (int d = 16; d; d >>= 1) first = min(first, __shfl_xor_sync(~0u, first, d));
        const float surprise = logf(mass) - (logits[label] - largest);
        const float p = expf(-surprise);
        const float mixed = (1.0f - smoothing) * p + smoothing / CLASSES;
        const float cost = BOUNDED ? -logf(mixed) : surprise;
        const float share = BOUNDED ? (1.0f - smoothing) * p / mixed : 1.0f;
        if (a.training)
            for (u32 c = lane; c < CLASSES; c += 32)
                slopes[c] = share * (expf(logits[c] - largest) / mass - (c == label ? 1.0f : 0.0f));
        if (lane == 0 && a.losses) {
            a.losses[now.at + row] = cost;
            a.correct[now.at + row] = first == label;
        }
        total += cost;
    }
    if (!a.training || who.objective == SUM || now.count == 0) return;
    if (lane == 0) totals[warp] = total;
    __syncthreads();
    float sum = 0.0f;
    for (u32 w = 0; w < warps; ++w) sum += totals[w];
    float scale = 1.0f / now.count;
    if (who.objective == LOG_UTILITY) scale /= fmaxf(who.ceiling - sum * scale, who.floor);
    for (u32 e = threadIdx.x; e < now.count * CLASSES; e += blockDim.x) a.dy[base + e] *= scale;
}

// Without a backward pass nobody else moves the clock.
extern "C" __global__ void tick(const Args a) { a.clock[0] = a.clock[1] + 1; }

// What an agent changed, in place of what it has.
extern "C" __global__ void difference(const Args a, u64 dim, u32 agents) {
    const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < dim && blockIdx.z < agents) a.params[blockIdx.z * a.stride + at] -= a.before[at];
}

// Every agent starts where the round starts. HALF: factors are kept as bf16.
template <bool HALF> __device__ __forceinline__ void begin(const Args& a, u64 dim, u32 agents) {
    const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x, to = blockIdx.z * a.stride + at;
    if (at >= dim || blockIdx.z >= agents) return;
    a.params[to] = a.before[at];
    if constexpr (HALF) ((bf16*)a.factors)[to] = (bf16)halves(a.before[at], 0.0f);
    else if (a.factors != a.params) a.factors[to] = tf32(a.before[at]);
    if (a.velocity) a.velocity[to] = 0.0f;
}

extern "C" __global__ void spread(const Args a, u64 dim, u32 agents) { begin<false>(a, dim, agents); }
extern "C" __global__ void spread_halves(const Args a, u64 dim, u32 agents) { begin<true>(a, dim, agents); }

// Weighted sum of what agents changed, added up in their order.
extern "C" __global__ void fold(const Args a, u64 dim, u32 agents) {
    const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= dim) return;
    double total = 0.0;
    for (u32 s = 0; s < agents; ++s)
        total += (double)a.shade[s] * (double)(a.params[s * a.stride + at] - a.before[at]);
    a.y[at] = (float)total;
}
