"""FedAvg in eager PyTorch on the CPU, as one writes it without a framework."""

from pathlib import Path
from time import perf_counter

import torch
from torch.nn.functional import cross_entropy

from rounds.settings import Workload
from rounds.workload import CLASSES, PIXELS, accuracy, read


def linear() -> torch.nn.Linear:
    """Softmax regression at zero."""
    model = torch.nn.Linear(PIXELS, CLASSES)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    return model


def score(folder: Path, model: torch.nn.Linear) -> float:
    """Test accuracy, computed as for everybody else."""
    return accuracy(folder, model.weight.detach().numpy(), model.bias.detach().numpy())


def run(folder: Path, work: Workload) -> dict[str, float]:
    """One model and one optimiser serve all clients: only their values are reset."""
    dealt = read(folder)
    images, labels = torch.from_numpy(dealt.images), torch.from_numpy(dealt.labels)
    model = linear()
    parameters = list(model.parameters())
    optimiser = torch.optim.SGD(parameters, lr=work.rate)
    begin = perf_counter()
    for cohort in dealt.cohorts.tolist():
        before = [parameter.detach().clone() for parameter in parameters]
        total = [torch.zeros_like(parameter) for parameter in before]
        for client in cohort:
            with torch.no_grad():
                torch._foreach_copy_(parameters, before)
            for x, y in zip(images[client], labels[client], strict=True):
                optimiser.zero_grad()
                cross_entropy(model(x), y).backward()
                optimiser.step()
            with torch.no_grad():
                torch._foreach_add_(total, parameters)
        with torch.no_grad():
            for parameter, summed in zip(parameters, total, strict=True):
                parameter.copy_(summed / work.cohort)
    seconds = perf_counter() - begin
    return {"seconds": seconds, "accuracy": score(folder, model)}
