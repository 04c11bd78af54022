"""A few hundred forgeries of every run; `python reference/forging.py` draws as many as one likes."""

import json

import pytest

from first_checker import FirstChecker, is_built
from forging import Search, Tally, forge
from originals import BY_HAND, MODELS, TABLES, by_hand, issued
from second_checker import judge

FORGERIES = 30
unbuilt = pytest.mark.skipif(not is_built(), reason="corefed-verify is not built")


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    return issued(tmp_path_factory.mktemp("issued"))


def check(tally):
    assert not tally.disagreements, tally.disagreements[0]
    assert not tally.false, tally.false[0]


@pytest.mark.parametrize("name", BY_HAND)
def test_forgeries_of_certificates_by_hand(tmp_path, name):
    original = by_hand(tmp_path)[name]
    tally = forge([original], FORGERIES, 1, Tally())
    assert tally.judged >= FORGERIES, tally
    check(tally)


@pytest.mark.parametrize("name", [*MODELS, *TABLES])
def test_forgeries_of_issued_certificates(real, name):
    path, certificate = real[name]
    verdict = judge(json.dumps(certificate), path)
    assert verdict.accepted, verdict
    check(forge([(path, certificate)], FORGERIES, 2, Tally()))


def test_issued_certificates_are_of_every_kind(real):
    """Otherwise the search would start from too little."""
    claims = [certificate["claim"]["verdict"] for _, certificate in real.values()]
    kinds = [certificate["evidence"]["kind"] for _, certificate in real.values()]
    assert {"stable", "blocked", "improvable"} <= set(claims), claims
    assert {"conflicts", "frank-wolfe", "listed"} <= set(kinds), kinds


def test_a_lie_by_one_double_is_a_refusal_and_the_truth_is_not(tmp_path):
    """The search goes to the edge: of the last two documents one is accepted."""
    for path, original in by_hand(tmp_path).values():
        assert judge(json.dumps(original), path).accepted, original["claim"]
        tally = Tally()
        search = Search(path, original, 3, tally)
        while not tally.judged:
            search.edge()
        assert (tally.accepted, tally.refused) == (1, 1), tally
        check(tally)


class Always:
    """A first checker with one answer."""

    def __init__(self, verified):
        self.verified = verified

    def judge(self, _document):
        return self.verified, "always"


def test_a_checker_that_always_says_the_same_is_found_out(tmp_path):
    path, original = by_hand(tmp_path)["frank-wolfe"]
    original["agents"][0]["margin"] = original["agents"][1]["margin"] = 1.0
    for verified in (True, False):
        tally = Tally()
        Search(path, original, 4, tally, Always(verified)).run(10 * FORGERIES)
        wrong = tally.refused if verified else tally.accepted - tally.rounding
        assert wrong and len(tally.disagreements) == wrong, tally


SHAPES = [
    lambda t: t.replace('"version": 2', '"version": 2, "version": 2'),
    lambda t: t.replace('"version": 2', '"version": 2, "extra": 0'),
    lambda t: t.replace('"improvement": null, ', ""),
    lambda t: t.replace('"kind": "unbounded"', '"kind": "unbounded", "conflicts": []'),
    lambda t: t.replace('{"lo": 0.0, "hi": "inf"}', '[0.0, "inf"]'),
    lambda t: t.replace('"lo": 0.0, "hi": "inf"', '"lo": "-inf", "hi": "inf"'),
    lambda t: t.replace('"samples": 1', '"samples": 1.0'),
    lambda t: t.replace('"l2": 0.0', '"l2": -0.5'),
    lambda t: t.replace('"scale": 1.0', '"scale": 1.0, "missing": null'),
    lambda t: t.replace('"radius": 2.0', '"radius": 1e999'),
]


@unbuilt
@pytest.mark.parametrize("edit", range(len(SHAPES)))
def test_both_refuse_documents_of_another_form(tmp_path, edit):
    path, certificate = by_hand(tmp_path)["stable"]
    certificate["evidence"] = {"kind": "unbounded"}
    certificate["witness"] = None
    certificate["claim"]["kappa"] = {"lo": 0.0, "hi": "inf"}
    certificate["claim"]["everybody"] = {"lo": 0.0, "hi": "inf"}
    certificate["claim"]["verdict"] = "undecided"
    text = json.dumps(certificate)
    with FirstChecker(path) as first:
        assert judge(text, path).accepted and first.judge(text)[0], text
        forged = SHAPES[edit](text)
        assert forged != text, "nothing was changed"
        assert not judge(forged, path).accepted, forged
        assert not first.judge(forged)[0], forged
