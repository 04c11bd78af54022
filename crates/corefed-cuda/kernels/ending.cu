// What becomes of a tile once it is added up: parts of blocks that share it are joined, then it is applied.

// Rows of the tile that this block has whole after joining.
struct Mine {
    int from, to;
};

// Blocks of a cluster add their parts up in shared memory, each its share of the rows; sums are in order. What
// several clusters, or blocks without one, have of a tile is joined in memory: whoever arrives last adds the parts
// up in their order. No rows: somebody else does the rest.
template <class C> __device__ __forceinline__ Mine join(const Block<C>& b, float* tile) {
    using B = Block<C>;
    constexpr int BN = C::BN, EACH = C::BM / C::CLUSTER;
    const Args& a = b.a;
    const u32 rank = b.split % C::CLUSTER, part = b.split / C::CLUSTER, parts = a.splits / C::CLUSTER;
    const Mine mine = {(int)rank * EACH, (int)rank * EACH + EACH};
    if constexpr (C::CLUSTER > 1) {
        cluster_arrive();
        cluster_wait();
        for (int e = mine.from * BN + threadIdx.x * 4; e < mine.to * BN; e += B::THREADS * 4) {
            float* const at = tile + e / BN * B::LDC + e % BN;
            float4 total = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
            for (u32 r = 0; r < C::CLUSTER; ++r) {
                const float4 part = cluster_take(at, r);
                total.x += part.x; total.y += part.y;
                total.z += part.z; total.w += part.w;
            }
            *(float4*)at = total;
        }
        // Nobody leaves while others may still read; the wait is the last thing a block does.
        cluster_arrive();
        __syncthreads();
    }
    if (parts == 1) return mine;
    const u64 number = ((u64)b.agent * (gridDim.y / a.splits) + b.tile_n) * gridDim.x + blockIdx.x;
    float* const all = a.partial + number * parts * (C::BM * BN);
    for (int e = mine.from * BN + threadIdx.x * 4; e < mine.to * BN; e += B::THREADS * 4)
        *(float4*)(all + part * (C::BM * BN) + e) = *(const float4*)(tile + e / BN * B::LDC + e % BN);
    u32* const arrivals = a.arrivals + number * C::CLUSTER + rank;
    if (!arrives_last(arrivals, parts)) return {0, 0};
    for (int e = mine.from * BN + threadIdx.x * 4; e < mine.to * BN; e += B::THREADS * 4)
        *(float4*)(tile + e / BN * B::LDC + e % BN) = added_up(all + e, parts, C::BM * BN);
    if (threadIdx.x == 0) *arrivals = 0;
    __syncthreads();
    return mine;
}

// Biases, the largest of 2x2, the activation.
template <class C> __device__ __forceinline__ void finish_forward(const Block<C>& b, const float* tile, Mine mine) {
    using B = Block<C>;
    constexpr int BN = C::BN, VC = C::VC, LINE = BN / VC;
    const Args& a = b.a;
    const u64 base = (u64)b.agent * a.batch * B::OUTPUTS;
    const float* const bias = b.weights + B::WEIGHTS * C::CO;
    constexpr int EACH = C::POOL ? 4 : 1;
    for (int e = mine.from / EACH * LINE + threadIdx.x; e < mine.to / EACH * LINE; e += B::THREADS) {
        const int r = e / LINE * EACH, c = e % LINE * VC;
        const u32 row = b.row(b.m0 + r);
        if (row == NOBODY || b.n0 + c >= B::COLS) continue;
        const u64 at = base + row / EACH * C::CO + b.n0 + c;
        float z[VC], y[VC];
        __align__(4) u8 which[VC];
        run<VC>(tile + r * B::LDC + c, z);
        if constexpr (C::POOL) {
#pragma unroll
            for (int j = 0; j < VC; ++j) which[j] = 0;
#pragma unroll
            for (int w = 1; w < 4; ++w) {
                float v[VC];
                run<VC>(tile + (r + w) * B::LDC + c, v);
#pragma unroll
                for (int j = 0; j < VC; ++j)
                    if (v[j] > z[j]) { z[j] = v[j]; which[j] = w; }
            }
        }
#pragma unroll
        for (int j = 0; j < VC; ++j) {
            z[j] += bias[b.n0 + c + j];
            y[j] = activate<C::ACT>(z[j]);
            if (C::ROUND_OUT) y[j] = tf32(y[j]);
        }
        put<VC>((typename Number<C::HALF_Y>::Type*)a.y + at, y);
        if constexpr (C::ACT == GELU || C::ACT == SOFTPLUS) put<VC>(a.z + at, z);
        if constexpr (C::POOL) {
            if constexpr (VC == 4) *(u32*)(a.index + at) = *(const u32*)which;
            else
#pragma unroll
                for (int j = 0; j < VC; ++j) a.index[at + j] = which[j];
        }
    }
}

