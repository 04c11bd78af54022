"""Every command of the tutorials runs and prints what the page shows."""

import pytest
from console import ROOT, commands, matches, run

#: Whose every command is run, with its output.
SHOWN = sorted(
    [ROOT / "README.md", *(ROOT / "docs" / "tutorials").glob("*.md")], key=lambda path: path.name
)


@pytest.mark.parametrize("document", SHOWN, ids=lambda path: path.name)
def test_what_a_page_shows_is_what_its_commands_print(document, programs, tmp_path):
    typed = commands(document)
    assert typed, f"{document.name} shows no command"
    for one in typed:
        printed = run(one.command, tmp_path, programs)
        assert matches(one.printed, printed), "\n".join(
            [f"$ {one.command}", "prints", *printed, "where the page shows", *one.printed]
        )


def test_dots_stand_for_lines_and_for_text_and_for_nothing_else():
    printed = ["stable", "kappa 0.99 or so", "1"]
    assert matches(printed, printed)
    assert matches(["stable", "...", "1"], printed)
    assert matches(["stable", "kappa ...", "1"], printed)
    assert not matches(["stable", "1"], printed)
    assert not matches(["blocked", "..."], printed)
    assert not matches(["stable", "kappa ..."], printed)
