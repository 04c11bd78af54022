"""A module with a part that is not a floating-point number."""

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)
        self.normal = torch.nn.BatchNorm1d(4)

    def forward(self, x):
        return self.last(torch.relu(self.normal(self.first(x))))
