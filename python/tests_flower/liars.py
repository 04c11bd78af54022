"""Ten agents in process, of which one wants the opposite and may lie."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from flwr.app import ConfigRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from inprocess import InProcess, Node, arrays

AGENTS, ROUNDS, FACTOR = 10, 20, 1.5
NAMES = [f"agent-{k}" for k in range(AGENTS)]
LIAR = NAMES[-1]
CENTRES = np.array([[1.0, 0.1 * (k - 4)] for k in range(AGENTS - 1)] + [[-1.0, 0.0]])


@dataclass(frozen=True)
class Lie:
    """What the last agent says and sends in place of the truth."""

    rows: int = 10
    stretch: float = 1.0
    #: Of the true loss, the round, and whether it is asked to train.
    loss: Callable[[float, int, bool], float] = lambda loss, number, training: loss


HONEST = Lie()


def app_of(at: np.ndarray, lie: Lie) -> ClientApp:
    app = ClientApp()

    def answer(message: Message, context: Context, training: bool) -> Message:
        (t,) = message.content["arrays"].to_numpy_ndarrays()
        number = int(message.content["config"]["server-round"])
        loss = lie.loss(float(np.sum((t - at) ** 2)) / 2, number, training)
        content = RecordDict(
            {
                "metrics": MetricRecord({"loss-before": loss, "num-examples": lie.rows}),
                "corefed": ConfigRecord({"agent": context.node_config["agent"]}),
            }
        )
        if training:
            content["arrays"] = arrays(t=t - 0.3 * lie.stretch * (t - at))
        return Message(content, reply_to=message)

    app.train()(lambda message, context: answer(message, context, True))
    app.evaluate()(lambda message, context: answer(message, context, False))
    return app


@dataclass
class Ended:
    """A run: everybody's true utility, the liar's shares, and what was written of it."""

    utilities: np.ndarray
    shares: list[float]
    rounds: list[dict]
    header: dict
    page: str

    @property
    def others(self) -> float:
        return float(self.utilities[:-1].mean())


def trained(folder: Path, rule, lie: Lie = HONEST, rounds: int = ROUNDS, **settings) -> Ended:
    """Train with one liar, by default with all guards and `initial` ceilings."""
    told = {"ceilings": f"initial:{FACTOR}", "agents": NAMES, "run": folder} | settings
    apps = [app_of(at, HONEST) for at in CENTRES[:-1]] + [app_of(CENTRES[-1], lie)]
    grid = InProcess([Node(app, name) for app, name in zip(apps, NAMES, strict=True)])
    strategy = rule(**told)
    result = strategy.start(grid, arrays(t=np.zeros(2)), num_rounds=rounds, timeout=1)
    strategy.history.close()
    (model,) = result.arrays.to_numpy_ndarrays()
    first, last = ((CENTRES**2).sum(1) / 2, ((model - CENTRES) ** 2).sum(1) / 2)
    records = [json.loads(line) for line in (folder / "agents.jsonl").read_text().splitlines()]
    own = [row for row in records if row["agent"] == LIAR and row["weight"] is not None]
    whole = [sum(r["weight"] or 0 for r in records if r["round"] == row["round"]) for row in own]
    return Ended(
        FACTOR * first - last,
        [row["weight"] / of for row, of in zip(own, whole, strict=True)],
        [json.loads(line) for line in (folder / "rounds.jsonl").read_text().splitlines()],
        json.loads((folder / "run.json").read_text()),
        (folder / "report.html").read_text(),
    )
