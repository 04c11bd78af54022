// Operands that lie in memory as they are multiplied: copied to shared memory past the registers, several tiles
// ahead of the one that is being multiplied.

// Bits of the taps of a window that begins at `y` and are inside `size` lines; with BACK, of one that ends there.
template <int KS, bool BACK> __device__ __forceinline__ u32 inside(int y, int size) {
    int low = BACK ? y - size + 1 : -y, high = BACK ? y + 1 : size - y;
    low = low < 0 ? 0 : low > KS ? KS : low;
    high = high < 0 ? 0 : high > KS ? KS : high;
    return low < high ? (1u << high) - (1u << low) : 0u;
}

// What biases are multiplied with.
__device__ const float BIASES[4] = {1.0f, 0.0f, 0.0f, 0.0f};

template <class C> struct Copies {
    using B = Block<C>;
    using ShareA = typename B::ShareA;
    using ShareB = typename B::ShareB;
    static constexpr bool BACK = C::KIND == INPUT;
    // Numbers of one tap that follow each other in memory, and how far lines of pixels are apart.
    static constexpr int LINE = BACK ? C::CO : B::CI, WIDE = BACK ? C::OW : C::W;
    static_assert(C::KIND == WEIGHT || (B::WHOLE && C::KS * C::KS <= 32), "a tile is inside one tap");
    static_assert(C::KIND != INPUT || (C::ST == 1 && !C::POOL), "gradients lie as they are multiplied");
    static_assert(C::KIND == INPUT || C::SOURCE == ACTIVATIONS, "activations lie as they are multiplied");

    const B& b;
    // Forward and for inputs: where the first tap of a vector is, and which taps are inside the image.
    int at[ShareA::MINE];
    u32 taps[ShareA::MINE];

    __device__ __forceinline__ explicit Copies(const B& b) : b(b) {
#pragma unroll
        for (int i = 0; i < ShareA::MINE; ++i) {
            at[i] = 0;
            taps[i] = 0;
            if constexpr (C::KIND != WEIGHT) {
                const u32 m = b.m0 + ShareA::line(i);
                if (!ShareA::has(i) || m >= b.rows) continue;
                Place p;
                if constexpr (BACK) p = {m / (C::H * C::W), (int)(m % (C::H * C::W) / C::W) + C::PAD, (int)(m % C::W) + C::PAD};
                else {
                    p = place<C>(m);
                    p.y = p.y * C::ST - C::PAD;
                    p.x = p.x * C::ST - C::PAD;
                }
                const u32 across = inside<C::KS, BACK>(p.x, WIDE), along = inside<C::KS, BACK>(p.y, BACK ? C::OH : C::H);
#pragma unroll
                for (int tap = 0; tap < C::KS; ++tap) taps[i] |= along >> tap & 1 ? across << tap * C::KS : 0;
                at[i] = (int)(p.n * (BACK ? B::OUTPUTS : B::INPUTS)) + (p.y * WIDE + p.x) * LINE + ShareA::within(i);
            }
        }
    }

    // Sets off to bring one tile.
    __device__ __forceinline__ void bring(u32 tile, float* sa) const {
        float* const sb = sa + B::SIZE_A;
        const u32 k0 = tile * C::BK;
        const u32 tap = k0 / LINE;
        const int aside = (int)((tap / C::KS * WIDE + tap % C::KS) * LINE);
        const int there = (BACK ? -aside : aside) + (int)(k0 % LINE);
        const float* const from = BACK ? b.gradient : b.input;
        float* const to_a = sa + ShareA::line(0) * B::LDA + ShareA::within(0);
        float* const to_b = sb + ShareB::line(0) * B::LDB + ShareB::within(0);
#pragma unroll
        for (int i = 0; i < ShareA::MINE; ++i) {
            if (!ShareA::has(i)) continue;
            float* const to = to_a + ShareA::after(i, B::LDA);
            if constexpr (C::KIND != WEIGHT) copy<C::VA>(to, from + (at[i] + there), taps[i] >> tap & 1);
            else unfold(k0 + ShareA::line(i), b.m0 + ShareA::within(i), to);
        }
        // Lines of the right operand: weights of a summand, weights into a channel, or gradients at a place.
        const u32 line = (C::KIND == INPUT ? b.n0 : k0) + ShareB::line(0), across = (C::KIND == INPUT ? k0 % LINE : b.n0) + ShareB::within(0);
        const float* const first = C::KIND == WEIGHT ? b.gradient + (line * C::CO + across)
                                                     : b.factors + ((C::KIND == INPUT ? tap * B::CI + line : line) * C::CO + across);
#pragma unroll
        for (int i = 0; i < ShareB::MINE; ++i) {
            if (!ShareB::has(i)) continue;
            const u32 lines = C::KIND == INPUT ? b.n0 + ShareB::line(i) : k0 + ShareB::line(i), cols = b.n0 + ShareB::within(i);
            const bool live = C::KIND == INPUT ? lines < B::CI : cols < C::CO && (C::KIND == FORWARD || lines < b.reds);
            copy<C::VB>(to_b + ShareB::after(i, B::LDB), first + ShareB::after(i, C::CO), live);
        }
        copies_end();
    }

    // What tap and channel `k` see from place `m`; ones for the biases.
    __device__ __forceinline__ void unfold(u32 m, u32 k, float* to) const {
        const u32 tap = k / B::CI, n = m / (C::OH * C::OW), r = m % (C::OH * C::OW);
        const int y = (int)(r / C::OW * C::ST + tap / C::KS) - C::PAD, x = (int)(r % C::OW * C::ST + tap % C::KS) - C::PAD;
        const bool live = m < b.reds && (k == B::K || (k < B::K && (u32)y < C::H && (u32)x < C::W));
        // Where the window covers its own place, places follow each other as pixels do.
        constexpr bool SAME = C::ST == 1 && C::OH == C::H && C::OW == C::W;
        const int aside = ((int)(tap / C::KS) - C::PAD) * C::W + (int)(tap % C::KS) - C::PAD;
        const int at = SAME ? ((int)m + aside) * (int)B::CI : (int)(n * B::INPUTS) + (y * C::W + x) * (int)B::CI;
        copy<C::VA>(to, k == B::K ? BIASES : b.input + (at + (int)(k % B::CI)), live);
    }

    __device__ __forceinline__ void multiply(float* shared, Sums<C>& sums) const {
        constexpr int AHEAD = C::STAGES - 1;
#pragma unroll
        for (int s = 0; s < AHEAD; ++s) {
            if (b.from + s < b.to) bring(b.from + s, shared + s * B::STAGE);
            else copies_end();
        }
        int now = 0, next = AHEAD;
        for (u32 k = b.from; k < b.to; ++k) {
            copies_wait<AHEAD - 1>();
            __syncthreads();
            if (k + AHEAD < b.to) bring(k + AHEAD, shared + next * B::STAGE);
            else copies_end();
            sums.add(shared + now * B::STAGE);
            now = now + 1 == C::STAGES ? 0 : now + 1;
            next = next + 1 == C::STAGES ? 0 : next + 1;
        }
        __syncthreads();
    }
};
