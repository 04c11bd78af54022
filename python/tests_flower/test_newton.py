"""Newton's method over Flower reaches the core in a few rounds, and continues after a kill."""

import json
import logging

import numpy as np
import pytest
from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from hospitals import engine_model, federation, model_of, start_arrays
from inprocess import InProcess, Node

from corefed import flower


def test_the_rounds_are_the_engines(tmp_path, hospitals):
    strategy = flower.Newton(ceilings=1.0, agents=hospitals.names, run=tmp_path / "run")
    strategy.start(
        federation(hospitals, rule="newton"), start_arrays(hospitals), num_rounds=8, timeout=5
    )
    weight, bias = model_of(tmp_path / "run")
    expected = engine_model(tmp_path / "engine", "newton", 8, hospitals)
    # Either sex has a column, so only sums with the intercept are determined.
    seen = lambda w, b: np.concatenate([w[0, :5], w[0, 5:] + b])  # noqa: E731
    np.testing.assert_allclose(
        seen(weight, bias), seen(expected["weight"], expected["bias"]), rtol=1e-8
    )
    ours = [json.loads(line)["log_welfare"] for line in (tmp_path / "run/rounds.jsonl").open()]
    theirs = [json.loads(line)["log_welfare"] for line in (tmp_path / "engine/rounds.jsonl").open()]
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)


def test_it_goes_on_after_a_kill(tmp_path, hospitals):
    def run(folder, rounds):
        strategy = flower.Newton(ceilings=1.0, agents=hospitals.names, run=folder)
        strategy.start(
            federation(hospitals, rule="newton"),
            start_arrays(hospitals),
            num_rounds=rounds,
            timeout=5,
        )
        strategy.history.close()
        return (folder / "model.safetensors").read_bytes(), (folder / "rounds.jsonl").read_bytes()

    whole = run(tmp_path / "whole", 5)
    run(tmp_path / "cut", 2)
    assert run(tmp_path / "cut", 5) == whole


def test_derivatives_are_those_of_finite_differences(hospitals):
    client = hospitals.client("Evora")
    rng = np.random.default_rng(3)
    shape = start_arrays(hospitals)["weight"].numpy().shape
    at = {"weight": rng.normal(size=shape) / 3, "bias": rng.normal(size=1)}
    record = lambda p: ArrayRecord({k: Array(v) for k, v in p.items()})  # noqa: E731
    gradient, hessian = (a.numpy() for a in client.derivatives(record(at)).values())
    flat = np.concatenate([at["weight"].ravel(), at["bias"]])

    def of(values):
        parts = {"weight": values[:-1].reshape(shape), "bias": values[-1:]}
        return client.loss(record(parts))["loss"], client.derivatives(record(parts))[
            "gradient"
        ].numpy()

    for k in range(flat.size):
        step = np.zeros(flat.size)
        step[k] = 1e-5
        (up, slope_up), (down, slope_down) = of(flat + step), of(flat - step)
        assert gradient[k] == pytest.approx((up - down) / 2e-5, abs=1e-8)
        np.testing.assert_allclose(hessian[:, k], (slope_up - slope_down) / 2e-5, atol=1e-8)


def test_a_derivative_of_the_wrong_shape_is_refused_by_name(tmp_path):
    app = ClientApp()

    @app.train()
    def train(message, context):
        wrong = ArrayRecord({"gradient": Array(np.zeros(2)), "hessian": Array(np.zeros(4))})
        about = ConfigRecord({"agent": context.node_config["agent"]})
        metrics = MetricRecord({"loss-before": 0.5, "num-examples": 1})
        return Message(
            RecordDict({"arrays": wrong, "metrics": metrics, "corefed": about}), reply_to=message
        )

    app.evaluate()(train)
    grid = InProcess([Node(app, "Aachen"), Node(app, "Bergen")])
    strategy = flower.Newton(ceilings=1.0, run=tmp_path / "run")
    strategy.start(grid, ArrayRecord({"t": Array(np.zeros(2))}), num_rounds=1, timeout=1)
    last = json.loads((tmp_path / "run/rounds.jsonl").read_text().splitlines()[-1])
    assert last["trained"] == 0
    reasons = [r["reason"] for r in last["rejections"]]
    assert reasons == ["its `hessian` has the shape (4,), expected (2, 2)"] * 2


AGENTS = {"Aachen": [1.0, 0.0], "Bergen": [0.8, 0.3], "Coimbra": [1.2, -0.2], "Evora": [-1.0, 0.0]}


def parabola(at, stretch=1.0, hessian=((1.0, 0.0), (0.0, 1.0))):
    """An agent with the loss `|t - at|^2 / 2`; `stretch` multiplies the gradient that it sends."""
    at, app = np.asarray(at, float), ClientApp()

    def answer(message, context):
        (t,) = message.content["arrays"].to_numpy_ndarrays()
        sent = {"gradient": stretch * (t - at), "hessian": np.array(hessian, float)}
        metrics = {"loss-before": float(np.sum((t - at) ** 2)) / 2, "num-examples": 10}
        content = {
            "arrays": ArrayRecord({name: Array(part) for name, part in sent.items()}),
            "metrics": MetricRecord(metrics),
            "corefed": ConfigRecord({"agent": context.node_config["agent"]}),
        }
        return Message(RecordDict(content), reply_to=message)

    app.train()(answer)
    app.evaluate()(answer)
    return app


