"""A training with `--watch` under 32 slow and 32 greedy clients: who waits, and what it costs.

    python bench/greedy_clients.py target/debug/corefed --rounds 20000

The same training is run without clients, with 32 clients that send a byte of their request per
second and 32 that ask for the report again and again, and without once more. A polite client does
every half second what a browser does: it asks for the page, the state and the report, one after
the other. Printed: processor seconds of the training, seconds it took, and for each of the three
how often the polite client got it, how long it waited, and how often it did not get it.
"""

from __future__ import annotations

import argparse
import os
import re
import socket
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

CLIENTS = 32
PATHS = ("/", "/state", "/report")


def ask(port: int, path: str, seconds: float) -> float | None:
    """Ask for a path; gives the time to the whole answer, or nothing where there was none."""
    begin = time.monotonic()
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
    except OSError:
        return None
    return time.monotonic() - begin if answer.startswith(b"HTTP/1.1 200") else None


def slow(port: int, done: threading.Event) -> None:
    """Send a request that never ends, a byte per second, and come again when it is cut off."""
    while not done.is_set():
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
                while not done.wait(1.0):
                    connection.sendall(b"G")
        except OSError:
            done.wait(0.05)


def greedy(port: int, done: threading.Event) -> None:
    """Ask as fast as the server answers."""
    while not done.is_set():
        if ask(port, "/report", 5.0) is None:
            done.wait(0.01)


def train(
    program: str, rounds: int, *, crowd: bool
) -> tuple[float, float, dict[str, list[float]], dict[str, int]]:
    """Processor seconds, seconds, the polite client's waits, and how often it got nothing."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        command = [program, "run", "hospitals-rounds", "--set", f"train.rounds={rounds}"]
        begin = time.monotonic()
        child = subprocess.Popen(
            [*command, "--watch", "--out", str(out)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert child.stderr is not None
        found = None
        for line in child.stderr:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                break
        assert found is not None, "no address"
        port, done = int(found[1]), threading.Event()
        drain = threading.Thread(target=child.stderr.read, daemon=True)
        drain.start()
        crowds = [slow, greedy] * CLIENTS if crowd else []
        threads = [threading.Thread(target=kind, args=(port, done)) for kind in crowds]
        for thread in threads:
            thread.start()
        waits: dict[str, list[float]] = {path: [] for path in PATHS}
        missed = dict.fromkeys(PATHS, 0)
        while child.poll() is None:
            for path in PATHS:
                waited = ask(port, path, 15.0)
                if waited is not None:
                    waits[path].append(waited)
                elif child.poll() is None:
                    missed[path] += 1
            time.sleep(0.5)
        seconds = time.monotonic() - begin
        done.set()
        for thread in threads:
            thread.join()
        usage = child_seconds()
    return usage, seconds, waits, missed


_before = 0.0


def child_seconds() -> float:
    """Processor seconds of the children that ended since the last call."""
    global _before
    times = os.times()
    spent = times.children_user + times.children_system
    last, _before = _before, spent
    return spent - last


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=20000)
    arguments = parser.parse_args()
    print(f"load before: {os.getloadavg()[0]:.1f}\n")
    print("| clients | processor s | s | asked for | answers | median s | longest s | none |")
    print("|---|---:|---:|---|---:|---:|---:|---:|")
    for crowd in (False, True, False):
        spent, seconds, waits, missed = train(arguments.program, arguments.rounds, crowd=crowd)
        name = f"1 polite, {CLIENTS} slow, {CLIENTS} greedy" if crowd else "1 polite"
        for path in PATHS:
            own = waits[path]
            median = f"{statistics.median(own):.3f}" if own else "-"
            longest = f"{max(own):.3f}" if own else "-"
            told = f"{spent:.1f} | {seconds:.1f} | `{path}` | {len(own)} | {median} | {longest}"
            print(f"| {name} | {told} | {missed[path]} |")


if __name__ == "__main__":
    main()
