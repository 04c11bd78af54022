"""Training steps of our networks in PyTorch on a GPU, and its loop for pfl-research's CIFAR-10 benchmark.

python bench/network_gpu.py [steps] [pfl] [pfl-graph] [--rounds N] [--data DIR]
"""

import argparse
import time
from pathlib import Path

import torch
from torch import nn


def conv_block(layers, channels_in, channels, size, padding, pool):
    layers += [nn.Conv2d(channels_in, channels, size, padding=padding), nn.ReLU()]
    if pool:
        layers.append(nn.MaxPool2d(2))


def network(name):
    layers = []
    if name == "cnn":
        conv_block(layers, 3, 6, 5, 0, True)
        conv_block(layers, 6, 16, 5, 0, True)
        layers += [nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)]
    elif name == "cnn-wide":
        conv_block(layers, 3, 32, 5, 2, True)
        conv_block(layers, 32, 64, 5, 2, True)
        layers += [nn.Flatten(), nn.Linear(4096, 512), nn.ReLU(), nn.Linear(512, 10)]
    elif name == "cnn-pfl":
        conv_block(layers, 3, 32, 3, 0, False)
        conv_block(layers, 32, 64, 3, 0, True)
        layers += [nn.Flatten(), nn.Linear(12544, 128), nn.ReLU(), nn.Linear(128, 10)]
    elif name == "vgg11":
        channels_in = 3
        for block in [[64], [128], [256, 256], [512, 512], [512, 512]]:
            for index, channels in enumerate(block):
                conv_block(layers, channels_in, channels, 3, 1, index == len(block) - 1)
                channels_in = channels
        layers += [nn.Flatten(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)]
    return nn.Sequential(*layers)


def milliseconds(run, repeats):
    for _ in range(5):
        run()
    torch.cuda.synchronize()
    best = float("inf")
    for _ in range(3):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(repeats):
            run()
        end.record()
        torch.cuda.synchronize()
        best = min(best, start.elapsed_time(end) / repeats)
    return best


def steps(name, batch):
    """Eager FP32; CUDA graph with TF32 and channels-last; the same in bf16."""
    times = []
    for mode in ["eager", "tf32", "bf16"]:
        torch.manual_seed(0)
        fast = mode != "eager"
        torch.backends.cuda.matmul.allow_tf32 = fast
        torch.backends.cudnn.allow_tf32 = fast
        torch.backends.cudnn.benchmark = fast
        net = network(name).cuda()
        x = torch.randn(batch, 3, 32, 32, device="cuda")
        if fast:
            net, x = net.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
        y = torch.randint(0, 10, (batch,), device="cuda")
        optimiser = torch.optim.SGD(net.parameters(), lr=0.01, foreach=True)
        loss = nn.CrossEntropyLoss()

        def step():
            optimiser.zero_grad(set_to_none=False)
            with torch.autocast("cuda", dtype=torch.bfloat16, enabled=mode == "bf16", cache_enabled=False):
                value = loss(net(x), y)
            value.backward()
            optimiser.step()

        if not fast:
            times.append(milliseconds(step, 30))
            continue
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(3):
                step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        times.append(milliseconds(graph.replay, 50))
    return times


def cifar(folder):
    """Images to train on and to test on, standardised by channel, on the device."""

    def read(begins):
        files = sorted(Path(folder).glob(f"{begins}*.bin"))
        if not files:
            raise SystemExit(f"{folder} has no {begins}*.bin of CIFAR-10")
        records = torch.frombuffer(bytearray(b"".join(file.read_bytes() for file in files)), dtype=torch.uint8)
        records = records.view(-1, 1 + 3 * 32 * 32)
        return records[:, 1:].reshape(-1, 3, 32, 32).float().cuda(), records[:, 0].long().cuda()

    (x, y), (test_x, test_y) = read("data_batch"), read("test_batch")
    mean, deviation = x.mean((0, 2, 3), keepdim=True), x.std((0, 2, 3), keepdim=True)
    return (x - mean) / deviation, y, (test_x - mean) / deviation, test_y


