"""Who takes part: strangers, latecomers, and those who are waited for."""

import hashlib
import json
import logging
import time

import numpy as np
import pytest
from flwr.app import ConfigRecord, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.superlink.grid import HttpGrid, InMemoryGrid
from inprocess import InProcess, Node, arrays, parabola_app

from corefed import CohortError, flower
from corefed.flower import census
from corefed.flower.fixed_nodes import has_all_nodes

CENTRES = {"Aachen": [1.0, 0.0], "Bergen": [0.0, 1.0], "Coimbra": [-1.0, 0.0]}


def nodes(names):
    return [Node(parabola_app(CENTRES[name]), name) for name in names]


class Growing(InProcess):
    """A grid that one more node joins after it has been looked at several times."""

    has_all_nodes = False

    def __init__(self, there, late, after):
        super().__init__(there)
        self.late, self.after, self.looks = late, after, 0

    def get_nodes(self):
        self.looks += 1
        if self.looks == self.after:
            self.nodes[self.random.getrandbits(63)] = self.late
        return super().get_nodes()


@pytest.fixture
def said(caplog, monkeypatch):
    """Flower's log does not pass its lines on."""
    monkeypatch.setattr(logging.getLogger("flwr"), "propagate", True)
    caplog.set_level(logging.INFO, logger="flwr")
    return lambda: caplog.messages


def test_whoever_joins_while_the_server_gathers_takes_part():
    grid = Growing(nodes(["Aachen", "Bergen"]), nodes(["Coimbra"])[0], after=3)
    strategy = flower.CoreFed(ceilings=9.0, gather=2.0)
    strategy.start(grid, arrays(t=np.zeros(2)), num_rounds=1, timeout=5)
    assert strategy.terms.names == ["Aachen", "Bergen", "Coimbra"]


def test_the_third_is_waited_for_although_two_would_be_enough(monkeypatch, said):
    monkeypatch.setattr(census, "QUIET", 1.5)
    grid = Growing(nodes(["Aachen", "Bergen"]), nodes(["Coimbra"])[0], after=4)
    strategy = flower.CoreFed(ceilings=9.0)
    begun = time.monotonic()
    strategy.start(grid, arrays(t=np.zeros(2)), num_rounds=1, timeout=5)
    assert strategy.terms.names == ["Aachen", "Bergen", "Coimbra"]
    assert time.monotonic() - begun < 30
    (line, _) = [line for line in said() if "until nobody comes" in line]
    assert line.startswith("2 agents are there")


@pytest.mark.parametrize("told", [{"agents": ["Aachen", "Bergen"]}, {"gather": 0.0}])
def test_nobody_is_waited_for_where_that_is_said(monkeypatch, told):
    monkeypatch.setattr(census, "QUIET", 1e6)
    grid = Growing(nodes(["Aachen", "Bergen"]), nodes(["Coimbra"])[0], after=4)
    strategy = flower.CoreFed(ceilings=9.0, timeout=30, **told)
    begun = time.monotonic()
    strategy.start(grid, arrays(t=np.zeros(2)), num_rounds=1, timeout=5)
    assert strategy.terms.names == ["Aachen", "Bergen"]
    assert time.monotonic() - begun < 20


def test_a_simulation_has_all_its_nodes_and_waits_for_nobody():
    assert has_all_nodes(InMemoryGrid.__new__(InMemoryGrid))
    assert not has_all_nodes(HttpGrid.__new__(HttpGrid))


def test_a_latecomer_takes_no_part_and_is_named_once(said):
    grid = Growing(nodes(["Aachen", "Bergen"]), nodes(["Coimbra"])[0], after=4)
    strategy = flower.CoreFed(ceilings=9.0, gather=0.0)
    strategy.start(grid, arrays(t=np.zeros(2)), num_rounds=3, timeout=5)
    assert strategy.terms.names == ["Aachen", "Bergen"]
    named = [line for line in said() if "Coimbra" in line]
    assert len(named) == 1, named
    assert "takes no part" in named[0]


