// What a pooled convolution makes: a thread has some pooled places in a row, for some channels.

template <class C> __device__ __forceinline__ void direct_forward(const Args& a) {
    using D = Direct<C>;
    constexpr int ACROSS = C::ACROSS, EACH = C::EACH, KS = C::KS;
    constexpr int TURNS = (C::PW + ACROSS - 1) / ACROSS, SETS = (C::CO + EACH - 1) / EACH, WIDE = SETS * EACH;
    // Numbers of a line that a thread looks at, read so many at once.
    constexpr int V = ACROSS % 2 == 0 ? 4 : 2, SPAN = (2 * ACROSS + KS - 1 + V - 1) / V * V;
    constexpr u32 WEIGHTS = (D::K * WIDE + 3) / 4 * 4;
    constexpr u32 ITEMS = C::PH * TURNS * C::GROUP;
    static_assert(C::LINE % V == 0 && C::PLANE % V == 0 && 2 * ACROSS * (TURNS - 1) + SPAN <= C::LINE, "lines hold what is read");
    static_assert((WEIGHTS + C::GROUP * D::IMAGE) * 4 == C::SHARED, "the host counts shared memory as the kernel does");
    extern __shared__ __align__(16) float shared[];

    const D d(a);
    const u32 first = blockIdx.x * C::GROUP;
    if (first >= d.now.count) return;
    const u32 count = min(C::GROUP, d.now.count - first);
    float* const images = shared + WEIGHTS;
    const float* const params = a.params + d.agent * a.stride + C::OFFSET;
    if constexpr (WIDE > C::CO)
        for (u32 k = threadIdx.x; k < D::K; k += C::THREADS)
            for (u32 co = C::CO; co < WIDE; ++co) shared[k * WIDE + co] = 0.0f;
    hand_out<C::THREADS, D::K * C::CO>(params, [&](u32 e, float weight) {
        const u32 co = e % C::CO, ci = e / C::CO % C::CI, tap = e / C::CO / C::CI;
        shared[(ci * D::TAPS + tap) * WIDE + co] = weight;
    });
    d.bring(first, count, images);
    __syncthreads();

    for (u32 item = threadIdx.x; item < ITEMS * SETS; item += C::THREADS) {
        const u32 set = item / ITEMS, n = item % ITEMS / (C::PH * TURNS), place = item % (C::PH * TURNS);
        const u32 py = place / TURNS, px = place % TURNS * ACROSS;
        if (n >= count) continue;
        float sums[2][2 * ACROSS][EACH];
#pragma unroll
        for (auto& line : sums)
#pragma unroll
            for (auto& at : line)
#pragma unroll
                for (float& s : at) s = 0.0f;
        const float* from = images + n * D::IMAGE + 2 * py * C::LINE + 2 * px;
        const float* w = shared + set * EACH;
#pragma unroll 1
        for (int ci = 0; ci < C::CI; ++ci) {
            float lines[KS + 1][SPAN];
            auto line = [&](int y) {
#pragma unroll
                for (int x = 0; x < SPAN; x += V) take<V>(from + y * C::LINE + x, *(float(*)[V]) & lines[y][x]);
            };
            line(0);
#pragma unroll
            for (int ky = 0; ky < KS; ++ky) {
                line(ky + 1);
#pragma unroll
                for (int kx = 0; kx < KS; ++kx) {
                    float factor[EACH];
                    run<EACH>(w + (ky * KS + kx) * WIDE, factor);
#pragma unroll
                    for (int y = 0; y < 2; ++y)
#pragma unroll
                        for (int x = 0; x < 2 * ACROSS; ++x)
#pragma unroll
                            for (int c = 0; c < EACH; ++c) sums[y][x][c] = fmaf(lines[ky + y][x + kx], factor[c], sums[y][x][c]);
                }
            }
            from += C::PLANE;
            w += D::TAPS * WIDE;
        }

        constexpr int VC = C::CO % 4 == 0 && EACH % 4 == 0 ? 4 : C::CO % 2 == 0 && EACH % 2 == 0 ? 2 : 1;
#pragma unroll
        for (int p = 0; p < ACROSS; ++p) {
            if (px + p >= C::PW) continue;
            const u64 base = ((u64)d.agent * a.batch + first + n) * D::OUTPUTS + (py * C::PW + px + p) * C::CO;
#pragma unroll
            for (int c = 0; c < EACH; c += VC) {
                const u32 co = set * EACH + c;
                if (co >= C::CO) continue;
                float y[VC];
                __align__(4) u8 which[4];
#pragma unroll
                for (int j = 0; j < VC; ++j) {
                    float z = sums[0][2 * p][c + j];
                    which[j] = 0;
#pragma unroll
                    for (int q = 1; q < 4; ++q) {
                        const float other = sums[q / 2][2 * p + q % 2][c + j];
                        if (other > z) { z = other; which[j] = q; }
                    }
                    y[j] = activate<C::ACT>(z + params[D::K * C::CO + co + j]);
                }
                put<VC>((typename Number<C::HALF_Y>::Type*)a.y + base + co, y);
                if constexpr (VC == 4) *(u32*)(a.index + base + co) = *(const u32*)which;
                else
#pragma unroll
                    for (int j = 0; j < VC; ++j) a.index[base + co + j] = which[j];
            }
        }
    }
}
