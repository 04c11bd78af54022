"""Links that somebody planted where agents and servers write: nothing follows them."""

import json
from pathlib import Path

import pytest
from summed import grid, train

from corefed import flower
from corefed._writing import append_line, replace_text
from corefed.flower.kept import Kept
from corefed.flower.own_history import OwnHistory, own_report
from corefed.privacy import Account, Budget
from corefed.secure import own_key


@pytest.fixture
def victim(tmp_path):
    """A file that somebody would like to have overwritten."""
    path = tmp_path / "precious"
    path.write_text("precious")
    yield path
    assert path.read_text() == "precious"
    assert not path.is_symlink()


def plant(victim: Path, folder: Path, name: str) -> Path:
    """Links to the victim under a name and under that of its unfinished file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f".{name}.partial").symlink_to(victim)
    (folder / name).symlink_to(victim)
    return folder / name


@pytest.mark.parametrize("private", [False, True])
def test_a_planted_link_is_replaced_and_not_followed(victim, tmp_path, private):
    path = plant(victim, tmp_path / "keep", "file")
    replace_text(path, "new", private=private)
    assert path.read_text() == "new"
    assert not path.is_symlink()
    assert (path.stat().st_mode & 0o077 == 0) == private
    assert [p.name for p in path.parent.iterdir()] == ["file"]


def test_what_a_killed_process_left_is_replaced(tmp_path):
    (tmp_path / ".file.partial").write_text("half")
    replace_text(tmp_path / "file", "whole")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_line_is_not_added_to_what_a_link_leads_to(victim, tmp_path):
    path = plant(victim, tmp_path / "keep", "file")
    with pytest.raises(OSError, match="symbolic links"):
        append_line(path, "line")


def test_what_agents_keep_follows_no_link(victim, tmp_path):
    keep = tmp_path / "keep"
    plant(victim, keep, "account.json").unlink()
    Account(keep / "account.json", Budget(2.0, 1e-5)).spend(0.01)
    plant(victim, keep, "answered.json").unlink()
    Kept(keep).book("question", 3)
    assert json.loads((keep / "answered.json").read_text()) == {"question": 3}
    plant(victim, keep, "sums.key").unlink()
    own_key(keep / "sums.key")
    history = OwnHistory(keep, "00")
    columns = ("round", "agents", "loss", "utility", "average", "pull", "update_norm")
    history.sealed(1, dict.fromkeys(columns, 1) | {"floored": False, "clipped": False})
    history.opened(1)
    for name in ("00.csv", "00.html"):
        plant(victim, keep, name)
    assert all(not path.is_symlink() for path in own_report(keep))


@pytest.mark.parametrize("name", ["privacy.jsonl", "digests.sha256", "told-privacy.jsonl"])
def test_a_run_folder_with_a_link_in_it_is_refused_or_not_followed(victim, tmp_path, name):
    promise = flower.Privacy(epsilon=4.0, delta=1e-5, clip=0.2)
    run = {"ceilings": 5.0, "average": "equal", "privacy": promise, "run": tmp_path / "run"}
    first = flower.FedAvg(**run)
    train(first, grid(None, plain=True), rounds=1)
    first.history.close()
    for planted in (name, f".{name}.partial", f"{name}.partial"):
        (tmp_path / "run" / planted).unlink(missing_ok=True)
        (tmp_path / "run" / planted).symlink_to(victim)
    with pytest.raises(Exception, match="link"):
        train(flower.FedAvg(**run), grid(None, plain=True), rounds=2)
