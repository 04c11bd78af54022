"""A site that trains a module of PyTorch."""

import nvflare.client as flare
import torch
from torch_model import Net

from corefed.flare import report

flare.init()
net, draw = Net(), torch.Generator().manual_seed(len(flare.get_site_name()))
x = torch.randn(40, 3, generator=draw)
y = x.sum(1, keepdim=True)
while flare.is_running():
    received = flare.receive()
    net.load_state_dict(received.params)
    net.eval()
    with torch.no_grad():
        before = float(torch.nn.functional.mse_loss(net(x), y))
    net.train()
    descent = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        descent.zero_grad()
        torch.nn.functional.mse_loss(net(x), y).backward()
        descent.step()
    trained = {name: part.detach().clone() for name, part in net.state_dict().items()}
    report(received, trained, loss=before, samples=40)
