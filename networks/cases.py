"""Networks to compare: known ones, and random ones from seeds."""

import random

PRESETS = {
    "cnn": ["conv 6 5", "relu", "max-pool 2", "conv 16 5", "relu", "max-pool 2", "flatten", "linear 120", "relu",
            "linear 84", "relu", "linear 10"],
    "cnn-wide": ["conv 32 5 pad=2", "relu", "max-pool 2", "conv 64 5 pad=2", "relu", "max-pool 2", "flatten",
                 "linear 48", "relu", "linear 10"],
    "vgg-like": ["conv 64 3 pad=1", "relu", "max-pool 2", "conv 128 3 pad=1", "relu", "conv 128 3 pad=1", "relu",
                 "max-pool 2", "flatten", "linear 64", "relu", "linear 10"],
    "cnn-pfl": ["conv 32 3 pad=1", "relu", "conv 64 3 pad=1", "relu", "max-pool 2", "flatten", "linear 32", "relu",
                "linear 10"],
    "smooth": ["conv 8 5", "gelu", "avg-pool 2", "conv 12 3 pad=1", "softplus", "avg-pool 3 stride=2", "flatten",
               "linear 20", "tanh", "dropout 0.5", "linear 10"],
    "mlp": ["flatten", "linear 200", "relu", "linear 200", "relu", "linear 10"],
}  # fmt: skip


def random_layers(seed):
    """A network of a few layers over a small image that still has pixels at its end."""
    rng = random.Random(seed)
    height, width, channels = rng.randint(6, 12), rng.randint(6, 12), rng.randint(1, 4)
    shape, layers = (height, width, channels), []
    for _ in range(rng.randint(1, 4)):
        size, stride = rng.randint(1, 3), rng.randint(1, 2)
        padding = rng.randint(0, size - 1)
        kind = rng.choice(["conv", "conv", "conv", "max-pool", "avg-pool"])
        if kind == "conv":
            text = f"conv {rng.randint(1, 40)} {size} pad={padding} stride={stride}"
        else:
            padding, text = 0, f"{kind} {size} stride={stride}"
        after = [(pixels + 2 * padding - size) // stride + 1 for pixels in (height, width)]
        if min(after) < 2:
            break
        height, width = after
        layers.append(text)
        if rng.random() < 0.8:
            layers.append(rng.choice(["relu", "relu", "gelu", "softplus", "tanh"]))
        if rng.random() < 0.3:
            layers.append("max-pool 2" if min(after) > 3 else "tanh")
            if min(after) > 3:
                height, width = height // 2, width // 2
    layers.append("flatten")
    if rng.random() < 0.6:
        layers += [f"linear {rng.randint(1, 70)}", "relu"]
    return shape, [*layers, f"linear {rng.randint(2, 11)}"]
