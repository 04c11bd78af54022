"""A server that is cut off continues, and ends as if nothing had happened."""

import hashlib
import json

import numpy as np
import pytest
from flwr.app import ConfigRecord
from inprocess import InProcess, Node, arrays, parabola_app

from corefed import CorefedError, InputError, flower
from corefed.flower import logged

CENTRES = {"Aachen": [1.0, 0.0], "Bergen": [0.0, 2.0], "Coimbra": [-1.0, -1.0]}
RULES = {
    "corefed": lambda **k: flower.CoreFed(ceilings="initial:2", **k),
    "afl": lambda **k: flower.AFL(ceilings=9.0, gamma=0.05, server_momentum=0.9, **k),
    "raise": lambda **k: flower.CoreFed(ceilings=0.6, at_ceiling="raise", **k),
}


class KilledError(Exception):
    pass


def grid(seed=0) -> InProcess:
    return InProcess([Node(parabola_app(at), name) for name, at in CENTRES.items()], seed)


def train(strategy, rounds=6, seed=0):
    return strategy.start(grid(seed), arrays(t=np.array([0.5, 0.5])), num_rounds=rounds, timeout=1)


def digests(folder):
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("where", ["configure_train", "aggregate_train", "aggregate_evaluate"])
@pytest.mark.parametrize("number", [1, 4])
def test_an_interrupted_run_ends_with_the_same_bytes(tmp_path, rule, where, number):
    train(RULES[rule](run=tmp_path / "whole/run"))
    strategy = RULES[rule](run=tmp_path / "cut/run")
    original = getattr(strategy, where)

    def kill(at, *rest):
        if at == number:
            raise KilledError
        return original(at, *rest)

    setattr(strategy, where, kill)
    with pytest.raises(KilledError):
        train(strategy)
    strategy.history.close()
    end = train(RULES[rule](run=tmp_path / "cut/run"), seed=5)
    assert digests(tmp_path / "cut/run") == digests(tmp_path / "whole/run")
    assert end.arrays.to_numpy_ndarrays()[0].tobytes()


class SlowToReturn(InProcess):
    """A node that a new server does not see at its first looks, as while nodes reconnect."""

    looks = 0

    def get_nodes(self):
        self.looks += 1
        seen = super().get_nodes()
        return seen[1:] if self.looks <= 2 else seen


@pytest.mark.parametrize("fate", ["unseen", "gone"])
def test_a_resumed_run_waits_for_everybody_again(tmp_path, fate):
    train(RULES["corefed"](run=tmp_path / "whole/run"))
    strategy = RULES["corefed"](run=tmp_path / "cut/run")
    original = strategy.configure_train

    def kill(at, *rest):
        if at == 3:
            raise KilledError
        return original(at, *rest)

    strategy.configure_train = kill
    with pytest.raises(KilledError):
        train(strategy)
    strategy.history.close()
    again = grid() if fate == "gone" else SlowToReturn(grid().nodes.values())
    if fate == "gone":
        # The first question, who is there, is answered by the SuperLink in the node's place.
        fates = iter(["gone"])
        next(iter(again.nodes.values())).fate = lambda _: next(fates, "answer")
    model = arrays(t=np.array([0.5, 0.5]))
    RULES["corefed"](run=tmp_path / "cut/run").start(again, model, num_rounds=6, timeout=1)
    assert digests(tmp_path / "cut/run") == digests(tmp_path / "whole/run")


def test_a_resumed_run_continues_without_those_who_do_not_return(tmp_path):
    first = RULES["corefed"](run=tmp_path / "run")
    train(first, rounds=2)
    first.history.close()
    left = [Node(parabola_app(at), name) for name, at in CENTRES.items() if name != "Bergen"]
    again = RULES["corefed"](run=tmp_path / "run", timeout=0.2)
    again.start(InProcess(left), arrays(t=np.array([0.5, 0.5])), num_rounds=4, timeout=1)
    rounds = [json.loads(line) for line in (tmp_path / "run/rounds.jsonl").open()]
    assert [r["trained"] for r in rounds] == [0, 3, 3, 2, 2]


def test_a_run_that_was_cut_off_before_its_last_files_gets_them(tmp_path):
    train(RULES["corefed"](run=tmp_path / "whole/run"))
    strategy = RULES["corefed"](run=tmp_path / "cut/run")

    def kill():
        raise KilledError

    strategy.finish = kill
    with pytest.raises(KilledError):
        train(strategy)
    strategy.history.close()
    train(RULES["corefed"](run=tmp_path / "cut/run"))
    assert digests(tmp_path / "cut/run") == digests(tmp_path / "whole/run")
    assert (tmp_path / "cut/run/audit.json").exists()


