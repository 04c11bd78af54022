"""Counts with an exposure: the estimator, audits of others' models, and their certificates."""

import json

import numpy as np
import pytest
from sklearn.linear_model import PoissonRegressor

import corefed
from corefed import CorePoissonRegressor


def claims(seed=2, rows=40):
    """Counts of three sites, observed for different times."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3 * rows, 2))
    sites = np.repeat(["site 0", "site 1", "site 2"], rows)
    years = rng.uniform(0.25, 3.0, size=len(X))
    tilt = np.repeat(rng.normal(scale=0.2, size=3), rows)
    return X, rng.poisson(years * np.exp(0.4 * X[:, 0] + tilt)).astype(float), sites, years


def test_without_groups_it_is_ordinary_poisson_regression():
    X, y, _, years = claims()
    ours = CorePoissonRegressor().fit(X, y, exposure=years)
    # With exposures: rates, weighted by them.
    theirs = PoissonRegressor(alpha=0, tol=1e-10, max_iter=10_000)
    theirs.fit(X, y / years, sample_weight=years)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-5)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-4)
    np.testing.assert_allclose(ours.predict(X, exposure=years), years * ours.predict(X))
    plain = CorePoissonRegressor().fit(X, y)
    theirs = PoissonRegressor(alpha=0).fit(X, y)
    assert plain.score(X, y) == pytest.approx(theirs.score(X, y), abs=1e-5)


def test_the_optimum_is_certified_and_its_certificate_holds():
    X, y, sites, years = claims()
    model = CorePoissonRegressor(radius=3.0).fit(X, y, groups=sites, exposure=years)
    assert model.verdict_.status == "stable"
    checked = corefed.verify(model.certificate_, X, y, sites, exposure=years)
    assert checked.status == "verified"
    for other in (None, 2 * years):
        with pytest.raises(corefed.CertificateError):
            corefed.verify(model.certificate_, X, y, sites, exposure=other)
    forged = json.loads(model.certificate_.to_json())
    forged["claim"]["kappa"]["hi"] = forged["claim"]["kappa"]["lo"] * 0.99
    with pytest.raises(corefed.CertificateError):
        corefed.verify(forged, X, y, sites, exposure=years)


def test_a_model_of_somebody_else_is_audited():
    X, y, sites, years = claims()
    theirs = PoissonRegressor(alpha=0).fit(X, y / years, sample_weight=years)
    told = {"exposure": years, "radius": 3.0}
    verdict = corefed.certify(theirs, X, y, sites, family="poisson", **told)
    assert verdict.status in ("stable", "blocked", "improvable")
    assert corefed.verify(verdict.certificate, X, y, sites, exposure=years).status == "verified"
    ours = CorePoissonRegressor(radius=3.0).fit(X, y, groups=sites, exposure=years)
    again = corefed.certify(ours, X, y, sites, **told)
    np.testing.assert_allclose(again.utilities, list(ours.utilities_.values()), rtol=1e-9)


def test_what_cannot_be_counted_is_refused():
    X, y, sites, years = claims()
    negative = y.copy()
    negative[3] = -1
    with pytest.raises(corefed.InputError, match="row 3 of agent `site 0`"):
        CorePoissonRegressor().fit(X, negative, groups=sites)
    with pytest.raises(corefed.InputError, match="exposure"):
        CorePoissonRegressor().fit(X, y, exposure=np.zeros(len(y)))
    with pytest.raises(corefed.InputError, match="in the ball of radius"):
        CorePoissonRegressor(radius=1e4).fit(X, y)
    with pytest.raises(corefed.InputError, match="takes no exposures"):
        corefed.certify(([0.0, 0.0], 0.0), X, y, sites, family="linear", exposure=years)
