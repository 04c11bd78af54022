"""Poisson regression with exposures against scikit-learn, CVXPY with SciPy, and the second checker."""

import json

import numpy as np
import pytest
from sklearn.linear_model import PoissonRegressor

from binary import corefed, solve
from cases import counts, write
from core import log_welfare
from model import decode
from optimum import nash, utilitarian
from second_checker import judge

SIZES = [18, 35, 26]


def parameters(answer):
    return np.array(answer["predictor"]["parameters"])


@pytest.mark.parametrize(("exposed", "raw", "l2"), [(True, False, 0.05), (False, True, 0.1)])
def test_the_utilitarian_optimum_is_scikit_learns(tmp_path, exposed, raw, l2):
    """With weights by samples it is the mean over all rows; rates with exposures as weights."""
    case = counts(tmp_path, 3, SIZES, exposed=exposed, raw=raw, l2=l2)
    answer = solve(case, "--weights", "samples", rule="utilitarian").json
    data = case.federation()
    x, y, e = (np.concatenate(part) for part in (data.inputs, data.targets, data.exposures))
    # Its penalty is alpha / 2 |w|^2 beside a mean weighted by exposures.
    model = PoissonRegressor(
        alpha=l2 * len(y) / e.sum(), fit_intercept=False, tol=1e-10, max_iter=10_000
    )
    model.fit(x, y / e, sample_weight=e)
    np.testing.assert_allclose(parameters(answer), model.coef_, atol=2e-5)


@pytest.mark.parametrize(("seed", "radius", "l2"), [(1, 10, 0.0), (2, 0.3, 0.0), (4, 10, 0.05)])
def test_the_core_optimum_is_that_of_other_solvers(tmp_path, seed, radius, l2):
    case = counts(tmp_path, seed, SIZES, l2=l2)
    answer = solve(case, "--radius", radius).json
    data, weights = case.federation(), [1.0] * len(SIZES)
    ceilings = 1.5 * data.losses(np.zeros(data.dim))
    assert np.allclose([agent["ceiling"] for agent in answer["agents"]], ceilings, rtol=1e-12)
    ours, theirs = parameters(answer), nash(data, ceilings, weights, radius)
    welfare = [log_welfare(ceilings - data.losses(theta), weights) for theta in (ours, theirs)]
    assert welfare[0] >= welfare[1] - 1e-7
    np.testing.assert_allclose(ours, theirs, atol=2e-4)
    stated = decode(case.path, answer["predictor"])
    np.testing.assert_allclose(stated.losses(ours), data.losses(ours), rtol=1e-12)


def test_an_intercept_alone_is_the_log_of_counts_over_exposures(tmp_path):
    rows = [["a", 1, 2.0, 3], ["a", 1, 0.5, 0], ["b", 1, 1.5, 4], ["b", 1, 1.0, 1]]
    path = write(tmp_path / "rate.csv", ["agent", "one", "years", "y"], rows)
    flags = ["--agent", "agent", "--target", "y", "--model", "poisson", "--exposure", "years"]
    answer = corefed(
        "solve", path, *flags, "--raw", "--no-intercept", "--rule", "utilitarian", "--json"
    )
    assert answer.code != 2, answer.err
    assert parameters(answer.json)[0] == pytest.approx(np.log(8 / 5), abs=1e-7)


@pytest.mark.parametrize("ceiling", ["initial:1.5", "constant:2", "worst"])
def test_certificates_are_accepted_twice_and_forged_ones_refused(tmp_path, ceiling):
    case = counts(tmp_path, 5, [6, 5, 7])
    radius = 2 if ceiling == "worst" else 5
    path = tmp_path / "c.json"
    flags = ["--ceiling", ceiling, "--radius", radius, "--certificate", path]
    assert solve(case, *flags).code == 0
    text = path.read_text()
    verdict = judge(text, case.path)
    assert verdict.accepted, verdict
    assert corefed("verify", path, "--data", case.path).code == 0
    honest = json.loads(text)

    def forged(change):
        document = json.loads(text)
        change(document)
        path.write_text(json.dumps(document))
        first = corefed("verify", path, "--data", case.path)
        return judge(path.read_text(), case.path).accepted, first

    changes = [
        lambda c: c["subject"]["encoding"].pop("exposure_column"),
        lambda c: c["subject"].update(family="linear"),
        lambda c: c["claim"]["kappa"].update(hi=honest["claim"]["kappa"]["lo"] * 0.99),
        lambda c: c["agents"][0].update(utility=honest["agents"][0]["utility"] + 1e-9),
        lambda c: c["agents"][1].update(ceiling=honest["agents"][1]["ceiling"] + 1e-3),
    ]
    for change in changes:
        second, first = forged(change)
        assert not second
        assert first.code == 2, first.out


def test_fedavg_over_exposures_reaches_the_least_deviance(tmp_path):
    """The zero of the gradient of the pooled deviance, by rounds."""
    case = counts(tmp_path, 6, [30, 30])
    spec = tmp_path / "rounds.toml"
    spec.write_text(
        f'data = "{case.path.name}"\nagent = "agent"\ntarget = "y"\nexposure = "years"\n'
        'model = "poisson"\n[train]\nrounds = 400\nrule = "fedavg"\n'
        '[train.local]\nepochs = 1\nbatch = "full"\nlearning_rate = 0.02\n'
    )
    answer = corefed("run", spec, "--out", tmp_path / "run")
    assert answer.code in (0, 1, 3), answer.err
    found = json.loads((tmp_path / "run" / "audit.json").read_text())
    data = case.federation()
    best = utilitarian(data, [1.0, 1.0], 10)
    theta = parameters(found)
    assert data.losses(theta).sum() <= data.losses(best).sum() + 1e-4
