"""A server that is cut off goes on, and ends as if nothing had happened."""

import hashlib

import numpy as np
import pytest
from inprocess import InProcess, Node, arrays, parabola_app

from corefed import InputError, flower

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


def test_two_servers_do_not_write_one_folder(tmp_path):
    first = RULES["corefed"](run=tmp_path / "run")
    train(first, rounds=1)
    with pytest.raises(InputError):
        train(RULES["corefed"](run=tmp_path / "run"))
