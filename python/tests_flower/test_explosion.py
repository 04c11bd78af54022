"""A training that explodes ends by itself, keeps its last good model, and says what to do."""

import numpy as np
import pytest
from flwr.app import MetricRecord
from inprocess import InProcess, Node, arrays, parabola_app
from safetensors.numpy import load_file
from summed import lines

from corefed import InputError, RunError, flower

CENTRES = {"Aachen": [1.0, 0.0], "Bergen": [0.0, 2.0], "Coimbra": [-1.0, -1.0]}
START = np.array([0.5, 0.5])


def grid(rate=5.0, spoil=None) -> InProcess:
    nodes = [Node(parabola_app(at, rate=rate), name) for name, at in CENTRES.items()]
    for node in nodes if spoil else []:
        node.app = spoil(node.app)
    return InProcess(nodes)


def train(strategy, net, rounds=20):
    result = strategy.start(net, arrays(t=START), num_rounds=rounds, timeout=1)
    strategy.history.close()
    return result.arrays.to_numpy_ndarrays()[0]


def fedavg(**settings):
    return flower.FedAvg(ceilings=9.0, norm_cap=None, **settings)


def test_steps_far_too_long_end_the_run_with_the_last_good_model(tmp_path):
    run = tmp_path / "run"
    with pytest.raises(RunError) as caught:
        train(fedavg(run=run), grid())
    rounds = lines(run / "rounds.jsonl")
    last = rounds[-1]["round"]
    assert last < 8
    told = str(caught.value)
    assert f"training explodes in round {last + 1}: the median loss is" in told
    assert f"the model of round {last} is kept" in told
    assert "a smaller rate, fewer epochs" in told
    losses = [agent["loss"] for agent in lines(run / "agents.jsonl") if agent["round"] == last]
    (model,) = load_file(run / "model.safetensors").values()
    expected = [float(np.sum((model - at) ** 2)) / 2 for at in map(np.array, CENTRES.values())]
    np.testing.assert_allclose(losses, expected)
    assert sorted(expected)[1] <= 1000 * 1.25 < 1e4


def test_the_run_can_be_resumed_with_shorter_steps(tmp_path):
    run = tmp_path / "run"
    with pytest.raises(RunError, match="explodes"):
        train(fedavg(run=run), grid())
    end = train(fedavg(run=run, server_step=0.02, changed_spec=True), grid(), rounds=60)
    assert np.abs(end).max() < 3


@pytest.mark.parametrize("every", [0, 3])
def test_reported_losses_tell_it_where_nobody_measures(tmp_path, every):
    run = tmp_path / "run"
    with pytest.raises(RunError, match=r"training explodes in round (\d+)") as caught:
        train(fedavg(run=run, evaluate_every=every), grid())
    (model,) = load_file(run / "model.safetensors").values()
    assert np.abs(model).max() < 100
    # The checkpoint has that model, too: with shorter steps the run continues from there.
    assert "is kept" in str(caught.value)
    net = grid(rate=0.1)
    again = fedavg(run=run, evaluate_every=every)
    done = len(lines(run / "rounds.jsonl"))
    again.start(net, arrays(t=START), num_rounds=done, timeout=1)
    first = next(m for m in net.sent if m.content["arrays"])
    np.testing.assert_array_equal(first.content["arrays"].to_numpy_ndarrays()[0], model)


def test_losses_beyond_all_numbers_are_an_explosion(tmp_path):
    def infinite(app):
        def call(message, context):
            reply = app(message, context)
            measures = message.metadata.message_type == "evaluate"
            if measures and message.content["config"]["server-round"] == 2:
                count = {"loss-before": float("nan"), "num-examples": 10}
                reply.content["metrics"] = MetricRecord(count)
            return reply

        return call

    with pytest.raises(RunError, match="explodes in round 2: the median loss is inf"):
        train(fedavg(run=tmp_path / "run"), grid(rate=0.1, spoil=infinite))


@pytest.mark.parametrize("loss", [1e300, float("inf"), float("nan")])
def test_one_agent_cannot_end_a_run_by_what_it_reports(tmp_path, loss):
    def lying(message, context):
        reply = honest(message, context)
        if message.content["config"]["server-round"] > 0:
            reply.content["metrics"]["loss-before"] = loss
        return reply

    net = grid(rate=0.1)
    node = net.nodes[next(iter(net.nodes))]
    honest, node.app = node.app, lying
    train(fedavg(run=tmp_path / "run"), net, rounds=5)
    assert len(lines(tmp_path / "run/rounds.jsonl")) == 6


def test_one_agent_cannot_hide_an_explosion_by_its_first_loss(tmp_path):
    net = grid()
    net.nodes[next(iter(net.nodes))].app = first_loss_of(1e200, parabola_app([1, 0], rate=5.0))
    with pytest.raises(RunError, match="explodes"):
        train(fedavg(run=tmp_path / "run"), net)


def first_loss_of(loss, app):
    def call(message, context):
        reply = app(message, context)
        if message.content["config"]["server-round"] == 0:
            reply.content["metrics"]["loss-before"] = loss
        return reply

    return call


def test_it_can_be_switched_off_and_nonsense_is_refused(tmp_path):
    train(fedavg(run=tmp_path / "run", loss_factor=None), grid(), rounds=8)
    assert len(lines(tmp_path / "run/rounds.jsonl")) == 9
    for factor in (1.0, -3.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="loss_factor"):
            fedavg(loss_factor=factor)


def test_a_folder_that_does_not_know_the_factor_is_resumed(tmp_path):
    from corefed._federation.settings import changes, settings_text

    assert changes(settings_text({"seed": 1}, "flower"), fedavg(seed=1)._spec())
    new = fedavg()._spec()
    old = "".join(line for line in new.splitlines(True) if not line.startswith("loss_factor"))
    assert changes(old, new) == []
    assert [str(change) for change in changes(new, fedavg(loss_factor=50.0)._spec())]


def test_noised_losses_end_nothing(tmp_path):
    def noised(app):
        def call(message, context):
            reply = app(message, context)
            number = message.content["config"]["server-round"]
            told = {"loss-before": 1e9 if number else 0.0, "corefed-epsilon": 1.0}
            reply.content["metrics"] = MetricRecord(told | {"num-examples": 10})
            return reply

        return call

    train(fedavg(run=tmp_path / "run"), grid(rate=0.1, spoil=noised), rounds=3)
    assert len(lines(tmp_path / "run/rounds.jsonl")) == 4
