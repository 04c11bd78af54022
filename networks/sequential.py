"""Layers as a spec writes them, as a PyTorch `nn.Sequential`."""

from torch import nn

ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU, "softplus": nn.Softplus, "tanh": nn.Tanh}


def sequential(layers, input_shape):
    """One module per layer, so that names are those of the layers' places."""
    height, width, channels = input_shape
    features = None
    modules = []
    for text in layers:
        words = text.split()
        numbers = [int(word) for word in words[1:] if "=" not in word and word.isdigit()]
        options = {key: int(value) for key, value in (word.split("=") for word in words[1:] if "=" in word)}
        name = words[0]
        if name == "conv":
            made, size = numbers
            stride, padding = options.get("stride", 1), options.get("pad", 0)
            modules.append(nn.Conv2d(channels, made, size, stride, padding))
            height, width = ((pixels + 2 * padding - size) // stride + 1 for pixels in (height, width))
            channels = made
        elif name in ("max-pool", "avg-pool"):
            size = numbers[0]
            stride = options.get("stride", size)
            modules.append((nn.MaxPool2d if name == "max-pool" else nn.AvgPool2d)(size, stride))
            height, width = ((pixels - size) // stride + 1 for pixels in (height, width))
        elif name == "flatten":
            modules.append(nn.Flatten())
            features = height * width * channels if features is None else features
        elif name == "linear":
            modules.append(nn.Linear(features, numbers[0]))
            features = numbers[0]
        elif name == "dropout":
            modules.append(nn.Dropout(float(words[1])))
        else:
            modules.append(ACTIVATIONS[name]())
    return nn.Sequential(*modules)
