// One layer's matrix product for all agents at once, without unfolding images in memory:
//   FORWARD  output[place][co]  = act(sum_k input[place][k] W[k][co] + b[co]), perhaps the largest of 2x2 places
//   INPUT    dinput[pixel][ci]  = slope(input) * sum_{tap, co} doutput[pixel - tap][co] W[tap, ci][co]
//   WEIGHT   dW[k][co]          = sum_place input[place][k] doutput[place][co]; row K of it is the bias
// `k` is (tap, ci). WEIGHT also takes the step: no gradient ever goes to memory.

enum { FORWARD = 0, INPUT = 1, WEIGHT = 2 };
enum { FP32 = 0, TF32 = 1, TF32X3 = 2 };
enum { ACTIVATIONS = 0, BYTES = 1, FLOATS = 2 };

template <int V> __device__ __forceinline__ void take(const float* from, float (&to)[V]) {
    if constexpr (V == 4) {
        const float4 v = *(const float4*)from;
        to[0] = v.x; to[1] = v.y; to[2] = v.z; to[3] = v.w;
    } else if constexpr (V == 2) {
        const float2 v = *(const float2*)from;
        to[0] = v.x; to[1] = v.y;
    } else {
        to[0] = *from;
    }
}

template <int V> __device__ __forceinline__ void put(float* to, const float (&from)[V]) {
    if constexpr (V == 4) *(float4*)to = make_float4(from[0], from[1], from[2], from[3]);
    else if constexpr (V == 2) *(float2*)to = make_float2(from[0], from[1]);
    else *to = from[0];
}

// Numbers that follow each other.
template <int N> __device__ __forceinline__ void run(const float* from, float (&to)[N]) {
    constexpr int V = N % 4 == 0 ? 4 : N % 2 == 0 ? 2 : 1;
#pragma unroll
    for (int i = 0; i < N; i += V) take<V>(from + i, *(float(*)[V]) & to[i]);
}

// Gradients of a pooled place belong to the one pixel that was largest.
template <int V> __device__ __forceinline__ void keep(const u8* index, u32 which, float (&v)[V]) {
    u8 at[V];
    if constexpr (V == 4) *(u32*)at = *(const u32*)index;
    else if constexpr (V == 2) *(unsigned short*)at = *(const unsigned short*)index;
    else at[0] = *index;
#pragma unroll
    for (int j = 0; j < V; ++j) if (at[j] != which) v[j] = 0.0f;
}

// Which vectors of a tile a thread brings. Lines of a tile are `LINE` numbers long.
template <int THREADS, int LINES, int LINE, int V> struct Share {
    static constexpr int PER_LINE = LINE / V;
    static constexpr int ALL = LINES * PER_LINE;
    static constexpr int MINE = (ALL + THREADS - 1) / THREADS;
    static constexpr bool EVEN = ALL % THREADS == 0;
    __device__ static __forceinline__ bool has(int i) { return EVEN || (int)threadIdx.x + i * THREADS < ALL; }
    __device__ static __forceinline__ int line(int i) {
        if constexpr (THREADS % PER_LINE == 0) return threadIdx.x / PER_LINE + i * (THREADS / PER_LINE);
        else return (threadIdx.x + i * THREADS) / PER_LINE;
    }
    __device__ static __forceinline__ int within(int i) {
        if constexpr (THREADS % PER_LINE == 0) return (threadIdx.x % PER_LINE) * V;
        else return ((threadIdx.x + i * THREADS) % PER_LINE) * V;
    }
};

// How bytes become numbers: by channel.
template <class C> struct Shade {
    static constexpr bool USED = C::SOURCE == BYTES && C::KIND != INPUT;
    // Vectors that begin at a pixel always have the same channels.
    static constexpr bool FIXED = C::CIP == C::VA && USED;
    float scale[FIXED ? C::VA : 1], shift[FIXED ? C::VA : 1];
    const float* const table;

    __device__ __forceinline__ explicit Shade(const Args& a) : table(a.shade) {
        if constexpr (FIXED) {
#pragma unroll
            for (int j = 0; j < C::VA; ++j) {
                scale[j] = j < C::CHANNELS ? table[j] : 0.0f;
                shift[j] = j < C::CHANNELS ? table[C::CHANNELS + j] : 0.0f;
            }
        }
    }

    // `channel` of the first byte, or a number that leaves the same rest.
    template <int V> __device__ __forceinline__ void take(const u8* from, u32 first, float (&to)[V]) const {
        u8 bytes[V];
        if constexpr (V == 4) *(u32*)bytes = *(const u32*)from;
        else if constexpr (V == 2) *(unsigned short*)bytes = *(const unsigned short*)from;
        else bytes[0] = *from;
#pragma unroll
        for (int j = 0; j < V; ++j) {
            if constexpr (FIXED) to[j] = fmaf((float)bytes[j], scale[j], shift[j]);
            else {
                const u32 channel = (first + j) % C::CHANNELS;
                to[j] = fmaf((float)bytes[j], table[channel], table[C::CHANNELS + channel]);
            }
        }
    }
};

