"""Nodes of ours beside stock ones: seconds per round, memory and idle processor time.

    cargo build --release -p corefed-cli --features full
    python bench/node.py target/release/corefed      # in an environment with `corefed`, Flower and safetensors

One SuperLink on loopback serves three hospitals by `flower-supernode`, then the same three by `corefed node`. A round is
an exchange for training and one for evaluation. Memory is that of a node with all processes that it starts, sampled ten
times a second, shared pages divided among those who share them; processor time is that of half a minute in which nothing
is asked, per node.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "python/tests_flower"))
sys.path.insert(0, str(ROOT / "examples/flower-hospitals"))
if len(sys.argv) != 2:
    sys.exit("usage: python bench/node.py COREFED")
os.environ["COREFED"] = str(Path(sys.argv[1]).resolve())

from deployment import Deployment  # noqa: E402
from fake_link import node_command, node_key  # noqa: E402
from prepare import prepare  # noqa: E402

NAMES = ("Aachen", "Dresden", "Evora")
IDLE = 30.0
TICKS = os.sysconf("SC_CLK_TCK")


def tree(pid: int) -> list[int]:
    """A process and all that it started, directly or not."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int(stat(int(entry.name))[1])
            except OSError:
                continue
    found = [pid]
    for known in found:
        found += [child for child, parent in parents.items() if parent == known]
    return found


def stat(pid: int) -> list[str]:
    """Fields after the name of the program."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()


def kilobytes(pid: int) -> int:
    total = 0
    for own in tree(pid):
        try:
            lines = Path(f"/proc/{own}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        except (OSError, IndexError):
            continue
    return total


def cpu_seconds(pid: int) -> float:
    """Of a process, what it started, and what of that has ended."""
    total = 0.0
    for own in tree(pid):
        try:
            total += sum(int(field) for field in stat(own)[11:15]) / TICKS
        except OSError:
            continue
    return total


def resident(pid: int) -> float:
    """The most that a process has held in memory, in MB, shared pages included."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


class Peak:
    """The most memory of any of some processes, while it watches."""

    def __init__(self, pids: list[int]) -> None:
        self.kilobytes, self._over = 0, threading.Event()
        self._thread = threading.Thread(target=self._watch, args=(pids,))
        self._thread.start()

    def _watch(self, pids: list[int]) -> None:
        while not self._over.wait(0.1):
            self.kilobytes = max(self.kilobytes, *(kilobytes(pid) for pid in pids))

    def end(self) -> int:
        self._over.set()
        self._thread.join()
        return self.kilobytes


def rounds(deployment: Deployment, run: Path, number: int) -> list[float]:
    """Seconds of each round but the first, which waits for nodes."""
    process = deployment.submit(
        ROOT / "examples/flower-hospitals", run=run, agents=",".join(NAMES), rounds=number, audit=False
    )
    seen: list[float] = []
    while process.poll() is None:
        lines = (run / "rounds.jsonl").read_text().count("\n") if run.exists() else 0
        seen += [time.monotonic()] * (lines - len(seen))
        time.sleep(0.02)
    assert len(seen) == number + 1, deployment.logs()[-3000:]
    return [after - before for before, after in zip(seen[:-1], seen[1:], strict=True)]


def measure(what: str, deployment: Deployment, folder: Path, number: int) -> None:
    nodes = list(deployment.nodes.values())
    pids = [node.pid for node in nodes]
    peak = Peak(pids)
    found = rounds(deployment, folder / what.replace(" ", "-"), number)
    megabytes = peak.end() / 1024
    own = max(resident(pid) for pid in pids)
    # What the run has started ends first.
    time.sleep(10)
    before = [cpu_seconds(pid) for pid in pids]
    time.sleep(IDLE)
    idle = [(cpu_seconds(pid) - was) / IDLE for pid, was in zip(pids, before, strict=True)]
    for node in nodes:
        node.terminate()
    for node in nodes:
        node.wait(60)
    deployment.nodes.clear()
    median, least, most = statistics.median(found), min(found), max(found)
    print(
        f"| {what} | {median:.2f} ({least:.2f} to {most:.2f}, {number} rounds) | {megabytes:.1f} | {own:.1f} "
        f"| {100 * statistics.mean(idle):.2f} % |"
    )


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    prepare(folder / "data", only=NAMES)
    print(f"load before: {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    print("| nodes | seconds per round | MB per node | its first process, peak RSS | idle, of a core |")
    print("| --- | ---: | ---: | ---: | ---: |")
    with Deployment(folder / "deployment") as deployment:
        for agent in NAMES:
            deployment.node(agent, f'agent="{agent}" data="{folder}/data/{agent}.csv"')
        measure("flower-supernode", deployment, folder, 5)
        for agent in NAMES:
            table, address = folder / f"data/{agent}.csv", f"127.0.0.1:{deployment.port}"
            command = node_command(address, table, node_key(folder / agent))
            deployment.nodes[agent] = deployment.start(agent, command)
        measure("corefed node", deployment, folder, 20)
        version = subprocess.run([os.environ["COREFED"], "--version"], capture_output=True, text=True)
        print(version.stdout.strip(), f"binary of {Path(sys.argv[1]).stat().st_size / 1e6:.1f} MB")
