// What a thread adds up of a block's tile, from operands in shared memory.

template <class C> struct Sums {
    using B = Block<C>;
    // Warps share rows, columns, and the depth of a tile.
    static constexpr int WM = C::BM / C::WARPS_M, WN = C::BN / C::WARPS_N;
    static constexpr int PLANE = C::WARPS_M * C::WARPS_N, DEEP = C::BK / C::WARPS_K;
    // Plain: every 8th row and every 4th column of the warp's tile, or as many that follow each other,
    // whichever shared memory likes better.
    static constexpr int TM = WM / 8, TN = WN / 4;
    // On tensor cores: tiles of 16x8.
    static constexpr int MT = WM / 16, NT = WN / 8;
    static constexpr bool PLAIN = C::PRECISION == FP32;
    using Element = typename B::Element;
    // Whether two tiles of columns are taken at once.
    static constexpr bool PAIRS = B::DEEP_B && NT % 2 == 0;

    const int layer, wm, wn, g, t;
    float sums[PLAIN ? TM : MT][PLAIN ? TN : NT * 4];

    __device__ __forceinline__ Sums()
        : layer(threadIdx.x / 32 / PLANE), wm(threadIdx.x / 32 % PLANE / C::WARPS_N * WM),
          wn(threadIdx.x / 32 % PLANE % C::WARPS_N * WN), g(threadIdx.x % 32 / 4), t(threadIdx.x % 4) {
#pragma unroll
        for (auto& row : sums)
#pragma unroll
            for (float& s : row) s = 0.0f;
    }

    __device__ __forceinline__ int plain_row(int i) const { return wm + (B::DEEP_A ? g + 8 * i : g * TM + i); }
    __device__ __forceinline__ int plain_col(int j) const { return wn + (B::DEEP_B ? t + 4 * j : t * TN + j); }
    // Of line g in the `half` of tile `i`. Where lines of floats go across the summands, halves take turns, so
    // that a thread takes its numbers of both at once.
    __device__ __forceinline__ int row(int i, int half) const { return wm + i * 16 + (B::DEEP_A || B::HALF ? half * 8 + g : g * 2 + half); }

    // Adds the products of one tile.
    __device__ __forceinline__ void add(const Element* stage) {
        const Element* const sa = stage + layer * DEEP * (B::DEEP_A ? 1 : B::LDA);
        const Element* const sb = stage + B::SIZE_A + layer * DEEP * (B::DEEP_B ? 1 : B::LDB);
        if constexpr (PLAIN) plain(sa, sb);
        else if constexpr (B::HALF) Halves<C, MT, NT>(sa, sb, wm, wn).template add<DEEP>(sums);
        else tensor(sa, sb);
    }

    __device__ __forceinline__ void plain(const float* sa, const float* sb) {
#pragma unroll
        for (int k = 0; k < DEEP; k += 4) {
            float fa[TM][4], fb[TN][4];
            if constexpr (B::DEEP_A) {
#pragma unroll
                for (int i = 0; i < TM; ++i) take<4>(sa + plain_row(i) * B::LDA + k, fa[i]);
            } else {
#pragma unroll
                for (int kk = 0; kk < 4; ++kk) {
                    float line[TM];
                    run<TM>(sa + (k + kk) * B::LDA + plain_row(0), line);
#pragma unroll
                    for (int i = 0; i < TM; ++i) fa[i][kk] = line[i];
                }
            }
            if constexpr (B::DEEP_B) {
#pragma unroll
                for (int j = 0; j < TN; ++j) take<4>(sb + plain_col(j) * B::LDB + k, fb[j]);
            } else {
#pragma unroll
                for (int kk = 0; kk < 4; ++kk) {
                    float line[TN];
                    run<TN>(sb + (k + kk) * B::LDB + plain_col(0), line);
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
    }

    // Where a thread takes its numbers of the first eight summands from; all others are at fixed distances.
    __device__ __forceinline__ const float* first_left(const float* sa) const {
        const int lane = threadIdx.x % 32;
        return B::DEEP_A ? sa + (wm + lane % 16) * B::LDA + lane / 16 * 4 : sa + t * B::LDA + wm + g * 2;
    }
    __device__ __forceinline__ const float* first_right(const float* sb) const {
        const int lane = threadIdx.x % 32;
        if constexpr (PAIRS) return sb + (wn + lane % 8 + lane / 16 * 8) * B::LDB + lane / 8 % 2 * 4;
        else return B::DEEP_B ? sb + (wn + g) * B::LDB + t : sb + t * B::LDB + wn + g;
    }

    // Eight summands of the left operand: entry `e` is of the first half, or of the second if it is odd, and of
    // summand t, or t + 4. Tensor cores take entries from neighbouring registers, and so they are read.
    __device__ __forceinline__ static void left(const float* first, int k, float (&fa)[MT][4]) {
#pragma unroll
        for (int i = 0; i < MT; ++i) {
            if constexpr (B::DEEP_A) {
                matrices(fa[i], first + (i * 16 * B::LDA + k));
            } else {
                take<2>(first + (k * B::LDA + i * 16), *(float(*)[2]) & fa[i][0]);
                take<2>(first + ((k + 4) * B::LDA + i * 16), *(float(*)[2]) & fa[i][2]);
            }
        }
    }

    __device__ __forceinline__ static void right(const float* first, int k, float (&fb)[NT][2]) {
        if constexpr (PAIRS) {
#pragma unroll
            for (int j = 0; j < NT; j += 2) {
                float v[4];
                matrices(v, first + (j * 8 * B::LDB + k));
                fb[j][0] = v[0]; fb[j][1] = v[1]; fb[j + 1][0] = v[2]; fb[j + 1][1] = v[3];
            }
        } else {
#pragma unroll
            for (int j = 0; j < NT; ++j)
#pragma unroll
                for (int e = 0; e < 2; ++e)
                    fb[j][e] = B::DEEP_B ? first[j * 8 * B::LDB + (k + e * 4)] : first[(k + e * 4) * B::LDB + j * 8];
        }
    }

    __device__ __forceinline__ void tensor(const float* sa, const float* sb) {
        const float* const from_a = first_left(sa);
        const float* const from_b = first_right(sb);
#pragma unroll
        for (int k = 0; k < DEEP; k += 8) {
            float fa[MT][4], fb[NT][2];
            left(from_a, k, fa);
            right(from_b, k, fb);
            if constexpr (C::PRECISION == TF32) {
                if constexpr (C::ROUND_A)
#pragma unroll
                    for (auto& tile : fa)
#pragma unroll
                        for (float& x : tile) x = tf32(x);
                if constexpr (C::ROUND_B)
#pragma unroll
                    for (auto& tile : fb)
#pragma unroll
                        for (float& x : tile) x = tf32(x);
            } else {
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

    // The tile goes through shared memory, so that neighbours in memory are written by neighbours; layers of
    // warps add to it in turn.
    __device__ __forceinline__ void spill(float* tile) const {
#pragma unroll
        for (int turn = 0; turn < C::WARPS_K; ++turn) {
            if (layer == turn) {
                auto put = [&](int row, int col, float value) {
                    float& to = tile[row * B::LDC + col];
                    to = turn == 0 ? value : to + value;
                };
                if constexpr (PLAIN) {
#pragma unroll
                    for (int i = 0; i < TM; ++i)
#pragma unroll
                        for (int j = 0; j < TN; ++j) put(plain_row(i), plain_col(j), sums[i][j]);
                } else {
#pragma unroll
                    for (int i = 0; i < MT; ++i)
#pragma unroll
                        for (int j = 0; j < NT; ++j)
#pragma unroll
                            for (int e = 0; e < 4; ++e) put(row(i, e >> 1), wn + j * 8 + 2 * t + (e & 1), sums[i][j * 4 + e]);
                }
            }
            __syncthreads();
        }
    }
};
