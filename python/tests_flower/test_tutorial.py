"""The tutorial's section on Flower is typed in, from top to bottom: TLS included."""

import json
import os
import re
import secrets
import shutil
import subprocess
from pathlib import Path

import pytest
from deployment import BIN, MARK, free_port, marked, quiet_environment, stop, wait_until
from hospitals import EXAMPLE

TUTORIAL = EXAMPLE.parents[1] / "docs" / "tutorials" / "federation.md"


def script() -> str:
    """All commands of the section, with ports that are free here."""
    section = TUTORIAL.read_text(encoding="utf-8").split("## Over Flower")[1]
    blocks = re.findall(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 5, "the tutorial has other blocks; read this test again"
    text = "\n".join(blocks)
    assert "8000" in text
    assert "port=9101" in text
    return text.replace("8000", str(free_port())).replace("port=9101", f"port={free_port()}")


@pytest.fixture
def mark():
    """A mark by which everything that is started is found again, and stopped."""
    mark = secrets.token_hex(8)
    yield mark
    for pid in marked(mark):
        stop(pid)
    wait_until(lambda: not marked(mark), 10, "processes are left")


def test_what_the_tutorial_types_trains_over_tls_and_ends_with_a_report(tmp_path, mark):
    folder = tmp_path / "flower-hospitals"
    shutil.copytree(EXAMPLE, folder)
    environment = quiet_environment(tmp_path / "unused") | {MARK: mark}
    programs = Path(os.environ["COREFED"]).resolve().parent
    environment["PATH"] = f"{programs}:{BIN}:{environment['PATH']}"
    log = tmp_path / "typed.log"
    with log.open("wb") as output:
        done = subprocess.run(
            ["bash", "-e", "-c", script()],
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=540,
        )
    logs = "\n".join(f"--- {path.name}\n{path.read_text()}" for path in folder.glob("*.log"))
    assert done.returncode == 0, log.read_text() + logs
    run = folder / "runs" / "first"
    rounds = [json.loads(line) for line in (run / "rounds.jsonl").read_text().splitlines()]
    assert [record["trained"] for record in rounds] == [0, 3, 3], log.read_text() + logs
    assert json.loads((run / "audit.json").read_text())["agents"][2]["name"] == "Evora"
    assert "Evora" in (run / "report.html").read_text()
