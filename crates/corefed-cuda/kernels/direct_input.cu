// The gradient of a pooled convolution's input: warps have some channels each, add what their gradients say to a frame
// of their own, and frames are added up in order.

template <class C> __device__ __forceinline__ void direct_input(const Args& a) {
    using D = Direct<C>;
    using L = Lane<C>;
    constexpr int SLOTS = L::SLOTS, WARPS = C::THREADS / 32;
    constexpr u32 FRAME = (D::IMAGE + 3) / 4 * 4, WEIGHTS = (D::K * C::CO + 3) / 4 * 4, LIST = (D::PLACES + 2) / 2 * 4;
    static_assert((WARPS * FRAME + WEIGHTS + WARPS * LIST) * 4 == C::SHARED, "the host counts shared memory as the kernel does");
    extern __shared__ __align__(16) float shared[];

    const D d(a);
    const u32 n = blockIdx.x, warp = threadIdx.x / 32;
    if (n >= d.now.count) return;
    const L lane;
    Kept<C> kept;
    kept.fetch(d, n, warp);
    float* const frame = shared + warp * FRAME;
    float* const weights = shared + WARPS * FRAME;
    float2* const list = (float2*)(weights + WEIGHTS + warp * LIST);
    const float* const params = a.params + d.agent * a.stride + C::OFFSET;
    hand_out<C::THREADS, D::K * C::CO>(params, [&](u32 e, float weight) {
        const u32 co = e % C::CO, ci = e / C::CO % C::CI, tap = e / C::CO / C::CI;
        weights[(co * C::CI + ci) * D::TAPS + tap] = weight;
    });
    for (u32 e = threadIdx.x * 4; e < WARPS * FRAME; e += C::THREADS * 4) *(float4*)(shared + e) = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    __syncthreads();

    for (u32 co = warp; co < C::CO; co += WARPS) {
        const u32 length = kept.list(list);
        if (co + WARPS < C::CO) kept.fetch(d, n, co + WARPS);
        float w[SLOTS];
#pragma unroll
        for (int s = 0; s < SLOTS; ++s)
            w[s] = lane.has(s) ? weights[(co * C::CI + lane.channel(s)) * D::TAPS + lane.tap] : 0.0f;
        float2 next = list[0];
        for (u32 i = 0; i < length; ++i) {
            const float2 one = next;
            next = list[i + 1];
            float* const at = frame + __float_as_int(one.x) + lane.aside;
            float old[SLOTS];
#pragma unroll
            for (int s = 0; s < SLOTS; ++s) old[s] = lane.has(s) ? at[s * L::PLANES * C::PLANE] : 0.0f;
#pragma unroll
            for (int s = 0; s < SLOTS; ++s)
                if (lane.has(s)) at[s * L::PLANES * C::PLANE] = fmaf(one.y, w[s], old[s]);
            // Windows overlap: one lane's pixel is another's in the next.
            __syncwarp();
        }
    }
    __syncthreads();

    constexpr bool RAW = C::ACT == GELU || C::ACT == SOFTPLUS;
    const u64 base = ((u64)d.agent * a.batch + n) * D::INPUTS;
    auto finish = [&](u32 e, float other) {
        const u32 ci = e % C::CI, pixel = e / C::CI;
        const u32 at = ci * C::PLANE + (pixel / C::W + C::PAD) * C::LINE + pixel % C::W + C::PAD;
        float sum = shared[at];
#pragma unroll
        for (int w = 1; w < WARPS; ++w) sum += shared[w * FRAME + at];
        a.dx[base + e] = C::ACT == NONE ? sum : sum * slope<C::ACT>(other, other);
    };
    if constexpr (C::ACT != NONE) hand_out<C::THREADS, D::INPUTS>((RAW ? a.before : (const float*)a.x) + base, finish);
    else
        for (u32 e = threadIdx.x; e < D::INPUTS; e += C::THREADS) finish(e, 0.0f);
}
