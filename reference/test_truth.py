"""Brute force knows the answers that are known on paper, and sees through false claims."""

import copy
import math

import pytest

from by_hand import logistic_pair, parabolas, softmax_pair
from truth import falsehood, truth

COINS = (1 - math.log1p(math.exp(-1))) / (1 - math.log(2)) / 2

CASES = {
    "stable": (lambda folder: parabolas(folder, 0.6, "stable"), 6 / 7),
    "blocked": (lambda folder: parabolas(folder, 0.4, "blocked"), 4 / 3),
    "logistic": (logistic_pair, COINS),
    "softmax": (softmax_pair, COINS),
}


@pytest.mark.parametrize("name", CASES)
def test_the_best_rivals_are_found(tmp_path, name):
    make, kappa = CASES[name]
    path, certificate = make(tmp_path)
    found = truth(certificate, path)
    assert math.isclose(found.kappa, kappa, rel_tol=1e-9), found
    assert math.isclose(found.everybody, 1.0, rel_tol=1e-9), found
    assert falsehood(certificate, path) is None


@pytest.mark.parametrize("name", CASES)
def test_false_claims_are_seen(tmp_path, name):
    make, kappa = CASES[name]
    path, certificate = make(tmp_path)
    for ends in ({"lo": 0.0, "hi": kappa - 1e-6}, {"lo": kappa + 1e-4, "hi": 2.0}):
        forged = copy.deepcopy(certificate)
        forged["claim"]["kappa"] = ends
        assert falsehood(forged, path), ends
