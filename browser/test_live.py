"""The page of a training in progress."""

import re
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from conftest import BINARY
from selenium.webdriver.support.ui import WebDriverWait

# Slow enough to be watched: stochastic steps on every hospital, thousands of rounds.
SLOW = ("--set", "train.rounds=200000", "--set", "train.stop.certificate=0", "--set", "train.local.batch=1",
        "--set", "train.record.evaluate_every=1")


def test_the_live_page_follows_the_rounds(browser, tmp_path: Path):
    command = [BINARY, "run", "hospitals-rounds", "--out", "run", "--watch", *SLOW]
    run = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://127\.0\.0\.1:\d+/", run.stderr.readline()).group()
        browser.get(url)
        state = lambda: browser.find_element("id", "state").text  # noqa: E731
        seen = re.compile(r"Round (\d+) of 200000")
        WebDriverWait(browser, 30).until(lambda _: seen.match(state()))
        first = int(seen.match(state()).group(1))
        WebDriverWait(browser, 30).until(lambda _: int(seen.match(state()).group(1)) > first)

        def report_is_there(_) -> bool:
            browser.switch_to.frame("report")
            there = bool(browser.find_elements("css selector", "main svg"))
            browser.switch_to.default_content()
            return there

        WebDriverWait(browser, 30).until(report_is_there)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(url, data=b"x"), timeout=10)
        assert refused.value.code == 405
    finally:
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
    assert run.returncode == 130
    # The page says that nobody answers and asks no more: its last request must not fall into the log of a later test.
    WebDriverWait(browser, 30).until(lambda _: state() == "The run has ended or its watcher was stopped.")
    asked = lambda _: any(f"{url}state" in entry["message"] for entry in browser.get_log("browser"))  # noqa: E731
    WebDriverWait(browser, 30).until(asked)
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url, timeout=5)


def test_another_process_can_watch_and_stops_cleanly(runs: Path):
    watch = subprocess.Popen([BINARY, "watch", "trained"], cwd=runs, stdout=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://\S+", watch.stdout.readline()).group()
        state = urllib.request.urlopen(f"{url}state", timeout=10).read().decode()
        page = urllib.request.urlopen(f"{url}report", timeout=10).read()
    finally:
        watch.send_signal(signal.SIGINT)
        watch.communicate(timeout=30)
    assert '"done":true' in state
    assert page == (runs / "trained" / "report.html").read_bytes()
    assert watch.returncode == 0
