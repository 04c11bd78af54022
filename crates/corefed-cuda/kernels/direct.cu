// Convolutions of few channels whose results are pooled, without a matrix product: images lie in shared memory as
// planes of channels in a frame of zeros, and sums are plain floats in every precision.
//
// A gradient behind a pool belongs to one of four places, and behind ReLU often to none. It is therefore kept as a list
// of places and numbers that are not zero, which says everything.

// What a direct kernel is about: one agent, and images of its batch.
template <class C> struct Direct {
    static constexpr u32 TAPS = C::KS * C::KS, K = TAPS * C::CI, PLACES = C::PH * C::PW, OUTPUTS = PLACES * C::CO;
    static constexpr u32 INPUTS = C::H * C::W * C::CIP, IMAGE = C::CI * C::PLANE;

    const Args& a;
    const u32 agent, step;
    const Agent who;
    const Now now;

    __device__ __forceinline__ explicit Direct(const Args& a)
        : a(a), agent(blockIdx.z), step(a.clock[C::KIND == FORWARD ? 0 : 1]), who(a.agents[agent]), now(rows_of(who, step)) {}

    // Images `first` and after in shared memory. What others wrote there before must be done with.
    __device__ __forceinline__ void bring(u32 first, u32 count, float* to) const {
        constexpr u32 V = INPUTS % 4 == 0 ? 4 : INPUTS % 2 == 0 ? 2 : 1, EACH = INPUTS / V, AT_ONCE = 4;
        // Whether the same place of a vector always has the same channel.
        constexpr bool FIXED = V % C::CIP == 0;
        if constexpr (C::PAD > 0) {
            for (u32 e = threadIdx.x; e < count * IMAGE; e += C::THREADS) to[e] = 0.0f;
            __syncthreads();
        }
        float scale[V], shift[V];
        if constexpr (C::SOURCE == BYTES && FIXED) {
#pragma unroll
            for (u32 j = 0; j < V; ++j) {
                const u32 ci = j % C::CIP;
                scale[j] = ci < C::CI ? a.shade[ci] : 0.0f;
                shift[j] = ci < C::CI ? a.shade[C::CHANNELS + ci] : 0.0f;
            }
        }
        for (u32 from = threadIdx.x; from < count * EACH; from += C::THREADS * AT_ONCE) {
            float part[AT_ONCE][V];
#pragma unroll
            for (u32 u = 0; u < AT_ONCE; ++u) {
                const u32 e = from + u * C::THREADS;
                if (e >= count * EACH) continue;
                const u32 n = first + e / EACH;
                const u64 row = C::SOURCE == ACTIVATIONS ? (u64)agent * a.batch + n : a.order[now.at + n];
                const u64 at = row * INPUTS + e % EACH * V;
                if constexpr (C::SOURCE == BYTES) {
                    __align__(4) u8 bytes[V];
                    if constexpr (V == 4) *(u32*)bytes = *(const u32*)((const u8*)a.x + at);
                    else
#pragma unroll
                        for (u32 j = 0; j < V; ++j) bytes[j] = ((const u8*)a.x)[at + j];
#pragma unroll
                    for (u32 j = 0; j < V; ++j) part[u][j] = (float)bytes[j];
                } else {
                    take<V>((const float*)a.x + at, part[u]);
                }
            }
#pragma unroll
            for (u32 u = 0; u < AT_ONCE; ++u) {
                const u32 e = from + u * C::THREADS;
                if (e >= count * EACH) continue;
#pragma unroll
                for (u32 j = 0; j < V; ++j) {
                    const u32 number = e % EACH * V + j, ci = FIXED ? j % C::CIP : number % C::CIP, pixel = number / C::CIP;
                    if (ci >= C::CI) continue;
                    float value = part[u][j];
                    if constexpr (C::SOURCE == BYTES) {
                        if constexpr (FIXED) value = fmaf(value, scale[j], shift[j]);
                        else value = fmaf(value, a.shade[ci], a.shade[C::CHANNELS + ci]);
                    }
                    to[e / EACH * IMAGE + ci * C::PLANE + (pixel / C::W + C::PAD) * C::LINE + pixel % C::W + C::PAD] = value;
                }
            }
        }
    }
};

// Hands out numbers that follow each other, each with its place; eight of a thread are on their way at once.
template <u32 THREADS, u32 COUNT, class To> __device__ __forceinline__ void hand_out(const float* from, To to) {
    constexpr u32 AT_ONCE = 8;
    for (u32 first = threadIdx.x; first < COUNT; first += THREADS * AT_ONCE) {
        float part[AT_ONCE];
#pragma unroll
        for (u32 u = 0; u < AT_ONCE; ++u)
            if (first + u * THREADS < COUNT) part[u] = from[first + u * THREADS];
#pragma unroll
        for (u32 u = 0; u < AT_ONCE; ++u)
            if (first + u * THREADS < COUNT) to(first + u * THREADS, part[u]);
    }
}

// Gradients of one channel of one image, each lane every 32nd place.
template <class C> struct Kept {
    using D = Direct<C>;
    static constexpr int ROUNDS = (D::PLACES + 31) / 32;
    float g[ROUNDS];
    u32 which[ROUNDS];

    __device__ __forceinline__ void fetch(const D& d, u32 n, u32 co) {
        const u32 lane = threadIdx.x % 32;
        const u64 base = ((u64)d.agent * d.a.batch + n) * D::OUTPUTS + co;
#pragma unroll
        for (int i = 0; i < ROUNDS; ++i) {
            const u32 place = i * 32 + lane;
            g[i] = place < D::PLACES ? d.a.dy[base + place * C::CO] : 0.0f;
            which[i] = place < D::PLACES ? d.a.index[base + place * C::CO] : 0;
        }
    }

    // Writes those that are not zero in their order, each with where its window begins in the frame; returns how many.
    __device__ __forceinline__ u32 list(float2* to) const {
        const u32 lane = threadIdx.x % 32;
        u32 length = 0;
        __syncwarp();
#pragma unroll
        for (int i = 0; i < ROUNDS; ++i) {
            const u32 some = __ballot_sync(~0u, g[i] != 0.0f);
            if (g[i] != 0.0f) {
                const u32 place = i * 32 + lane;
                const u32 y = place / C::PW * 2 + which[i] / 2, x = place % C::PW * 2 + which[i] % 2;
                to[length + __popc(some & ((1u << lane) - 1))] = make_float2(__int_as_float(y * C::LINE + x), g[i]);
            }
            length += __popc(some);
        }
        __syncwarp();
        return length;
    }
};

// Which taps and channels of a window a lane has: as many whole planes of taps as fit into a warp, in turn.
template <class C> struct Lane {
    static constexpr int TAPS = C::KS * C::KS, PLANES = 32 / TAPS, SLOTS = (C::CI + PLANES - 1) / PLANES;
    static_assert(PLANES > 0, "a window has at most 32 taps");
    const int lane, tap, plane;
    // From where a window begins to what the lane looks at, in its first turn; others are `PLANES` planes further.
    const int aside;

    __device__ __forceinline__ Lane()
        : lane(threadIdx.x % 32), tap(lane % TAPS), plane(lane / TAPS),
          aside(plane < PLANES ? plane * C::PLANE + tap / C::KS * C::LINE + tap % C::KS : 0) {}

    __device__ __forceinline__ bool has(int slot) const { return plane < PLANES && slot * PLANES + plane < C::CI; }
    __device__ __forceinline__ int channel(int slot) const { return slot * PLANES + plane; }
};
