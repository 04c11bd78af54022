// Operands that are bf16, from shared memory into tensor cores: 16 summands at once, for MT x NT tiles of a warp.

template <class C, int MT, int NT> struct Halves {
    using B = Block<C>;
    // Tiles of columns that are taken at once.
    static constexpr int PAIR = NT % 2 == 0 ? 2 : 1;

    // Where a lane's line of the first summands is; all others are at fixed distances.
    const bf16 *from_a, *from_b;

    // Matrices are in the order of the registers that they go into: on the left halves of rows, then of summands; on the
    // right halves of summands, then of a pair of columns.
    __device__ __forceinline__ Halves(const bf16* sa, const bf16* sb, int wm, int wn) {
        const int lane = threadIdx.x % 32, line = lane % 8, odd = lane / 8 % 2 * 8, second = lane / 16 * 8;
        from_a = B::DEEP_A ? sa + (wm + line + odd) * B::LDA + second : sa + (line + second) * B::LDA + wm + odd;
        from_b = B::DEEP_B ? sb + (wn + line + second) * B::LDB + odd : sb + (line + odd) * B::LDB + wn + second;
    }

    template <int DEEP> __device__ __forceinline__ void add(float (&sums)[MT][NT * 4]) const {
#pragma unroll
        for (int k = 0; k < DEEP; k += 16) {
            u32 fa[MT][4], fb[NT][2];
#pragma unroll
            for (int i = 0; i < MT; ++i)
                matrices<!B::DEEP_A>(fa[i], from_a + (B::DEEP_A ? i * 16 * B::LDA + k : k * B::LDA + i * 16));
#pragma unroll
            for (int j = 0; j < NT; j += PAIR)
                matrices<!B::DEEP_B>(*(u32(*)[2 * PAIR]) & fb[j], from_b + (B::DEEP_B ? j * 8 * B::LDB + k : k * B::LDB + j * 8));
#pragma unroll
            for (int i = 0; i < MT; ++i)
#pragma unroll
                for (int j = 0; j < NT; ++j) mma(*(float(*)[4])&sums[i][j * 4], fa[i], fb[j]);
        }
    }
};
