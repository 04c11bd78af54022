"""What one lying agent gains, and what it costs the others, under every rule, without and with guards.

    python experiments/liars/study.py --seeds 10 --out experiments/liars

Ten agents train a logistic regression by rounds through `corefed.Server`, with the guards of
`corefed.flower`. The last one wants the opposite model: its labels are flipped, so whatever it gains,
the others lose. Utilities are true ones, one and a half times an agent's true first loss less its loss.
"""

from __future__ import annotations

import argparse
import json
import logging
import platform
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import corefed
from corefed.flower.guards import Guards

AGENTS, COLUMNS, ROWS, ROUNDS, STEPS, RATE = 10, 5, 200, 60, 5, 0.5
RULES = ("fedavg", "corefed", "afl", "qffl", "term", "fedmgda", "nash-mtl")
FACTOR, FLOOR = 1.5, 0.1
#: Those of `corefed.flower` unless told otherwise.
GUARDED = {"share_cap": 3.0, "norm_cap": 5.0, "ceiling_spread": 3.0}
NORM_CAPS = (3.0, 5.0, 10.0, None)


@dataclass
class Agent:
    """Rows that nobody else sees."""

    x: np.ndarray
    y: np.ndarray

    def loss(self, model: np.ndarray) -> float:
        margin = self.y * (self.x @ model)
        return float(np.logaddexp(0, -margin).mean())

    def update(self, model: np.ndarray) -> np.ndarray:
        trained = model.copy()
        for _ in range(STEPS):
            slope = -self.y / (1 + np.exp(self.y * (self.x @ trained)))
            trained -= RATE * (slope[:, None] * self.x).mean(0)
        return trained - model


@dataclass(frozen=True)
class Lie:
    """What liars say instead of the truth."""

    who: tuple[int, ...] = (AGENTS - 1,)
    first: Callable[[float], float] = lambda loss: loss
    #: Of the true loss, and of the ceiling that the server holds.
    loss: Callable[[float, float], float] = lambda loss, ceiling: loss
    update: Callable[[np.ndarray, np.random.Generator], np.ndarray] = lambda update, draw: update


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
    "three collude": Lie(who=(7, 8, 9), loss=under),
}


def federation(seed: int, opposed: tuple[int, ...]) -> list[Agent]:
    draw = np.random.default_rng(seed)
    truth = draw.normal(size=COLUMNS)
    agents = []
    for agent in range(AGENTS):
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


@dataclass
class Ended:
    """A run: true utilities at its end, and how often guards acted on whom."""

    utilities: np.ndarray
    share: float
    acted: np.ndarray


def trained(rule: str, agents: list[Agent], lie: Lie, seed: int, guards: dict) -> Ended:
    draw = np.random.default_rng(seed + 1000)
    model, names = np.zeros(COLUMNS), [f"agent-{k}" for k in range(len(agents))]
    first = [agent.loss(model) for agent in agents]
    told = [lie.first(loss) if k in lie.who else loss for k, loss in enumerate(first)]
    relative = Guards(guards.get("norm_cap"), guards.get("ceiling_spread"))
    ceilings = [FACTOR * loss for loss in relative.first_losses("initial", names, told)]
    server = corefed.Server(
        rule, agents=names, ceilings=ceilings, share_cap=guards.get("share_cap")
    )
    state, shares, acted = None, [], np.zeros(len(agents))
    for _ in range(ROUNDS):
        losses, updates = {}, {}
        for k, agent in enumerate(agents):
            losses[names[k]], updates[names[k]] = agent.loss(model), {"w": agent.update(model)}
            if k in lie.who:
                losses[names[k]] = lie.loss(losses[names[k]], ceilings[k])
                updates[names[k]] = {"w": lie.update(updates[names[k]]["w"], draw)}
        norms = {name: float(np.linalg.norm(update["w"])) for name, update in updates.items()}
        shortened = relative.shorten(updates, norms)
        done = server.aggregate(
            model, {name: update["w"] for name, update in updates.items()},
            losses=losses, learning_rate=RATE, state=state,
        )
        model, state = done.model, done.state
        total = sum(done.weights.values()) or 1.0
        shares.append(done.weights.get(names[-1], 0.0) / total)
        for name in {*shortened, *(done.capped if guards else [])}:
            acted[names.index(name)] += 1 / ROUNDS
    utilities = np.array([FACTOR * f - a.loss(model) for f, a in zip(first, agents, strict=True)])
    return Ended(utilities, float(np.mean(shares)), acted)


def attacked(seeds: int) -> list[dict]:
    found = []
    for rule in RULES:
        for name, lie in LIES.items():
            for guarded in (False, True):
                rows = []
                for seed in range(1, seeds + 1):
                    opposed = (7, 8, 9) if name == "three collude" else (9,)
                    agents, guards = federation(seed, opposed), GUARDED if guarded else {}
                    honest = trained(rule, agents, LIES["honest"], seed, guards)
                    lied = trained(rule, agents, lie, seed, guards)
                    others = [k for k in range(AGENTS) if k not in opposed]
                    change = lied.utilities - honest.utilities
                    rows.append(
                        (lied.share, change[-1], change[others].mean(), change[others].min(),
                         lied.acted[-1])
                    )
                share, gain, cost, worst, acted = np.mean(rows, axis=0).tolist()
                found.append(
                    {"rule": rule, "lie": name, "guarded": guarded, "share": share, "gain": gain,
                     "others": cost, "worst": worst, "acted": acted}
                )
    return found