def test_a_run_that_is_over_is_not_trained_again(tmp_path):
    whole = RULES["corefed"](run=tmp_path / "run")
    first = train(whole)
    whole.history.close()
    before = digests(tmp_path / "run")
    assert {"audit.json", "summary.md", "report.html", "utilities.csv"} <= set(before)
    again = train(RULES["corefed"](run=tmp_path / "run"))
    assert digests(tmp_path / "run") == before
    assert (
        again.arrays.to_numpy_ndarrays()[0].tobytes()
        == first.arrays.to_numpy_ndarrays()[0].tobytes()
    )


def test_other_settings_do_not_go_on_with_a_run(tmp_path):
    whole = RULES["afl"](run=tmp_path / "run")
    train(whole, rounds=1)
    whole.history.close()
    with pytest.raises(InputError, match=r"gamma: 0.05 then, 0.2 now"):
        train(flower.AFL(ceilings=9.0, gamma=0.2, server_momentum=0.9, run=tmp_path / "run"))


def test_a_checkpoint_knows_its_settings_whatever_the_file_says(tmp_path):
    whole = RULES["afl"](run=tmp_path / "run")
    train(whole, rounds=2)
    whole.history.close()
    spec = tmp_path / "run/spec.toml"
    spec.write_text(spec.read_text().replace("gamma = 0.05", "gamma = 0.2"))
    before = digests(tmp_path / "run")
    with pytest.raises(InputError, match=r"gamma: 0.05 then, 0.2 now"):
        train(flower.AFL(ceilings=9.0, gamma=0.2, server_momentum=0.9, run=tmp_path / "run"))
    assert digests(tmp_path / "run") == before


def test_the_train_configuration_belongs_to_the_settings(tmp_path):
    def start(lr):
        strategy = RULES["corefed"](run=tmp_path / "run")
        model = arrays(t=np.array([0.5, 0.5]))
        config = ConfigRecord({"lr": lr})
        try:
            strategy.start(grid(), model, num_rounds=2, timeout=1, train_config=config)
        finally:
            strategy.history.close()

    start(0.1)
    start(0.1)
    with pytest.raises(InputError, match=r"train_config\.lr: 0\.1 then, 0\.2 now"):
        start(0.2)


@pytest.mark.parametrize("damage", [b"= =", b"\xff\xfe", b"[flower"])
def test_damaged_settings_are_a_run_error(tmp_path, damage):
    whole = RULES["corefed"](run=tmp_path / "run")
    train(whole, rounds=1)
    whole.history.close()
    (tmp_path / "run/spec.toml").write_bytes(damage)
    with pytest.raises(CorefedError, match=r"spec\.toml"):
        train(RULES["corefed"](run=tmp_path / "run"))


def test_a_folder_with_a_link_out_of_it_is_refused(tmp_path):
    whole = RULES["corefed"](run=tmp_path / "run")
    train(whole, rounds=1)
    whole.history.close()
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "run/rounds.jsonl").unlink()
    (tmp_path / "run/rounds.jsonl").symlink_to(tmp_path / "victim")
    with pytest.raises(CorefedError, match=r"rounds\.jsonl` is a link"):
        train(RULES["corefed"](run=tmp_path / "run"))
    assert (tmp_path / "victim").read_text() == "precious"


def test_names_of_agents_do_not_act_in_the_log(monkeypatch, tmp_path):
    said = []
    monkeypatch.setattr(logged, "flower_log", lambda _level, text, *told: said.append(text % told))
    name = "a\x1b[2J\nFORGED: stable\u202e"
    nodes = [Node(parabola_app(at), name + str(k)) for k, at in enumerate(CENTRES.values())]
    strategy = flower.CoreFed(ceilings="initial:2", run=tmp_path / name, agents=[name + "0", "x"])
    strategy.timeout = 0.2
    model = arrays(t=np.array([0.5, 0.5]))
    with pytest.raises(CorefedError) as caught:
        strategy.start(InProcess(nodes, 0), model, num_rounds=1, timeout=1)
    assert any("FORGED" in text for text in said)
    for text in [str(caught.value), *said]:
        for acts in ("\x1b", "\nFORGED", "\u202e"):
            assert acts not in text


def test_two_servers_do_not_write_one_folder(tmp_path):
    first = RULES["corefed"](run=tmp_path / "run")
    train(first, rounds=1)
    with pytest.raises(InputError):
        train(RULES["corefed"](run=tmp_path / "run"))
