// Layers without parameters that no product takes along: activations and pools of any size, dropout, and
// images as floats.

enum { NO_POOL = 0, MAX_POOL = 1, AVG_POOL = 2 };

template <class C> __device__ __forceinline__ void point_forward(const Args& a) {
    const Now now = rows_of(a.agents[blockIdx.z], a.clock[0]);
    constexpr u32 OUTPUTS = C::OH * C::OW * C::CI, INPUTS = C::H * C::W * C::CI;
    const u64 out = (u64)blockIdx.z * a.batch * OUTPUTS, in = (u64)blockIdx.z * a.batch * INPUTS;
    const float* const x = (const float*)a.x + in;
    for (u32 e = blockIdx.x * blockDim.x + threadIdx.x; e < now.count * OUTPUTS; e += gridDim.x * blockDim.x) {
        const u32 n = e / OUTPUTS, c = e % C::CI, ox = e / C::CI % C::OW, oy = e / C::CI / C::OW % C::OH;
        float value = C::POOL == MAX_POOL ? -LARGEST : 0.0f;
        u32 which = 0;
        for (u32 ky = 0; ky < C::KS; ++ky)
            for (u32 kx = 0; kx < C::KS; ++kx) {
                const float v = activate<C::ACT>(x[n * INPUTS + ((oy * C::ST + ky) * C::W + ox * C::ST + kx) * C::CI + c]);
                if (C::POOL != MAX_POOL) value += v;
                else if (v > value) { value = v; which = ky * C::KS + kx; }
            }
        if (C::POOL == AVG_POOL) value *= 1.0f / (C::KS * C::KS);
        a.y[out + e] = value;
        if (C::POOL == MAX_POOL) ((unsigned short*)a.index)[out + e] = which;
    }
}

template <class C> __device__ __forceinline__ void point_backward(const Args& a) {
    const Now now = rows_of(a.agents[blockIdx.z], a.clock[1]);
    constexpr u32 OUTPUTS = C::OH * C::OW * C::CI, INPUTS = C::H * C::W * C::CI;
    const u64 out = (u64)blockIdx.z * a.batch * OUTPUTS, in = (u64)blockIdx.z * a.batch * INPUTS;
    const float* const x = (const float*)a.x + in;
    for (u32 e = blockIdx.x * blockDim.x + threadIdx.x; e < now.count * INPUTS; e += gridDim.x * blockDim.x) {
        const u32 n = e / INPUTS, c = e % C::CI, ix = e / C::CI % C::W, iy = e / C::CI / C::W % C::H;
        float d = 0.0f;
        for (u32 ky = 0; ky < C::KS; ++ky)
            for (u32 kx = 0; kx < C::KS; ++kx) {
                if (iy < ky || ix < kx || (iy - ky) % C::ST || (ix - kx) % C::ST) continue;
                const u32 oy = (iy - ky) / C::ST, ox = (ix - kx) / C::ST;
                if (oy >= C::OH || ox >= C::OW) continue;
                const u64 at = out + n * OUTPUTS + (oy * C::OW + ox) * C::CI + c;
                if (C::POOL == MAX_POOL) {
                    if (((unsigned short*)a.index)[at] == ky * C::KS + kx) d += a.dy[at];
                } else {
                    d += a.dy[at];
                }
            }
        if (C::POOL == AVG_POOL) d *= 1.0f / (C::KS * C::KS);
        if (C::ACT != NONE) d *= slope<C::ACT>(x[e], activate<C::ACT>(x[e]));
        a.dx[in + e] = d;
    }
}

// A bijection in which every bit depends on every other.
__device__ __forceinline__ u64 mix(u64 x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

// Whether dropout keeps a number: the same hash of seed, layer, row and place that the CPU engine uses.
__device__ __forceinline__ bool kept(u64 seed, u64 layer, u64 row, u32 index, u32 threshold) {
    const u64 key = mix(seed ^ mix((layer << 48 ^ row) + 0x9e3779b97f4a7c15ull));
    u32 x = index * 0x9e3779b1u ^ (u32)key;
    x = (x ^ x >> 16) * 0x85ebca6bu + (u32)(key >> 32);
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return (x ^ x >> 16) >= threshold;
}

// Forward and backward are the same: zero where the hash says so, scale the rest.
template <bool BACK> __device__ __forceinline__ void dropout(const Args& a, u32 len, u32 threshold, float scale) {
    const Agent who = a.agents[blockIdx.z];
    const u32 step = a.clock[BACK ? 1 : 0];
    const Now now = rows_of(who, step);
    const u64 base = (u64)blockIdx.z * a.batch * len;
    const float* const from = BACK ? a.dy : (const float*)a.x;
    float* const to = BACK ? a.dx : a.y;
    const bool drops = a.training && who.objective != SUM;
    for (u32 e = blockIdx.x * blockDim.x + threadIdx.x; e < now.count * len; e += gridDim.x * blockDim.x) {
        const bool keeps = !drops || kept(who.seed + step, a.layer, e / len, e % len, threshold);
        to[base + e] = keeps ? from[base + e] * (drops ? scale : 1.0f) : 0.0f;
    }
}

template <int IS_BYTES, int CHANNELS> __device__ __forceinline__ void gather(const Args& a, u32 len) {
    const Now now = rows_of(a.agents[blockIdx.z], a.clock[0]);
    for (u32 e = blockIdx.x * blockDim.x + threadIdx.x; e < now.count * len; e += gridDim.x * blockDim.x) {
        const u32 within = e % len;
        const u64 place = (u64)a.order[now.at + e / len] * len + within;
        a.y[(u64)blockIdx.z * a.batch * len + e] = pixel<IS_BYTES, CHANNELS>(a, place, within);
    }
}