def false_alarms(seeds: int) -> list[dict]:
    found = []
    for rule in RULES:
        rows = []
        for seed in range(1, seeds + 1):
            agents = heterogeneous(seed)
            free = trained(rule, agents, LIES["honest"], seed, {})
            held = trained(rule, agents, LIES["honest"], seed, GUARDED)
            change = held.utilities - free.utilities
            rows.append((held.acted.mean(), (held.acted > 0).mean(), change.mean(), change.min()))
        acted, agents_hit, change, worst = np.mean(rows, axis=0).tolist()
        found.append(
            {"rule": rule, "rounds": acted, "agents": agents_hit, "utility": change, "worst": worst}
        )
    return found


def lengths(seeds: int) -> list[dict]:
    """How long an update may be: what that does to a liar, and to an honest agent all others oppose."""
    found = []
    for rule in ("fedavg", "corefed"):
        for cap in NORM_CAPS:
            guards, rows = GUARDED | {"norm_cap": cap}, []
            for seed in range(1, seeds + 1):
                agents = federation(seed, (9,))
                free = trained(rule, agents, LIES["honest"], seed, GUARDED | {"norm_cap": None})
                honest = trained(rule, agents, LIES["honest"], seed, guards)
                lied = trained(rule, agents, LIES["update times 10"], seed, guards)
                rows.append(
                    (honest.utilities[-1] - free.utilities[-1], honest.acted[-1],
                     lied.utilities[-1] - honest.utilities[-1],
                     (lied.utilities - honest.utilities)[:-1].mean())
                )
            cost, acted, gain, others = np.mean(rows, axis=0).tolist()
            found.append(
                {"rule": rule, "norm_cap": cap, "honest": cost, "acted": acted, "gain": gain,
                 "others": others}
            )
    return found


def markdown(attacks: list[dict], alarms: list[dict], caps: list[dict], seeds: int) -> str:
    lines = [
        "# What a liar gains, and what it costs the others", "",
        f"`python experiments/liars/study.py --seeds {seeds} --out experiments/liars`, Python "
        f"{platform.python_version()}, NumPy {np.__version__}; the mean over {seeds} seeds.",
        "Ten agents, one of them opposed to all others (three in the last row of each rule), 60 rounds of five",
        "local steps of a logistic regression. *Share* is the liar's part of a step, *gain* the change of its true",
        "utility against being honest, *others* and *worst* the change of theirs, mean and smallest;",
        "*seen* is the part of rounds in which a guard acted on the liar. Guards: "
        + ", ".join(f"`{key} = {value:g}`" for key, value in GUARDED.items()) + ".", "",
    ]
    for rule in RULES:
        lines += [
            f"## {rule}", "",
            "| lie | share | gain | others | worst | with guards: share | gain | others | worst | seen |",
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        ]
        for name in LIES:
            cells = []
            for guarded in (False, True):
                (row,) = [
                    r for r in attacks
                    if (r["rule"], r["lie"], r["guarded"]) == (rule, name, guarded)
                ]
                cells += [f"{row['share']:.2f}"]
                cells += [f"{row[key]:+.2f}" for key in ("gain", "others", "worst")]
            lines.append(f"| {name} | " + " | ".join(cells) + f" | {row['acted']:.0%} |")
        lines.append("")
    lines += [
        "## False alarms", "",
        "Ten honest agents that have little in common (20 to 2,000 rows, scales of columns from 1/3 to 3, noise):",
        "how often a guard acts on anybody, on how many agents at least once, and what that does to utilities.", "",
        "| rule | rounds of agents | agents | utility, mean | smallest |", "|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['rule']} | {row['rounds']:.1%} | {row['agents']:.0%} | {row['utility']:+.3f} | {row['worst']:+.3f} |"
        for row in alarms
    ]
    lines += [
        "", "## How long an update may be", "",
        "The honest agent that all others oppose sends the longest updates, because the model serves it worst. A low",
        "`norm_cap` stops long updates, and takes from it what the rule would give it. *Honest* is the change of its",
        "utility by the cap, *acted* the part of rounds in which it is cut; *gain* and *others* are those of a liar that",
        "sends ten times its update.", "",
        "| rule | `norm_cap` | honest | acted | gain | others |", "|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['rule']} | {row['norm_cap'] or 'none'} | {row['honest']:+.2f} | {row['acted']:.0%} |"
        f" {row['gain']:+.2f} | {row['others']:+.2f} |"
        for row in caps
    ]
    return "\n".join(wrapped(lines)) + "\n"


def wrapped(lines: list[str]) -> Iterator[str]:
    """Paragraphs of at most 100 columns; tables and headings as they are."""
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if line and not line.startswith(("|", "#")):
            paragraph.append(line)
            continue
        yield from textwrap.wrap(" ".join(paragraph), 100, break_on_hyphens=False)
        paragraph = []
        yield line


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    logging.getLogger("flwr").setLevel(logging.ERROR)
    attacks, alarms, caps = attacked(asked.seeds), false_alarms(asked.seeds), lengths(asked.seeds)
    asked.out.mkdir(parents=True, exist_ok=True)
    found = {"seeds": asked.seeds, "guards": GUARDED, "attacks": attacks, "false_alarms": alarms, "lengths": caps}
    (asked.out / "results.json").write_text(json.dumps(found, indent=1) + "\n")
    (asked.out / "README.md").write_text(markdown(attacks, alarms, caps, asked.seeds))
    sys.stdout.write(f"written: {asked.out / 'README.md'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
