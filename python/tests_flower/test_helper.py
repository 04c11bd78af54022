"""The line that makes any app report its loss, and the packages that are imported for it."""

import json
import subprocess
import sys

import numpy as np
import pytest
from flwr.app import ArrayRecord, ConfigRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp.strategy import (
    DifferentialPrivacyServerSideAdaptiveClipping,
    DifferentialPrivacyServerSideFixedClipping,
)
from inprocess import InProcess, Node, arrays, parabola_app

from corefed import InputError, flower


def context(**config) -> Context:
    return Context(1, 2, config, RecordDict(), {})


def request(kind="train", **config) -> Message:
    content = RecordDict({"arrays": arrays(t=np.ones(2)), "config": ConfigRecord(config)})
    return Message(content, 5, kind)


def app_with(loss) -> ClientApp:
    app = ClientApp(mods=[flower.report_loss(loss)])

    @app.train()
    def train(message, context):
        record = message.content["arrays"]
        (t,) = record.to_numpy_ndarrays()
        metrics = MetricRecord({"train_loss": 0.25, "num-examples": 7})
        return Message(
            RecordDict({"arrays": arrays(t=t * 0), "metrics": metrics}), reply_to=message
        )

    return app


def test_the_loss_is_that_of_the_received_model_not_of_the_trained_one():
    app = app_with(lambda record, _: float(record.to_numpy_ndarrays()[0].sum()))
    reply = app(request(), context(agent="Aachen"))
    metrics = dict(reply.content["metrics"])
    assert metrics == {"train_loss": 0.25, "num-examples": 7, "loss-before": 2.0}
    assert reply.content["corefed"]["agent"] == "Aachen"
    # Flower's own strategies still find exactly one record of either kind.
    assert len(reply.content.metric_records) == 1
    assert len(reply.content.array_records) == 1


def test_an_answer_without_a_loss_is_an_error_that_says_so():
    app = app_with(lambda *_: {"accuracy": 0.5})
    with pytest.raises(InputError, match="no `loss`, only \\['accuracy'\\]") as caught:
        app(request(), context(agent="Aachen"))
    assert caught.value.agent == "Aachen"


def test_a_partition_has_a_name_and_a_node_without_either_is_told_how_to_get_one():
    assert flower.agent_name(context(**{"partition-id": 3})) == "agent-3"
    with pytest.raises(InputError, match="neither `agent` nor `partition-id`"):
        flower.agent_name(context())


def test_importing_the_package_does_not_import_flower():
    code = "import corefed, sys; assert not any(m.split('.')[0] == 'flwr' for m in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


CENTRES = {"Aachen": [3.0, 0.0], "Bergen": [0.0, 0.2], "Coimbra": [-0.1, -0.1]}


def private(wrapper, tmp_path, rounds=1):
    inner = flower.CoreFed(ceilings=50.0, run=tmp_path / "run")
    strategy = wrapper(inner)
    grid = InProcess([Node(parabola_app(at, rate=0.5), name) for name, at in CENTRES.items()])
    start = arrays(t=np.array([0.5, 0.5]))
    return flower.start(strategy, grid, start, num_rounds=rounds, timeout=1).arrays, inner


def test_the_clipping_of_flowers_privacy_wrapper_acts_before_the_rule(tmp_path):
    wrapper = lambda inner: DifferentialPrivacyServerSideFixedClipping(inner, 0.0, 0.1, 3)  # noqa: E731
    end, _ = private(wrapper, tmp_path)
    start = np.array([0.5, 0.5])
    at = np.array(list(CENTRES.values()))
    losses = ((start - at) ** 2).sum(1) / 2
    updates = -0.5 * (start - at)
    norms = np.linalg.norm(updates, axis=1, keepdims=True)
    pulls = 1 / (50 - losses)
    expected = start + (pulls / pulls.sum()) @ (updates * np.minimum(1, 0.1 / norms))
    np.testing.assert_allclose(end.to_numpy_ndarrays()[0], expected, rtol=1e-6)


@pytest.mark.parametrize(
    "wrapper",
    [
        lambda inner: DifferentialPrivacyServerSideFixedClipping(inner, 1.0, 0.1, 3),
        lambda inner: DifferentialPrivacyServerSideAdaptiveClipping(
            inner, 1.0, 3, clipped_count_stddev=3.0
        ),
    ],
)
def test_noise_is_part_of_the_model_that_is_measured_and_kept(tmp_path, wrapper):
    np.random.seed(4)
    end, inner = private(wrapper, tmp_path, rounds=3)
    kept = inner.model.parts["t"]
    np.testing.assert_array_equal(end.to_numpy_ndarrays()[0], kept)
    at = np.array([CENTRES[name] for name in inner.terms.names])
    measured = [inner.measured[name].loss for name in inner.terms.names]
    np.testing.assert_allclose(measured, ((kept - at) ** 2).sum(1) / 2, rtol=1e-12)


def test_a_round_that_a_wrapper_leaves_out_is_recorded_as_that(tmp_path):
    inner = flower.CoreFed(ceilings=50.0, run=tmp_path / "run")
    wrapped = DifferentialPrivacyServerSideFixedClipping(inner, 0.0, 100.0, 3)
    nodes = [Node(parabola_app(at), name) for name, at in CENTRES.items()]
    nodes[0].fate = lambda m: "gone" if m.metadata.message_type == "train" else "answer"
    start = arrays(t=np.array([0.5, 0.5]))
    end = flower.start(wrapped, InProcess(nodes), start, num_rounds=1, timeout=1).arrays
    np.testing.assert_array_equal(end.to_numpy_ndarrays()[0], [0.5, 0.5])
    last = json.loads((tmp_path / "run/rounds.jsonl").read_text().splitlines()[-1])
    assert (last["trained"], last["rejected"]) == (0, 3)
    assert {r["reason"] for r in last["rejections"]} == {
        "the strategy around this one left the round out"
    }
    assert last["log_welfare"] is not None


def test_a_wrapper_runs_without_a_folder_by_its_own_start():
    inner = flower.CoreFed(ceilings=50.0)
    wrapped = DifferentialPrivacyServerSideFixedClipping(inner, 0.0, 100.0, 3)
    grid = lambda: InProcess([Node(parabola_app(at), name) for name, at in CENTRES.items()])  # noqa: E731
    start = arrays(t=np.array([0.5, 0.5]))
    theirs = wrapped.start(grid(), start, num_rounds=2, timeout=1).arrays
    ours = flower.CoreFed(ceilings=50.0).start(grid(), start, num_rounds=2, timeout=1).arrays
    np.testing.assert_allclose(
        theirs.to_numpy_ndarrays()[0], ours.to_numpy_ndarrays()[0], rtol=1e-6
    )


def test_a_wrapper_with_a_folder_is_told_how_to_start(tmp_path):
    inner = flower.CoreFed(ceilings=50.0, run=tmp_path / "run")
    wrapped = DifferentialPrivacyServerSideFixedClipping(inner, 0.0, 100.0, 3)
    grid = InProcess([Node(parabola_app(at), name) for name, at in CENTRES.items()])
    with pytest.raises(InputError, match="a wrapper's `start` does not tell"):
        wrapped.start(grid, arrays(t=np.zeros(2)), num_rounds=1, timeout=1)


def test_records_without_a_model_are_refused():
    with pytest.raises(InputError, match="no floating-point parts"):
        flower.CoreFed(ceilings=1.0).start(InProcess([]), ArrayRecord(), num_rounds=1)
