// What tensor cores reach by `mma.sync`, the instructions that corefed-cuda uses: on registers alone, and with factors
// from shared memory as a warp with a tile of 64x32 takes them.
//   nvcc -arch=sm_90 -O3 -std=c++17 -o tensor_peak bench/tensor_peak.cu && ./tensor_peak

#include <cstdio>
#include <cuda_runtime.h>

constexpr int THREADS = 256, LINE = 136, DEPTH = 32;

__device__ __forceinline__ void tf32(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void bf16(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ float total(const float (&c)[4][4][4]) {
    float sum = 0.0f;
    for (auto& row : c) for (auto& tile : row) for (float x : tile) sum += x;
    return sum;
}

template <bool HALF> __global__ void __launch_bounds__(THREADS, 2) registers(float* out, int times) {
    float c[4][4][4] = {};
    unsigned a[4][4], b[4][2];
    for (int i = 0; i < 4; ++i) {
        for (auto& x : a[i]) x = threadIdx.x + i;
        for (auto& x : b[i]) x = threadIdx.x * 2 + i;
    }
    for (int k = 0; k < times; ++k)
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) HALF ? bf16(c[i][j], a[i], b[j]) : tf32(c[i][j], a[i], b[j]);
    out[blockIdx.x * THREADS + threadIdx.x] = total(c);
}

__global__ void __launch_bounds__(THREADS, 2) shared_memory(float* out, int times) {
    extern __shared__ unsigned tile[];
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < 2 * DEPTH * LINE; i += THREADS) tile[i] = __float_as_uint(i * 1e-5f);
    __syncthreads();
    const unsigned* const left = tile + t * LINE + warp / 4 * 64 + g * 2;
    const unsigned* const right = tile + DEPTH * LINE + t * LINE + warp % 4 * 32 + g;
    float c[4][4][4] = {};
    for (int step = 0; step < times; ++step) {
#pragma unroll
        for (int k = 0; k < DEPTH; k += 8) {
            unsigned a[4][4], b[4][2];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                *(uint2*)&a[i][0] = *(const uint2*)(left + k * LINE + i * 16);
                *(uint2*)&a[i][2] = *(const uint2*)(left + (k + 4) * LINE + i * 16);
                b[i][0] = right[k * LINE + i * 8];
                b[i][1] = right[(k + 4) * LINE + i * 8];
            }
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) tf32(c[i][j], a[i], b[j]);
        }
        __syncthreads();
    }
    out[blockIdx.x * THREADS + threadIdx.x] = total(c);
}

template <class Launch> void measure(const char* name, double operations, Launch launch) {
    cudaEvent_t from, to;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    launch();
    cudaEventRecord(from);
    launch();
    cudaEventRecord(to);
    cudaEventSynchronize(to);
    float ms;
    cudaEventElapsedTime(&ms, from, to);
    printf("%-28s %7.1f TFLOP/s %s\n", name, operations / ms * 1e-9, cudaGetErrorString(cudaGetLastError()));
}

int main() {
    int processors;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    const int blocks = 2 * processors, times = 4000, bytes = 104448;
    float* out;
    cudaMalloc(&out, sizeof(float) * blocks * THREADS);
    cudaFuncSetAttribute(shared_memory, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    const double products = blocks * 8.0 * times * 16;
    measure("TF32, registers", products * 2048, [&] { registers<false><<<blocks, THREADS>>>(out, times); });
    measure("bf16, registers", products * 4096, [&] { registers<true><<<blocks, THREADS>>>(out, times); });
    measure("TF32, shared memory", products * 2048, [&] { shared_memory<<<blocks, THREADS, bytes>>>(out, times / 4); });
}
