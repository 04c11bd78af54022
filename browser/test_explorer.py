"""What the coalition explorer says is what the audit wrote down."""

import csv
import io
import json
from pathlib import Path

import pytest
from conftest import corefed
from selenium.webdriver.support.ui import Select
from test_page import show

HOSTILE = '<script>document.title="owned"</script><img src=x onerror=alert(1)>'


def choose(browser, members: list[str]) -> None:
    """Ticks the boxes of these agents and no others."""
    for label in browser.find_elements("css selector", "#explore-pick label"):
        box = label.find_element("css selector", "input")
        if box.is_selected() != (label.text in members):
            box.click()


@pytest.mark.parametrize("kind", ["exact", "trained"])
def test_the_explorer_agrees_with_the_programs_of_the_audit(browser, runs, kind):
    show(browser, runs / kind / "report.html")
    models = json.loads((runs / kind / "coalitions.json").read_text())["models"]
    names = browser.find_elements("css selector", "#explore-model option")
    blocked = set()
    for index, model in enumerate(models):
        if names:
            Select(browser.find_element("id", "explore-model")).select_by_index(index)
        # Every seventh: singles, pairs, larger groups and, at the end, everybody.
        for coalition in [*model["coalitions"][::7], model["coalitions"][-1]]:
            choose(browser, coalition["members"])
            said = browser.find_element("id", "explore-answer")
            reach = coalition["share"] * float(coalition["value"]["lo"])
            assert float(said.get_attribute("data-reach")) == pytest.approx(reach, rel=1e-12)
            # Everybody together does not leave; trained models have a larger tolerance.
            line = 1 + (1e-6 if kind == "exact" else 1e-2)
            blocks = reach > line and len(coalition["members"]) < 5
            blocked.add(blocks)
            assert said.get_attribute("data-blocks") == str(blocks).lower()
            assert ("would leave" in said.text) == blocks, said.text
            for name in coalition["members"]:
                assert name in said.text
    assert blocked == ({True, False} if kind == "exact" else {False})


def test_the_answer_comes_first_and_says_what_the_audit_found(browser, runs):
    show(browser, runs / "exact" / "report.html")
    text = browser.find_element("tag name", "main").text
    audit = json.loads((runs / "exact" / "core.predictor.json").read_text())
    assert audit["verdict"] == "stable"
    assert text.index("No group of hospitals can do better by more than its share allows") < 400
    assert "Evora alone would gain by leaving" in text


def test_saved_tables_hold_no_formulas(browser, tmp_path: Path):
    """What the page saves as CSV has an apostrophe before a name that a spreadsheet would run."""
    agents = [f"{begin}1+1" for begin in "=+-@＝＋－＠"]
    lines = [f"{name},{k},{(k * 7 + index) % 3 % 2}" for k in range(9) for index, name in enumerate(agents)]
    (tmp_path / "own.csv").write_text("\n".join(["hospital,x,y", *lines]) + "\n")
    spec = 'data = "own.csv"\nagent = "hospital"\ntarget = "y"\nmodel = "logistic"\nl2 = 0.1\n'
    (tmp_path / "own.toml").write_text(spec)
    corefed(tmp_path, "run", "own.toml", "--out", "own")
    show(browser, tmp_path / "own" / "report.html")
    saved = browser.execute_async_script(
        """
        const done = arguments[arguments.length - 1], blobs = [], make = URL.createObjectURL;
        URL.createObjectURL = (blob) => { blobs.push(blob); return make(blob); };
        document.querySelectorAll('.save button[aria-label^="Save as CSV"]').forEach((save) => save.click());
        URL.createObjectURL = make;
        Promise.all(blobs.map((blob) => blob.text())).then(done);
        """
    )
    cells = [cell for text in saved for row in csv.reader(io.StringIO(text)) for cell in row]
    assert {f"'{name}" for name in agents} <= set(cells)
    acting = [cell for cell in cells if cell[:1] in tuple("=+-@\t\r\n＝＋－＠") and not is_number(cell)]
    assert acting == []


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_names_are_shown_and_never_run(browser, tmp_path: Path):
    rows = ['hospital,x,y', *(f'"{name}",{k},{k % 2}' for k in range(6) for name in (HOSTILE.replace('"', '""'), "B"))]
    (tmp_path / "own.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "own.toml").write_text('data = "own.csv"\nagent = "hospital"\ntarget = "y"\nmodel = "logistic"\n')
    corefed(tmp_path, "run", "own.toml", "--out", "run")
    show(browser, tmp_path / "run" / "report.html")
    assert [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"] == []
    assert browser.title != "owned"
    assert browser.find_elements("css selector", "main img") == []
    assert HOSTILE in browser.find_element("id", "explore-pick").text
