"""A run over Flower's interface and one of the engine train the same model."""

import json

import numpy as np
import pytest
from hospitals import engine_model, federation, model_of, start_arrays

from corefed import flower

STRATEGIES = {
    "corefed": flower.CoreFed,
    "fedavg": flower.FedAvg,
    "propfair": flower.PropFair,
    "afl": flower.AFL,
    "qffl": flower.QFFL,
    "term": flower.TERM,
    "fedmgda": flower.FedMGDA,
    "nash-mtl": flower.NashMTL,
}


@pytest.mark.parametrize("rule", STRATEGIES)
def test_hospitals_over_flower_are_the_engines_hospitals(tmp_path, hospitals, rule):
    strategy = STRATEGIES[rule](
        ceilings=1.0,
        agents=hospitals.names,
        seed=8,
        learning_rate=1.0,
        correction="none",
        run=tmp_path / "run",
    )
    strategy.start(federation(hospitals, rule), start_arrays(hospitals), num_rounds=6, timeout=5)
    expected = engine_model(tmp_path / "engine", rule, 6, hospitals)
    same_run(tmp_path, expected)


def same_run(tmp_path, expected):
    weight, bias = model_of(tmp_path / "run")
    np.testing.assert_allclose(weight, expected["weight"], rtol=1e-11)
    np.testing.assert_allclose(bias, expected["bias"], rtol=1e-11)
    for name in ("rounds", "agents"):
        ours, theirs = (
            [json.loads(line) for line in (tmp_path / run / f"{name}.jsonl").open()]
            for run in ("run", "engine")
        )
        same_records(ours, theirs)


def same_records(ours, theirs):
    """Every column agrees to rounding, but for the bound: nobody has the rows to compute it."""
    assert len(ours) == len(theirs)
    for own, other in zip(ours, theirs, strict=True):
        assert own.keys() == other.keys()
        for key in own.keys() - {"bound"}:
            if isinstance(own[key], float) and isinstance(other[key], float):
                assert own[key] == pytest.approx(other[key], rel=1e-9, abs=1e-12), key
            else:
                assert own[key] == other[key], (own["round"], key)
