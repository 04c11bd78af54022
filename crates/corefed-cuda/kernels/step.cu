// The step along a gradient, or the gradient added to a sum.

// Weights `w` at `at` of an agent's parameters and their velocities `v` are read beforehand, unless gradients are
// summed; so is what is added to the gradient `d`, `more`, if anything is. HALF: factors are kept as bf16.
template <bool HALF, int V>
__device__ __forceinline__ void descend(const Args& a, const Agent& who, u32 agent, u32 at, float (&w)[V],
                                        const float (&v)[V], const float (&more)[V], float (&d)[V]) {
    if (who.objective == SUM) {
#pragma unroll
        for (int j = 0; j < V; ++j) a.sum[at + j] += d[j];
        return;
    }
#pragma unroll
    for (int j = 0; j < V; ++j) d[j] = fmaf(who.decay, w[j], d[j]);
    if (a.drift) {
#pragma unroll
        for (int j = 0; j < V; ++j) d[j] += more[j];
    }
    if (a.velocity) {
#pragma unroll
        for (int j = 0; j < V; ++j) d[j] = fmaf(who.momentum, v[j], d[j]);
        put<V>(a.velocity + agent * a.stride + at, d);
    }
#pragma unroll
    for (int j = 0; j < V; ++j) w[j] -= who.rate * d[j];
    put<V>(a.params + agent * a.stride + at, w);
    if constexpr (HALF) {
        put<V>((bf16*)a.factors + agent * a.stride + at, w);
    } else if (a.factors != a.params) {
#pragma unroll
        for (float& x : w) x = tf32(x);
        put<V>(a.factors + agent * a.stride + at, w);
    }
}
