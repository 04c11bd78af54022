"""Every command of the tutorials runs and prints what the page shows."""

import os
import shutil
from pathlib import Path

import pytest
from console import ROOT, commands, matches, run

#: Whose every command is run, with its output.
SHOWN = sorted(
    [ROOT / "README.md", *(ROOT / "docs" / "tutorials").glob("*.md")], key=lambda path: path.name
)


#: With a folder of files that its commands read.
EXAMPLES = [ROOT / "examples" / name / "README.md" for name in ("hospitals", "heart", "network")]
#: The user's own lines of an example, at most.
FEW = 40


def type_in(document, folder, programs):
    """Runs the commands of a page in a folder, and compares what they print."""
    typed = commands(document)
    assert typed, f"{document.name} shows no command"
    for one in typed:
        printed = run(one.command, folder, programs)
        assert matches(one.printed, printed), "\n".join(
            [f"$ {one.command}", "prints", *printed, "where the page shows", *one.printed]
        )


@pytest.mark.parametrize("document", SHOWN, ids=lambda path: path.name)
def test_what_a_page_shows_is_what_its_commands_print(document, programs, tmp_path):
    type_in(document, tmp_path, programs)


@pytest.mark.parametrize("document", EXAMPLES, ids=lambda path: path.parent.name)
def test_an_example_is_short_has_a_picture_and_does_what_it_says(document, programs, tmp_path):
    spec = next(document.parent.glob("*.toml")).read_text(encoding="utf-8")
    own = [line for line in spec.splitlines() if line and not line.startswith("#")]
    assert len(own) <= FEW
    assert ".svg)" in document.read_text(encoding="utf-8")
    folder = tmp_path / "example"
    shutil.copytree(document.parent, folder)
    if document.parent.name == "heart":
        # No test downloads: a set that is there already is used as it is.
        there = Path(os.environ.get("COREFED_DATA", "")) / "heart"
        if "COREFED_DATA" not in os.environ or not there.is_dir():
            pytest.skip("no heart data in the folder that COREFED_DATA names")
        shutil.copytree(there, folder / "data" / "heart")
    type_in(document, folder, programs)


def test_dots_stand_for_lines_and_for_text_and_for_nothing_else():
    printed = ["stable", "kappa 0.99 or so", "1"]
    assert matches(printed, printed)
    assert matches(["stable", "...", "1"], printed)
    assert matches(["stable", "kappa ...", "1"], printed)
    assert not matches(["stable", "1"], printed)
    assert not matches(["blocked", "..."], printed)
    assert not matches(["stable", "kappa ..."], printed)
