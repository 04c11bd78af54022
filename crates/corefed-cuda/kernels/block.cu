// One layer's matrix product for all agents at once, without unfolding images in memory:
//   FORWARD  output[place][co]  = act(sum_k input[place][k] W[k][co] + b[co]), perhaps the largest of 2x2 places
//   INPUT    dinput[pixel][ci]  = slope(input) * sum_{tap, co} doutput[pixel - tap][co] W[tap, ci][co]
//   WEIGHT   dW[k][co]          = sum_place input[place][k] doutput[place][co]; row K of it is the bias
// `k` is (tap, ci). This file: which part of it a block computes, and from what.

template <class C> struct Block {
    static constexpr int BM = C::BM, BN = C::BN, BK = C::BK;
    static constexpr int THREADS = C::WARPS_M * C::WARPS_N * C::WARPS_K * 32;
    // Whether lines of an operand's tile go along the summands.
    static constexpr bool DEEP_A = C::KIND != WEIGHT, DEEP_B = C::KIND == INPUT;
    // Whether both operands are bf16, in memory and when they are multiplied.
    static constexpr bool HALF = C::PRECISION == BF16;
    using Element = typename Number<HALF>::Type;
    using Input = typename Number<C::HALF_X>::Type;
    using Gradient = typename Number<C::HALF_DY>::Type;
    // Row padding that avoids shared-memory bank conflicts.
    static constexpr int LDA = DEEP_A ? BK + 16 / sizeof(Element) : BM + 8;
    static constexpr int LDB = DEEP_B ? BK + 16 / sizeof(Element) : BN + 8, LDC = BN + 4;
    static constexpr int SIZE_A = (DEEP_A ? BM : BK) * LDA, SIZE_B = (DEEP_B ? BN : BK) * LDB;
    static constexpr int STAGE = SIZE_A + SIZE_B;
    static constexpr int OPERANDS = C::STAGES * STAGE * sizeof(Element), SUMS = BM * LDC * 4;
    static_assert((OPERANDS > SUMS ? OPERANDS : SUMS) == C::SHARED, "the host counts shared memory as the kernel does");
    // Images may have channels that no weight looks at, so that pixels are read at once.
    static constexpr u32 CI = C::CIP;
    static constexpr u32 K = C::KS * C::KS * CI, WEIGHTS = C::KS * C::KS * C::CI;
    static constexpr u32 PLACES = C::POOL ? 4 * C::PH * C::PW : C::OH * C::OW;
    static constexpr u32 OUTPUTS = (C::POOL ? C::PH * C::PW : C::OH * C::OW) * C::CO;
    static constexpr u32 INPUTS = C::H * C::W * CI;
    static constexpr u32 COLS = C::KIND == INPUT ? CI : C::CO;
    // Whether places are in the order of pixels, then images: in tiles that are copied, at most 64 pixels.
    static constexpr bool BY_PIXEL = C::IMAGES > 0;
    static constexpr u32 PIXELS = C::KIND == INPUT ? C::H * C::W : C::OH * C::OW;
    // Summands of one tap that follow each other in memory.
    static constexpr u32 LINE = C::KIND == INPUT ? C::CO : CI;
    // Whether a tile is inside one tap.
    static constexpr bool WHOLE = LINE % BK == 0;
    using ShareA = Share<THREADS, DEEP_A ? BM : BK, DEEP_A ? BK : BM, C::VA>;
    using ShareB = Share<THREADS, DEEP_B ? BN : BK, DEEP_B ? BK : BN, C::VB>;

    const Args& a;
    const u32 agent, step;
    const Agent who;
    const Now now;
    const u32 rows, reds, m0, tile_n, split, n0;
    // Summands in groups: those of a tap, or of a pixel, or all. Which are needed, where one ends, and its tiles.
    u64 live;
    u32 end, each_group;
    u32 from, to;
    float* const weights;
    // The same, rounded if that is the precision. Where some products are of bf16, the others take the weights themselves.
    const Element* const factors;
    const Input* const input;
    const Gradient* const gradient;
    const u8* const index;

    __device__ __forceinline__ explicit Block(const Args& a)
        : a(a), agent(blockIdx.z), step(a.clock[C::KIND == FORWARD ? 0 : 1]), who(a.agents[agent]), now(rows_of(who, step)),
          rows(C::KIND == WEIGHT ? K + 1 : (BY_PIXEL ? C::IMAGES : now.count) * (C::KIND == INPUT ? C::H * C::W : PLACES)),
          reds(C::KIND == FORWARD ? K : C::KIND == INPUT ? C::KS * C::KS * C::CO : now.count * PLACES),
          m0(blockIdx.x * BM), tile_n(blockIdx.y / a.splits), split(blockIdx.y % a.splits), n0(tile_n * BN),
          weights(a.params + agent * a.stride + C::OFFSET),
          factors((const Element*)(C::HALF_W && !HALF ? a.params : a.factors) + agent * a.stride + C::OFFSET),
          input((const Input*)a.x + (C::SOURCE == ACTIVATIONS ? (u64)agent * a.batch * INPUTS : 0)),
          gradient((const Gradient*)a.dy + (u64)agent * a.batch * OUTPUTS), index(a.index + (u64)agent * a.batch * OUTPUTS) {
        const u32 last = (m0 + BM < rows ? m0 + BM : rows) - 1;
        if constexpr (C::KIND != WEIGHT) {
            live = BY_PIXEL ? taps_of<C>(m0 / (BY_PIXEL ? C::IMAGES : 1), last / (BY_PIXEL ? C::IMAGES : 1)) : (1ull << (C::COPIES ? C::KS * C::KS : 0)) - 1;
            end = LINE;
        } else {
            live = 1;
            end = reds;
            if constexpr (BY_PIXEL) {
                // Biases see every pixel.
                live = last == K ? ~0ull >> (64 - PIXELS) : pixels_of<C>(m0 / CI, last / CI);
                end = now.count;
            }
        }
        each_group = (end + BK - 1) / BK;
        // Slices of the summands, in tiles.
        const u32 all = C::COPIES ? __popcll(live) * each_group : (reds + BK - 1) / BK;
        const u32 each = (all + a.splits - 1) / a.splits;
        from = split * each;
        to = from + each < all ? from + each : all;
    }

    // Where row `m` lies in memory.
    __device__ __forceinline__ u32 row(u32 m) const {
        if constexpr (BY_PIXEL && C::KIND != WEIGHT) {
            const u32 n = m % C::IMAGES;
            return m < rows && n < now.count ? n * PIXELS + m / C::IMAGES : NOBODY;
        } else {
            return m < rows ? m : NOBODY;
        }
    }

    __device__ __forceinline__ bool idle() const { return now.count == 0 || m0 >= rows; }
};
