"""A training loop of PyTorch with the correction's two lines, and the example that has them."""

import gc
import json
import sys
import tomllib

import numpy as np
import pytest
import torch
from flwr.app import ArrayRecord, ConfigRecord, Context, Message, RecordDict
from hospitals import EXAMPLE, module
from inprocess import InProcess, Node, arrays

from corefed import InputError, flower
from corefed.flower.protocol import DRIFT, WALK

TORCH = EXAMPLE.parent / "flower-torch"


def request(**drift) -> Message:
    content = RecordDict({"arrays": arrays(t=np.ones(2)), "config": ConfigRecord({})})
    if drift:
        content[DRIFT] = arrays(**drift)
    return Message(content, 5, "train")


def net() -> torch.nn.Module:
    torch.manual_seed(3)
    layers = [torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 1)]
    return torch.nn.Sequential(*layers)


def walked(steps, momentum, drift=None, gradients=None):
    """Some steps on the same rows; by the correction, or with `drift` added by hand."""
    model = net()
    x, y = torch.randn(16, 2, generator=torch.Generator().manual_seed(1)), torch.zeros(16, 1)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.05, momentum=momentum)
    for _ in range(steps):
        optimiser.zero_grad()
        ((model(x) - y) ** 2).mean().backward()
        if drift is not None:
            for name, parameter in model.named_parameters():
                parameter.grad = parameter.grad + torch.from_numpy(drift[name])
        else:
            gradients(model)
        optimiser.step()
    return model.state_dict(), optimiser


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_the_line_adds_what_was_sent_to_every_step_and_counts_them(momentum):
    drift = {
        name: np.full(p.shape, 0.1 + k, np.float32)
        for k, (name, p) in enumerate(net().named_parameters())
    }
    # The state of a batch norm travels, and is not a parameter.
    sent = {name: drift.get(name, np.ones(p.shape, np.float32)) for name, p in whole().items()}
    correction = flower.Correction(request(**sent))
    found, optimiser = walked(4, momentum, gradients=correction.add_to)
    expected, _ = walked(4, momentum, drift=drift)
    assert all(torch.equal(found[name], expected[name]) for name in expected)
    walk = dict(correction.answer(optimiser)[WALK])
    assert walk == {"steps": 4, "rate": 0.05, "momentum": momentum, "parts": sorted(drift)}


def whole():
    return {name: p for name, p in net().state_dict().items() if p.is_floating_point()}


def test_nothing_is_added_or_answered_where_the_server_does_not_correct():
    correction = flower.Correction(request())
    found, optimiser = walked(2, 0.0, gradients=correction.add_to)
    expected, _ = walked(2, 0.0, gradients=lambda model: None)
    assert all(torch.equal(found[name], expected[name]) for name in expected)
    assert correction.answer(optimiser) == {}


def test_frozen_parameters_stay_and_unused_ones_are_corrected():
    correction = flower.Correction(request(weight=np.ones(2, np.float32), bias=np.ones(1)))
    weight, bias = torch.nn.Parameter(torch.zeros(2)), torch.nn.Parameter(torch.zeros(1))
    bias.requires_grad = False
    correction.add_to({"weight": weight, "bias": bias})
    assert weight.grad.tolist() == [1.0, 1.0]
    assert bias.grad is None
    assert correction.answer(rate=1.0)[WALK]["parts"] == ["weight"]


@pytest.mark.parametrize(
    "optimiser",
    [
        lambda p: torch.optim.Adam(p),
        lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
        lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, dampening=0.1),
        lambda p: torch.optim.SGD([{"params": [q], "lr": 0.1 + k} for k, q in enumerate(p)]),
    ],
)
def test_steps_that_are_not_those_of_the_formula_are_refused(optimiser):
    correction = flower.Correction(request(weight=np.ones(2)))
    with pytest.raises(InputError, match="steps of SGD with one rate"):
        correction.answer(optimiser(list(net().parameters())))


def test_names_that_did_not_travel_are_told():
    correction = flower.Correction(request(weight=np.ones(2)))
    with pytest.raises(InputError, match=r"no part `other` in what the server sent.*weight"):
        correction.add_to({"other": np.ones(2)})
    with pytest.raises(InputError, match="expected a module of PyTorch or a mapping"):
        correction.add_to([np.ones(2)])
    with pytest.raises(InputError, match="size of the steps"):
        correction.answer()


def example(name):
    """A module of the example, and the one that all of them import."""
    sys.path.insert(0, str(TORCH))
    try:
        return module(TORCH / name), sys.modules["task"]
    finally:
        sys.path.remove(str(TORCH))


def example_grid():
    app = example("client_app.py")[0].app
    return InProcess([Node(app, **{"partition-id": k}) for k in range(4)])


def of_example(tmp_path, strategy, rounds=20, **how):
    """The README's run: four agents, two local epochs."""
    grid, task = example_grid(), sys.modules["task"]
    first = ArrayRecord(task.new_net(1).state_dict())
    trained = strategy(ceilings="initial:1.5", average="equal", seed=1, run=tmp_path, **how)
    told = ConfigRecord({"lr": 0.1, "local-epochs": 2})
    trained.start(grid, first, num_rounds=rounds, timeout=30, train_config=told)
    return trained, trained.audit({"first": first}, local=True, timeout=30)


@pytest.mark.parametrize(
    ("other", "named"), [({"learning-rate": 0.2}, "lr: 0.1 then"), ({"local-epochs": 1}, "2 then")]
)
def test_the_example_resumes_only_with_the_rate_and_epochs_it_began_with(tmp_path, other, named):
    main = example("server_app.py")[0].app._main
    config = tomllib.loads((TORCH / "pyproject.toml").read_text())["tool"]["flwr"]["app"]["config"]
    config |= {"run": str(tmp_path / "run"), "rounds": 1}
    main(example_grid(), Context(1, 0, {}, RecordDict(), config))
    gc.collect()
    with pytest.raises(InputError, match=named):
        main(example_grid(), Context(1, 0, {}, RecordDict(), config | {"rounds": 2} | other))
    gc.collect()
    main(example_grid(), Context(1, 0, {}, RecordDict(), config | {"rounds": 2}))
    assert len((tmp_path / "run/rounds.jsonl").read_text().splitlines()) == 3


def utilities(folder):
    """By round and agent."""
    lines = [json.loads(line) for line in (folder / "agents.jsonl").open()]
    last = max(line["round"] for line in lines)
    return np.array([[a["utility"] for a in lines if a["round"] == k] for k in range(last + 1)])


def test_the_example_holds_where_the_plain_rule_swings_and_somebody_leaves(tmp_path):
    _, plain = of_example(tmp_path / "plain", flower.CoreFed, correction="none", memory=1.0)
    assert plain["verdict"] == "blocked"
    assert utilities(tmp_path / "plain")[-10:].min() < 0
    strategy, held = of_example(tmp_path / "held", flower.CoreFed)
    assert strategy.steady.what.header()["correction"] == "control"
    assert held["verdict"] != "blocked"
    # 0.33 to 0.40 where it was written.
    assert utilities(tmp_path / "held")[-10:].min() > 0.2
