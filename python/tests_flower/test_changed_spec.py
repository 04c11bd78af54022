"""A run that continues with other settings, because it was asked to, and says so."""

import json
import warnings

import numpy as np
import pytest
from flwr.app import ConfigRecord
from inprocess import arrays
from test_resume import KilledError, digests, grid

import corefed
from corefed import InputError, flower


def start(folder, lr=0.1, until=None, **told):
    """Six rounds, or those before `until`."""
    strategy = flower.CoreFed(**{"ceilings": "initial:2", "run": folder} | told)
    original = strategy.configure_train

    def configure(number, *rest):
        if number == until:
            raise KilledError
        return original(number, *rest)

    strategy.configure_train = configure
    config = ConfigRecord({"lr": lr, "epochs": 2})
    try:
        model = arrays(t=np.array([0.5, 0.5]))
        strategy.start(grid(), model, num_rounds=6, timeout=1, train_config=config)
    finally:
        strategy.history.close()


@pytest.fixture
def cut(tmp_path):
    """A folder that was cut off after round 3."""
    with pytest.raises(KilledError):
        start(tmp_path / "run", until=4)
    return tmp_path / "run"


def rounds(folder):
    return [json.loads(line) for line in (folder / "rounds.jsonl").read_text().splitlines()]


def test_it_continues_with_the_change_and_everything_says_so(cut, tmp_path):
    start(tmp_path / "whole")
    start(cut, lr=0.2, server_step=0.5, changed_spec=True)
    then, now = rounds(tmp_path / "whole"), rounds(cut)
    assert now[:4] == then[:4]
    assert now[4]["step_norm"] == pytest.approx(then[4]["step_norm"] / 2, rel=1e-12)
    changes = json.loads((cut / "changes.json").read_text())["changes"]
    assert changes == [
        {"after_round": 3, "key": "server_step", "then": "1.0", "now": "0.5"},
        {"after_round": 3, "key": "train_config.lr", "then": "0.1", "now": "0.2"},
    ]
    told = "of the spec was changed after round 3: 0.1 before, 0.2 since"
    assert told in (cut / "summary.md").read_text().replace("\\", "")
    assert told in (cut / "report.html").read_text()
    assert any(
        told in warning for warning in json.loads((cut / "audit.json").read_text())["warnings"]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", corefed.EditedWarning)
        corefed.load(cut)
    # From now on these are its settings.
    whole = digests(cut)
    start(cut, lr=0.2, server_step=0.5)
    assert digests(cut) == whole
    with pytest.raises(InputError, match=r"train_config\.lr: 0\.2 then, 0\.1 now"):
        start(cut)


def test_without_a_word_it_is_refused_with_what_to_say(cut):
    before = digests(cut)
    with pytest.raises(InputError, match=r"server_step: 1\.0 then, 0\.5 now") as raised:
        start(cut, server_step=0.5)
    assert "changed_spec=True" in raised.value.hint
    assert digests(cut) == before


@pytest.mark.parametrize(
    ("told", "key"),
    [({"ceilings": 9.0}, "ceilings"), ({"seed": 3}, "seed"), ({"weights": "samples"}, "weights")],
)
def test_what_the_run_is_cannot_change_on_request(cut, told, key):
    before = digests(cut)
    with pytest.raises(InputError, match=f"{key}: ") as raised:
        start(cut, changed_spec=True, **told)
    assert f"`{key}` says what the run is" in raised.value.hint
    assert digests(cut) == before


def test_a_change_that_came_half_way_is_undone_on_request(cut):
    """Killed after the settings were written, and before the checkpoint was."""
    spec = cut / "spec.toml"
    original = spec.read_text()
    spec.write_text(original.replace("server_step = 1.0", "server_step = 0.5"))
    with pytest.raises(InputError, match=r"server_step: 0\.5 then, 1\.0 now"):
        start(cut)
    start(cut, changed_spec=True)
    assert spec.read_text() == original
    assert json.loads((cut / "changes.json").read_text())["changes"] == []


def test_a_second_change_is_told_beside_the_first(cut):
    with pytest.raises(KilledError):
        start(cut, lr=0.2, until=6, changed_spec=True)
    start(cut, lr=0.3, changed_spec=True)
    changes = json.loads((cut / "changes.json").read_text())["changes"]
    assert [(c["after_round"], c["then"], c["now"]) for c in changes] == [
        (3, "0.1", "0.2"),
        (5, "0.2", "0.3"),
    ]
