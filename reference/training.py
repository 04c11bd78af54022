"""`corefed run` on a spec, and the same training in NumPy beside it."""

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd
from safetensors.numpy import load_file

from binary import corefed
from cases import write
from core import blocks
from records import measures, reached, worst_losses
from rounds import Trainer


@dataclass(frozen=True)
class Run:
    """The folder of a run, read as a user reads it."""

    header: dict
    rounds: pd.DataFrame
    agents: pd.DataFrame
    theta: np.ndarray

    def by_agent(self, column):
        """One row per round, one column per agent, in the order of the header."""
        table = self.agents.pivot(index="round", columns="agent", values=column)
        return table[[agent["name"] for agent in self.header["agents"]]].to_numpy(float)


def spec(tables, heading=""):
    """TOML: its scalars and lists of text are written as in JSON, tables under their headings."""
    plain = {k: v for k, v in tables.items() if not isinstance(v, dict)}
    lines = [f"{key} = {json.dumps(value)}" for key, value in plain.items()]
    for key, table in tables.items():
        if isinstance(table, dict):
            lines += [f"[{heading}{key}]", spec(table, f"{heading}{key}.")]
    return "\n".join(lines)


def run(folder, case, train, **top):
    """Trains a case by the binary. Batches are full unless the settings say otherwise."""
    stated = {"data": case.path.name, "agent": "agent", "target": "y", "model": case.family}
    stated |= {"raw": case.raw, "intercept": not case.raw, "l2": case.l2, "time_limit": 0, **top}
    local = {"batch": "full", **train.get("local", {})}
    text = spec({**stated, "train": {**train, "local": local}})
    path, out = folder / "spec.toml", folder / "out"
    path.write_text(text, encoding="utf-8")
    answer = corefed("run", path, "--out", out)
    # Blocked or undecided are answers, too; most models here are half trained.
    assert answer.code in (0, 1, 3), f"{answer.err}\n{text}"
    rounds, agents = (
        pd.read_json(out / f"{name}.jsonl", lines=True, precise_float=True)
        for name in ("rounds", "agents")
    )
    tensors = load_file(out / "model.safetensors")
    return Run(json.loads((out / "run.json").read_text()), rounds, agents, flat(tensors))


def flat(tensors):
    """Parameters in the order of the model: one row per class, the intercept at its end."""
    weight = tensors["weight"]
    if "bias" in tensors:
        weight = np.column_stack([weight, tensors["bias"]])
    return weight.ravel()


def shares(folder, name, values):
    """A file with a weight for every agent."""
    rows = [[f"agent {k}", value] for k, value in enumerate(values)]
    return write(folder / name, ["agent", "weight"], rows).name


def close(found, expected, tolerance, what):
    """Agreement relative to the larger of the number and one; infinities and gaps must coincide."""
    found, expected = np.array(found, float), np.array(expected, float)
    equal = np.isclose(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True)
    assert equal.all(), f"{what}\ncorefed {found.tolist()}\nNumPy   {expected.tolist()}"


def agrees(run, data, weights, average, train, tolerance):
    """Everything the folder says, against training in NumPy; returns its rounds."""
    names = [agent["name"] for agent in run.header["agents"]]
    assert names == data.names, f"{names} {data.names}"
    ceilings = np.array([agent["ceiling"] for agent in run.header["agents"]])
    radius = run.header["radius"]
    rounds = Trainer(data, ceilings, weights, average, radius, train).run()
    thetas = [r.theta for r in rounds]
    assert run.rounds["round"].tolist() == list(range(len(rounds)))

    losses = np.array([data.losses(theta) for theta in thetas])
    close(run.by_agent("loss"), losses, tolerance, "losses")
    close(run.by_agent("utility"), ceilings - losses, tolerance, "utilities")
    for column, values in [
        ("reported_loss", [r.reported for r in rounds[1:]]),
        ("weight", [r.weights for r in rounds[1:]]),
        ("update_norm", [r.update_norms for r in rounds[1:]]),
    ]:
        close(run.by_agent(column)[1:], values, tolerance, column)
    for column, values in [
        ("step_norm", [r.step_norm for r in rounds]),
        ("learning_rate", [r.rate for r in rounds]),
    ]:
        close(run.rounds[column], values, tolerance, column)
    for column in ("floored", "capped", "clipped"):
        listed = [[data.names[k] for k in getattr(r, column)] for r in rounds]
        assert run.rounds[column].tolist() == listed, f"{column} {run.rounds[column].tolist()}"
    assert run.rounds["warm_up"].tolist() == [r.warm_up for r in rounds]
    for found, expected in zip(run.rounds["raised"], rounds, strict=True):
        raised = {data.names[k]: ceiling for k, ceiling in expected.raised.items()}
        assert found.keys() == raised.keys(), f"{found} {raised}"
        close([found[name] for name in raised], list(raised.values()), tolerance, "raised ceilings")

    proven = np.all(ceilings >= worst_losses(data, radius) * (1 - 1e-12))
    records = measures(data, ceilings, weights, average, radius, thetas, proven)
    for column, values in pd.DataFrame(records).items():
        close(run.rounds[column].astype(float), values, tolerance, column)
    if not proven:
        assert run.rounds["bound"].isna().all(), run.rounds["bound"]
    worst = run.by_agent("utility").argmin(axis=1)
    assert run.rounds["worst_agent"].tolist() == [data.names[k] for k in worst]
    witnessed(run, data, weights, tolerance)
    close(run.theta, thetas[-1], tolerance, "parameters")
    return rounds


def witnessed(run, data, weights, tolerance):
    """The coalition that a record names reaches the kappa it states with the round it names."""
    utilities = run.by_agent("utility")
    for number, line in run.rounds.iloc[1:].iterrows():
        now, then = utilities[number], utilities[int(line["kappa_round"])]
        members = [data.names.index(name) for name in line["coalition"]]
        assert line["kappa_round"] < number, f"round {number} is tempted by {line['kappa_round']}"
        assert bool(members) == (float(line["kappa"]) > 0), f"{members} {line['kappa']}"
        if float(line["kappa"]) == np.inf:
            assert min(now[members]) <= 0 and blocks(members, now, then, weights), f"{members}"
        elif members:
            factor = reached(members, now, then, weights)
            close(factor, line["kappa"], tolerance, f"coalition {members} in round {number}")
