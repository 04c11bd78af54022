"""One training step of a network (forward, backward, SGD): corefed beside PyTorch, one thread each, in one run.

Both sides alternate, and the least mean of a few steps is quoted, in CPU time: one thread each, so this is the time on an idle machine, and
other programs disturb it little. PyTorch runs twice: in its default layout and in channels-last, which is what its documentation
recommends for convolutions. Prints Markdown.
"""

import argparse
import subprocess
import time

import torch
from torch import nn

CIFAR, MNIST = (3, 32, 32), (1, 28, 28)
CASES = [
    ("cnn-wide", 64, CIFAR),
    ("vgg11", 64, CIFAR),
    ("cnn", 10, CIFAR),
    ("cnn", 64, CIFAR),
    ("mlp", 10, MNIST),
    ("mlp", 64, MNIST),
]


def network(name, channels):
    """The presets of corefed-nn."""
    layers = []
    if name == "cnn":
        layers += [nn.Conv2d(channels, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2)]
        layers += [nn.Flatten(), nn.LazyLinear(120), nn.ReLU(), nn.LazyLinear(84), nn.ReLU()]
    elif name == "cnn-wide":
        layers += [nn.Conv2d(channels, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)]
        layers += [nn.Conv2d(32, 64, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.LazyLinear(512), nn.ReLU()]
    elif name == "vgg11":
        for block in [[64], [128], [256, 256], [512, 512], [512, 512]]:
            for made in block:
                layers += [nn.Conv2d(channels, made, 3, padding=1), nn.ReLU()]
                channels = made
            layers.append(nn.MaxPool2d(2))
        layers += [nn.Flatten(), nn.LazyLinear(512), nn.ReLU(), nn.LazyLinear(512), nn.ReLU()]
    else:
        layers += [nn.Flatten(), nn.LazyLinear(200), nn.ReLU(), nn.LazyLinear(200), nn.ReLU()]
    return nn.Sequential(*layers, nn.LazyLinear(10))


class Torch:
    """A step of PyTorch."""

    def __init__(self, name, batch, shape, channels_last):
        torch.manual_seed(1)
        self.net = network(name, shape[0])
        self.x, self.y = torch.randn(batch, *shape), torch.randint(0, 10, (batch,))
        self.net(self.x)
        if channels_last:
            self.net = self.net.to(memory_format=torch.channels_last)
            self.x = self.x.to(memory_format=torch.channels_last)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.01)
        self.loss = nn.CrossEntropyLoss()

    def mean(self, steps):
        # Backward passes run in a thread of their own.
        start = time.process_time()
        for _ in range(steps):
            self.optimizer.zero_grad()
            self.loss(self.net(self.x), self.y).backward()
            self.optimizer.step()
        return (time.process_time() - start) / steps

    def flops(self):
        """Of multiplications and additions with weights: three products, two for the first layer, which passes no error on."""
        total, first = 0, True
        x = self.x
        for layer in self.net:
            before, x = x, layer(x)
            if isinstance(layer, nn.Conv2d):
                products = 2 * x.numel() * layer.weight[0].numel()
            elif isinstance(layer, nn.Linear):
                products = 2 * len(before) * layer.weight.numel()
            else:
                continue
            total += products * (2 if first else 3)
            first = False
        return total


class Corefed:
    """Steps of the example `step_timer`, in a process of its own that waits while others run."""

    def __init__(self, program, name, batch, shape):
        channels, height, width = shape
        sizes = [str(size) for size in (batch, height, width, channels)]
        self.process = subprocess.Popen(
            [program, name, *sizes], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def mean(self, steps):
        start = self.cpu_seconds()
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        self.process.stdout.readline()
        return (self.cpu_seconds() - start) / steps

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0]) / 1e9

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="target/release/examples/step_timer")
    parser.add_argument("--seconds", type=float, default=20, help="for each network")
    parser.add_argument("--only", help="one network")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    print("| network | batch | corefed | GFLOP/s | PyTorch, channels-last | ratio | PyTorch, default | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, batch, shape in CASES:
        if arguments.only not in (None, name):
            continue
        rivals = [
            Corefed(arguments.program, name, batch, shape),
            Torch(name, batch, shape, channels_last=True),
            Torch(name, batch, shape, channels_last=False),
        ]
        best = [float("inf")] * 3
        end = time.monotonic() + arguments.seconds
        while time.monotonic() < end:
            for i, rival in enumerate(rivals):
                steps = max(1, min(20, int(0.05 / best[i])))
                best[i] = min(best[i], rival.mean(steps))
        ours, last, eager = (f"{1e3 * seconds:.3g} ms" for seconds in best)
        speed = rivals[1].flops() / best[0] / 1e9
        ratios = [f"{seconds / best[0]:.2f}" for seconds in best[1:]]
        print(f"| `{name}` | {batch} | {ours} | {speed:.0f} | {last} | {ratios[0]} | {eager} | {ratios[1]} |", flush=True)
        rivals[0].close()


if __name__ == "__main__":
    main()
