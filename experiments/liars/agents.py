"""Ten agents with rows of their own, and what a liar among them says and sends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import corefed

AGENTS, COLUMNS, ROWS, STEPS, RATE = 10, 5, 200, 5, 0.5
FLOOR = 0.1


@dataclass
class Agent:
    """Rows that nobody else sees."""

    x: np.ndarray
    y: np.ndarray

    def loss(self, model: np.ndarray) -> float:
        margin = self.y * (self.x @ model)
        return float(np.logaddexp(0, -margin).mean())

    def update(self, model: np.ndarray, ceiling: float | None = None) -> np.ndarray:
        """Steps of descent; with a ceiling, of the log of utility, as PropFair's agents take them."""
        trained = model.copy()
        for _ in range(STEPS):
            slope = -self.y / (1 + np.exp(self.y * (self.x @ trained)))
            steep = 1.0 if ceiling is None else corefed.log_slope(self.loss(trained), ceiling, FLOOR)
            trained -= RATE * steep * (slope[:, None] * self.x).mean(0)
        return trained - model

    def batched(self, model: np.ndarray, draw: np.random.Generator) -> np.ndarray:
        """As many steps of descent on batches of sixteen rows."""
        trained = model.copy()
        for _ in range(STEPS):
            at = draw.integers(0, len(self.y), 16)
            batch = Agent(self.x[at], self.y[at])
            slope = -batch.y / (1 + np.exp(batch.y * (batch.x @ trained)))
            trained -= RATE * (slope[:, None] * batch.x).mean(0)
        return trained - model

    def hurried(self, model: np.ndarray) -> float:
        """The loss again, as another part of an app may compute it: single precision, any order."""
        at = np.random.default_rng(len(self.y)).permutation(len(self.y))
        x, y = self.x[at].astype(np.float32), self.y[at].astype(np.float32)
        return float(np.logaddexp(0, -y * (x @ model.astype(np.float32))).mean(dtype=np.float32))

    def sampled(self, model: np.ndarray, draw: np.random.Generator) -> float:
        """The loss on half of the rows, as an app may do that has many."""
        half = draw.permutation(len(self.y))[: max(1, len(self.y) // 2)]
        return Agent(self.x[half], self.y[half]).loss(model)


@dataclass(frozen=True)
class Lie:
    """What liars say instead of the truth."""

    who: tuple[int, ...] = (AGENTS - 1,)
    first: Callable[[float], float] = lambda loss: loss
    #: Of the true loss, and of the ceiling that the server holds.
    loss: Callable[[float, float], float] = lambda loss, ceiling: loss
    update: Callable[[np.ndarray, np.random.Generator], np.ndarray] = lambda update, draw: update
    rows: Callable[[int], int] = lambda rows: rows


def noise(update: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    drawn = draw.normal(size=update.shape)
    return 5 * np.linalg.norm(update) * drawn / np.linalg.norm(drawn)


def under(loss: float, ceiling: float) -> float:
    return ceiling * (1 - 1.01 * FLOOR)


LIES = {
    "honest": Lie(who=()),
    "loss just above the floor": Lie(loss=under),
    "first loss a fifth, then the same": Lie(first=lambda loss: loss / 5, loss=under),
    "first loss 0.001": Lie(first=lambda loss: 1e-3),
    "loss 1e300": Lie(loss=lambda loss, ceiling: 1e300),
    "update times 10": Lie(update=lambda update, draw: 10 * update),
    "both": Lie(loss=under, update=lambda update, draw: 10 * update),
    "noise": Lie(update=noise),
    "rows 1e12": Lie(rows=lambda rows: 10**12),
    "three collude": Lie(who=(7, 8, 9), loss=under),
    "three collude, updates times 10": Lie(
        who=(7, 8, 9), loss=under, update=lambda update, draw: 10 * update
    ),
}

#: The honest agent that all others oppose, and lies that losses and updates could tell.
MOVED = ("honest", "loss just above the floor", "loss 1e300", "both", "noise", "update times 10")


def federation(seed: int, opposed: tuple[int, ...], size: int = AGENTS) -> list[Agent]:
    draw = np.random.default_rng(seed)
    truth = draw.normal(size=COLUMNS)
    agents = []
    for agent in range(size):
        x = draw.normal(size=(ROWS, COLUMNS))
        own = truth + 0.5 * draw.normal(size=COLUMNS)
        y = np.where(x @ own + draw.logistic(size=ROWS) > 0, 1.0, -1.0)
        agents.append(Agent(x, -y if agent in opposed else y))
    return agents


def heterogeneous(seed: int) -> list[Agent]:
    """Honest agents that have little in common: rows from 20 to 2,000, scales from 1/3 to 3, noise."""
    draw = np.random.default_rng(seed)
    truth = draw.normal(size=COLUMNS)
    agents = []
    for _ in range(AGENTS):
        rows = int(20 * 10 ** (2 * draw.random()))
        x = draw.normal(size=(rows, COLUMNS)) * 3 ** draw.uniform(-1, 1)
        own = truth + draw.normal(size=COLUMNS)
        y = np.where(x @ own + 3 * draw.random() * draw.logistic(size=rows) > 0, 1.0, -1.0)
        agents.append(Agent(x, y))
    return agents
