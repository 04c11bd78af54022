"""FLARE's table of metrics by site and model, read and audited without FLARE."""

import json

import numpy as np
import pytest

import corefed

RESULTS = {
    "south": {"SRV_server": {"loss": 0.5}, "north": {"loss": 2.0}, "south": {"loss": 0.25}},
    "north": {"SRV_server": {"loss": 0.5}, "north": {"loss": 0.125}, "south": {"loss": 1.5}},
}


def written(folder, results):
    file = folder / "cross_val_results.json"
    file.write_text(json.dumps(results))
    return file


def test_utilities_are_what_is_left_of_ceilings(tmp_path):
    file = written(tmp_path, RESULTS)
    found = corefed.audit_cross_site(file, "SRV_server", ceilings=0.55)
    assert found.agents == ["north", "south"]
    np.testing.assert_allclose(found.utilities, [0.05, 0.05], atol=1e-15)
    # North alone: 0.425 of 0.05, and a half of that.
    assert found.status == "blocked"
    assert found.kappa.lo == pytest.approx(4.25)
    assert (found.coalition, found.rival) == (["north"], "north")
    by_site = corefed.audit_cross_site(file, "SRV_server", ceilings={"south": 2.0, "north": 1.0})
    np.testing.assert_allclose(by_site.utilities, [0.5, 1.5])
    assert by_site.status == "stable"


def test_more_of_an_accuracy_is_better(tmp_path):
    both = {
        site: {model: {"accuracy": 1 - m["loss"] / 4, **m} for model, m in models.items()}
        for site, models in RESULTS.items()
    }
    file = written(tmp_path, both)
    with pytest.raises(corefed.InputError, match="has the metrics `accuracy`, `loss`") as raised:
        corefed.audit_cross_site(file, "SRV_server")
    assert raised.value.hint == "name one with `metric=METRIC`"
    found = corefed.audit_cross_site(
        file, "SRV_server", metric="accuracy", weights={"north": 3, "south": 1}
    )
    np.testing.assert_allclose(found.utilities, [0.875, 0.875])
    np.testing.assert_allclose(found.weights, [3, 1])


REFUSED = [
    ({"ceilings": None}, "a ceiling minus a loss"),
    ({"metric": "dice", "ceilings": None}, "site `north` has no `dice` of model `SRV_server`"),
    ({"incumbent": "SRV_best"}, "no model `SRV_best`; it has `SRV_server`, `north`, `south`"),
    ({"ceilings": {"north": 1.0}}, "south"),
]


@pytest.mark.parametrize(("told", "why"), REFUSED, ids=[why for _, why in REFUSED])
def test_what_cannot_be_judged_is_refused(tmp_path, told, why):
    file = written(tmp_path, RESULTS)
    with pytest.raises(corefed.CorefedError, match=why):
        corefed.audit_cross_site(file, **{"incumbent": "SRV_server", "ceilings": 1.0} | told)


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"a": {"x": {"loss": NaN}}, "b": {}}'])
def test_other_files_are_named(tmp_path, text):
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(corefed.InputError, match=r"other\.json` is not a cross-site evaluation"):
        corefed.audit_cross_site(file, "x", ceilings=1.0)
    with pytest.raises(corefed.InputError, match="cannot read"):
        corefed.audit_cross_site(tmp_path / "none.json", "x", ceilings=1.0)
