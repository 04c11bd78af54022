// Operands that lie in memory as they are multiplied: copied to shared memory past the registers, several tiles
// ahead of the one that is being multiplied.

// What biases are multiplied with.
__device__ __align__(16) const float BIASES[4] = {1.0f, 0.0f, 0.0f, 0.0f};
__device__ __align__(16) const bf16 HALF_BIASES[8] = {0x3f80, 0, 0, 0, 0, 0, 0, 0};

template <class C> struct Copies {
    using B = Block<C>;
    using Element = typename B::Element;
    using ShareA = typename B::ShareA;
    using ShareB = typename B::ShareB;
    static constexpr bool BACK = C::KIND == INPUT;
    // Numbers of one tap that follow each other in memory, and how far lines of pixels are apart.
    static constexpr int LINE = B::LINE, WIDE = BACK ? C::OW : C::W;
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
                const u32 m = b.row(b.m0 + ShareA::line(i));
                if (!ShareA::has(i) || m == NOBODY) continue;
                Place p;
                if constexpr (BACK) p = {m / (C::H * C::W), (int)(m % (C::H * C::W) / C::W) + C::PAD, (int)(m % C::W) + C::PAD};
                else {
                    p = place<C>(m);
                    p.y = p.y * C::ST - C::PAD;
                    p.x = p.x * C::ST - C::PAD;
                }
                taps[i] = taps_inside<C>(p.y, p.x);
                at[i] = (int)(p.n * (BACK ? B::OUTPUTS : B::INPUTS)) + (p.y * WIDE + p.x) * LINE + ShareA::within(i);
            }
        }
    }

    // Sets off to bring the tile that the cursor is at.
    __device__ __forceinline__ void bring(const Cursor& cursor, Element* sa) const {
        Element* const sb = sa + B::SIZE_A;
        const u32 group = cursor.group, within = cursor.within;
        const int aside = (int)((group / C::KS * WIDE + group % C::KS) * LINE);
        const int there = (BACK ? -aside : aside) + (int)within;
        const Element* from;
        if constexpr (BACK) from = b.gradient;
        else from = b.input;
        Element* const to_a = sa + ShareA::line(0) * B::LDA + ShareA::within(0);
        Element* const to_b = sb + ShareB::line(0) * B::LDB + ShareB::within(0);
#pragma unroll
        for (int i = 0; i < ShareA::MINE; ++i) {
            if (!ShareA::has(i)) continue;
            Element* const to = to_a + ShareA::after(i, B::LDA);
            if constexpr (C::KIND != WEIGHT) copy<C::VA>(to, from + (at[i] + there), taps[i] >> group & 1);
            else unfold(group, within + ShareA::line(i), b.m0 + ShareA::within(i), to);
        }
        // Lines of the right operand: weights of a summand, weights into a channel, or gradients at a place.
        constexpr u32 APART = C::KIND == WEIGHT && B::BY_PIXEL ? B::PIXELS * C::CO : C::CO;
        const Element* first;
        if constexpr (C::KIND == WEIGHT) first = b.gradient + ((within + ShareB::line(0)) * APART + group * C::CO + b.n0 + ShareB::within(0));
        else if constexpr (BACK) first = b.factors + ((group * B::CI + b.n0 + ShareB::line(0)) * C::CO + within + ShareB::within(0));
        else first = b.factors + ((group * B::CI + within + ShareB::line(0)) * C::CO + b.n0 + ShareB::within(0));
#pragma unroll
        for (int i = 0; i < ShareB::MINE; ++i) {
            if (!ShareB::has(i)) continue;
            const bool live = BACK ? b.n0 + ShareB::line(i) < B::CI
                                   : b.n0 + ShareB::within(i) < C::CO && (C::KIND == FORWARD || within + ShareB::line(i) < b.end);
            copy<C::VB>(to_b + ShareB::after(i, B::LDB), first + ShareB::after(i, APART), live);
        }
        copies_end();
    }

    // What tap and channel `k` see from a place: number `m` of all, or that of image `m` at a pixel. Ones for the biases.
    __device__ __forceinline__ void unfold(u32 pixel, u32 m, u32 k, Element* to) const {
        const u32 tap = k / B::CI, n = B::BY_PIXEL ? m : m / B::PIXELS, r = B::BY_PIXEL ? pixel : m % B::PIXELS;
        const int y = (int)(r / C::OW * C::ST + tap / C::KS) - C::PAD, x = (int)(r % C::OW * C::ST + tap % C::KS) - C::PAD;
        const bool live = m < b.end && (k == B::K || (k < B::K && (u32)y < C::H && (u32)x < C::W));
        // Where the window covers its own place, places follow each other as pixels do.
        constexpr bool SAME = !B::BY_PIXEL && C::ST == 1 && C::OH == C::H && C::OW == C::W;
        const int aside = ((int)(tap / C::KS) - C::PAD) * C::W + (int)(tap % C::KS) - C::PAD;
        const int at = SAME ? ((int)m + aside) * (int)B::CI : (int)(n * B::INPUTS) + (y * C::W + x) * (int)B::CI;
        const Element* ones;
        if constexpr (B::HALF) ones = HALF_BIASES;
        else ones = BIASES;
        copy<C::VA>(to, k == B::K ? ones : b.input + (at + (int)(k % B::CI)), live);
    }

    __device__ __forceinline__ void multiply(Element* shared, Sums<C>& sums) const {
        constexpr int AHEAD = C::STAGES - 1;
        Cursor cursor(b.live, b.from / b.each_group, b.from % b.each_group * C::BK);
        auto set_off = [&](u32 k, Element* to) {
            if (k >= b.to) return copies_end();
            bring(cursor, to);
            cursor.next(C::BK, b.end);
        };
#pragma unroll
        for (int s = 0; s < AHEAD; ++s) set_off(b.from + s, shared + s * B::STAGE);
        int now = 0, next = AHEAD;
        for (u32 k = b.from; k < b.to; ++k) {
            copies_wait<AHEAD - 1>();
            __syncthreads();
            set_off(k + AHEAD, shared + next * B::STAGE);
            sums.add(shared + now * B::STAGE);
            now = now + 1 == C::STAGES ? 0 : now + 1;
            next = next + 1 == C::STAGES ? 0 : next + 1;
        }
        __syncthreads();
    }
};
