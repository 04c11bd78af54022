// Images as bytes, and where windows are put on them.

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