// Where the window of a place begins in memory, and among pixels.
struct Spot {
    long long base;
    int y, x;
};

// Far outside every image.
#define NOWHERE (-(1 << 30))

struct Place {
    u32 n;
    int y, x;
};

// Places of a convolution in order; the four that are pooled follow each other.
template <class C> __device__ __forceinline__ Place place(u32 m) {
    if constexpr (C::POOL) {
        const u32 q = m >> 2, r = q % (C::PH * C::PW);
        return {q / (C::PH * C::PW), (int)(r / C::PW * 2 + ((m >> 1) & 1)), (int)(r % C::PW * 2 + (m & 1))};
    } else {
        const u32 r = m % (C::OH * C::OW);
        return {m / (C::OH * C::OW), (int)(r / C::OW), (int)(r % C::OW)};
    }
}

template <class C> __device__ __forceinline__ void product(const Args& a) {
    constexpr int BM = C::BM, BN = C::BN, BK = C::BK, VA = C::VA, VB = C::VB;
    constexpr int THREADS = C::WARPS_M * C::WARPS_N * C::WARPS_K * 32;
    constexpr int VC = C::VC;
    constexpr int WM = BM / C::WARPS_M, WN = BN / C::WARPS_N;
    constexpr bool DEEP_A = C::KIND != WEIGHT, DEEP_B = C::KIND == INPUT;
    constexpr int LDA = DEEP_A ? BK + 4 : BM + 8, LDB = DEEP_B ? BK + 4 : BN + 8;
    constexpr int SIZE_A = (DEEP_A ? BM : BK) * LDA, SIZE_B = (DEEP_B ? BN : BK) * LDB;
    constexpr int LDC = BN + 4;
    constexpr int SHARED = 2 * (SIZE_A + SIZE_B) > BM * LDC ? 2 * (SIZE_A + SIZE_B) : BM * LDC;
    // Images may have channels that no weight looks at, so that pixels are read at once.
    constexpr u32 CI = C::CIP;
    constexpr u32 K = C::KS * C::KS * CI, WEIGHTS = C::KS * C::KS * C::CI;
    constexpr u32 PLACES = C::POOL ? 4 * C::PH * C::PW : C::OH * C::OW;
    constexpr u32 OUTPUTS = (C::POOL ? C::PH * C::PW : C::OH * C::OW) * C::CO;
    constexpr u32 INPUTS = C::H * C::W * CI;
    constexpr u32 COLS = C::KIND == INPUT ? CI : C::CO;
    // Whether a tile is inside one tap.
    constexpr bool WHOLE = (C::KIND == INPUT ? C::CO : CI) % BK == 0;
    using ShareA = Share<THREADS, DEEP_A ? BM : BK, DEEP_A ? BK : BM, VA>;
    using ShareB = Share<THREADS, DEEP_B ? BN : BK, DEEP_B ? BK : BN, VB>;
    static_assert(SHARED * 4 == C::SHARED, "the host counts shared memory as the kernel does");
    extern __shared__ __align__(16) float shared[];

    const u32 agent = blockIdx.z;
    const u32 step = a.clock[C::KIND == FORWARD ? 0 : 1];
    if (C::TICK && (blockIdx.x | blockIdx.y | blockIdx.z | threadIdx.x) == 0) a.clock[0] = step + 1;
    const Agent who = a.agents[agent];
    const Now now = rows_of(who, step);
    if (now.count == 0) return;
    const u32 rows = C::KIND == FORWARD ? now.count * PLACES : C::KIND == INPUT ? now.count * C::H * C::W : K + 1;
    const u32 reds = C::KIND == FORWARD ? K : C::KIND == INPUT ? C::KS * C::KS * C::CO : now.count * PLACES;
    const u32 m0 = blockIdx.x * BM;
    if (m0 >= rows) return;
    const u32 tile_n = blockIdx.y / a.splits, split = blockIdx.y % a.splits;
    const u32 n0 = tile_n * BN;
    const u32 all = (reds + BK - 1) / BK, each = (all + a.splits - 1) / a.splits;
    const u32 from = split * each, to = from + each < all ? from + each : all;

    float* const weights = a.params + agent * a.stride + C::OFFSET;
    const float* const input = (const float*)a.x + (C::SOURCE == ACTIVATIONS ? (u64)agent * a.batch * INPUTS : 0);
    const float* const gradient = a.dy + (u64)agent * a.batch * OUTPUTS;
    const u8* const index = a.index + (u64)agent * a.batch * OUTPUTS;

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

    // Warps share rows, columns, and the depth of a tile.
    constexpr int PLANE = C::WARPS_M * C::WARPS_N, DEEP = BK / C::WARPS_K;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % PLANE, layer = threadIdx.x / 32 / PLANE;
    const int wm = warp / C::WARPS_N * WM, wn = warp % C::WARPS_N * WN;
    const int g = lane / 4, t = lane % 4;
    // On tensor cores: tiles of 16x8. Else: every 8th row and every 4th column of the warp's tile, or as
    // many that follow each other, whichever shared memory likes better.
    constexpr int TM = WM / 8, TN = WN / 4;
    constexpr int MT = WM / 16, NT = WN / 8;
    float sums[C::PRECISION == FP32 ? TM : MT][C::PRECISION == FP32 ? TN : NT * 4];
#pragma unroll
    for (auto& row : sums)
#pragma unroll
        for (float& s : row) s = 0.0f;
    auto row_of = [&](int i) { return wm + (DEEP_A ? g + 8 * i : g * TM + i); };
    auto col_of = [&](int j) { return wn + (DEEP_B ? t + 4 * j : t * TN + j); };

    auto compute = [&](int buffer) {
        const float* const sa = shared + buffer * (SIZE_A + SIZE_B) + layer * DEEP * (DEEP_A ? 1 : LDA);
        const float* const sb = shared + buffer * (SIZE_A + SIZE_B) + SIZE_A + layer * DEEP * (DEEP_B ? 1 : LDB);
        if constexpr (C::PRECISION == FP32) {
#pragma unroll
            for (int k = 0; k < DEEP; k += 4) {
                float fa[TM][4], fb[TN][4];
                if constexpr (DEEP_A) {
#pragma unroll
                    for (int i = 0; i < TM; ++i) take<4>(sa + row_of(i) * LDA + k, fa[i]);
                } else {
#pragma unroll
                    for (int kk = 0; kk < 4; ++kk) {
                        float line[TM];
                        run<TM>(sa + (k + kk) * LDA + row_of(0), line);
#pragma unroll
                        for (int i = 0; i < TM; ++i) fa[i][kk] = line[i];
                    }
                }
                if constexpr (DEEP_B) {
#pragma unroll
                    for (int j = 0; j < TN; ++j) take<4>(sb + col_of(j) * LDB + k, fb[j]);
                } else {
#pragma unroll
                    for (int kk = 0; kk < 4; ++kk) {
                        float line[TN];
                        run<TN>(sb + (k + kk) * LDB + col_of(0), line);
#pragma unroll
                        for (int j = 0; j < TN; ++j) fb[j][kk] = line[j];
                    }
                }
#pragma unroll
                for (int kk = 0; kk < 4; ++kk)
#pragma unroll
                    for (int i = 0; i < TM; ++i)
#pragma unroll
                        for (int j = 0; j < TN; ++j) sums[i][j] = fmaf(fa[i][kk], fb[j][kk], sums[i][j]);
            }
        } else {
#pragma unroll
            for (int k = 0; k < DEEP; k += 8) {
                float fa[MT][4], fb[NT][2];
#pragma unroll
                for (int i = 0; i < MT; ++i)
#pragma unroll
                    for (int e = 0; e < 4; ++e) {
                        const int row = wm + i * 16 + g + (e & 1) * 8, kk = k + t + (e >> 1) * 4;
                        fa[i][e] = DEEP_A ? sa[row * LDA + kk] : sa[kk * LDA + row];
                    }
#pragma unroll
                for (int j = 0; j < NT; ++j)
#pragma unroll
                    for (int e = 0; e < 2; ++e) {
                        const int col = wn + j * 8 + g, kk = k + t + e * 4;
                        fb[j][e] = DEEP_B ? sb[col * LDB + kk] : sb[kk * LDB + col];
                    }
                if constexpr (C::PRECISION == TF32X3) {
                    // A number is the sum of two that tensor cores take; their smallest product is left out.
                    float small_a[MT][4], small_b[NT][2];
#pragma unroll
                    for (int i = 0; i < MT; ++i)
#pragma unroll
                        for (int e = 0; e < 4; ++e) {
                            const float large = tf32(fa[i][e]);
                            small_a[i][e] = tf32(fa[i][e] - large);
                            fa[i][e] = large;
                        }
#pragma unroll
                    for (int j = 0; j < NT; ++j)
#pragma unroll
                        for (int e = 0; e < 2; ++e) {
                            const float large = tf32(fb[j][e]);
                            small_b[j][e] = tf32(fb[j][e] - large);
                            fb[j][e] = large;
                        }
#pragma unroll
                    for (int i = 0; i < MT; ++i)
#pragma unroll
                        for (int j = 0; j < NT; ++j) {
                            float(&c)[4] = *(float(*)[4])&sums[i][j * 4];
                            mma(c, small_a[i], fb[j]);
                            mma(c, fa[i], small_b[j]);
                        }
                }
#pragma unroll
                for (int i = 0; i < MT; ++i)
#pragma unroll
                    for (int j = 0; j < NT; ++j) mma(*(float(*)[4])&sums[i][j * 4], fa[i], fb[j]);
            }
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
        compute(buffer);
        if (k + 1 < to) {
            store(buffer ^ 1);
            locate((k + 2) * BK, buffer);
        }
        __syncthreads();
    }

    // The tile goes through shared memory, so that neighbours in memory are written by neighbours; layers of
    // warps add to it in turn.
#pragma unroll
    for (int turn = 0; turn < C::WARPS_K; ++turn) {
        if (layer == turn) {
            auto add = [&](int row, int col, float value) {
                float& to = shared[row * LDC + col];
                to = turn == 0 ? value : to + value;
            };
            if constexpr (C::PRECISION == FP32) {
#pragma unroll
                for (int i = 0; i < TM; ++i)
#pragma unroll
                    for (int j = 0; j < TN; ++j) add(row_of(i), col_of(j), sums[i][j]);
            } else {
#pragma unroll
                for (int i = 0; i < MT; ++i)
#pragma unroll
                    for (int j = 0; j < NT; ++j)
#pragma unroll
                        for (int e = 0; e < 4; ++e)
                            add(wm + i * 16 + g + (e >> 1) * 8, wn + j * 8 + 2 * t + (e & 1), sums[i][j * 4 + e]);
            }
        }
        __syncthreads();
    }

    if (a.splits > 1) {
        // The block that arrives last adds the parts up in their order.
        const u64 tile = ((u64)agent * (gridDim.y / a.splits) + tile_n) * gridDim.x + blockIdx.x;
        float* const parts = a.partial + tile * a.splits * (BM * BN);
        for (int e = threadIdx.x * 4; e < BM * BN; e += THREADS * 4)
            *(float4*)(parts + split * (BM * BN) + e) = *(const float4*)(shared + e / BN * LDC + e % BN);
        __threadfence();
        __shared__ bool last;
        __syncthreads();
        if (threadIdx.x == 0) last = atomicAdd(a.arrivals + tile, 1u) == a.splits - 1;
        __syncthreads();
        if (!last) return;
        __threadfence();
        for (int e = threadIdx.x * 4; e < BM * BN; e += THREADS * 4) {
            float4 total = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            for (u32 s = 0; s < a.splits; s += 8) {
                // Eight are on their way at once; they are added in their order.
                float4 part[8];
#pragma unroll
                for (u32 j = 0; j < 8; ++j)
                    if (s + j < a.splits) part[j] = __ldcg((const float4*)(parts + (s + j) * (BM * BN) + e));
#pragma unroll
                for (u32 j = 0; j < 8; ++j)
                    if (s + j < a.splits) {
                        total.x += part[j].x; total.y += part[j].y;
                        total.z += part[j].z; total.w += part[j].w;
                    }
            }
            *(float4*)(shared + e / BN * LDC + e % BN) = total;
        }
        if (threadIdx.x == 0) a.arrivals[tile] = 0;
        __syncthreads();
    }

    constexpr int LINE = BN / VC;
    if constexpr (C::KIND == FORWARD) {
        const u64 base = (u64)agent * a.batch * OUTPUTS;
        const float* const bias = weights + WEIGHTS * C::CO;
        constexpr int EACH = C::POOL ? 4 : 1;
        for (int e = threadIdx.x; e < BM / EACH * LINE; e += THREADS) {
            const int r = e / LINE * EACH, c = e % LINE * VC;
            if (m0 + r >= rows || n0 + c >= COLS) continue;
            const u64 at = base + (m0 + r) / EACH * C::CO + n0 + c;
            float z[VC], y[VC];
            u8 which[VC];
            run<VC>(shared + r * LDC + c, z);
            if constexpr (C::POOL) {
#pragma unroll
                for (int j = 0; j < VC; ++j) which[j] = 0;
#pragma unroll
                for (int w = 1; w < 4; ++w) {
                    float v[VC];
                    run<VC>(shared + (r + w) * LDC + c, v);
#pragma unroll
                    for (int j = 0; j < VC; ++j)
                        if (v[j] > z[j]) { z[j] = v[j]; which[j] = w; }
                }
            }
#pragma unroll
            for (int j = 0; j < VC; ++j) {
                z[j] += bias[n0 + c + j];
                y[j] = activate<C::ACT>(z[j]);
            }
            put<VC>(a.y + at, y);
            if constexpr (C::ACT == GELU || C::ACT == SOFTPLUS) put<VC>(a.z + at, z);
            if constexpr (C::POOL) {
#pragma unroll
                for (int j = 0; j < VC; ++j) a.index[at + j] = which[j];
            }
        }
    } else if constexpr (C::KIND == INPUT) {
        const u64 base = (u64)agent * a.batch * INPUTS;
        for (int e = threadIdx.x; e < BM * LINE; e += THREADS) {
            const int r = e / LINE, c = e % LINE * VC;
            if (m0 + r >= rows || n0 + c >= COLS) continue;
            const u64 at = base + (m0 + r) * CI + n0 + c;
            float d[VC], other[VC];
            run<VC>(shared + r * LDC + c, d);
            constexpr bool RAW = C::ACT == GELU || C::ACT == SOFTPLUS;
            if constexpr (C::ACT != NONE) {
                take<VC>((RAW ? a.before : (const float*)a.x) + at, other);
#pragma unroll
                for (int j = 0; j < VC; ++j) d[j] *= slope<C::ACT>(other[j], other[j]);
            }
            put<VC>(a.dx + at, d);
        }
    } else {
        // Several steps are on their way to memory at once: that, not arithmetic, takes the time.
        constexpr int ALL = BM * LINE, SLOTS = (ALL + THREADS - 1) / THREADS, AT_ONCE = SLOTS < 4 ? SLOTS : 4;
        for (int first = threadIdx.x; first < ALL; first += THREADS * AT_ONCE) {
            float w[AT_ONCE][VC], v[AT_ONCE][VC];
            u32 at[AT_ONCE];
            bool live[AT_ONCE];
#pragma unroll
            for (int u = 0; u < AT_ONCE; ++u) {
                const int e = first + u * THREADS, r = e / LINE, c = e % LINE * VC;
                const u32 k = m0 + r;
                const u32 row = k == K ? WEIGHTS : CI == C::CI ? k : k / CI * C::CI + k % CI;
                const bool real = CI == C::CI || k == K || k % CI < C::CI;
                live[u] = e < ALL && k < rows && real && n0 + c < COLS;
                at[u] = row * C::CO + n0 + c;
                if (!live[u] || who.objective == SUM) continue;
                take<VC>(weights + at[u], w[u]);
                if (a.velocity) take<VC>(a.velocity + agent * a.stride + C::OFFSET + at[u], v[u]);
            }
#pragma unroll
            for (int u = 0; u < AT_ONCE; ++u) {
                if (!live[u]) continue;
                const int e = first + u * THREADS;
                float d[VC];
                run<VC>(shared + e / LINE * LDC + e % LINE * VC, d);
                if (who.objective == SUM) {
#pragma unroll
                    for (int j = 0; j < VC; ++j) a.sum[C::OFFSET + at[u] + j] += d[j];
                    continue;
                }
#pragma unroll
                for (int j = 0; j < VC; ++j) d[j] = fmaf(who.decay, w[u][j], d[j]);
                if (a.velocity) {
#pragma unroll
                    for (int j = 0; j < VC; ++j) d[j] = fmaf(who.momentum, v[u][j], d[j]);
                    put<VC>(a.velocity + agent * a.stride + C::OFFSET + at[u], d);
                }
#pragma unroll
                for (int j = 0; j < VC; ++j) w[u][j] -= who.rate * d[j];
                put<VC>(weights + at[u], w[u]);
            }
        }
    }
}
