// A layer's product: `block.cu` says what it is.

template <class C> __device__ __forceinline__ void product(const Args& a) {
    extern __shared__ __align__(16) float shared[];
    const Block<C> b(a);
    if (C::TICK && (blockIdx.x | blockIdx.y | blockIdx.z | threadIdx.x) == 0) a.clock[0] = b.step + 1;
    if (b.idle()) return;
    Sums<C> sums;
    if constexpr (C::COPIES) Copies<C>(b).multiply((typename Block<C>::Element*)shared, sums);
    else staged<C>(b, shared, sums);
    sums.spill(shared);
    const Mine mine = join<C>(b, shared);
    if constexpr (C::KIND == FORWARD) finish_forward<C>(b, shared, mine);
    else if constexpr (C::KIND == INPUT) finish_input<C>(b, shared, mine);
    else finish_weight<C>(b, shared, mine);
    if constexpr (C::CLUSTER > 1) cluster_wait();
}
