// Windows at the border of an image see nothing with some of their taps. Where images are small and places are in the
// order of pixels, then images, a tile has few pixels, and what none of them sees is left out. `border.rs` counts the
// same.

// Marks a row index that is out of range.
#define NOBODY (~0u)

// Bits of the taps of a window that begins at `y` and are inside `size` lines; with BACK, of one that ends there.
template <int KS, bool BACK> __device__ __forceinline__ u32 inside(int y, int size) {
    int low = BACK ? y - size + 1 : -y, high = BACK ? y + 1 : size - y;
    low = low < 0 ? 0 : low > KS ? KS : low;
    high = high < 0 ? 0 : high > KS ? KS : high;
    return low < high ? (1u << high) - (1u << low) : 0u;
}

// Bits of the taps that are inside the image, for a window that begins, or for gradients of inputs ends, at a place.
template <class C> __device__ __forceinline__ u32 taps_inside(int y, int x) {
    constexpr bool BACK = C::KIND == INPUT;
    const u32 across = inside<C::KS, BACK>(x, BACK ? C::OW : C::W), along = inside<C::KS, BACK>(y, BACK ? C::OH : C::H);
    u32 taps = 0;
#pragma unroll
    for (int tap = 0; tap < C::KS; ++tap) taps |= along >> tap & 1 ? across << tap * C::KS : 0;
    return taps;
}

// The same for all pixels from `first` to `last`: what any of them sees.
template <class C> __device__ __forceinline__ u64 taps_of(u32 first, u32 last) {
    constexpr u32 WIDTH = C::KIND == INPUT ? C::W : C::OW;
    constexpr int ASIDE = C::KIND == INPUT ? C::PAD : -C::PAD;
    u32 taps = 0;
    for (u32 pixel = first; pixel <= last; ++pixel)
        taps |= taps_inside<C>((int)(pixel / WIDTH) + ASIDE, (int)(pixel % WIDTH) + ASIDE);
    return taps;
}

// Bits of the pixels whose window has any of the taps from `first` to `last` inside the image.
template <class C> __device__ __forceinline__ u64 pixels_of(u32 first, u32 last) {
    u64 pixels = 0;
    for (u32 tap = first; tap <= last; ++tap) {
        const int down = C::PAD - (int)(tap / C::KS), right = C::PAD - (int)(tap % C::KS);
        const int left_end = right < 0 ? 0 : right, right_end = C::W + right < C::OW ? C::W + right : C::OW;
        const u64 line = left_end < right_end ? (1ull << right_end) - (1ull << left_end) : 0;
#pragma unroll
        for (int y = 0; y < C::OH; ++y)
            if (y >= down && y < C::H + down) pixels |= line << y * C::OW;
    }
    return pixels;
}

// Goes through summands: those of one tap or pixel after the other.
struct Cursor {
    u64 rest;
    u32 group, within;

    // Of the groups whose bits are set, begins with the one after `skip`, at summand `within`.
    __device__ __forceinline__ Cursor(u64 live, u32 skip, u32 within) : rest(live), within(within) {
        for (u32 i = 0; i < skip; ++i) rest &= rest - 1;
        group = __ffsll(rest) - 1;
    }

    __device__ __forceinline__ void next(u32 depth, u32 end) {
        within += depth;
        if (within < end) return;
        within = 0;
        rest &= rest - 1;
        group = __ffsll(rest) - 1;
    }
};
