"""A job in FLARE's simulator, in a process of its own that ends in time."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "flare-hospitals"
#: The simulator tells its clients ports that may be taken by the time they listen. It then loses a
#: client and waits for it forever, whatever the aggregator does.
LOST = "Communication error with client"
LIMIT = 90


@dataclass
class Ended:
    code: int
    said: str
    out: Path

    @property
    def server(self) -> Path:
        return self.out / "hospitals" / "server" / "simulate_job"


def simulate(folder: Path, *arguments: str, script: Path = EXAMPLE / "job.py") -> Ended:
    """Run a script; once more where the simulator lost a client."""
    for attempt in range(3):
        ended = _run(script, folder / f"attempt-{attempt}", arguments)
        if LOST not in ended.said:
            return ended
    return ended


def _run(script: Path, out: Path, arguments: tuple[str, ...]) -> Ended:
    out.mkdir()
    log = out / "said.txt"
    command = [sys.executable, str(script), "--out", str(out), *arguments]
    with log.open("w") as file:
        process = subprocess.Popen(
            command, stdout=file, stderr=subprocess.STDOUT, cwd=out, env=dict(os.environ)
        )
        code = _wait(process, log)
    return Ended(code, log.read_text(errors="replace"), out)


def _wait(process: subprocess.Popen, log: Path) -> int:
    """The code it ends with; nothing that it started outlives it."""
    begun = psutil.Process(process.pid)
    for _ in range(LIMIT * 2):
        try:
            return process.wait(0.5)
        except subprocess.TimeoutExpired:
            if LOST in log.read_text(errors="replace"):
                break
    for child in [*begun.children(recursive=True), begun]:
        child.kill()
    process.wait()
    return -1
