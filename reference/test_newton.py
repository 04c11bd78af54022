"""`rule = "newton"`: a dozen exchanges of derivatives reach SciPy's optimum of log-welfare."""

import numpy as np
import pytest
from scipy.optimize import root

from cases import federation
from core import tangent_gap, welfare_gradient
from optimum import nash
from rounds import Trainer
from training import close, run, shares

SIZES = [18, 35, 26]
WEIGHTS = [1.0, 2.5, 0.5]
FAMILIES = ["linear", "logistic", "softmax"]


def trained(folder, family, seed=41, rounds=14, **top):
    """A run, its rows, and the terms it states, in the order of its agents."""
    case = federation(folder, family, seed=seed, sizes=SIZES, raw=True, l2=0.01, spread=0.5)
    settings = {"rule": "newton", "rounds": rounds, **top.pop("train", {})}
    found = run(folder, case, settings, weights=shares(folder, "weights.csv", WEIGHTS), **top)
    ceilings, weights = (
        np.array([agent[key] for agent in found.header["agents"]]) for key in ("ceiling", "weight")
    )
    return found, case.federation(), ceilings, weights


@pytest.mark.parametrize("ceiling", ["initial:1.5", "worst"])
@pytest.mark.parametrize("family", FAMILIES)
def test_newtons_rounds_end_at_scipys_optimum(tmp_path, family, ceiling):
    """Inside the ball log-welfare has one stationary point; SciPy's root finder starts near it."""
    found, data, ceilings, weights = trained(tmp_path, family, ceiling=ceiling, radius=4)
    start = nash(data, ceilings, weights, 4)
    solved = root(lambda x: welfare_gradient(data, ceilings, weights, x)[1], start, tol=1e-13)
    assert np.linalg.norm(solved.x) < 4 and np.abs(solved.fun).max() < 1e-10, solved.message
    # The root of a gradient is as exact as rounding over the smallest curvature allows.
    close(found.theta, solved.x, 1e-9, "parameters")
    best = welfare_gradient(data, ceilings, weights, solved.x)[0]
    close(found.rounds["log_welfare"].iloc[-1], best, 1e-12, "log-welfare")
    assert (found.rounds["log_welfare"].diff()[1:] >= -1e-14 * abs(best)).all(), "a step lost welfare"


@pytest.mark.parametrize("family", FAMILIES)
def test_a_certificate_is_reached_in_a_dozen_rounds_and_ends_the_run(tmp_path, family):
    stop = {"stop": {"certificate": 1e-8}}
    found, data, ceilings, weights = trained(
        tmp_path, family, rounds=100, train=stop, ceiling="worst", radius=2
    )
    bounds = found.rounds["bound"].to_numpy()
    assert len(bounds) - 1 <= 12, bounds
    assert bounds[-1] <= 1 + 1e-8 and (bounds[:-1] > 1 + 1e-8).all(), bounds
    _, gradient = welfare_gradient(data, ceilings, weights, found.theta)
    gap = tangent_gap(gradient, found.theta, 2) / weights.sum()
    # Differences of numbers of about one, so absolute.
    assert abs(1 + gap - bounds[-1]) <= 1e-14, f"NumPy {gap!r}, stated {bounds[-1] - 1!r}"


@pytest.mark.parametrize("family", FAMILIES)
def test_the_ball_holds_newton_back_where_it_holds_scipy_back(tmp_path, family):
    found, data, ceilings, weights = trained(tmp_path, family, ceiling="worst", radius=0.2)
    best, _ = welfare_gradient(data, ceilings, weights, nash(data, ceilings, weights, 0.2))
    value, gradient = welfare_gradient(data, ceilings, weights, found.theta)
    gap = tangent_gap(gradient, found.theta, 0.2) / weights.sum()
    assert np.isclose(np.linalg.norm(found.theta), 0.2, rtol=1e-12), np.linalg.norm(found.theta)
    assert gap <= 1e-12 and best - value <= 1e-9, f"gap {gap!r}, SciPy {best!r}, corefed {value!r}"


def test_weights_of_newtons_rounds_are_those_of_the_gradient(tmp_path):
    """Shares of w/u at the received model: what CoreFed's normalised step weighs by."""
    found, data, ceilings, weights = trained(tmp_path, "logistic", rounds=5, radius=4)
    server = Trainer(data, ceilings, weights, weights, 4, {})
    pulls = weights / (ceilings - found.by_agent("loss"))[:-1]
    close(found.by_agent("weight")[1:], pulls / pulls.sum(axis=1, keepdims=True), 1e-12, "weights")
    close(found.by_agent("weight")[1], server.round(1).weights, 1e-12, "first weights")


def bounds_on_spheres(folder):
    """Bounds of every round for optima on the spheres of several balls, where roundings differ."""
    for radius in (0.1, 0.13, 0.17, 0.2, 0.23, 0.26):
        place = folder / str(radius)
        place.mkdir()
        case = federation(place, "linear", seed=3, sizes=SIZES, raw=True)
        found = run(place, case, {"rule": "newton", "rounds": 14}, ceiling="worst", radius=radius)
        assert np.isclose(np.linalg.norm(found.theta), radius, rtol=1e-6), found.theta
        yield found.rounds["bound"].to_numpy()


def test_an_optimum_on_the_sphere_stays_certified(tmp_path):
    """Newton's point may lie outside by a rounding; bringing it back must not undo the certificate."""
    gaps = [bounds[-2:].max() - 1 for bounds in bounds_on_spheres(tmp_path)]
    assert max(gaps) <= 1e-12, gaps


def test_no_bound_is_below_one(tmp_path):
    """Everybody together has a factor of one with the model itself."""
    lowest = [bounds.min() for bounds in bounds_on_spheres(tmp_path)]
    assert min(lowest) >= 1, lowest
