"""Names of agents that would act on a terminal, wherever an exception or a page tells them."""

import json
import subprocess
import sys

import numpy as np
import pytest
from flwr.app import ConfigRecord, Message, RecordDict
from flwr.clientapp import ClientApp
from inprocess import InProcess, Node, arrays, parabola_app

from corefed import CohortError, CorefedError, InputError, flower
from corefed.flower.own_history import OwnHistory
from corefed.flower.share import Own
from corefed.secure import Agreement, Memory, Party, own_key, read_pins, total

HOSTILE = "a\x1b[2J\nFORGED: stable\u202e"
SHOWN = r"a\u001b[2J\u000aFORGED: stable\u202e"
KEYS = {name: bytes([at]) * 32 for at, name in enumerate([HOSTILE, "b", "c"], 1)}


def tame(error, expected=SHOWN):
    said = str(error)
    assert expected in said, said
    assert [c for c in said.removesuffix(f"\nhint: {error.hint}") if not c.isprintable()] == []


def mute():
    """An app that answers everything without a loss."""
    app = ClientApp()

    def answer(message, context):
        about = ConfigRecord({"agent": context.node_config["agent"]})
        return Message(RecordDict({"corefed": about}), reply_to=message)

    app.train()(answer)
    app.evaluate()(answer)
    return app


def grid(names=(HOSTILE, "b", "c"), **apps):
    made = [Node(apps.get(name) or parabola_app([1.0, 0.0]), name) for name in names]
    return InProcess(made)


def started(strategy, net, rounds=1):
    strategy.start(net, arrays(t=np.zeros(2)), num_rounds=rounds, timeout=0.5)
    return strategy


def test_whoever_sends_no_loss_or_does_not_come():
    with pytest.raises(CohortError) as caught:
        started(flower.CoreFed(ceilings=9.0, timeout=0.5), InProcess([Node(mute(), HOSTILE)] * 2))
    tame(caught.value)
    with pytest.raises(CohortError) as caught:
        started(flower.CoreFed(ceilings=9.0, agents=[HOSTILE, "b"], timeout=0.1), grid(["b"]))
    # A list of names is written by Python, which escapes in its own way.
    tame(caught.value, r"a\x1b[2J\nFORGED: stable\u202e")


def test_whoever_stops_sending_its_loss():
    net = grid()
    for node in net.nodes.values():
        answers, silent = node.app, mute()
        node.app = lambda message, context, own=answers, silent=silent: (
            silent if message.metadata.message_type == "train" else own
        )(message, context)
    with pytest.raises(InputError, match="no metric") as caught:
        started(flower.CoreFed(ceilings=9.0), net)
    tame(caught.value)


def test_rounds_and_audits_without_an_agent(tmp_path):
    net = grid()
    strategy = flower.CoreFed(ceilings=9.0, on_too_few="fail", min_replies=3, run=tmp_path / "run")
    started(strategy, net)
    for node in net.nodes.values():
        if node.context.node_config["agent"] == HOSTILE:
            node.app = ClientApp()
    with pytest.raises(CohortError, match="an audit needs everybody") as caught:
        strategy.audit(timeout=0.5)
    tame(caught.value)


def test_terms_weights_and_ceilings():
    for told in ({"weights": {"b": 1.0, "c": 1.0}}, {"average": {"b": 1.0, "c": 1.0}}):
        with pytest.raises(InputError, match="has nothing for agent") as caught:
            started(flower.CoreFed(ceilings=9.0, **told), grid())
        tame(caught.value)
    with pytest.raises(InputError, match="ceiling") as caught:
        started(flower.CoreFed(ceilings={"b": 1.0, "c": 1.0}), grid())
    tame(caught.value)


def test_secure_sums(tmp_path):
    terms = {"rule": "corefed", "floor": 0.1, "memory": 1.0, "clip": None}
    terms |= {"weights": {HOSTILE: 9.0, "b": 1.0}, "ceilings": {HOSTILE: 1.0, "b": 1.0}}
    with pytest.raises(InputError, match="of the say") as caught:
        Own.of(terms, HOSTILE, [HOSTILE, "b"], 4096.0)
    tame(caught.value)
    with pytest.raises(InputError, match="bytes") as caught:
        Agreement("00", 1, {HOSTILE: b"short"}, [HOSTILE], {}, "00", 4096.0)
    tame(caught.value)
    agreement = Agreement("00", 1, KEYS, list(KEYS), {}, "00", 4096.0)
    with pytest.raises(InputError, match="sent no message") as caught:
        total(agreement, {}, {})
    tame(caught.value)
    party = Party(own_key(tmp_path / "key"), Memory())
    keys = {"me": party.public, **{n: k for n, k in KEYS.items() if n != "b"}}
    agreement = Agreement("00", 1, keys, list(keys), {}, "00", 4096.0)
    pinned = Party(party.key, Memory(), pins={HOSTILE: bytes(32)})
    with pytest.raises(InputError, match="is not the one that is pinned") as caught:
        pinned.seal(agreement, [0.0], [])
    tame(caught.value)
    pins = tmp_path / f"{HOSTILE}.json"
    pins.write_text("[]")
    with pytest.raises(InputError, match="not an object") as caught:
        read_pins(pins)
    tame(caught.value)


def test_the_page_of_an_agents_own_history(tmp_path):
    folder = tmp_path / HOSTILE
    said = subprocess.run(
        [sys.executable, "-m", "corefed.flower.own_page", folder], capture_output=True, text=True
    )
    assert said.returncode == 1
    assert SHOWN in said.stderr
    history = OwnHistory(folder, "00")
    columns = ("round", "agents", "loss", "utility", "average", "pull", "update_norm")
    history.sealed(1, dict.fromkeys(columns, 1) | {"floored": False, "clipped": False})
    history.opened(1)
    said = subprocess.run(
        [sys.executable, "-m", "corefed.flower.own_page", folder], capture_output=True, text=True
    )
    assert (said.returncode, said.stdout.count("\n")) == (0, 2), said.stderr
    assert SHOWN in said.stdout


def test_settings_that_changed_are_a_line_each(tmp_path):
    first = flower.CoreFed(ceilings=9.0, run=tmp_path / "run", agents=[HOSTILE, "b", "c"])
    started(first, grid())
    first.history.close()
    again = flower.CoreFed(
        ceilings=8.0, run=tmp_path / "run", agents=["\x1bother\n", "b", "c"], floor=0.2
    )
    with pytest.raises(CorefedError) as caught:
        started(again, grid())
    lines = caught.value.message.split("\n")
    assert len(lines) == 1 + len(["agents", "ceilings", "floor"])
    assert all(c.isprintable() for line in lines for c in line)
    assert json.loads((tmp_path / "run/run.json").read_text())["agents"][0]["name"] == HOSTILE