def newton(folder, ceilings=4.0, rounds=10, norm_cap=5.0, **last):
    """Train with an `Evora` that may lie; gives the model, the records and the page."""
    apps = {name: parabola(at, **(last if name == "Evora" else {})) for name, at in AGENTS.items()}
    grid = InProcess([Node(app, name) for name, app in apps.items()])
    told = {"agents": list(AGENTS), "norm_cap": norm_cap, "run": folder}
    strategy = flower.Newton(ceilings=ceilings, **told)
    first = ArrayRecord({"t": Array(np.zeros(2))})
    result = strategy.start(grid, first, num_rounds=rounds, timeout=1)
    strategy.history.close()
    records = [json.loads(line) for line in (folder / "rounds.jsonl").read_text().splitlines()]
    return result.arrays.to_numpy_ndarrays()[0], records, (folder / "report.html").read_text()


@pytest.fixture
def said(caplog, monkeypatch):
    """Flower's log does not pass its lines on."""
    monkeypatch.setattr(logging.getLogger("flwr"), "propagate", True)
    caplog.set_level(logging.WARNING, logger="flwr")
    return lambda word: [line for line in caplog.messages if word in line]


def test_an_agent_at_its_floor_is_in_log_records_and_report(tmp_path, said):
    # Evora has nothing at the first model: it loses 0.5 there.
    ceilings = dict.fromkeys(AGENTS, 4.0) | {"Evora": 0.2}
    _, records, page = newton(tmp_path / "run", ceilings)
    floored = sum(record["floored"] == ["Evora"] for record in records)
    assert floored >= 1
    (line,) = said("its utility counts as the floor")
    assert "agent `Evora`" in line
    assert f"Evora: its utility counted as the floor in {floored} of 10 rounds" in page


def test_a_long_gradient_counts_up_to_a_multiple_of_the_cohorts(tmp_path, said):
    _, records, _ = newton(tmp_path / "honest")
    assert not any(record["clipped"] for record in records)
    _, records, page = newton(tmp_path / "held", stretch=1000.0)
    assert all(record["clipped"] == ["Evora"] for record in records[1:])
    assert len(said("sent a long update: it is shortened")) == 1
    assert "Evora: its update was shortened in 10 of 10 rounds" in page
    _, records, _ = newton(tmp_path / "free", stretch=1000.0, norm_cap=None)
    assert not any(record["clipped"] for record in records)


def test_a_gradient_is_shortened_together_with_its_hessian(tmp_path):
    def first(stretch, **settings):
        told = {"stretch": stretch, "hessian": stretch * np.eye(2), "rounds": 1}
        return newton(tmp_path / f"{stretch} {settings}", **told, **settings)[0]

    # Five times the median of 0.85, 1, 1.22 and its own; at stretch one, its own is one.
    cap = 5 * (1 + np.hypot(1.2, 0.2)) / 2
    np.testing.assert_allclose(first(1e3), first(cap), rtol=1e-9)
    np.testing.assert_allclose(first(1e6), first(1e3), rtol=1e-9)
    assert np.linalg.norm(first(1e3) - first(1e3, norm_cap=None)) > 0.01


@pytest.mark.parametrize(
    ("hessian", "why"),
    [
        (((1.0, 0.5), (0.0, 1.0)), "not symmetric"),
        (((1.0, 2.0), (2.0, 1.0)), "indefinite"),
        (((1.0, 0.1), (0.1, 0.0)), "indefinite"),
        (((-1.0, 0.0), (0.0, 1.0)), "indefinite"),
    ],
)
def test_a_hessian_of_no_convex_loss_is_refused_by_name(tmp_path, hessian, why, said):
    model, records, _ = newton(tmp_path / "run", rounds=1, hessian=hessian)
    (refused,) = [r for r in records[1]["rejections"] if r["agent"] == "Evora"]
    assert refused["reason"] == f"its `hessian` is {why}: its loss is not convex"
    assert len(said(f"the reply of agent `Evora` is refused: {refused['reason']}")) == 1
    # Everybody is needed: the model stays.
    assert not model.any()


@pytest.mark.parametrize("hessian", [((1.0, 1.0), (1.0, 1.0)), ((1.0, 0.0), (0.0, 0.0)), 0.0])
def test_redundant_columns_are_no_lie(tmp_path, hessian):
    _, records, _ = newton(tmp_path / "run", rounds=1, hessian=np.broadcast_to(hessian, (2, 2)))
    assert not records[1]["rejections"]


def test_a_gradient_that_is_not_its_losses_can_hold_the_model_among_few(tmp_path):
    # What the guide says that no guard prevents: steps are judged by losses, which do not fall.
    honest, _, _ = newton(tmp_path / "honest")
    held, _, _ = newton(tmp_path / "held", stretch=6.0)
    assert np.linalg.norm(honest) > 0.4
    assert np.linalg.norm(held) < 0.01
