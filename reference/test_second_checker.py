"""The second checker on certificates whose answers are known on paper."""

import copy
import math

import pytest

from by_hand import corrected, logistic_pair, parabolas, signed, softmax_pair, text_of
from judged import accepted, refused
from second_checker import judge

REAL = {
    "stable": lambda folder: parabolas(folder, 0.6, "stable"),
    "blocked": lambda folder: parabolas(folder, 0.4, "blocked"),
    "stable, corrected": corrected,
    "stable, curved": lambda folder: parabolas(folder, 0.6, "stable", sphere=0.0),
    "blocked, curved": lambda folder: parabolas(folder, 0.4, "blocked", sphere=0.125),
    "logistic": logistic_pair,
    "softmax": softmax_pair,
}


@pytest.mark.parametrize("name", REAL)
def test_true_certificates_are_accepted(tmp_path, name):
    path, certificate = REAL[name](tmp_path)
    accepted(path, certificate)


def test_the_blocked_parabola_reaches_four_thirds(tmp_path):
    _, certificate = parabolas(tmp_path, 0.4, "blocked")
    kappa = certificate["claim"]["kappa"]
    assert kappa["lo"] <= 4 / 3 <= kappa["hi"] <= 4 / 3 + 1e-15, kappa


@pytest.mark.parametrize("name", REAL)
def test_a_bound_one_double_too_small_is_refused(tmp_path, name):
    """Halving finds the last bound that is proven: the next double below is false."""
    path, certificate = REAL[name](tmp_path)
    first = certificate["evidence"]["conflicts"][0]
    low, high = 0.0, first["bound"]
    while (middle := (low + high) / 2) not in (low, high):
        first["bound"] = middle
        low, high = (low, middle) if judge(text_of(certificate), path).accepted else (middle, high)
    first["bound"] = low
    assert "conflict 0" in refused(path, certificate).reason


CHANGES = [
    (["claim", "kappa", "hi"], lambda hi: math.nextafter(hi, 0), "not covered"),
    (["claim", "kappa", "lo"], lambda lo: lo + 1e-12, "kappa"),
    (["claim", "everybody", "lo"], lambda _: 1 + 2e-16, "interval"),
    (["claim", "verdict"], lambda _: "undecided", "the intervals say"),
    (["claim", "tolerance"], lambda _: 0.11, "tolerance"),
    (["agents", 0, "weight"], lambda _: -1.0, "weight"),
    (["agents", 0, "weight"], lambda _: 1.5, ""),
    (["agents", 0, "utility"], lambda u: u + 1e-9, "margin"),
    (["agents", 0, "margin"], lambda _: -0.1, "margin"),
    (["agents", 0, "ceiling"], lambda m: m + 0.01, "margin"),
    (["agents", 0, "ceiling"], lambda _: None, "ceiling"),
    (["agents", 0, "samples"], lambda _: 2, "others"),
    (["agents", 0, "name"], lambda _: "c", "others"),
    (["agents", 0, "name"], lambda _: " ", "blank"),
    (["agents", 0, "name"], lambda _: "b", "one name"),
    (["witness"], lambda _: None, "witness"),
    (["witness", "gains", 0], lambda g: g + 1e-12, "stated"),
    (["witness", "gains", 0], lambda _: "inf", "infinitely"),
    (["witness", "gains"], lambda _: [], "one gain"),
    (["witness", "coalition"], lambda _: [0, 1], ""),
    (["witness", "coalition"], lambda _: [2], "unknown"),
    (["witness", "coalition"], lambda _: [], "empty"),
    (["witness", "rival"], lambda _: {"row": "a"}, "no parameters"),
    (["witness", "rival", "parameters"], lambda _: [2.5], "outside"),
    (["witness", "rival", "parameters"], lambda _: [0.0, 0.0], "1 numbers"),
    (["subject", "radius"], lambda _: 0.4, "outside"),
    (["subject", "l2"], lambda _: -0.5, "convex"),
    (["subject", "parameters", 0], lambda _: 0.75, "margin"),
    (["evidence", "conflicts"], lambda _: [], "contains no conflict"),
    (["evidence", "conflicts", 2], lambda c: {**c, "agents": [], "multipliers": []}, "no agents"),
    (["evidence", "conflicts", 0, "multipliers"], lambda _: [0.0], "not positive"),
    (["evidence", "conflicts", 2, "multipliers"], lambda _: [1.0, 2.0], "conflict 2"),
    (["evidence", "conflicts", 2, "agents"], lambda _: [1, 0], "ascend"),
    (["evidence", "conflicts", 0, "point"], lambda _: [1e18], "outside"),
    (["evidence", "conflicts", 0, "sphere"], lambda _: -1.0, "negative"),
    (["evidence", "conflicts", 0, "correction"], lambda _: [2.5], "outside"),
    (["evidence", "conflicts", 0, "correction"], lambda _: [0.0, 0.0], "1 numbers"),
    (["evidence", "conflicts", 2, "correction"], lambda _: [0.1], "conflict 2"),
    (["evidence"], lambda _: {"kind": "unbounded"}, "no evidence"),
    (["evidence"], lambda _: {"kind": "listed"}, "not evidence about"),
]


