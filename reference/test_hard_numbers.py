"""Federations on which version 0.1.0 printed false verdicts, or issued what its own checker refused."""

import json

import numpy as np
import pytest

from binary import corefed
from cases import write

OFFSETS = [0, 1e2, 1e3, 1e5, 1e8, 1e10, 1e12]


def verified(tmp_path, data, *arguments, predictor=None):
    """Solves or audits, and has the certificate checked; returns the answer with the certificate."""
    path = tmp_path / "certificate.json"
    command = ["audit", data, "--predictor", predictor] if predictor else ["solve", data]
    columns = ["--agent", "agent", "--target", "y", "--model", "linear"]
    answer = corefed(*command, *columns, *arguments, "--certificate", path, "--json")
    assert answer.code in (0, 1, 3), answer.err
    checked = corefed("verify", path, "--data", data)
    assert checked.code == 0, checked.err
    certificate = json.loads(path.read_text())
    for interval in (certificate["claim"]["kappa"], certificate["claim"]["everybody"]):
        assert float(interval["lo"]) <= float(interval["hi"])
    assert all(agent["loss"] >= 0 for agent in answer.json["agents"]), answer.json["agents"]
    return answer.json


def two_opinions(folder, offset, unit=1.0, places=3):
    """Two agents whose slopes differ in sign; targets are `offset` plus `unit` times about one."""
    rng = np.random.default_rng(3)
    rows = []
    for agent, slope in (("a", 1.0), ("b", -1.0)):
        for x in rng.normal(size=12).round(3):
            y = slope * x + 0.3 * rng.normal()
            rows.append([agent, x, f"{offset + unit * y:.{places}f}"])
    return write(folder / f"offset-{offset:g}-{unit:g}.csv", ["agent", "x", "y"], rows)


@pytest.mark.parametrize("offset", OFFSETS)
def test_an_offset_of_the_target_changes_no_verdict(tmp_path, offset):
    """A ball ten times as large as needed holds the intercept; the losses do not depend on it."""
    radius = 10 * (offset + 1)
    for ceiling, verdict in (("1.4", "blocked"), ("3.0", "stable")):
        data = two_opinions(tmp_path, offset)
        found = verified(tmp_path, data, "--radius", radius, "--ceiling", ceiling)
        assert found["verdict"] == verdict, found["kappa"]
        plain = verified(tmp_path, two_opinions(tmp_path, 0), "--radius", 10, "--ceiling", ceiling)
        # Targets are doubles: around 1e12 they are a ten-thousandth apart.
        spacing = np.spacing(offset) if offset else 0.0
        assert found["kappa"]["lo"] == pytest.approx(plain["kappa"]["lo"], rel=1e-6 + 10 * spacing)


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3, 1e6])
def test_units_of_the_target_change_no_verdict(tmp_path, unit):
    """A standardised target has none; as it is, ceilings and ball go with the unit."""
    data, one = two_opinions(tmp_path, 0, unit, places=15), two_opinions(tmp_path, 0, places=9)
    for ceiling, verdict in ((1.4, "blocked"), (3.0, "stable")):
        rest = ["--radius", 10, "--ceiling", ceiling]
        found, plain = verified(tmp_path, data, *rest), verified(tmp_path, one, *rest)
        own = ["--raw", "--radius", 10 * unit, "--ceiling", ceiling * unit**2]
        raw, plain_raw = verified(tmp_path, data, *own), verified(tmp_path, one, "--raw", *rest)
        for now, before in ((found, plain), (raw, plain_raw)):
            assert (now["verdict"], before["verdict"]) == (verdict, verdict), now["kappa"]
            for end in ("lo", "hi"):
                assert now["kappa"][end] == pytest.approx(before["kappa"][end], rel=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_targets_without_noise_are_certified(tmp_path, seed):
    """y = 1 + 2 x exactly: the optimum loses nothing, and rounding must not make that less."""
    rng = np.random.default_rng(seed)
    rows = []
    for agent in range(4):
        for x in rng.integers(10, 100, size=rng.integers(3, 9)):
            rows.append([f"a{agent}", x / 10, (10 + 2 * int(x)) / 10])
    data = write(tmp_path / "exact.csv", ["agent", "x", "y"], rows)
    found = verified(tmp_path, data, "--radius", 30)
    assert found["verdict"] == "stable", found


def test_phase_one_names_everybody_whose_proof_it_has(tmp_path):
    """Zero gives `a` all it can have; only together with `b` is there no model."""
    rows = [["a", 1, 0], ["a", 1, 0], ["b", 10000, 50000], ["b", 10000, 50000]]
    data = write(tmp_path / "phase1.csv", ["agent", "x", "y"], rows)
    flags = ["--agent", "agent", "--target", "y", "--model", "linear", "--raw", "--no-intercept"]
    answer = corefed("solve", data, *flags, "--ceiling", 1, "--radius", 10)
    assert answer.code == 2
    assert "`a`, `b` cannot all have a positive utility" in answer.err, answer.err


def test_an_agent_at_zero_whom_nobody_can_give_more_leaves_nobody_undecided(tmp_path):
    rows = [["a", 1, 0], ["a", 1, 1], ["b", 1, 0.5], ["b", 1, 0.5]]
    data = write(tmp_path / "zero.csv", ["agent", "x", "y"], rows)
    ceilings = write(tmp_path / "ceilings.csv", ["agent", "ceiling"], [["a", 0.25], ["b", 1]])
    predictor = tmp_path / "predictor.json"
    predictor.write_text(json.dumps({"parameters": {"x": 0.5}}))
    flags = ["--raw", "--no-intercept", "--ceiling", ceilings]
    found = verified(tmp_path, data, *flags, predictor=predictor)
    assert found["verdict"] == "stable", found
    assert found["kappa"]["hi"] <= 1


def test_gains_within_the_tolerance_are_stable_and_the_time_is_not_blamed(tmp_path):
    """The optimum, moved so that everybody can gain about half of the tolerance."""
    data = two_opinions(tmp_path, 0)
    flags = ["--radius", 10, "--ceiling", "3.0"]
    fit = verified(tmp_path, data, *flags)
    parameters = dict(fit["parameters"])
    parameters["(intercept)"] += 1.2e-3
    predictor = tmp_path / "predictor.json"
    predictor.write_text(json.dumps({"parameters": parameters}))
    loose = verified(tmp_path, data, *flags, "--tolerance", "1e-2", predictor=predictor)
    assert loose["verdict"] == "stable", loose["everybody"]
    gain = loose["everybody"]["lo"] - 1
    assert 1e-8 < gain < 1e-4, gain
    for factor, verdict in ((2, "stable"), (0.5, "improvable")):
        flags_now = [*flags, "--tolerance", factor * gain]
        assert verified(tmp_path, data, *flags_now, predictor=predictor)["verdict"] == verdict