// To the four pixels of a pooled place in the layer before: the largest gets all.
template <class C, int V> __device__ __forceinline__ void spread(const Block<C>& b, u32 m, u32 c, u64 at, const float (&d)[V]) {
    using B = Block<C>;
    const u32 n = m / (C::H * C::W), within = m % (C::H * C::W) * B::CI + c;
    const u32 channel = within % C::BC, q = within / C::BC, y = q / C::BW * 2, x = q % C::BW * 2;
    auto* const to = (typename Number<C::HALF_DX>::Type*)b.a.dx + ((u64)b.agent * b.a.batch + n) * (4 * B::INPUTS) + channel;
#pragma unroll
    for (u32 which = 0; which < 4; ++which) {
        float own[V];
#pragma unroll
        for (int j = 0; j < V; ++j) own[j] = d[j];
        keep<V>(b.a.largest + at, which, own);
        put<V>(to + ((y + which / 2) * (2 * C::BW) + x + which % 2) * C::BC, own);
    }
}

// The slope of the activation before; behind a pool, the pixel that was largest gets it.
template <class C> __device__ __forceinline__ void finish_input(const Block<C>& b, const float* tile, Mine mine) {
    using B = Block<C>;
    constexpr int BN = C::BN, VC = C::VC, LINE = BN / VC;
    const Args& a = b.a;
    const u64 base = (u64)b.agent * a.batch * B::INPUTS;
    for (int e = mine.from * LINE + threadIdx.x; e < mine.to * LINE; e += B::THREADS) {
        const int r = e / LINE, c = e % LINE * VC;
        const u32 row = b.row(b.m0 + r);
        if (row == NOBODY || b.n0 + c >= B::COLS) continue;
        const u64 at = base + row * B::CI + b.n0 + c;
        float d[VC], other[VC];
        run<VC>(tile + r * B::LDC + c, d);
        constexpr bool RAW = C::ACT == GELU || C::ACT == SOFTPLUS;
        if constexpr (C::ACT != NONE) {
            if constexpr (RAW) take<VC>(a.before + at, other);
            else take<VC>((const typename B::Input*)a.x + at, other);
#pragma unroll
            for (int j = 0; j < VC; ++j) d[j] *= slope<C::ACT>(other[j], other[j]);
        }
        if constexpr (C::ROUND_OUT)
#pragma unroll
            for (float& x : d) x = tf32(x);
        if constexpr (C::SPREADS) spread<C>(b, row, b.n0 + c, at, d);
        else put<VC>((typename Number<C::HALF_DX>::Type*)a.dx + at, d);
    }
}

// The step: no gradient ever goes to memory.
template <class C> __device__ __forceinline__ void finish_weight(const Block<C>& b, const float* tile, Mine mine) {
    using B = Block<C>;
    constexpr int BN = C::BN, VC = C::VC, LINE = BN / VC;
    const Args& a = b.a;
    // Several steps are on their way to memory at once: that, not arithmetic, takes the time.
    constexpr int SLOTS = (C::BM / C::CLUSTER * LINE + B::THREADS - 1) / B::THREADS, AT_ONCE = SLOTS < 4 ? SLOTS : 4;
    const int all = mine.to * LINE;
    for (int first = mine.from * LINE + threadIdx.x; first < all; first += B::THREADS * AT_ONCE) {
        float w[AT_ONCE][VC], v[AT_ONCE][VC], more[AT_ONCE][VC];
        u32 at[AT_ONCE];
        bool live[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; ++u) {
            const int e = first + u * B::THREADS, r = e / LINE, c = e % LINE * VC;
            const u32 k = b.m0 + r;
            const u32 row = k == B::K ? B::WEIGHTS : B::CI == C::CI ? k : k / B::CI * C::CI + k % B::CI;
            const bool real = B::CI == C::CI || k == B::K || k % B::CI < C::CI;
            live[u] = e < all && k < b.rows && real && b.n0 + c < B::COLS;
            at[u] = row * C::CO + b.n0 + c;
            if (!live[u] || b.who.objective == SUM) continue;
            take<VC>(b.weights + at[u], w[u]);
            if (a.velocity) take<VC>(a.velocity + b.agent * a.stride + C::OFFSET + at[u], v[u]);
            if (a.drift) take<VC>(a.drift + b.agent * a.stride + C::OFFSET + at[u], more[u]);
        }
#pragma unroll
        for (int u = 0; u < AT_ONCE; ++u) {
            if (!live[u]) continue;
            const int e = first + u * B::THREADS;
            float d[VC];
            run<VC>(tile + e / LINE * B::LDC + e % LINE * VC, d);
            descend<C::HALF_W, VC>(a, b.who, b.agent, C::OFFSET + at[u], w[u], v[u], more[u], d);
        }
    }
}
