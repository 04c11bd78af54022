"""Exact audits of the hospitals in process, and the same question with all rows in one place."""

import json
import os
import subprocess
from pathlib import Path

from flwr.app import Message
from hospitals import Hospitals, federation, start_arrays
from inprocess import InProcess, Node

from corefed import flower


def asks(message: Message) -> str | None:
    """What a message asks for."""
    return message.content["config"].get("corefed-ask")


def trained(run: Path, hospitals: Hospitals, grid: InProcess, ceiling=1.0, rounds=5):
    strategy = flower.CoreFed(ceilings=ceiling, agents=hospitals.names, run=run)
    strategy.start(grid, start_arrays(hospitals), num_rounds=rounds, timeout=5)
    return strategy


def audited(run: Path, hospitals: Hospitals, grid=None, ceiling=1.0, timeout=5.0, **how):
    """The audit, and the account of what was told."""
    strategy = trained(run, hospitals, grid or federation(hospitals), ceiling)
    try:
        found = strategy.audit(exact=flower.Exact(**how), timeout=timeout)
    finally:
        strategy.history.close()
    return found, json.loads((run / "answered.json").read_text())


def node_of(grid: InProcess, name: str) -> Node:
    return next(n for n in grid.nodes.values() if n.context.node_config["agent"] == name)


def spoil(grid: InProcess, name: str, change, ask="oracle", number=1) -> InProcess:
    """Have an agent answer a question in its own way: `change` gets its reply and the message."""
    node = node_of(grid, name)
    honest = node.app

    def app(message, context):
        reply = honest(message, context)
        if asks(message) == ask and message.content["config"]["server-round"] >= number:
            return change(reply, message) or reply
        return reply

    node.app = app
    return grid


def corefed(*arguments: object) -> tuple[int, str]:
    """What the command says, and its exit code."""
    command = [os.environ["COREFED"], *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def pooled(run: Path, table: Path, ceiling: float) -> dict:
    """The audit of the same model where all rows lie in one table."""
    code, said = corefed(
        "audit", table, "--predictor", run / "audit.json", "--ceiling", ceiling, "--json"
    )
    assert code in (0, 1, 3), said
    return json.loads(said)
