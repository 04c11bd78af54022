// Runs kernels on a CPU, one block after another, to test them where there is no GPU. Threads of a block are
// coroutines that take turns at barriers.

#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <ucontext.h>

#define __device__
#define __forceinline__ inline
#define __global__ static
#define __shared__ static
#define __launch_bounds__(...)
#define __align__(n) alignas(n)

struct float2 { float x, y; };
struct float4 { float x, y, z, w; };
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
struct dim3 { unsigned x, y, z; };

static dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulator {
alignas(16) static float shared_memory[1 << 16];

enum State { RUNS, AT_BLOCK, AT_WARP, ENDED };
// A thread is begun by a context once, and then left and resumed by jumps: a context asks the system for the signal
// mask at every turn, which took longer than the kernels.
struct Thread {
    jmp_buf place;
    State state;
    bool begun;
};
constexpr unsigned MOST = 1024;
static Thread threads[MOST];
alignas(16) static char stacks[MOST][1 << 16];
static jmp_buf scheduler;
static unsigned current;
static void (*body)(const void*);
static const void* body_args;

static void wait(State state) {
    Thread& me = threads[current];
    me.state = state;
    if (!_setjmp(me.place)) _longjmp(scheduler, 1);
}

// What a thread does for ever, in one block after another.
static void enter() {
    for (;;) {
        body(body_args);
        wait(ENDED);
    }
}

// Comes back when the thread waits or ends.
static void resume(unsigned t) {
    current = t;
    threadIdx = {t, 0, 0};
    if (_setjmp(scheduler)) return;
    if (threads[t].begun) _longjmp(threads[t].place, 1);
    threads[t].begun = true;
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = stacks[t];
    context.uc_stack.ss_size = sizeof stacks[t];
    context.uc_link = nullptr;
    makecontext(&context, enter, 0);
    setcontext(&context);
}

// Lets those go on that wait for each other and are all there.
static bool release(unsigned from, unsigned to, State state) {
    bool some = false;
    for (unsigned t = from; t < to; ++t) {
        if (threads[t].state == ENDED) continue;
        if (threads[t].state != state) return false;
        some = true;
    }
    for (unsigned t = from; t < to; ++t)
        if (threads[t].state == state) threads[t].state = RUNS;
    return some;
}

static void block(unsigned count) {
    if (count > MOST) abort();
    for (unsigned t = 0; t < count; ++t) threads[t].state = RUNS;
    for (;;) {
        bool ran = false;
        for (unsigned t = 0; t < count; ++t) {
            while (threads[t].state == RUNS) {
                resume(t);
                ran = true;
            }
        }
        bool released = false;
        for (unsigned w = 0; w < count; w += 32)
            released |= release(w, w + 32 < count ? w + 32 : count, AT_WARP);
        if (!released) released = release(0, count, AT_BLOCK);
        if (released) continue;
        bool ended = true;
        for (unsigned t = 0; t < count; ++t) ended &= threads[t].state == ENDED;
        if (ended) return;
        if (!ran) {
            fprintf(stderr, "threads wait for each other in vain\n");
            exit(2);
        }
    }
}

static void launch(void (*kernel)(const void*), const void* args, dim3 grid, unsigned count, unsigned shared) {
    body = kernel;
    body_args = args;
    gridDim = grid;
    blockDim = {count, 1, 1};
    for (unsigned z = 0; z < grid.z; ++z)
        for (unsigned y = 0; y < grid.y; ++y)
            for (unsigned x = 0; x < grid.x; ++x) {
                blockIdx = {x, y, z};
                // What no thread wrote must not look like a result.
                memset(shared_memory, 0xff, shared);
                block(count);
            }
}

static float lanes[32][32][6];
}  // namespace emulator

static void __syncthreads() { emulator::wait(emulator::AT_BLOCK); }
static void __threadfence() {}
template <class T> static T __ldcg(const T* p) { return *p; }
static unsigned atomicAdd(unsigned* p, unsigned v) { unsigned old = *p; *p += v; return old; }
static unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }

template <class T> static T __shfl_xor_sync(unsigned, T v, int d) {
    const unsigned me = emulator::current, warp = me / 32;
    memcpy(&emulator::lanes[warp][me % 32][0], &v, 4);
    emulator::wait(emulator::AT_WARP);
    T other;
    memcpy(&other, &emulator::lanes[warp][(me % 32) ^ d][0], 4);
    emulator::wait(emulator::AT_WARP);
    return other;
}

static void __syncwarp() { emulator::wait(emulator::AT_WARP); }
static float __uint_as_float(unsigned v) { float f; memcpy(&f, &v, 4); return f; }
static float __int_as_float(int v) { float f; memcpy(&f, &v, 4); return f; }
static int __float_as_int(float f) { int v; memcpy(&v, &f, 4); return v; }
static int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static int __ffsll(unsigned long long v) { return __builtin_ffsll(v); }
static int __popc(unsigned v) { return __builtin_popcount(v); }

// All lanes of the warp take part.
static unsigned __ballot_sync(unsigned, bool v) {
    const unsigned me = emulator::current, warp = me / 32;
    emulator::lanes[warp][me % 32][0] = v;
    __syncwarp();
    unsigned all = 0;
    for (unsigned lane = 0; lane < 32; ++lane) all |= (emulator::lanes[warp][lane][0] != 0.0f ? 1u : 0u) << lane;
    __syncwarp();
    return all;
}

