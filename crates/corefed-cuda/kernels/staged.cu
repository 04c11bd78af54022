// Operands that become numbers on their way, or come in vectors of a pixel: brought through registers, one tile
// ahead of the one that is being multiplied.

template <class C> __device__ __forceinline__ void staged(const Block<C>& b, float* shared, Sums<C>& sums) {
    using B = Block<C>;
    using ShareA = typename B::ShareA;
    using ShareB = typename B::ShareB;
    constexpr int BM = C::BM, BK = C::BK, VA = C::VA, VB = C::VB;
    constexpr int LDA = B::LDA, LDB = B::LDB, SIZE_A = B::SIZE_A, SIZE_B = B::SIZE_B, THREADS = B::THREADS;
    constexpr u32 CI = B::CI, K = B::K, OUTPUTS = B::OUTPUTS, INPUTS = B::INPUTS;
    constexpr bool WHOLE = B::WHOLE;
    const Args& a = b.a;
    const Now& now = b.now;
    const u32 rows = b.rows, reds = b.reds, m0 = b.m0, n0 = b.n0, from = b.from, to = b.to;
    const float* const weights = b.factors;
    const typename B::Input* const input = b.input;
    const typename B::Gradient* const gradient = b.gradient;
    const u8* const index = b.index;

    // Rows of the batch, and how bytes become numbers.
    constexpr bool LISTS = C::KIND == WEIGHT && C::SOURCE != ACTIVATIONS && C::LISTED > 0;
    __shared__ u32 listed[LISTS ? C::LISTED : 1];
    if constexpr (LISTS) {
        for (u32 n = threadIdx.x; n < now.count; n += THREADS) listed[n] = a.order[now.at + n];
        __syncthreads();
    }
    const Shade<C> shade(a);

    // Places of a tile's summands, for all that look at them.
    constexpr int SPOTS = C::KIND == WEIGHT ? BK : 1;
    __shared__ Spot spots[2][SPOTS];
    auto locate = [&](u32 k0, int turn) {
        if constexpr (C::KIND == WEIGHT) {
            for (int line = threadIdx.x; line < BK; line += THREADS) {
                const u32 m = k0 + line;
                Spot spot = {0, NOWHERE, NOWHERE};
                if (m < reds) {
                    const Place p = place<C>(m);
                    const u32 row = C::SOURCE == ACTIVATIONS ? p.n : LISTS ? listed[p.n] : a.order[now.at + p.n];
                    spot.y = p.y * C::ST;
                    spot.x = p.x * C::ST;
                    spot.base = (long long)row * INPUTS + (spot.y * C::W + spot.x) * (int)CI;
                }
                spots[turn][line] = spot;
            }
        }
    };

    // What stays the same for a thread's share of the left operand. Where tiles are inside taps, a bit for each
    // tap says whether it is inside the image.
    constexpr bool MASKS = WHOLE && C::KS > 1 && C::KS * C::KS <= 32
        && (C::KIND == FORWARD || (C::KIND == INPUT && !C::POOL && C::ST == 1));
    long long base_a[ShareA::MINE];
    u32 mask_a[ShareA::MINE];
    int y_a[ShareA::MINE], x_a[ShareA::MINE];
    bool live_a[ShareA::MINE];
#pragma unroll
    for (int i = 0; i < ShareA::MINE; ++i) {
        base_a[i] = 0; y_a[i] = 0; x_a[i] = 0;
        if constexpr (C::KIND == FORWARD) {
            const u32 m = m0 + ShareA::line(i);
            live_a[i] = ShareA::has(i) && m < rows;
            if (live_a[i]) {
                const Place p = place<C>(m);
                y_a[i] = p.y * C::ST - C::PAD;
                x_a[i] = p.x * C::ST - C::PAD;
                base_a[i] = (long long)(C::SOURCE == ACTIVATIONS ? p.n : a.order[now.at + p.n]) * INPUTS;
            }
        } else if constexpr (C::KIND == INPUT) {
            const u32 m = m0 + ShareA::line(i);
            live_a[i] = ShareA::has(i) && m < rows;
            const u32 r = m % (C::H * C::W);
            y_a[i] = (int)(r / C::W) + C::PAD;
            x_a[i] = (int)(r % C::W) + C::PAD;
            base_a[i] = (long long)(m / (C::H * C::W)) * OUTPUTS;
        } else {
            const u32 k = m0 + ShareA::within(i), tap = k / CI;
            live_a[i] = ShareA::has(i) && k < K;
            y_a[i] = (int)(tap / C::KS) - C::PAD;
            x_a[i] = (int)(tap % C::KS) - C::PAD;
            base_a[i] = k % CI;
        }
        mask_a[i] = 0;
        if constexpr (MASKS) {
            constexpr bool BACK = C::KIND == INPUT;
            for (int tap = 0; tap < C::KS * C::KS; ++tap) {
                const int y = BACK ? y_a[i] - tap / C::KS : y_a[i] + tap / C::KS;
                const int x = BACK ? x_a[i] - tap % C::KS : x_a[i] + tap % C::KS;
                if (live_a[i] && (u32)y < (BACK ? C::OH : C::H) && (u32)x < (BACK ? C::OW : C::W)) mask_a[i] |= 1u << tap;
            }
            base_a[i] += BACK ? (y_a[i] * C::OW + x_a[i]) * C::CO : (y_a[i] * C::W + x_a[i]) * (int)CI;
        }
    }

    float part_a[ShareA::MINE][VA], part_b[ShareB::MINE][VB];

    auto bring = [&](u32 k0, int turn) {
#pragma unroll
        for (int i = 0; i < ShareA::MINE; ++i) {
#pragma unroll
            for (int j = 0; j < VA; ++j) part_a[i][j] = 0.0f;
            if constexpr (MASKS) {
                constexpr u32 LINE = C::KIND == INPUT ? C::CO : CI;
                const u32 tap = k0 / LINE;
                const int there = C::KIND == INPUT ? -(int)((tap / C::KS * C::OW + tap % C::KS) * LINE)
                                                   : (int)((tap / C::KS * C::W + tap % C::KS) * LINE);
                if (mask_a[i] >> tap & 1) {
                    const int within = there + (int)(k0 % LINE) + ShareA::within(i);
                    const long long at = base_a[i] + within;
                    if constexpr (C::KIND == INPUT) take<VA>(gradient + at, part_a[i]);
                    else if constexpr (C::SOURCE == BYTES) shade.template take<VA>((const u8*)a.x + at, k0 % LINE + ShareA::within(i), part_a[i]);
                    else take<VA>(input + at, part_a[i]);
                }
            } else if constexpr (C::KIND == FORWARD) {
                const u32 k = k0 + ShareA::within(i);
                const u32 tap = (WHOLE ? k0 : k) / CI, ci = WHOLE ? k0 % CI + ShareA::within(i) : k % CI;
                const int y = y_a[i] + (int)(tap / C::KS), x = x_a[i] + (int)(tap % C::KS);
                if (live_a[i] && k < K && (u32)y < C::H && (u32)x < C::W) {
                    const u32 within = (y * C::W + x) * CI + ci;
                    if constexpr (C::SOURCE == BYTES) shade.template take<VA>((const u8*)a.x + base_a[i] + within, ci, part_a[i]);
                    else take<VA>(input + base_a[i] + within, part_a[i]);
                }
            } else if constexpr (C::KIND == INPUT) {
                const u32 k = k0 + ShareA::within(i);
                const u32 tap = (WHOLE ? k0 : k) / C::CO, co = WHOLE ? k0 % C::CO + ShareA::within(i) : k % C::CO;
                const int ty = y_a[i] - (int)(tap / C::KS), tx = x_a[i] - (int)(tap % C::KS);
                const bool fits = ty >= 0 && tx >= 0 && (C::ST == 1 || (ty % C::ST == 0 && tx % C::ST == 0));
                const u32 oy = (u32)ty / C::ST, ox = (u32)tx / C::ST;
                if constexpr (C::POOL) {
                    if (live_a[i] && k < reds && fits && oy < 2 * C::PH && ox < 2 * C::PW) {
                        const u64 at = base_a[i] + ((oy >> 1) * C::PW + (ox >> 1)) * C::CO + co;
                        take<VA>(gradient + at, part_a[i]);
                        keep<VA>(index + at, (oy & 1) * 2 + (ox & 1), part_a[i]);
                    }
                } else if (live_a[i] && k < reds && fits && oy < C::OH && ox < C::OW) {
                    take<VA>(gradient + base_a[i] + (oy * C::OW + ox) * C::CO + co, part_a[i]);
                }
            } else {
                if (ShareA::has(i)) {
                    const Spot spot = spots[turn][ShareA::line(i)];
                    const int y = spot.y + y_a[i], x = spot.x + x_a[i];
                    if (live_a[i] && (u32)y < C::H && (u32)x < C::W) {
                        const long long at = spot.base + (y_a[i] * C::W + x_a[i]) * (int)CI + (int)base_a[i];
                        if constexpr (C::SOURCE == BYTES) shade.template take<VA>((const u8*)a.x + at, (u32)base_a[i], part_a[i]);
                        else take<VA>(input + at, part_a[i]);
                    } else if (spot.y >= 0 && m0 + ShareA::within(i) == K) {
                        part_a[i][0] = 1.0f;
                    }
                }
            }
        }
#pragma unroll
        for (int i = 0; i < ShareB::MINE; ++i) {
#pragma unroll
            for (int j = 0; j < VB; ++j) part_b[i][j] = 0.0f;
            if constexpr (C::KIND == FORWARD) {
                const u32 k = k0 + ShareB::line(i), co = n0 + ShareB::within(i);
                const u32 row = CI == C::CI ? k : k / CI * C::CI + k % CI;
                const bool real = CI == C::CI || k % CI < C::CI;
                if (ShareB::has(i) && k < K && real && co < C::CO) take<VB>(weights + row * C::CO + co, part_b[i]);
            } else if constexpr (C::KIND == INPUT) {
                const u32 k = k0 + ShareB::within(i), ci = n0 + ShareB::line(i);
                const u32 tap = (WHOLE ? k0 : k) / C::CO, co = WHOLE ? k0 % C::CO + ShareB::within(i) : k % C::CO;
                if (ShareB::has(i) && k < reds && ci < CI) take<VB>(weights + (tap * CI + ci) * C::CO + co, part_b[i]);
            } else {
                const u32 m = k0 + ShareB::line(i), co = n0 + ShareB::within(i);
                if (ShareB::has(i) && m < reds && co < C::CO) {
                    const u32 at = (C::POOL ? m >> 2 : m) * C::CO + co;
                    take<VB>(gradient + at, part_b[i]);
                    if constexpr (C::POOL) keep<VB>(index + at, m & 3, part_b[i]);
                }
            }
        }
    };

    auto store = [&](int buffer) {
        float* const sa = shared + buffer * (SIZE_A + SIZE_B);
        float* const sb = sa + SIZE_A;
#pragma unroll
        for (int i = 0; i < ShareA::MINE; ++i) {
            if (C::PRECISION == TF32)
#pragma unroll
                for (int j = 0; j < VA; ++j) part_a[i][j] = tf32(part_a[i][j]);
            if (ShareA::has(i)) put<VA>(sa + ShareA::line(i) * LDA + ShareA::within(i), part_a[i]);
        }
#pragma unroll
        for (int i = 0; i < ShareB::MINE; ++i) {
            if (C::PRECISION == TF32)
#pragma unroll
                for (int j = 0; j < VB; ++j) part_b[i][j] = tf32(part_b[i][j]);
            if (ShareB::has(i)) put<VB>(sb + ShareB::line(i) * LDB + ShareB::within(i), part_b[i]);
        }
    };

    if (from < to) {
        locate(from * BK, 0);
        if (C::KIND == WEIGHT) __syncthreads();
        bring(from * BK, 0);
        locate((from + 1) * BK, 1);
        store(0);
    }
    __syncthreads();
    for (u32 k = from; k < to; ++k) {
        const int buffer = (k - from) & 1;
        if (k + 1 < to) bring((k + 1) * BK, buffer ^ 1);
        sums.add(shared + buffer * (SIZE_A + SIZE_B));
        if (k + 1 < to) {
            store(buffer ^ 1);
            locate((k + 2) * BK, buffer);
        }
        __syncthreads();
    }
}
