"""The command under test, run as a user runs it."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from second_opinion import judge_issued

ROOT = Path(__file__).resolve().parent.parent
COREFED = os.environ.get("COREFED", str(ROOT / "target" / "release" / "corefed"))


@dataclass(frozen=True)
class Answer:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


def corefed(*args):
    """Runs the binary and returns its exit code and both streams; certificates get a second opinion."""
    command = [COREFED, *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    judge_issued(args)
    return Answer(done.returncode, done.stdout, done.stderr)


def solve(case, *args, rule="core"):
    """`corefed solve --json` of a case; errors of the command are errors of the test."""
    answer = corefed("solve", case.path, *case.flags(), "--rule", rule, "--json", *args)
    assert answer.code != 2, f"{answer.err}\nof: solve {' '.join(case.flags())}"
    return answer
