"""What privacy costs: log of utility against epsilon, for several numbers of agents.

    python experiments/privacy/utility.py      # writes results.csv and the figure of the guide

Agents have logistic regressions on rows of their own; a round is one full gradient step each. The
server's noise and the agents' own noise are those of `corefed.flower`, called without a network.
"""

import argparse
import csv
import logging
from pathlib import Path
from statistics import mean, stdev

import matplotlib as mpl
import numpy as np

from corefed import Server
from corefed._federation.model import Model
from corefed.flower.private import CentralNoise, Privacy
from corefed.privacy import Budget, normal

HERE = Path(__file__).parent
FIGURE = HERE.parents[1] / "docs/images/privacy-utility.svg"
FEATURES, ROWS, ROUNDS, RATE, CEILING, CLIP, DELTA = 5, 200, 20, 2.0, 1.0, 0.25, 1e-5
#: Part of an agent's budget that its noised losses get, as at the server.
FOR_LOSSES = 0.1


def federation(agents: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels of every agent, around a truth that differs a little between agents."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=FEATURES) + 0.5 * rng.normal(size=(agents, FEATURES))
    rows = rng.normal(size=(agents, ROWS, FEATURES))
    chance = 1 / (1 + np.exp(-np.einsum("arf,af->ar", rows, truth)))
    return rows, (rng.random((agents, ROWS)) < chance).astype(float)


def measured(rows: np.ndarray, labels: np.ndarray, model: np.ndarray) -> tuple[np.ndarray, ...]:
    """Losses and gradients of all agents."""
    score = rows @ model
    losses = np.mean(np.logaddexp(0, score) - labels * score, axis=1)
    slope = 1 / (1 + np.exp(-score)) - labels
    return losses, np.einsum("arf,ar->af", rows, slope) / ROWS


def welfare(agents: int, epsilon: float, where: str, seed: int) -> float:
    """Mean log of utility after training; utilities below the floor count as the floor."""
    rows, labels = federation(agents, seed)
    draw = np.random.default_rng(1000 + seed).bytes
    names = list(range(agents))
    server = Server("corefed", agents=names, ceilings=CEILING, clip=CLIP, share_cap=3.0)
    central = secret = None
    if where == "server":
        central = CentralNoise(Privacy(epsilon, DELTA, CLIP, draw=draw), "corefed", ROUNDS, None)
    elif where == "agents":
        secret, noise = draw(32), Budget(epsilon, DELTA).noise(ROUNDS)
        own, lost = noise / np.sqrt(1 - FOR_LOSSES), noise / np.sqrt(FOR_LOSSES)
    model, state = np.zeros(FEATURES), None
    for number in range(ROUNDS):
        losses, gradients = measured(rows, labels, model)
        updates = -RATE * gradients
        told = dict(zip(names, losses.tolist(), strict=True))
        if central is not None:
            told = central.losses(number, told, dict.fromkeys(names, CEILING))
        if secret is not None:
            lengths = np.linalg.norm(updates, axis=1, keepdims=True)
            updates = updates * np.minimum(1, CLIP / lengths)
            drawn = normal(secret, f"{number}", agents * (FEATURES + 1)).reshape(agents, -1)
            updates = updates + own * CLIP * drawn[:, :FEATURES]
            noised = np.clip(losses, 0, CEILING) + lost * CEILING / 2 * drawn[:, -1]
            told = dict(zip(names, np.maximum(noised, 0).tolist(), strict=True))
            # Noised updates are long, and mean no harm.
            server = Server("corefed", agents=names, ceilings=CEILING, share_cap=3.0)
        done = server.aggregate(model, dict(enumerate(updates)), losses=told, state=state)
        model, state = done.model, done.state
        if central is not None:
            largest = max(done.weights.values())
            model = central.model(number, Model({"t": model}), largest, 1.0).parts["t"]
    utilities = np.maximum(CEILING - measured(rows, labels, model)[0], 0.1 * CEILING)
    return float(np.log(utilities).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=8)
    args = parser.parse_args()
    logging.getLogger("flwr").setLevel(logging.ERROR)
    epsilons = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0]
    series = [(5, "server"), (50, "server"), (500, "server"), (500, "agents")]
    found, seeds = [], range(args.seeds)
    for agents, where in series:
        plain = [welfare(agents, float("inf"), "none", seed) for seed in seeds]
        for epsilon in epsilons:
            private = [welfare(agents, epsilon, where, seed) for seed in seeds]
            costs = [without - own for without, own in zip(plain, private, strict=True)]
            found.append([agents, where, epsilon, mean(plain), mean(costs), stdev(costs)])
            print(f"{agents} agents, noise at {where}, epsilon {epsilon}: {mean(costs):.4f}")
    with (HERE / "results.csv").open("w", newline="", encoding="utf-8") as file:
        head = ["agents", "noise", "epsilon", "without_noise", "cost", "deviation_over_seeds"]
        csv.writer(file, lineterminator="\n").writerows([head, *found])
    draw(found, series, epsilons)


def draw(found: list, series: list, epsilons: list) -> None:
    """One line for each series: what noise costs, on seeds of data that are the same."""
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "corefed"
    import matplotlib.pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
    for agents, where in series:
        rows = [row for row in found if row[:2] == [agents, where]]
        costs, spread = ([row[k] for row in rows] for k in (4, 5))
        label = f"{agents} agents, noise at the {where}"
        axes.errorbar(epsilons, costs, spread, marker="o", capsize=2, label=label)
    axes.set(xscale="log", yscale="log", ylim=(1e-4, 3))
    axes.set(xlabel="epsilon of the whole run (delta 1e-5)", ylabel="loss of mean log of utility")
    axes.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons])
    axes.legend(fontsize=8)
    figure.savefig(FIGURE, metadata={"Date": None})


if __name__ == "__main__":
    main()
