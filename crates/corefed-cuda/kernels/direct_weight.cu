// The gradient of a pooled convolution's weights, and the step. A warp has one channel at a time; its lanes have the
// taps, and go through the list of that channel's gradients together.

template <class C> __device__ __forceinline__ void direct_weight(const Args& a) {
    using D = Direct<C>;
    using L = Lane<C>;
    constexpr int SLOTS = L::SLOTS;
    // Warps that have different channels, and sets of them that have different images.
    constexpr int WARPS = C::CO_WARPS, TURNS = (C::CO + WARPS - 1) / WARPS, SETS = C::THREADS / 32 / WARPS;
    constexpr u32 LIST = (D::PLACES + 1) / 2 * 4, TILE = (D::K + 1) * C::CO, PART = (TILE + 3) / 4 * 4;
    // Lanes without a channel of their own read a little further.
    constexpr u32 IMAGES = (C::GROUP * D::IMAGE + L::PLANES * C::PLANE + 3) / 4 * 4, LISTS = C::THREADS / 32 * LIST;
    static_assert((IMAGES + LISTS > PART ? IMAGES + LISTS : PART) * 4 == C::SHARED, "the host counts shared memory as the kernel does");
    extern __shared__ __align__(16) float shared[];

    const D d(a);
    if (C::TICK && (blockIdx.x | blockIdx.z | threadIdx.x) == 0) a.clock[0] = d.step + 1;
    const u32 begin = blockIdx.x * C::CHUNK;
    if (begin >= d.now.count) return;
    const u32 end = min(begin + C::CHUNK, d.now.count), parts = (d.now.count + C::CHUNK - 1) / C::CHUNK;
    const u32 warp = threadIdx.x / 32, own = warp % WARPS, set = warp / WARPS;
    const L lane;
    float* const list = shared + IMAGES + warp * LIST;

    float sums[TURNS][SLOTS], biases[TURNS];
#pragma unroll
    for (int t = 0; t < TURNS; ++t) {
        biases[t] = 0.0f;
#pragma unroll
        for (int s = 0; s < SLOTS; ++s) sums[t][s] = 0.0f;
    }
    for (u32 first = begin; first < end; first += C::GROUP) {
        const u32 count = min(C::GROUP, end - first);
        Kept<C> kept;
        // Gradients are on their way while images are brought, and those of the next list while one is added up.
        if (set < count) kept.fetch(d, first + set, own);
        d.bring(first, count, shared);
        __syncthreads();
        for (u32 n = set; n < count; n += SETS) {
#pragma unroll
            for (int t = 0; t < TURNS; ++t) {
                const u32 co = own + t * WARPS;
                if (co >= C::CO) continue;
                const u32 length = kept.list((float2*)list);
                if (co + WARPS < C::CO) kept.fetch(d, first + n, co + WARPS);
                else if (n + SETS < count) kept.fetch(d, first + n + SETS, own);
                const float* const from = shared + n * D::IMAGE + lane.aside;
                auto add = [&](float place, float g) {
                    const float* const at = from + __float_as_int(place);
                    biases[t] += g;
#pragma unroll
                    for (int s = 0; s < SLOTS; ++s) sums[t][s] = fmaf(at[s * L::PLANES * C::PLANE], g, sums[t][s]);
                };
                u32 i = 0;
#pragma unroll 2
                for (; i + 2 <= length; i += 2) {
                    const float4 two = *(const float4*)(list + 2 * i);
                    add(two.x, two.y);
                    add(two.z, two.w);
                }
                if (i < length) add(list[2 * i], list[2 * i + 1]);
            }
        }
        __syncthreads();
    }

    // Sets add to the tile in turn; it lies as parameters do.
#pragma unroll
    for (int turn = 0; turn < SETS; ++turn) {
        if (set == turn) {
#pragma unroll
            for (int t = 0; t < TURNS; ++t) {
                const u32 co = own + t * WARPS;
                if (co >= C::CO) continue;
                auto add = [&](u32 k, float value) {
                    float& to = shared[k * C::CO + co];
                    to = turn == 0 ? value : to + value;
                };
#pragma unroll
                for (int s = 0; s < SLOTS; ++s)
                    if (lane.has(s)) add(lane.tap * C::CI + lane.channel(s), sums[t][s]);
                if (lane.lane == 0) add(D::K, biases[t]);
            }
        }
        __syncthreads();
    }
    if (parts > 1) {
        float* const all = a.partial + (u64)d.agent * C::PARTS * PART;
        for (u32 e = threadIdx.x * 4; e < PART; e += C::THREADS * 4)
            *(float4*)(all + blockIdx.x * PART + e) = *(const float4*)(shared + e);
        if (!arrives_last(a.arrivals + d.agent, parts)) return;
        for (u32 e = threadIdx.x * 4; e < PART; e += C::THREADS * 4) *(float4*)(shared + e) = added_up(all + e, parts, PART);
        if (threadIdx.x == 0) a.arrivals[d.agent] = 0;
        __syncthreads();
    }
    constexpr int V = C::VC;
    for (u32 e = threadIdx.x * V; e < TILE; e += C::THREADS * V) {
        float w[V], v[V], more[V], g[V];
        const u64 at = d.agent * a.stride + C::OFFSET + e;
        if (d.who.objective != SUM) {
            take<V>(a.params + at, w);
            if (a.velocity) take<V>(a.velocity + at, v);
            if (a.drift) take<V>(a.drift + at, more);
        }
        take<V>(shared + e, g);
        descend<C::HALF_W, V>(a, d.who, d.agent, C::OFFSET + e, w, v, more, g);
    }
}
