"""PyTorch modules are audited by a loss function, or by their outputs."""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

import corefed

rng = np.random.default_rng(1)
X = rng.normal(size=(90, 3)).astype(np.float32)
y = (X[:, 0] + rng.normal(size=90) > 0).astype(np.int64)
agents = np.repeat(["a", "b", "c"], 30)


def network(outputs):
    torch.manual_seed(outputs)
    layers = [torch.nn.Linear(3, 8), torch.nn.ReLU(), torch.nn.Dropout(0.5)]
    return torch.nn.Sequential(*layers, torch.nn.Linear(8, outputs))


def test_modules_are_judged_by_a_loss_function():
    def loss(net, rows, target):
        return cross_entropy(net(torch.as_tensor(rows)), torch.as_tensor(target), reduction="none")

    models = {"one": network(2), "two": network(2)}
    with torch.no_grad():
        models["two"][-1].bias += 1.0
    found = corefed.audit_models(models, X, y, agents, loss=loss, ceiling=3.0)
    for name, net in models.items():
        assert net.training
        with torch.no_grad():
            own = loss(net.eval(), X, y).numpy()
        wanted = [own[agents == a].mean() for a in found.losses["agent"]]
        np.testing.assert_allclose(found.losses[name], wanted, rtol=1e-6)


def test_outputs_of_a_regression_are_predictions():
    models = {"one": network(1), "zero": np.zeros(90)}
    target = X[:, 0] * 2.0
    found = corefed.audit_models(models, X, target, agents, loss="squared")
    with torch.no_grad():
        own = models["one"].eval()(torch.as_tensor(X)).numpy()[:, 0]
    wanted = [np.mean((own - target)[agents == a] ** 2) for a in found.losses["agent"]]
    np.testing.assert_allclose(found.losses["one"], wanted, rtol=1e-6)


def test_outputs_are_not_taken_for_probabilities():
    with pytest.raises(corefed.InputError, match="outputs may be anything") as error:
        corefed.audit_models({"one": network(2), "y": y}, X, y, agents, loss="log")
    assert "cross_entropy" in error.value.hint