def test_strangers_are_in_log_and_folder_by_number_and_key_once(tmp_path, said):
    def run(rounds):
        there = nodes(["Aachen", "Bergen"])
        named = Node(parabola_app(CENTRES["Coimbra"]), registered="Coimbra", key=b"of Coimbra")
        grid = InProcess([*there, named, Node(ClientApp(), key=b"of nobody"), Node(ClientApp())])
        told = {"ceilings": 9.0, "agents": ["Aachen", "Bergen"], "run": tmp_path / "run"}
        strategy = flower.CoreFed(**told)
        strategy.start(grid, arrays(t=np.zeros(2)), num_rounds=rounds, timeout=1)
        strategy.history.close()
        rows = (tmp_path / "run/strangers.jsonl").read_text().splitlines()
        return list(map(str, grid.nodes)), [json.loads(row) for row in rows]

    numbers, rows = run(2)
    coimbra, nobody = (hashlib.sha256(key).hexdigest() for key in (b"of Coimbra", b"of nobody"))
    found = {(row["agent"], row["node"], row["key"]) for row in rows}
    assert found == {
        ("Coimbra", numbers[2], coimbra),
        (None, numbers[3], nobody),
        (None, numbers[4], None),
    }
    assert [row["round"] for row in rows] == [1, 1, 1]
    lines = [line for line in said() if "takes no part" in line]
    assert len(lines) == 3
    for row in rows:
        (line,) = [line for line in lines if row["node"] in line]
        assert (row["key"] or "node") in line
        assert (row["agent"] or "does not say for whom it speaks") in line
    # A server that is started again knows them by their keys.
    assert [row["key"] for row in run(4)[1] if row["key"]] == [
        row["key"] for row in rows if row["key"]
    ]


class Shrinking(InProcess):
    """A grid that a node leaves as soon as it has answered once."""

    def __init__(self, there, leaver):
        super().__init__(there)
        self.leaver = leaver

    def get_nodes(self):
        gone = [i for i, n in self.nodes.items() if n.context.node_config["agent"] == self.leaver]
        if any(reply.metadata.src_node_id in gone for reply in self.answered):
            self.nodes = {i: node for i, node in self.nodes.items() if i not in gone}
        return super().get_nodes()


def test_the_log_counts_the_whole_federation(said):
    grid = Shrinking(nodes(CENTRES), "Bergen")
    strategy = flower.CoreFed(ceilings=9.0)
    strategy.start(grid, arrays(t=np.zeros(2)), num_rounds=1, timeout=1)
    assert strategy.terms.names == list(CENTRES)
    # Not two of those two that are still there.
    assert "round 1: 2 of 3 agents train" in said()


def test_an_app_that_reports_no_loss_is_told_of_the_mod_and_not_of_its_node():
    app = ClientApp()

    @app.evaluate()
    def evaluate(message, context):
        content = {
            "metrics": MetricRecord({"num-examples": 3}),
            "corefed": ConfigRecord({"agent": context.node_config["agent"]}),
        }
        return Message(RecordDict(content), reply_to=message)

    grid = InProcess([Node(app, name) for name in CENTRES])
    with pytest.raises(CohortError, match="no metric `loss-before`") as caught:
        flower.CoreFed(ceilings=9.0).start(grid, arrays(t=np.zeros(2)), num_rounds=1, timeout=1)
    assert "report_loss" in caught.value.hint


def test_samples_are_rows_of_training_whatever_the_app_counts():
    def loss(record, _):
        return {"loss": float((record.to_numpy_ndarrays()[0] ** 2).sum()), "num-examples": 96}

    app = ClientApp(mods=[flower.report_loss(loss)])

    @app.train()
    def train(message, context):
        return Message(RecordDict({"arrays": message.content["arrays"]}), reply_to=message)

    @app.evaluate()
    def evaluate(message, context):
        metrics = MetricRecord({"eval_loss": 0.5, "num-examples": 24})
        return Message(RecordDict({"metrics": metrics}), reply_to=message)

    strategy = flower.FedAvg(ceilings=9.0)
    grid = InProcess([Node(app, name) for name in CENTRES])
    strategy.start(grid, arrays(t=np.ones(2)), num_rounds=1, timeout=1)
    assert strategy.terms.samples == [96, 96, 96]
    # The app's own number is what other strategies of Flower see.
    assert all(
        reply.content["metrics"]["num-examples"] == 24
        for reply in grid.answered
        if "metrics" in reply.content and "eval_loss" in reply.content["metrics"]
    )


def test_a_function_names_the_agent_even_where_only_its_name_is_asked_for():
    app = ClientApp(mods=[flower.report_loss(lambda *_: 1.0, agent=lambda context: "Aachen")])

    @app.train()
    def train(message, context):
        raise AssertionError("a question about names is not the app's")

    config = ConfigRecord({"corefed-ask": "who"})
    question = Message(RecordDict({"config": config}), 5, "train")
    node = Node(app, **{"partition-id": 0})
    assert app(question, node.context).content["corefed"]["agent"] == "Aachen"
