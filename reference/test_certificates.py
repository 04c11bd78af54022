"""Certificates: `corefed verify` accepts the real ones, refuses forgeries, and NumPy agrees."""

import copy
import hashlib
import json
import math
import struct

import numpy as np
import pytest

from binary import corefed, solve
from cases import federation, write
from core import covered, dual_bound, share, tangent_gap, welfare_gradient
from model import decode

# How far a recomputed bound may exceed a stated one: rounding.
ROUNDING = 1e-9

KINDS = {
    # evidence and verdict: family, rule, flags
    "frank-wolfe": ("logistic", "core", ["--ceiling", "worst", "--radius", 3]),
    "frank-wolfe linear": ("linear", "core", ["--ceiling", "worst", "--radius", 3]),
    "frank-wolfe softmax": ("softmax", "core", ["--ceiling", "worst", "--radius", 3]),
    "conflicts": ("logistic", "core", ["--ceiling", "initial:1.5"]),
    "conflicts softmax": ("softmax", "core", ["--weights", "samples"]),
    "conflicts blocked": ("logistic", "egalitarian", ["--ceiling", "0.75", "--radius", 5]),
    "conflicts linear": ("linear", "core", ["--ceiling", "initial:1.2"]),
    "unbounded": ("linear", "utilitarian", ["--ceiling", "initial:1.1"]),
}


def issue(folder, kind, seed=15):
    """Solves, and returns the data file with the certificate."""
    family, rule, flags = KINDS[kind]
    case = federation(folder, family, seed, [25, 20, 30, 25], l2=0.01)
    path = folder / "certificate.json"
    solve(case, *flags, "--certificate", path, rule=rule)
    return case.path, json.loads(path.read_text())


def verify(folder, certificate, *data):
    path = folder / "checked.json"
    path.write_text(json.dumps(certificate))
    flags = ["--data", *data] if data else []
    return corefed("verify", path, *flags, "--json")


@pytest.mark.parametrize("kind", KINDS)
def test_real_certificates_are_accepted(tmp_path, kind):
    data, certificate = issue(tmp_path, kind)
    assert certificate["evidence"]["kind"] == kind.split()[0], certificate["evidence"]["kind"]
    answer = verify(tmp_path, certificate, data)
    assert answer.code == 0, answer.err
    assert answer.json["status"] == "verified", answer.json
    assert answer.json["kappa"] == certificate["claim"]["kappa"]
    assert verify(tmp_path, certificate).json["status"] == "consistent"


def test_of_several_data_files_the_right_one_is_used(tmp_path):
    data, certificate = issue(tmp_path, "conflicts")
    other = write(tmp_path / "other.csv", ["agent", "x", "y"], [["a", 1, 0], ["b", 1, 1]])
    assert verify(tmp_path, certificate, other, data).code == 0
    assert verify(tmp_path, certificate, other).code == 2


@pytest.mark.parametrize("kind", KINDS)
def test_numpy_reaches_the_claim_from_the_document_alone(tmp_path, kind):
    path, certificate = issue(tmp_path, kind)
    claim, predictor = certificate["claim"], certificate["subject"]
    theta, radius = np.array(predictor["parameters"]), predictor["radius"]
    digest = hashlib.sha256(struct.pack(f"<{len(theta)}d", *theta)).hexdigest()
    assert certificate["digests"]["parameters"] == digest
    assert certificate["digests"]["data"] == hashlib.sha256(path.read_bytes()).hexdigest()

    data = decode(path, predictor)
    stated, weights, ceilings = (
        np.array([agent[key] for agent in certificate["agents"]])
        for key in ("utility", "weight", "ceiling")
    )
    utilities = ceilings - data.losses(theta)
    assert np.allclose(stated, utilities, atol=ROUNDING), f"{stated} {utilities}"
    assert np.linalg.norm(theta) <= radius * (1 + 1e-12), np.linalg.norm(theta)

    supported = upper_end(certificate["evidence"], data, ceilings, weights, utilities, theta, radius)
    hi, lo = float(claim["kappa"]["hi"]), float(claim["kappa"]["lo"])
    assert supported <= hi + ROUNDING, f"supported {supported!r}, claimed {hi!r}"
    reached = lower_end(certificate["witness"], data, ceilings, weights, utilities, radius)
    assert lo <= reached + ROUNDING, f"claimed {lo!r}, reached {reached!r}"
    limit = 1 + claim["tolerance"]
    expected = "blocked" if lo > limit else "stable"
    assert claim["verdict"] == expected, claim
    assert max(hi, float(claim["everybody"]["hi"])) <= limit or expected == "blocked", claim


