"""What a run is, as its folder says it."""

from __future__ import annotations

from typing import Any

from corefed._federation.model import Model
from corefed._federation.terms import Terms


def header(
    framework: str,
    name: str,
    rule: str,
    seed: int,
    rounds: int,
    model: Model,
    terms: Terms,
    tolerance: float,
    steadiness: dict[str, str],
) -> dict[str, Any]:
    """What a run is, as `run.json` has it."""
    agents = zip(
        terms.names,
        terms.samples,
        terms.held_out,
        terms.weights,
        terms.ceilings,
        terms.average,
        strict=True,
    )
    return {
        "name": name,
        "rule": rule,
        "seed": seed,
        "rounds": rounds,
        "model": {
            "family": framework.lower(),
            "parameters": sum(part.size for part in model.floats.values()),
            "scalar": "f32" if model.dtype.itemsize == 4 else "f64",
        },
        "data": {
            "file": f"{len(terms.names)} agents of a {framework} federation",
            "digest": "none: rows never left their agents",
        },
        "agents": [
            {
                "name": agent,
                "samples": samples,
                "held_out_samples": held_out,
                "weight": weight,
                "ceiling": ceiling,
                "average": average,
            }
            for agent, samples, held_out, weight, ceiling, average in agents
        ],
        "tolerance": tolerance,
        "radius": None,
        "premise": "rows never left their agents, so there is no `bound`",
        "steadiness": steadiness,
        "guards": terms.replaced,
    }
