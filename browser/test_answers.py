"""The first screen answers, on a desk and on a phone, and says what the documents say."""

import base64
import json
import re

import pytest
from test_explorer import choose
from test_page import show


def test_the_first_screen_says_whether_it_is_worth_staying(browser, runs):
    """The sentence and the picture stand before the fold, and every agent has the word that follows from its gains."""
    show(browser, runs / "stayed" / "report.html")
    stay = json.loads((runs / "stayed" / "stay.json").read_text())
    section = browser.find_element("css selector", "main section")
    assert section.get_attribute("id") == "stay"
    headline = section.find_element("css selector", ".headline")
    assert headline.rect["y"] + headline.rect["height"] < 600
    leaving = [member["name"] for group in stay["leaving"] for member in group["members"]]
    assert (stay["verdict"] == "leave") == bool(leaving)
    assert all(name in headline.text for name in leaving), headline.text
    figure = browser.find_element("id", "fig-stay")
    assert figure.rect["y"] < 700
    rows = json.loads(browser.find_element("id", "corefed-data").get_attribute("textContent"))["tables"]["stay"]["rows"]
    for row, agent in zip(rows, stay["agents"], strict=True):
        gain, best = agent["alone_gain"], (agent["best"] or {}).get("gain")
        if agent["few"] or gain is None:
            word = "too few rows"
        elif gain["lo"] > 0:
            word = "better alone"
        elif best and best["lo"] > 0:
            word = "better in a group"
        else:
            word = "better together" if gain["hi"] < 0 else "cannot tell"
        assert row[:2] == [agent["name"], word]
        assert word in figure.text


@pytest.mark.parametrize(
    ("kind", "begins"),
    [
        ("compared", "Too few seeds to tell: "),
        ("swept", "Stable from ceiling = 0.8 on."),
        ("searched", "Use --ceiling "),
        ("exact", "No group of hospitals can do better by more than its share allows."),
    ],
)
def test_every_kind_of_page_begins_with_its_answer(browser, runs, kind, begins):
    show(browser, runs / kind / "report.html")
    headline = browser.find_element("css selector", "main section .headline")
    assert headline.text.startswith(begins), headline.text
    assert headline.rect["y"] < 600


def test_a_comparison_keeps_its_name_and_stays_short(browser, runs):
    show(browser, runs / "compared" / "report.html")
    assert browser.find_element("tag name", "h1").text == "hospitals-rounds: 3 rules compared"
    table = browser.find_element("css selector", "#comparison table")
    assert [row.text.split()[0] for row in table.find_elements("css selector", "tbody tr")] == ["corefed", "fedavg", "afl"]
    assert browser.execute_script("return document.documentElement.scrollHeight") < 6500


def test_beyond_ten_agents_the_explorer_goes_by_the_certificate(browser, runs):
    audit = json.loads((runs / "many" / "core.predictor.json").read_text())
    assert not (runs / "many" / "coalitions.json").exists()
    assert (audit["verdict"], len(audit["agents"])) == ("stable", 14)
    show(browser, runs / "many" / "report.html")
    names = [agent["name"] for agent in audit["agents"]]
    for members in (names[:1], names[:2], names[3:12]):
        choose(browser, members)
        said = browser.find_element("id", "explore-answer").text
        assert " would stay." in said.splitlines()[0], said
        assert "not exact" not in said, said
    choose(browser, names[4:5])
    alone = audit["agents"][4]["alone"] / audit["agents"][4]["utility"]
    assert f"{alone:.4f} times as much (exact)" in browser.find_element("id", "explore-answer").text


@pytest.mark.parametrize(("kind", "table"), [("exact", "#explorer .scroll:not(#explore-answer *)"), ("stayed", "#price .scroll")])
def test_deciding_columns_are_seen_on_a_phone(browser, runs, kind, table):
    show(browser, runs / kind / "report.html", 390)
    first = browser.find_elements("css selector", f"{table} tbody tr")[0]
    cells = first.find_elements("css selector", "th, td")
    assert all(cell.rect["x"] + cell.rect["width"] <= 391 for cell in cells[:3]), [cell.rect for cell in cells]


@pytest.mark.parametrize("kind", ["exact", "stayed", "compared", "swept", "searched"])
def test_paper_is_not_wasted(browser, runs, kind):
    """What stays white on all sheets together is less than one sheet."""
    show(browser, runs / kind / "report.html", 700, print_=True)
    height = browser.execute_script("return document.documentElement.scrollHeight")
    # A4, in inches.
    paper = {"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": True}
    made = browser.execute_cdp_cmd("Page.printToPDF", paper)
    pages = len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(made["data"])))
    # Between margins of 16 mm it has about a thousand pixels.
    assert pages <= height / 1000 + 1, (pages, height)