class Cohort:
    """Agents with 50 images each that train one network in turn from the server's parameters: batches of 10, one epoch."""

    def __init__(self, x, y):
        self.x, self.y = x, y
        self.net = network("cnn-pfl").cuda()
        self.params = list(self.net.parameters())
        self.server = [p.detach().clone() for p in self.params]
        self.total = [torch.zeros_like(p) for p in self.server]
        self.order = torch.zeros(50, dtype=torch.long, device="cuda")

    def load(self):
        with torch.no_grad():
            torch._foreach_copy_(self.params, self.server)

    def local(self):
        """Trains on the images of `order`, and adds what changed to `total`."""
        self.load()
        for batch in self.order.split(10):
            loss = nn.functional.cross_entropy(self.net(self.x[batch]), self.y[batch])
            gradients = torch.autograd.grad(loss, self.params)
            with torch.no_grad():
                torch._foreach_add_(self.params, gradients, alpha=-0.1)
        with torch.no_grad():
            torch._foreach_add_(self.total, self.params)
            torch._foreach_sub_(self.total, self.server)

    def captured(self):
        """The same as one CUDA graph."""
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(3):
                self.local()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.local()
        return graph.replay

    def fold(self):
        with torch.no_grad():
            torch._foreach_add_(self.server, self.total, alpha=1 / 50)
            torch._foreach_zero_(self.total)


def pfl(rounds, folder, graph):
    """1000 agents, 50 in a round, agent by agent, data on the device; eager, or an agent's epoch as one CUDA graph."""
    for backend in [torch.backends.cuda.matmul, torch.backends.cudnn]:
        backend.allow_tf32 = True
    torch.backends.cudnn.benchmark = graph
    torch.manual_seed(0)
    if folder:
        x, y, test_x, test_y = cifar(folder)
        print(f"{len(y)} images to train on, {len(test_y)} to test on")
        if len(y) < 50_000:
            print("fewer than 50,000: agents share images, and the accuracy is not the benchmark's")
    else:
        x = torch.randn(50_000, 3, 32, 32, device="cuda")
        y = torch.randint(0, 10, (50_000,), device="cuda")
    # Dealt at random; where images are few, several agents have the same.
    deal = (torch.arange(50_000) % len(y))[torch.randperm(50_000)].cuda()
    cohort = Cohort(x, y)
    began = time.perf_counter()
    local = cohort.captured() if graph else cohort.local
    cohort.total = [t.zero_() for t in cohort.total]

    def one_round():
        for agent in torch.randperm(1000)[:50].tolist():
            cohort.order.copy_(deal[torch.randperm(50, device="cuda") + 50 * agent])
            local()
        cohort.fold()

    def accuracy():
        cohort.load()
        with torch.no_grad():
            parts = zip(test_x.split(1000), test_y.split(1000))
            right = sum((cohort.net(a).argmax(1) == b).sum() for a, b in parts)
        return right.item() / len(test_y)

    first = evaluating = 0.0
    for number in range(1, rounds + 1):
        one_round()
        if number == 1:
            torch.cuda.synchronize()
            first = time.perf_counter() - began
        if folder and (number % 100 == 0 or number == rounds):
            torch.cuda.synchronize()
            looked = time.perf_counter()
            right = accuracy()
            evaluating += time.perf_counter() - looked
            print(f"  round {number}: {time.perf_counter() - began:.2f} s, accuracy {right:.4f}", flush=True)
    torch.cuda.synchronize()
    whole = time.perf_counter() - began
    each = (whole - first - evaluating) / max(rounds - 1, 1)
    print(
        f"PyTorch loop of pfl-research's benchmark, {'CUDA graph' if graph else 'eager'}: {rounds} rounds in {whole:.2f} s, of "
        f"which {first:.2f} s until the first round had ended and {evaluating:.2f} s evaluating; {each * 1e3:.1f} ms per "
        f"round, {each * 1500:.0f} s for 1500"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=["steps", "pfl", "pfl-graph"], default=["steps", "pfl", "pfl-graph"])
    parser.add_argument("--rounds", type=int, default=6, help="of the pfl loop")
    parser.add_argument("--data", help="folder of data_batch_*.bin and test_batch.bin; without it, noise and no accuracy")
    args = parser.parse_args()
    print(torch.__version__, torch.cuda.get_device_name())
    if "steps" in args.what:
        print("| network | batch | eager FP32 | graph, TF32, channels-last | graph, bf16 |")
        print("|---|---:|---:|---:|---:|")
        for name, batch in [("cnn", 64), ("cnn-pfl", 10), ("cnn-wide", 32), ("cnn-wide", 64), ("vgg11", 64)]:
            print(f"| {name} | {batch} | " + " | ".join(f"{ms:.4f}" for ms in steps(name, batch)) + " |", flush=True)
    for name in ["pfl", "pfl-graph"]:
        if name in args.what:
            pfl(args.rounds, args.data, graph=name == "pfl-graph")