def upper_end(evidence, data, ceilings, weights, utilities, theta, radius):
    """The smallest kappa that the evidence proves, every number of it recomputed."""
    if evidence["kind"] == "frank-wolfe":
        _, gradient = welfare_gradient(data, ceilings, weights, theta)
        gap = tangent_gap(gradient, theta, radius)
        assert abs(gap - evidence["gap"]) <= ROUNDING * sum(weights), f"{gap} {evidence['gap']}"
        check_premise(evidence["worst_losses"], data, ceilings, radius)
        return 1 + gap / sum(weights)
    if evidence["kind"] == "unbounded":
        assert utilities.min() <= 0, f"nobody has nothing to lose: {utilities}"
        return math.inf
    for conflict in evidence["conflicts"]:
        bound = dual_bound(data, ceilings, utilities, conflict, radius)
        assert bound <= conflict["bound"] + ROUNDING, f"{bound!r} {conflict['bound']!r}"
        assert min(conflict["multipliers"]) > 0, conflict["multipliers"]
    return covered(evidence["conflicts"], weights)


def check_premise(worst_losses, data, ceilings, radius):
    """No loss in the ball exceeds its ceiling: by formula, or by the eigenvalues of a quadratic."""
    ridge = data.l2 / 2 * radius**2
    for i, (x, y) in enumerate(zip(data.inputs, data.targets, strict=True)):
        reach = radius * np.linalg.norm(x, axis=1)
        if data.family == "logistic":
            worst = np.mean(np.logaddexp(0, reach)) + ridge
        elif data.family == "softmax":
            others = np.log(len(data.classes) - 1)
            worst = np.mean(np.logaddexp(0, np.sqrt(2) * reach + others)) + ridge
        else:
            # With lambda I >= A the loss x'Ax - 2b'x + c is at most c + lambda R^2 plus
            # b'(lambda I - A)^-1 b: complete the square.
            values, vectors = np.linalg.eigh(x.T @ x / len(y) + data.l2 / 2 * np.eye(x.shape[1]))
            multiplier = worst_losses[i]["multiplier"]
            b = vectors.T @ (x.T @ y / len(y))
            assert multiplier >= values.max() - 1e-9, f"{multiplier} {values}"
            room = np.maximum(multiplier - values, 1e-300)
            worst = np.mean(y**2) + multiplier * radius**2 + np.sum(b**2 / room)
        stated = worst_losses[i]["bound"]
        assert worst <= stated * (1 + ROUNDING), f"agent {i}: {worst!r} {stated!r}"
        assert stated <= ceilings[i] * (1 + ROUNDING), f"agent {i}: {stated!r} {ceilings[i]!r}"


def lower_end(witness, data, ceilings, weights, utilities, radius):
    """What the witness reaches; nothing without one."""
    if witness is None:
        return 0.0
    rival, members = np.array(witness["rival"]["parameters"]), witness["coalition"]
    assert np.linalg.norm(rival) <= radius * (1 + 1e-9), np.linalg.norm(rival)
    then = ceilings - data.losses(rival)
    if any(utilities[i] <= 0 and then[i] > 0 for i in members):
        return math.inf
    return share(members, weights) * min(then[i] / utilities[i] for i in members)


def change(certificate, path, to):
    """A copy with one field replaced; `to` may be a function of the old value."""
    forged = copy.deepcopy(certificate)
    *steps, last = path
    place = forged
    for step in steps:
        place = place[step]
    place[last] = to(place[last]) if callable(to) else to
    return forged


