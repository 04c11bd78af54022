"""Every kind of report opens from disk, alone, and can be read by everybody."""

import json
from pathlib import Path

import pytest
from axe_core_python.selenium import Axe
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

KINDS = ("exact", "trained", "network", "compared", "swept", "stayed", "searched", "many")
WIDTHS = (1280, 768, 360)
CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex='-1'])"


def show(browser: webdriver.Chrome, page: Path, width: int = 1280, *, dark: bool = False, print_: bool = False) -> None:
    """Opens a page from disk on a screen of some width, in some light."""
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    media = {"media": "print" if print_ else "screen", "features": [scheme]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(page.as_uri())


def overflow(browser: webdriver.Chrome) -> list[str]:
    """Elements that stick out of the page to the right, unless something around them scrolls."""
    script = """
      const width = document.documentElement.clientWidth;
      const scrolls = (e) => { for (; e; e = e.parentElement) {
        if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(e).overflowX)) return true; } return false; };
      return [...document.querySelectorAll('body *')]
        .filter((e) => e.getBoundingClientRect().right > width + 1 && !scrolls(e))
        .map((e) => e.tagName + '.' + e.className).slice(0, 10)
        .concat(document.documentElement.scrollWidth > width + 1 ? ['document'] : []);
    """
    return browser.execute_script(script)


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_is_alone_in_the_world(browser, runs, kind):
    """No error on the console, and no request but for the page itself."""
    page = runs / kind / "report.html"
    show(browser, page)
    assert [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"] == []
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert {url for url in asked if not url.startswith(("data:", "blob:"))} == {page.as_uri()}
    assert browser.title


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_sticks_out(browser, runs, kind, width, dark):
    show(browser, runs / kind / "report.html", width, dark=dark)
    assert overflow(browser) == []


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_sticks_out_on_paper(browser, runs, kind):
    """A4 between margins is about 700 pixels wide."""
    show(browser, runs / kind / "report.html", 700, print_=True)
    assert overflow(browser) == []


@pytest.mark.parametrize("kind", KINDS)
def test_dark_is_dark_and_light_is_light(browser, runs, kind):
    def lightness() -> float:
        script = "return getComputedStyle(document.body).backgroundColor"
        numbers = browser.execute_script(script).strip("rgba()").split(",")[:3]
        return sum(float(number) for number in numbers) / 3

    show(browser, runs / kind / "report.html", dark=True)
    assert lightness() < 80
    show(browser, runs / kind / "report.html")
    assert lightness() > 200


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_an_accessibility_checker_has_nothing_serious_to_say(browser, runs, kind, dark):
    show(browser, runs / kind / "report.html", dark=dark)
    found = Axe().run(browser)["violations"]
    serious = [v for v in found if v["impact"] in ("serious", "critical")]
    assert [(v["id"], [n["html"][:120] for n in v["nodes"][:3]]) for v in serious] == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_keyboard_reaches_every_control(browser, runs, kind):
    show(browser, runs / kind / "report.html")
    visible = f"""
      return [...document.querySelectorAll("{CONTROLS}")]
        .filter((e) => !e.disabled && e.checkVisibility({{visibilityProperty: true}}) && e.type !== 'radio').length;
    """
    expected = browser.execute_script(visible)
    assert expected > 0
    reached = set()
    for _ in range(3 * expected + 10):
        ActionChains(browser).send_keys(Keys.TAB).perform()
        reached.add(browser.switch_to.active_element.id)
    assert len(reached) >= expected


def test_the_page_of_a_network_says_how_sure_it_is(browser, runs):
    """Every statement has its worth in words, and every interval its level."""
    show(browser, runs / "network" / "report.html")
    section = browser.find_element("id", "evidence")
    worth = [item.text for item in section.find_elements("css selector", ".status")]
    assert len(worth) == 6
    assert all(w.split(" ", 1)[1] in ("certified", "estimated", "searched only", "nothing said") for w in worth), worth
    assert {"searched only", "certified"} <= {w.split(" ", 1)[1] for w in worth}
    table = section.find_element("css selector", "table")
    assert "90\u202f%" in table.find_element("tag name", "thead").text
    audit = json.loads((runs / "network" / "audit.json").read_text())["network"]
    rows = table.find_elements("css selector", "tbody tr")
    assert [row.find_element("tag name", "th").text for row in rows] == audit["agents"]
    for row, own in zip(rows, audit["held_out"], strict=True):
        shown = [float(cell.text.replace("\u2212", "-")) for cell in row.find_elements("tag name", "td")]
        told = [own["rows"], own["mean"], own["truncated"]["lo"], own["truncated"]["hi"]]
        assert shown == pytest.approx(told, abs=0.01)
