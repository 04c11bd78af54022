// Numbers that are moved at once, and who moves which of a tile.

// What numbers are in memory.
template <bool HALF> struct Number { typedef float Type; };
template <> struct Number<true> { typedef bf16 Type; };

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

template <int V> __device__ __forceinline__ void take(const bf16* from, float (&to)[V]) {
    u64 bits;
    if constexpr (V == 4) bits = *(const u64*)from;
    else if constexpr (V == 2) bits = *(const u32*)from;
    else bits = *from;
#pragma unroll
    for (int j = 0; j < V; ++j) to[j] = __uint_as_float((u32)(bits >> 16 * j) << 16);
}

template <int V> __device__ __forceinline__ void put(float* to, const float (&from)[V]) {
    if constexpr (V == 4) *(float4*)to = make_float4(from[0], from[1], from[2], from[3]);
    else if constexpr (V == 2) *(float2*)to = make_float2(from[0], from[1]);
    else *to = from[0];
}

template <int V> __device__ __forceinline__ void put(bf16* to, const float (&from)[V]) {
    if constexpr (V == 4) *(u64*)to = (u64)halves(from[2], from[3]) << 32 | halves(from[0], from[1]);
    else if constexpr (V == 2) *(u32*)to = halves(from[0], from[1]);
    else *to = (bf16)halves(from[0], 0.0f);
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
    // Where vector `i` is after the first one, in lines that are `wide` numbers apart: known when the kernel is
    // compiled, if lines are shared out evenly.
    __device__ static __forceinline__ int after(int i, int wide) {
        if constexpr (THREADS % PER_LINE == 0) return i * (THREADS / PER_LINE) * wide;
        else return (line(i) - line(0)) * wide + within(i) - within(0);
    }
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

