"""Every certificate that the binary issues is judged by the second checker, if that is quick."""

import json
from pathlib import Path

from second_checker import judge
from second_checker.evidence import MOST_AGENTS

# Numbers of the data times points of the proof: about two seconds.
MOST_WORK = 200_000


def work(certificate):
    """How often a cell of the data is looked at."""
    rows = sum(agent["samples"] for agent in certificate["agents"])
    columns = len(certificate["subject"].get("parameters", []))
    evidence = certificate["evidence"]
    points = 3 + len(evidence.get("conflicts", [])) + len(evidence.get("hopeless", []))
    # Curvature of linear models is solved exactly, and the fractions grow.
    curved = sum("sphere" in conflict for conflict in evidence.get("conflicts", []))
    return rows * columns * (points + columns) + curved * columns**4


def judge_issued(args):
    """Judges what a command line was asked to write, if it wrote it."""
    if "--certificate" not in args:
        return
    path, data = Path(args[args.index("--certificate") + 1]), Path(args[1])
    if not (path.is_file() and data.suffix == ".csv" and data.is_file()):
        return
    text = path.read_text(encoding="utf-8")
    certificate = json.loads(text)
    if len(certificate["agents"]) <= MOST_AGENTS and work(certificate) <= MOST_WORK:
        verdict = judge(text, data)
        assert verdict.accepted, f"the second checker refuses {path}: {verdict.reason}"
