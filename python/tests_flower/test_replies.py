"""Agents that are missing, late, broken or hostile."""

import json

import numpy as np
import pytest
from flwr.app import ConfigRecord, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from inprocess import InProcess, Node, arrays, parabola_app

from corefed import CohortError, InputError, flower
from corefed.flower.exchange import Exchange

GOOD = {"Aachen": [1.0, 0.0], "Bergen": [0.0, 2.0]}


def federation(other: Node) -> InProcess:
    return InProcess([*(Node(parabola_app(at), name) for name, at in GOOD.items()), other])


def strange(name, reply=None, metrics=None) -> Node:
    """A third agent whose training goes wrong; its evaluation is in order."""
    app = parabola_app([0.0, 0.0])
    broken = ClientApp()

    @broken.train()
    def train(message, context):
        good = app(message, context)
        if metrics is not None:
            good.content["metrics"] = MetricRecord(metrics)
        if reply is not None:
            reply(good)
        return good

    @broken.evaluate()
    def evaluate(message, context):
        return app(message, context)

    return Node(broken, name)


def run(tmp_path, grid, rounds=1, **options):
    strategy = flower.CoreFed(ceilings=50.0, run=tmp_path / "run", **options)
    result = strategy.start(grid, arrays(t=np.array([0.5, 0.5])), num_rounds=rounds, timeout=0.3)
    records = [json.loads(line) for line in (tmp_path / "run/rounds.jsonl").open()]
    agents = [json.loads(line) for line in (tmp_path / "run/agents.jsonl").open()]
    return result, records, agents


def replaced(**parts):
    def reply(message):
        message.content["arrays"] = arrays(**parts)

    return reply


def raising(message):
    raise ValueError("the disk is full")


REFUSED = {
    "its part `t` has the shape (3,), ours (2,)": {"reply": replaced(t=np.zeros(3))},
    "its model and ours differ in the parts ['t', 'u']": {"reply": replaced(u=np.zeros(2))},
    "its part `t` is of type int64, ours of float64": {"reply": replaced(t=np.zeros(2, int))},
    "its update is not finite": {"reply": replaced(t=np.array([np.nan, 0.0]))},
    "it sent no metric `loss-before`, only ['num-examples']": {"metrics": {"num-examples": 3}},
    "its loss is not finite": {"metrics": {"loss-before": float("inf")}},
    "its loss is negative": {"metrics": {"loss-before": -0.1}},
    "its app failed: <class 'ValueError'>:<'the disk is full'>": {"reply": raising},
}


@pytest.mark.parametrize("reason", REFUSED)
def test_a_reply_that_cannot_be_used_is_refused_by_name_and_the_others_go_on(tmp_path, reason):
    grid = federation(strange("Coimbra", **REFUSED[reason]))
    result, records, agents = run(tmp_path, grid)
    assert records[1]["rejections"] == [{"agent": "Coimbra", "reason": reason}]
    assert (records[1]["trained"], records[1]["rejected"]) == (2, 1)
    line = next(a for a in agents if a["round"] == 1 and a["agent"] == "Coimbra")
    assert line["part"] == "rejected"
    # The step is that of the two others alone.
    start, steps = np.array([0.5, 0.5]), []
    for at in GOOD.values():
        loss = ((start - at) ** 2).sum() / 2
        steps.append((1 / (50 - loss), -0.1 * (start - at)))
    pulls = np.array([pull for pull, _ in steps])
    expected = start + (pulls / pulls.sum()) @ np.array([update for _, update in steps])
    np.testing.assert_allclose(result.arrays.to_numpy_ndarrays()[0], expected, rtol=1e-13)


@pytest.mark.parametrize("fate", ["lost", "gone"])
def test_an_agent_that_does_not_answer_is_missing_in_that_round_only(tmp_path, fate):
    other = Node(parabola_app([0.0, 0.0]), "Coimbra")
    other.fate = lambda m: fate if m.metadata.group_id == "1" else "answer"
    _, records, agents = run(tmp_path, federation(other), rounds=2)
    assert [(r["trained"], r["dropped"]) for r in records] == [(0, 0), (2, 1), (3, 0)]
    parts = {a["round"]: a["part"] for a in agents if a["agent"] == "Coimbra"}
    assert parts == {0: "idle", 1: "dropped", 2: "trained"}
    # Nobody knows how Coimbra stands after round 1, so nothing is said about coalitions.
    assert records[1]["kappa"] is None
    assert records[1]["utility_mean"] is not None
    assert records[2]["kappa"] is not None


def test_too_few_replies_leave_a_round_out(tmp_path):
    other = Node(parabola_app([0.0, 0.0]), "Coimbra")
    other.fate = lambda m: "lost" if m.metadata.group_id == "1" else "answer"
    result, records, _ = run(tmp_path, federation(other), rounds=1, min_replies=3)
    assert (records[1]["trained"], records[1]["rejected"], records[1]["dropped"]) == (0, 2, 1)
    assert records[1]["step_norm"] == 0.0
    reason = "the round needs 3 usable replies and has 2"
    assert {r["reason"] for r in records[1]["rejections"]} == {reason}
    np.testing.assert_array_equal(result.arrays.to_numpy_ndarrays()[0], [0.5, 0.5])


def test_too_few_replies_end_the_run_if_that_is_wanted(tmp_path):
    other = strange("Coimbra", reply=raising)
    with pytest.raises(
        CohortError, match=r"round 1: the round needs 3 usable.*Coimbra: its app failed"
    ):
        run(tmp_path, federation(other), min_replies=3, on_too_few="fail")


