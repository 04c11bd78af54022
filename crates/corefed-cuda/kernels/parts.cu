// Sums whose parts are made by several blocks.

// Whether this block is the last of `parts` to come here: it sees what the others wrote before they came.
__device__ __forceinline__ bool arrives_last(u32* arrivals, u32 parts) {
    __threadfence();
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(arrivals, 1u) == parts - 1;
    __syncthreads();
    if (last) __threadfence();
    return last;
}

// Four numbers of every part, in the order of the parts; eight are on their way at once.
__device__ __forceinline__ float4 added_up(const float* first, u32 parts, u32 apart) {
    float4 total = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (u32 s = 0; s < parts; s += 8) {
        float4 part[8];
#pragma unroll
        for (u32 j = 0; j < 8; ++j)
            if (s + j < parts) part[j] = __ldcg((const float4*)(first + (s + j) * apart));
#pragma unroll
        for (u32 j = 0; j < 8; ++j)
            if (s + j < parts) {
                total.x += part[j].x; total.y += part[j].y;
                total.z += part[j].z; total.w += part[j].w;
            }
    }
    return total;
}