// Nearest with ten bits after the point, ties away from zero.
static float tf32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    bits = (bits + 0x1000) & ~0x1fffu;
    memcpy(&x, &bits, 4);
    return x;
}

// Upper halves of floats, to the nearest and to the even one of two.
static unsigned halves(float first, float second) {
    unsigned both = 0;
    for (float x : {second, first}) {
        uint32_t bits;
        memcpy(&bits, &x, 4);
        bits = std::isnan(x) ? 0x7fff0000u : bits + 0x7fff + (bits >> 16 & 1);
        both = both << 16 | bits >> 16;
    }
    return both;
}

static void mma(float (&c)[4], const float (&a)[4], const float (&b)[2]) {
    const unsigned me = emulator::current, warp = me / 32, lane = me % 32, g = lane / 4, t = lane % 4;
    auto& lanes = emulator::lanes[warp];
    memcpy(&lanes[lane][0], a, 16);
    memcpy(&lanes[lane][4], b, 8);
    emulator::wait(emulator::AT_WARP);
    for (int e = 0; e < 4; ++e) {
        const unsigned row = g + (e >> 1) * 8, col = 2 * t + (e & 1);
        for (unsigned k = 0; k < 8; ++k)
            c[e] += lanes[row % 8 * 4 + k % 4][(row >= 8) + 2 * (k >= 4)] * lanes[col * 4 + k % 4][4 + (k >= 4)];
    }
    emulator::wait(emulator::AT_WARP);
}

// Lane l names line l % 8 of matrix l / 8 and gets number l % 4 of line l / 4 of each.
static void matrices(float (&to)[4], const float* line) {
    const unsigned me = emulator::current, warp = me / 32, lane = me % 32;
    memcpy(&emulator::lanes[warp][lane][0], line, 16);
    emulator::wait(emulator::AT_WARP);
    for (unsigned j = 0; j < 4; ++j) to[j] = emulator::lanes[warp][j * 8 + lane / 4][lane % 4];
    emulator::wait(emulator::AT_WARP);
}

// Of bf16: lane l names line l % 8 of matrix l / 8 and gets numbers 2 (l % 4) and the next of line l / 4 of each, or if
// TURNED number l / 4 of these two lines.
template <bool TURNED, int COUNT> static void matrices(unsigned (&to)[COUNT], const unsigned short* line) {
    const unsigned me = emulator::current, warp = me / 32, lane = me % 32, g = lane / 4, t = lane % 4;
    if (lane < COUNT * 8) memcpy(&emulator::lanes[warp][lane][0], line, 16);
    emulator::wait(emulator::AT_WARP);
    for (unsigned j = 0; j < COUNT; ++j) {
        auto number = [&](unsigned line, unsigned at) -> unsigned {
            return ((const unsigned short*)&emulator::lanes[warp][j * 8 + line][0])[at];
        };
        to[j] = TURNED ? number(2 * t, g) | number(2 * t + 1, g) << 16 : number(g, 2 * t) | number(g, 2 * t + 1) << 16;
    }
    emulator::wait(emulator::AT_WARP);
}

// Of bf16: register e of the left operand has row g, or g + 8 if e is odd, and summands 2t and the next, or 8 more if e is
// 2 or 3; register e of the right one has column g and the same summands, or 8 more if e is odd.
static void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    const unsigned me = emulator::current, warp = me / 32, lane = me % 32, g = lane / 4, t = lane % 4;
    auto& lanes = emulator::lanes[warp];
    memcpy(&lanes[lane][0], a, 16);
    memcpy(&lanes[lane][4], b, 8);
    emulator::wait(emulator::AT_WARP);
    auto number = [&](unsigned line, unsigned e, unsigned k) {
        unsigned both;
        memcpy(&both, &lanes[line * 4 + k % 8 / 2][e], 4);
        return __uint_as_float(k % 2 ? both & 0xffff0000u : both << 16);
    };
    for (int e = 0; e < 4; ++e) {
        const unsigned row = g + (e >> 1) * 8, col = 2 * t + (e & 1);
        for (unsigned k = 0; k < 16; ++k)
            c[e] += number(row % 8, (row >= 8) + 2 * (k >= 8), k) * number(col, 4 + (k >= 8), k);
    }
    emulator::wait(emulator::AT_WARP);
}

template <int V, class T> static void copy(T* to, const T* from, bool live) {
    // As the device: vectors of 4, 8 or 16 bytes that lie at multiples of their size.
    constexpr size_t BYTES = V * sizeof(T);
    static_assert(BYTES == 4 || BYTES == 8 || BYTES == 16);
    if ((uintptr_t)to % BYTES != 0 || (live && (uintptr_t)from % BYTES != 0)) {
        fprintf(stderr, "a copy is not aligned\n");
        exit(2);
    }
    for (int j = 0; j < V; ++j) to[j] = live ? from[j] : T(0);
}
static void copies_end() {}
template <int N> static void copies_wait() {}

// Blocks run one after another here, so there are no clusters.
static void cluster_arrive() { abort(); }
static void cluster_wait() { abort(); }
static float4 cluster_take(const float*, unsigned) { abort(); }
