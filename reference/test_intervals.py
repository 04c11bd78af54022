"""Confidence intervals of `corefed-evidence` against a second derivation.

The command does not print bare intervals, so an example program of the crate does.
"""

import json
import os
import subprocess

import numpy as np
import pytest

from binary import ROOT
from intervals import bounds

PROGRAM = os.environ.get("COREFED_INTERVALS", str(ROOT / "target/release/examples/intervals"))


def samples():
    """Ranges with samples of many shapes and sizes."""
    rng = np.random.default_rng(11)
    yield 0, 1, [0.3]
    yield 0, 1, [1.0, 1.0, 1.0]
    yield 0, 1, (rng.random(40) < 0.3).astype(float)
    yield 0, 1, rng.beta(0.3, 2.0, size=300)
    yield -1.5, 0.5, rng.uniform(-0.4, 0.1, size=120)
    yield 0, 2.5, np.full(80, 0.7)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_intervals_agree(level):
    cases = list(samples())
    lines = "".join(" ".join(map(repr, map(float, [lo, hi, *x]))) + "\n" for lo, hi, x in cases)
    done = subprocess.run(
        [PROGRAM, str(level)], input=lines, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(cases)
    for (lo, hi, x), answer in zip(cases, answers):
        for found in answer:
            method = found["method"]
            # A grid of 20,000 candidates finds the end of what betting rules out to a step.
            tolerance = (hi - lo) * (1 / 20000 if method == "betting" else 1e-12)
            one_sided = bounds(x, lo, hi, method, 1 - level)
            two_sided = bounds(x, lo, hi, method, (1 - level) / 2)
            both = f"{method}, {len(x)} samples: {found}, reference {one_sided} {two_sided}"
            np.testing.assert_allclose(
                [found["lower"], found["upper"]], one_sided, rtol=0, atol=tolerance, err_msg=both
            )
            np.testing.assert_allclose(
                found["interval"], two_sided, rtol=0, atol=tolerance, err_msg=both
            )
