"""An agent that comes back with another key is named."""

import json
import logging
from hashlib import sha256

import numpy as np
import pytest
from inprocess import InProcess, Node, arrays, parabola_app
from summed import train as train_sums
from test_ledgers import secure

from corefed import RunError, flower

CENTRES = {"Aachen": [1.0, 0.0], "Bergen": [0.0, 1.0], "Coimbra": [-1.0, 0.0]}


@pytest.fixture
def said(caplog, monkeypatch):
    """Flower's log does not pass its lines on."""
    monkeypatch.setattr(logging.getLogger("flwr"), "propagate", True)
    caplog.set_level(logging.WARNING, logger="flwr")
    return lambda: [line for line in caplog.messages if "another key" in line]


def grid(**other):
    keys = {name: name.encode() for name in CENTRES} | other
    nodes = [Node(parabola_app(at), n, n, keys[n]) for n, at in CENTRES.items() if keys[n]]
    return InProcess(nodes)


def train(run, net, rounds=2):
    strategy = flower.CoreFed(ceilings=9.0, run=run, min_replies=2, timeout=0.1)
    strategy.start(net, arrays(t=np.zeros(2)), num_rounds=rounds, timeout=1)
    strategy.history.close()


def test_another_key_after_a_resume_is_told_once_and_by_name(tmp_path, said):
    run = tmp_path / "run"
    train(run, grid())
    known = json.loads((run / "keys.json").read_text())
    assert known == {name: sha256(name.encode()).hexdigest() for name in CENTRES}
    assert "keys.json" in (run / "digests.sha256").read_text()
    train(run, grid(), rounds=3)
    assert said() == []
    train(run, grid(Bergen=b"somebody else"), rounds=6)
    (line,) = said()
    assert "agent `Bergen`" in line
    assert sha256(b"somebody else").hexdigest() in line
    # Who was known first stays known.
    assert json.loads((run / "keys.json").read_text()) == known
    rounds = [json.loads(line) for line in (run / "rounds.jsonl").read_text().splitlines()]
    assert rounds[-1]["trained"] == 3


def test_another_key_in_the_middle_of_a_run_is_told(said):
    net = grid()
    bergen = next(node for node in net.nodes.values() if node.registered == "Bergen")
    old, looks = net.get_nodes, []

    def look():
        looks.append(1)
        if len(looks) == 6:
            bergen.key = b"somebody else"
        return old()

    net.get_nodes = look
    flower.CoreFed(ceilings=9.0).start(net, arrays(t=np.zeros(2)), num_rounds=4, timeout=1)
    assert len(said()) == 1


def test_nodes_without_keys_and_strangers_are_not_remembered(tmp_path, said):
    nodes = [Node(parabola_app(at), name) for name, at in CENTRES.items()]
    train(tmp_path / "run", InProcess(nodes))
    assert not (tmp_path / "run/keys.json").exists()
    strategy = flower.CoreFed(ceilings=9.0, agents=["Aachen", "Bergen"], run=tmp_path / "two")
    strategy.start(grid(), arrays(t=np.zeros(2)), num_rounds=1, timeout=1)
    assert set(json.loads((tmp_path / "two/keys.json").read_text())) == {"Aachen", "Bergen"}
    assert said() == []


def test_secure_sums_know_keys_too_and_damage_is_named(tmp_path):
    from summed import grid as summed

    net = summed(tmp_path / "keep")
    for node in net.nodes.values():
        node.registered = node.context.node_config["agent"]
        node.key = node.registered.encode()
    strategy = secure(tmp_path / "run")
    train_sums(strategy, net, rounds=1)
    strategy.history.close()
    keys = tmp_path / "run/keys.json"
    assert len(json.loads(keys.read_text())) == 4
    keys.write_text("[")
    with pytest.raises(RunError, match=r"keys\.json` is damaged"):
        train_sums(secure(tmp_path / "run"), net, rounds=2)
