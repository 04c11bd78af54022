"""What one lying agent gains, and what it costs the others, under every rule, without and with guards.

    python experiments/liars/study.py --seeds 10 --out experiments/liars

Ten agents, and then three to six, train a logistic regression by rounds through `corefed.Server`, with the guards of
`corefed.flower`. The last one wants the opposite model: its labels are flipped, so whatever it gains,
the others lose. Utilities are true ones, one and a half times an agent's true first loss less its loss.

Under Newton agents send gradients and Hessians of one point instead of updates, and a lie about an update is
one about the gradient.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import newton
import numpy as np
from agents import AGENTS, COLUMNS, LIES, MOVED, RATE, Agent, Lie, federation, heterogeneous
from tables import markdown

import corefed
from corefed._federation.guards import Guards
from corefed._federation.model import Model
from corefed._federation.movement import Movement

ROUNDS, FACTOR = 60, 1.5
RULES = ("fedavg", "corefed", "propfair", "afl", "qffl", "term", "fedmgda", "nash-mtl", "newton")
#: Those of `corefed.flower` unless told otherwise.
GUARDED = {"share_cap": 3.0, "norm_cap": 5.0, "ceiling_spread": 3.0, "rows_spread": 10.0}
NORM_CAPS = (3.0, 5.0, 10.0, None)
ROWS_SPREADS = (3.0, 5.0, 10.0, 30.0, None)
#: Rules whose shares follow from reported losses, and lies about these.
BY_LOSS = ("corefed", "afl", "qffl", "term")
ABOUT_LOSSES = ("first loss 0.001", "loss 1e300")


@dataclass
class Ended:
    """A run: true utilities at its end, and how often guards acted on whom."""

    utilities: np.ndarray
    share: float
    acted: np.ndarray
    #: Agents whose number of rows was cut.
    cut: int
    #: In which part of rounds losses of an agent went against its own updates.
    doubted: np.ndarray


def trained(
    rule: str, agents: list[Agent], lie: Lie, seed: int, guards: dict, batches: bool = False
) -> Ended:
    draw = np.random.default_rng(seed + 1000)
    model, names = np.zeros(COLUMNS), [f"agent-{k}" for k in range(len(agents))]
    first = [agent.loss(model) for agent in agents]
    told = [lie.first(loss) if k in lie.who else loss for k, loss in enumerate(first)]
    rows = [lie.rows(len(a.y)) if k in lie.who else len(a.y) for k, a in enumerate(agents)]
    relative = Guards(*(guards.get(g) for g in ("norm_cap", "ceiling_spread", "rows_spread")))
    ceilings = [FACTOR * loss for loss in relative.first_losses("initial", names, told)]
    counted = relative.row_counts(names, rows, "samples")
    server = None
    if rule != "newton":
        cap = guards.get("share_cap")
        server = corefed.Server(
            rule, agents=names, ceilings=ceilings, samples=counted, share_cap=cap
        )
    by_ceiling = rule == "propfair"
    state, shares, acted = None, [], np.zeros(len(agents))
    movement, doubted = Movement(), np.zeros(len(agents))
    for _ in range(ROUNDS):
        losses, updates = {}, {}
        for k, agent in enumerate(agents):
            if server is None:
                update = newton.sent(agent, model)
            elif batches:
                update = {"w": agent.batched(model, draw)}
            else:
                update = {"w": agent.update(model, ceilings[k] if by_ceiling else None)}
            losses[names[k]], updates[names[k]] = agent.loss(model), update
            if k in lie.who:
                losses[names[k]] = lie.loss(losses[names[k]], ceilings[k])
                update["w"] = lie.update(update["w"], draw)
        norms = {name: float(np.linalg.norm(update["w"])) for name, update in updates.items()}
        # Under PropFair honest updates are long close to a ceiling, so that none is shortened.
        shortened = [] if by_ceiling else relative.shorten(updates, norms)
        if server is None:
            done = newton.step(model, updates, losses, ceilings, state)
        else:
            done = server.aggregate(
                model, {name: update["w"] for name, update in updates.items()},
                losses=losses, learning_rate=RATE, state=state,
            )
        before, after = Model({"w": model}), Model({"w": done.model})
        for name in movement.round(before, after, losses, updates):
            doubted[names.index(name)] += 1 / ROUNDS
        model, state = done.model, done.state
        total = sum(done.weights.values()) or 1.0
        shares.append(done.weights.get(names[-1], 0.0) / total)
        for name in {*shortened, *(done.capped if guards else [])}:
            acted[names.index(name)] += 1 / ROUNDS
    for k, (count, told_rows) in enumerate(zip(counted, rows, strict=True)):
        acted[k] = 1.0 if count != told_rows and rule in ("fedavg", "propfair") else acted[k]
    utilities = np.array([FACTOR * f - a.loss(model) for f, a in zip(first, agents, strict=True)])
    return Ended(utilities, float(np.mean(shares)), acted, sum(a != b for a, b in zip(counted, rows)), doubted)


@cache
def honest(rule: str, seed: int, opposed: tuple[int, ...], guards: tuple) -> Ended:
    return trained(rule, federation(seed, opposed), LIES["honest"], seed, dict(guards))


def attacked(seeds: int) -> list[dict]:
    found = []
    for rule in RULES:
        for name, lie in LIES.items():
            for guarded in (False, True):
                rows, guards = [], GUARDED if guarded else {}
                for seed in range(1, seeds + 1):
                    opposed = (7, 8, 9) if name.startswith("three collude") else (9,)
                    before = honest(rule, seed, opposed, tuple(guards.items()))
                    lied = trained(rule, federation(seed, opposed), lie, seed, guards)
                    others = [k for k in range(AGENTS) if k not in opposed]
                    change = lied.utilities - before.utilities
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


def few(seeds: int) -> list[dict]:
    """Federations of three to six, where a multiple of a fair share can be everything."""
    found = []
    for rule in BY_LOSS:
        for lie in ABOUT_LOSSES:
            for size in (3, 4, 5, 6):
                row = {"rule": rule, "lie": lie, "agents": size}
                for guards in ({}, GUARDED):
                    rows = []
                    for seed in range(1, seeds + 1):
                        agents = federation(seed, (size - 1,), size)
                        before = trained(rule, agents, LIES["honest"], seed, guards)
                        told = replace(LIES[lie], who=(size - 1,))
                        lied = trained(rule, agents, told, seed, guards)
                        change = lied.utilities - before.utilities
                        rows.append((before.share, lied.share, change[-1], change[:-1].mean()))
                    row["guarded" if guards else "free"] = np.mean(rows, axis=0).tolist()
                found.append(row)
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
            opposed = honest(rule, seed, (9,), tuple(GUARDED.items()))
            loss = opposed.utilities - honest(rule, seed, (9,), ()).utilities
            rows.append(
                (held.acted.mean(), (held.acted > 0).mean(), change.mean(), change.min(),
                 opposed.acted[-1], loss[-1])
            )
        names = ("rounds", "agents", "utility", "worst", "opposed", "opposed_utility")
        found.append({"rule": rule} | dict(zip(names, np.mean(rows, axis=0).tolist())))
    return found


def contradictions(seeds: int) -> list[dict]:
    """How often honest agents seem to contradict themselves, by how they measure the second time."""
    ways = {
        "the same code": lambda agent, model, draw: agent.loss(model),
        "single precision, rows in another order": lambda agent, model, draw: agent.hurried(model),
        "another half of the rows each time": lambda agent, model, draw: agent.sampled(model, draw),
    }
    counts = {way: [0, 0] for way in ways}
    rows_cut = 0
    for seed in range(1, seeds + 1):
        agents, draw, model = heterogeneous(seed), np.random.default_rng(seed), np.zeros(COLUMNS)
        rows_cut += trained("fedavg", agents, LIES["honest"], seed, GUARDED).cut
        for _ in range(ROUNDS):
            for way, measure in ways.items():
                sampled = way.startswith("another")
                guards = Guards(None, None, None, log=lambda *told: None)
                before = {
                    str(k): agent.sampled(model, draw) if sampled else agent.loss(model)
                    for k, agent in enumerate(agents)
                }
                now = {str(k): measure(agent, model, draw) for k, agent in enumerate(agents)}
                counts[way][0] += len(guards.compare(1, before, now))
                counts[way][1] += len(agents)
            model = model + np.mean([agent.update(model) for agent in agents], axis=0)
    found = [{"way": way, "rate": odd / of} for way, (odd, of) in counts.items()]
    return [*found, {"way": "rows", "rate": rows_cut / (seeds * AGENTS)}]


def movements(seeds: int) -> list[dict]:
    """How often an agent is named because its losses go against its updates: honest ones, and liars."""
    found = []
    for rule in BY_LOSS:
        for batches in (False, True):
            row = {"rule": rule, "batches": batches}
            alike, opposed = [], {name: [] for name in MOVED}
            for seed in range(1, seeds + 1):
                agents = heterogeneous(seed)
                ended = trained(rule, agents, LIES["honest"], seed, GUARDED, batches)
                alike.append(ended.doubted.mean())
                for name in MOVED:
                    agents = federation(seed, (9,))
                    ended = trained(rule, agents, LIES[name], seed, GUARDED, batches)
                    opposed[name].append(ended.doubted[-1])
            row["different"] = float(np.mean(alike))
            found.append(row | {name: float(np.mean(rates)) for name, rates in opposed.items()})
    return found


def lengths(seeds: int) -> list[dict]:
    """How long an update may be: what that does to a liar, and to an honest agent all others oppose."""
    found = []
    for rule in ("fedavg", "corefed", "afl"):
        for share_cap in (3.0, None) if rule == "afl" else (3.0,):
            for cap in NORM_CAPS:
                base = GUARDED | {"share_cap": share_cap}
                guards, rows = base | {"norm_cap": cap}, []
                for seed in range(1, seeds + 1):
                    free = honest(rule, seed, (9,), tuple((base | {"norm_cap": None}).items()))
                    before = honest(rule, seed, (9,), tuple(guards.items()))
                    lie = LIES["update times 10"]
                    lied = trained(rule, federation(seed, (9,)), lie, seed, guards)
                    rows.append(
                        (before.utilities[-1] - free.utilities[-1], before.acted[-1],
                         lied.utilities[-1] - before.utilities[-1],
                         (lied.utilities - before.utilities)[:-1].mean())
                    )
                cost, acted, gain, others = np.mean(rows, axis=0).tolist()
                found.append(
                    {"rule": rule, "share_cap": share_cap, "norm_cap": cap, "honest": cost,
                     "acted": acted, "gain": gain, "others": others}
                )
    return found


def sizes(seeds: int) -> list[dict]:
    """How many rows may count: what that does to a liar, and to honest agents of different sizes."""
    found = []
    for spread in ROWS_SPREADS:
        guards, rows = GUARDED | {"rows_spread": spread}, []
        for seed in range(1, seeds + 1):
            agents = heterogeneous(seed)
            free = trained("fedavg", agents, LIES["honest"], seed, GUARDED | {"rows_spread": None})
            held = trained("fedavg", agents, LIES["honest"], seed, guards)
            before = honest("fedavg", seed, (9,), tuple(guards.items()))
            lied = trained("fedavg", federation(seed, (9,)), LIES["rows 1e12"], seed, guards)
            own, gained = held.utilities - free.utilities, lied.utilities - before.utilities
            rows.append(
                (held.cut / AGENTS, own.mean(), own.min(), lied.share, gained[-1], gained[:-1].mean())
            )
        names = ("cut", "utility", "worst", "share", "gain", "others")
        found.append({"rows_spread": spread} | dict(zip(names, np.mean(rows, axis=0).tolist())))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    for name in ("flwr", "corefed"):
        logging.getLogger(name).setLevel(logging.ERROR)
    found = {
        "seeds": asked.seeds,
        "guards": GUARDED,
        "attacks": attacked(asked.seeds),
        "few": few(asked.seeds),
        "false_alarms": false_alarms(asked.seeds),
        "contradictions": contradictions(asked.seeds),
        "movements": movements(asked.seeds),
        "lengths": lengths(asked.seeds),
        "sizes": sizes(asked.seeds),
    }
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "results.json").write_text(json.dumps(found, indent=1) + "\n")
    (asked.out / "README.md").write_text(markdown(found, RULES))
    sys.stdout.write(f"written: {asked.out / 'README.md'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
