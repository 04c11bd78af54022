"""The second checker on tables of utilities, by hand."""

import copy
import math
from fractions import Fraction

import pytest

from by_hand import agent, around, claim, document
from cases import write
from judged import accepted, refused


def table(folder, rows, says, witness=None, improvement=None, margin=1e-15):
    """The first row is the incumbent."""
    models = [[name, *cells] for name, cells in rows.items()]
    path = write(folder / "table.csv", ["model", "a", "b", "c"][: len(models[0])], models)
    utilities = [float(cell) for cell in models[0][1:]]
    agents = [agent(n, None, u, margin, samples=0) for n, u in zip("abc", utilities, strict=False)]
    subject = {"kind": "table", "incumbent": models[0][0]}
    return path, document(path, says, agents, subject, {"kind": "listed"}, witness, improvement)


def leave_for(row, coalition, gains):
    return {"coalition": coalition, "gains": gains, "rival": {"row": row}}


def test_ends_of_a_table_are_the_doubles_next_to_the_truth(tmp_path):
    """0.7/2.1 is a third and ends at doubles around it; 1/2 is a double."""
    rows = {"now": ["2.1", "1"], "then": ["0.7", "1"]}
    says = claim("stable", around(Fraction(1, 2)), around(Fraction(1, 3)), 0.0)
    path, certificate = table(tmp_path, rows, says)
    accepted(path, certificate)
    for end, value in (("kappa", 0.9), ("everybody", 0.4)):
        forged = copy.deepcopy(certificate)
        forged["claim"][end]["hi"] = value
        refused(path, forged, end)
    certificate["claim"]["everybody"]["lo"] = math.nextafter(certificate["claim"]["everybody"]["lo"], 0)
    refused(path, certificate, "everybody")


@pytest.mark.parametrize(("then", "verdict"), [("2.1", "stable"), ("2.2", "blocked")])
def test_ties_in_decimals_are_ties(tmp_path, then, verdict):
    """Agent 0 breaks even at 3 * 0.7 = 2.1 on paper, and leaves above it."""
    rows = {"now": ["0.7", "0.9", "0.9"], "then": [then, "0.1", "0.1"]}
    kappa, everybody = Fraction(then) / Fraction("0.7") / 3, Fraction(1, 9)
    says = claim(verdict, around(kappa), around(everybody), 0.0)
    witness = leave_for("then", [0], [3.0]) if verdict == "blocked" else None
    path, certificate = table(tmp_path, rows, says, witness)
    accepted(path, certificate)
    certificate["claim"]["verdict"] = {"stable": "blocked", "blocked": "stable"}[verdict]
    refused(path, certificate, "verdict")


def test_a_tie_for_some_and_more_for_others_blocks_at_tolerance_zero(tmp_path):
    """Two thirds of 1.5 and 1.625 are 1 and more: the pair leaves, with kappa exactly one."""
    rows = {"now": ["1", "1", "1"], "then": ["1.5", "1.625", "0.1"]}
    says = claim("blocked", {"lo": 1.0, "hi": 1.0}, around(Fraction(1, 10)), 0.0)
    path, certificate = table(tmp_path, rows, says, leave_for("then", [0, 1], [1.5, 1.625]))
    accepted(path, certificate)
    tolerant = copy.deepcopy(certificate)
    tolerant["claim"]["tolerance"] = 1e-9
    refused(path, tolerant, "the intervals say `stable`")
    tolerant["claim"]["verdict"] = "stable"
    accepted(path, tolerant)
    for change in ({"coalition": [0], "gains": [1.5]}, {"gains": [1.5, 1.7]}, {"rival": {"row": "now"}}):
        forged = copy.deepcopy(certificate)
        forged["witness"] |= change
        refused(path, forged)
    certificate["witness"] = None
    refused(path, certificate, "no witness")


def test_everybody_gains_a_little(tmp_path):
    """Nobody leaves for 1.125, but nobody loses by it either."""
    rows = {"now": ["1", "1"], "then": ["1.125", "1"]}
    says = claim("improvable", around(Fraction(9, 16)), {"lo": 1.0, "hi": 1.0}, 0.0)
    path, certificate = table(tmp_path, rows, says, None, leave_for("then", [0, 1], [1.125, 1.0]))
    accepted(path, certificate)
    certificate["improvement"] = None
    refused(path, certificate, "no witness")


def test_nothing_to_lose_is_infinite_and_less_than_nothing_is_nothing(tmp_path):
    rows = {"now": ["0", "1"], "then": ["0.1", "-3"]}
    says = claim("blocked", {"lo": "inf", "hi": "inf"}, {"lo": 0.0, "hi": 0.0}, 0.0)
    path, certificate = table(tmp_path, rows, says, leave_for("then", [0], ["inf"]))
    accepted(path, certificate)
    certificate["agents"][0]["ceiling"] = 1.0
    refused(path, certificate, "ceilings")


def test_utilities_are_decimals_and_margins_hold_them(tmp_path):
    rows = {"now": ["0.1", "1"], "then": ["0.1", "1"]}
    says = claim("stable", {"lo": 0.5, "hi": 0.5}, {"lo": 1.0, "hi": 1.0}, 0.0)
    accepted(*table(tmp_path, rows, says))
    refused(*table(tmp_path, rows, says, margin=0.0), "margin")
