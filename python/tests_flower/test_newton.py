"""Newton's method over Flower reaches the core in a few rounds, and continues after a kill."""

import json

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