FORGERIES = [
    ("conflicts", ["agents", 0, "utility"], lambda u: u + 0.01),
    ("conflicts", ["agents", 1, "samples"], lambda n: n + 1),
    ("conflicts", ["agents", 2, "name"], "nobody"),
    ("conflicts", ["claim", "kappa", "hi"], lambda hi: 0.9 * hi),
    ("conflicts", ["claim", "verdict"], "blocked"),
    ("conflicts", ["claim", "tolerance"], 0.5),
    ("conflicts", ["evidence", "conflicts"], []),
    ("conflicts", ["evidence", "conflicts", 0, "bound"], lambda b: 0.9 * b),
    ("conflicts", ["evidence", "conflicts", 0, "multipliers", 0], lambda p: -p),
    ("conflicts", ["subject", "parameters", 0], lambda t: t + 1e-6),
    ("conflicts", ["subject", "radius"], lambda r: 2 * r),
    ("conflicts", ["digests", "data"], "0" * 64),
    ("conflicts", ["version"], 1),
    ("conflicts", ["evidence", "kind"], "headroom"),
    ("conflicts blocked", ["claim", "verdict"], "stable"),
    ("conflicts blocked", ["witness"], None),
    ("conflicts blocked", ["witness", "gains", 0], lambda g: g + 0.1),
    ("conflicts blocked", ["claim", "kappa", "lo"], lambda lo: lo + 0.01),
    ("conflicts blocked", ["witness", "coalition"], [0, 1, 2, 3]),
    ("frank-wolfe", ["evidence", "gap"], -1e-6),
    ("frank-wolfe", ["evidence", "gradient"], [0.0]),
    ("frank-wolfe", ["evidence", "worst_losses", 0, "bound"], lambda b: b / 2),
    ("frank-wolfe", ["agents", 0, "ceiling"], lambda m: m / 2),
    ("frank-wolfe linear", ["evidence", "worst_losses", 1, "multiplier"], 0.0),
]


@pytest.mark.parametrize(("kind", "field", "to"), FORGERIES)
def test_forgeries_are_refused_with_a_reason(tmp_path, kind, field, to):
    data, certificate = issue(tmp_path, kind)
    forged = change(certificate, field, to)
    assert forged != certificate, "nothing was forged"
    answer = verify(tmp_path, forged, data)
    assert answer.code == 2, f"{field}: {answer.out}"
    assert answer.err.startswith("error: "), answer.err
    assert answer.out == "", answer.out


def test_a_proof_with_a_hole_is_refused_and_a_redundant_one_is_not(tmp_path):
    """Without one of its conflicts, a proof holds if and only if brute force still covers."""
    data, certificate = issue(tmp_path, "conflicts blocked")
    conflicts = certificate["evidence"]["conflicts"]
    weights = [agent["weight"] for agent in certificate["agents"]]
    seen = set()
    for k in range(len(conflicts)):
        rest = conflicts[:k] + conflicts[k + 1 :]
        claim = certificate["claim"]
        holds = covered(rest, weights) <= claim["kappa"]["hi"] * (1 + ROUNDING)
        holds = holds and min(c["bound"] for c in rest) <= claim["everybody"]["hi"]
        answer = verify(tmp_path, change(certificate, ["evidence", "conflicts"], rest), data)
        assert answer.code == (0 if holds else 2), f"without {k}: {holds} {answer}"
        seen.add(holds)
    assert False in seen, "every conflict is redundant"


def test_a_changed_data_file_is_refused_as_stale(tmp_path):
    data, certificate = issue(tmp_path, "conflicts")
    text = data.read_text()
    data.write_text(text.replace("yes", "no", 1))
    answer = verify(tmp_path, certificate, data)
    assert answer.code == 2, answer.out
    assert "certificate refused" in answer.err, answer.err
    data.write_text(text + "\n")
    assert verify(tmp_path, certificate, data).code == 2, "a byte more is another file"


@pytest.mark.parametrize(
    ("rival", "verdict"), [(["2.1", "0.1", "0.1"], "stable"), (["2.2", "0.1", "0.1"], "blocked")]
)
def test_certificates_of_tables_are_checked_on_the_table(tmp_path, rival, verdict):
    rows = [["now", "0.7", "0.9", "0.9"], ["then", *rival]]
    table = write(tmp_path / "t.csv", ["model", "a", "b", "c"], rows)
    path = tmp_path / "table.json"
    corefed("audit", table, "--incumbent", "now", "--certificate", path)
    certificate = json.loads(path.read_text())
    assert certificate["claim"]["verdict"] == verdict, certificate["claim"]
    assert verify(tmp_path, certificate, table).code == 0
    other = {"stable": "blocked", "blocked": "stable"}[verdict]
    assert verify(tmp_path, change(certificate, ["claim", "verdict"], other), table).code == 2
    rows[1][1] = "2.3"
    write(table, ["model", "a", "b", "c"], rows)
    assert verify(tmp_path, certificate, table).code == 2