@pytest.mark.parametrize(("steps", "to", "why"), CHANGES)
def test_one_changed_field_is_refused(tmp_path, steps, to, why):
    path, certificate = parabolas(tmp_path, 0.4, "blocked")
    *outer, last = steps
    place = certificate
    for step in outer:
        place = place[step]
    place[last] = to(place.get(last) if isinstance(place, dict) else place[last])
    refused(path, signed(certificate, path), why)


def test_other_data_or_parameters_are_refused(tmp_path):
    path, certificate = parabolas(tmp_path, 0.6, "stable")
    for name in ("data", "parameters"):
        forged = copy.deepcopy(certificate)
        forged["digests"][name] = "0" * 64
        refused(path, forged, "others")


TEXTS = [
    lambda t: t.replace('"version": 2', '"version": 2, "version": 2'),
    lambda t: t.replace('"version": 2', '"version": 1'),
    lambda t: t.replace('"version": 2', '"version": 2.0'),
    lambda t: t.replace('"version": 2', '"version": 2, "extra": 0'),
    lambda t: t.replace(', "margin": 1e-17', "", 1),
    lambda t: t.replace('"hopeless": []', '"hopeless": [], "gap": 0'),
    lambda t: t.replace(', "hopeless": []', ""),
    lambda t: t.replace('"improvement": null, ', ""),
    lambda t: t.replace('"radius": 2.0', '"radius": NaN'),
    lambda t: t.replace('"radius": 2.0', '"radius": Infinity'),
    lambda t: t.replace('"radius": 2.0', '"radius": 1e999'),
    lambda t: t.replace('"radius": 2.0', '"radius": "inf"'),
    lambda t: t.replace('"radius": 2.0', '"radius": "2.0"'),
    lambda t: t.replace('"samples": 1', '"samples": 1.0'),
    lambda t: t.replace('"samples": 1', '"samples": true'),
    lambda t: t.replace('"gains": [', '"gains": ["-inf", '),
    lambda t: t.replace('"kind": "conflicts"', '"kind": "conflict"'),
    lambda t: t + "{}",
    lambda t: t[:-1],
    lambda t: "[" * 100_000,
]


@pytest.mark.parametrize("edit", range(len(TEXTS)))
def test_documents_of_another_form_are_refused(tmp_path, edit):
    path, certificate = parabolas(tmp_path, 0.6, "stable")
    text = TEXTS[edit](text_of(certificate))
    assert text != text_of(certificate), "nothing was changed"
    assert not judge(text, path).accepted


def test_numbers_are_the_doubles_that_they_round_to(tmp_path):
    """Written otherwise, the same document: one has its radius as an integer."""
    path, certificate = parabolas(tmp_path, 0.6, "stable")
    text = text_of(certificate).replace('"radius": 2.0', '"radius": 2')
    assert judge(text, path).accepted
    text = text.replace("0.6,", "0.59999999999999997779554,")
    assert judge(text, path).accepted


def test_room_and_miss_say_how_close_it_was(tmp_path):
    path, certificate = parabolas(tmp_path, 0.6, "stable")
    certificate["claim"]["kappa"]["hi"] = 0.9
    assert accepted(path, certificate).room < 1e-15
    certificate["evidence"]["conflicts"][0]["bound"] *= 1 - 1e-5
    miss = refused(path, certificate).miss
    assert math.isclose(miss, 1e-5, rel_tol=1e-3), miss