def test_a_metric_that_nobody_sends_is_an_error_that_names_it(tmp_path):
    nodes = [strange(name, metrics={"num-examples": 1}) for name in ("Aachen", "Bergen")]
    with pytest.raises(InputError, match="agent `Aachen` sent no metric `loss-before`") as caught:
        run(tmp_path, InProcess(nodes))
    assert caught.value.agent == "Aachen"
    assert caught.value.field == "loss-before"
    assert "report_loss" in caught.value.hint


def test_a_federation_that_is_not_complete_names_who_is_missing(tmp_path):
    grid = federation(Node(parabola_app([0.0, 0.0]), "Coimbra"))
    with pytest.raises(CohortError, match=r"agents \['Evora'\] are missing"):
        run(tmp_path, grid, agents=["Aachen", "Evora"], timeout=0.2)


def test_a_node_that_does_not_say_for_whom_it_speaks_is_told_what_to_do(tmp_path):
    app = ClientApp()

    @app.evaluate()
    def evaluate(message, context):
        metrics = MetricRecord({"loss-before": 1.0, "num-examples": 1})
        return Message(RecordDict({"metrics": metrics}), reply_to=message)

    with pytest.raises(CohortError, match="does not say for whom it speaks"):
        run(tmp_path, InProcess([Node(app), Node(app)]), timeout=0.2)


def test_a_registered_name_counts_more_than_what_a_node_says(tmp_path):
    nodes = [
        Node(parabola_app([1.0, 0.0]), "Aachen", registered="Aachen"),
        Node(parabola_app([0.0, 1.0]), "Aachen", registered="Bergen"),
    ]
    _, records, agents = run(tmp_path, InProcess(nodes))
    assert {a["agent"] for a in agents} == {"Aachen", "Bergen"}
    assert records[1]["trained"] == 2


def test_a_node_that_comes_back_under_another_number_is_the_same_agent(tmp_path):
    other = Node(parabola_app([0.0, 0.0]), "Coimbra")
    grid = federation(other)
    strategy = flower.CoreFed(ceilings=50.0, run=tmp_path / "run")

    original = strategy.configure_evaluate

    def restart(number, *rest):
        if number == 1:
            old = next(i for i, node in grid.nodes.items() if node is other)
            grid.nodes[old + 1] = grid.nodes.pop(old)
        return original(number, *rest)

    strategy.configure_evaluate = restart
    strategy.start(grid, arrays(t=np.zeros(2)), num_rounds=2, timeout=0.3)
    records = [json.loads(line) for line in (tmp_path / "run/rounds.jsonl").open()]
    assert [r["trained"] for r in records] == [0, 3, 3]


def test_two_nodes_that_speak_for_one_agent_are_both_left_out(tmp_path):
    grid = federation(Node(parabola_app([0.0, 0.0]), "Coimbra"))
    strategy = flower.CoreFed(ceilings=50.0, run=tmp_path / "run")
    original = strategy.configure_evaluate

    def impostor(number, *rest):
        if number == 1:
            grid.nodes[77] = Node(parabola_app([9.0, 9.0]), "Coimbra")
        return original(number, *rest)

    strategy.configure_evaluate = impostor
    strategy.start(grid, arrays(t=np.zeros(2)), num_rounds=2, timeout=0.3)
    records = [json.loads(line) for line in (tmp_path / "run/rounds.jsonl").open()]
    assert [(r["trained"], r["dropped"]) for r in records] == [(0, 0), (3, 0), (2, 1)]


def test_a_node_cannot_change_for_whom_it_speaks(tmp_path):
    other = Node(parabola_app([0.0, 0.0]), "Coimbra")

    def betray(message):
        if message.metadata.group_id == "2":
            other.context.node_config["agent"] = "Aachen"
        return "answer"

    other.fate = betray
    _, records, agents = run(tmp_path, federation(other), rounds=3)
    assert [(r["trained"], r["dropped"]) for r in records] == [(0, 0), (3, 0), (2, 1), (2, 1)]
    assert all(a["part"] != "dropped" for a in agents if a["agent"] == "Aachen")


def test_a_late_reply_is_not_used_in_a_later_round():
    node = Node(parabola_app([0.0]), "Aachen")
    grid = InProcess([node])
    (number,) = grid.nodes

    def ask():
        return Message(
            RecordDict({"arrays": arrays(t=np.zeros(1)), "config": ConfigRecord({})}),
            number,
            "train",
        )

    exchange = Exchange(grid)
    node.fate = lambda m: "lost"
    late = ask()
    assert exchange([late], 0.2, "the training of round 1") == []
    node.fate = lambda m: "answer"
    grid._deliver(late)
    (reply,) = exchange([now := ask()], 0.2, "the training of round 2")
    assert reply.metadata.reply_to_message_id == now.metadata.message_id
    assert not grid.replies


def test_whole_numbers_of_a_model_stay_as_they_are():
    app = ClientApp()

    @app.train()
    def train(message, context):
        about = ConfigRecord({"agent": context.node_config["agent"]})
        metrics = MetricRecord({"loss-before": 1.0, "num-examples": 1})
        model = arrays(seen=np.array(7), weight=np.ones(2, np.float32))
        return Message(
            RecordDict({"arrays": model, "metrics": metrics, "corefed": about}), reply_to=message
        )

    app.evaluate()(train)
    grid = InProcess([Node(app, "Aachen"), Node(app, "Bergen")])
    start = arrays(seen=np.array(3), weight=np.zeros(2, np.float32))
    end = flower.CoreFed(ceilings=2.0).start(grid, start, num_rounds=1, timeout=1).arrays
    assert end["seen"].numpy() == 3
    np.testing.assert_array_equal(end["weight"].numpy(), np.ones(2, np.float32))
    assert end["weight"].numpy().dtype == np.float32
