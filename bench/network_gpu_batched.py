"""Training steps of many agents together in PyTorch on a GPU: `torch.func.vmap` over agents, a step as one CUDA graph.

python bench/network_gpu_batched.py [NAME:AGENTS:BATCH ...] [--precision fp32 tf32 bf16] [--compile]

Every agent has parameters of its own, stacked along a first axis, and a batch of its own; `vmap` turns the convolutions of all
agents into grouped ones and their linear layers into batched products. `--compile` adds the same step through
`torch.compile`, in a CUDA graph as well. The work is that of `gpu bench NAME:AGENTS:BATCH`.
"""

import argparse

import torch
from network_gpu import milliseconds, network
from torch.func import functional_call, grad, stack_module_state, vmap

USUAL = ["cnn:3:64", "cnn:10:64", "cnn-pfl:50:10", "cnn-wide:16:32", "cnn-wide:64:32", "vgg11:3:64", "vgg11:16:64"]
RATE = 0.001


def captured(step):
    """The step as one CUDA graph."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def batched(name, agents, batch, precision, channels_last, compiled):
    """Milliseconds of a step of all agents."""
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision != "fp32"
    torch.backends.cudnn.benchmark = True
    nets = [network(name).cuda() for _ in range(agents)]
    params, _ = stack_module_state(nets)
    params = {key: value.detach() for key, value in params.items()}
    shape = nets[0].to("meta")
    x = torch.randn(agents * batch, 3, 32, 32, device="cuda")
    if channels_last:
        x = x.to(memory_format=torch.channels_last)
    x = x.unflatten(0, (agents, batch))
    y = torch.randint(0, 10, (agents, batch), device="cuda")

    def loss(params, x, y):
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=precision == "bf16", cache_enabled=False):
            logits = functional_call(shape, params, (x,))
        return torch.nn.functional.cross_entropy(logits.float(), y)

    slopes = vmap(grad(loss))
    # Each network anew: kernels for many sizes would count as recompilations, of which few are allowed.
    torch.compiler.reset()
    if compiled:
        slopes = torch.compile(slopes)

    def step():
        found = slopes(params, x, y)
        torch._foreach_add_(list(params.values()), [found[key] for key in params], alpha=-RATE)

    return milliseconds(captured(step), 30)


def best(name, agents, batch, precision, compiled):
    """The faster of both layouts, and its name."""
    found = []
    for channels_last in [False, True]:
        try:
            layout = "channels-last" if channels_last else "channels-first"
            found.append((batched(name, agents, batch, precision, channels_last, compiled), layout))
        except Exception as error:
            print(f"{name} {precision}, channels-last {channels_last}, compiled {compiled}: {error}".splitlines()[0], flush=True)
        torch.cuda.empty_cache()
    return min(found, default=(float("nan"), "failed"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", nargs="*", default=USUAL, metavar="NAME:AGENTS:BATCH")
    parser.add_argument("--precision", nargs="+", choices=["fp32", "tf32", "bf16"], default=["tf32", "bf16"])
    parser.add_argument("--compile", action="store_true", help="also through torch.compile")
    args = parser.parse_args()
    print(torch.__version__, torch.cuda.get_device_name())
    print("| network | batch | agents | precision | vmap | ms per step | layout |")
    print("|---|---:|---:|---|---|---:|---|")
    for work in args.work:
        name, agents, batch = work.split(":")
        for precision in args.precision:
            for compiled in [False, True] if args.compile else [False]:
                millis, layout = best(name, int(agents), int(batch), precision, compiled)
                kind = "compiled, CUDA graph" if compiled else "CUDA graph"
                print(f"| {name} | {batch} | {agents} | {precision} | {kind} | {millis:.4f} | {layout} |", flush=True)
