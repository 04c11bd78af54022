"""A small network, and points in the plane that agents see from different sides."""

import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from corefed.flower import Correction


class Net(nn.Module):
    """Two classes, one hidden layer with a batch norm: its counters are not trained."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(2, 16),
            nn.BatchNorm1d(16, track_running_stats=True),
            nn.GELU(),
            nn.Linear(16, 2),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


def new_net(seed: int) -> Net:
    torch.manual_seed(seed)
    return Net()


def points(partition: int, rows: int = 120) -> TensorDataset:
    """Two half-moons, turned by a third of a circle from one agent to the next."""
    generator = torch.Generator().manual_seed(1000 + partition)
    label = torch.arange(rows) % 2
    angle = math.pi * torch.rand(rows, generator=generator)
    sign = 1.0 - 2.0 * label
    x = torch.stack(
        [torch.cos(angle) * sign + 0.5 * label, torch.sin(angle) * sign + 0.25 * label], 1
    )
    x = x + 0.15 * torch.randn(rows, 2, generator=generator)
    turn = torch.tensor(2.0 * math.pi / 9.0 * partition)
    rotation = torch.stack(
        [torch.stack([turn.cos(), -turn.sin()]), torch.stack([turn.sin(), turn.cos()])]
    )
    return TensorDataset(x @ rotation.T, label)


def split(partition: int) -> tuple[TensorDataset, TensorDataset]:
    """Rows to train on, and held-out rows."""
    x, y = points(partition).tensors
    return TensorDataset(x[:96], y[:96]), TensorDataset(x[96:], y[96:])


def measure(net: Net, rows: TensorDataset) -> tuple[float, float]:
    """Mean loss and accuracy."""
    net.eval()
    x, y = rows.tensors
    with torch.no_grad():
        scores = net(x)
    return nn.functional.cross_entropy(scores, y).item(), (
        scores.argmax(1) == y
    ).float().mean().item()


def fit(
    net: Net, rows: TensorDataset, epochs: int, rate: float, seed: int, correction: Correction
) -> torch.optim.SGD:
    """Mini-batch descent, each step corrected for drift."""
    net.train()
    generator = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.SGD(net.parameters(), lr=rate)
    for _ in range(epochs):
        for x, y in DataLoader(rows, batch_size=16, shuffle=True, generator=generator):
            optimiser.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            correction.add_to(net)
            optimiser.step()
    return optimiser
