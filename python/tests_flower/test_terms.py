"""Ceilings and weights of a federation, by the resolver that tables and images have."""

import pytest

from corefed import InputError
from corefed._federation.terms import resolve_ceilings, resolve_weights


@pytest.mark.parametrize("factor", ["initial", "initial:1", "initial:2.5"])
def test_initial_ceilings_mean_what_they_mean_in_a_spec(factor):
    losses = [0.5, 2.0]
    times = float(factor.partition(":")[2] or 1)
    found = resolve_ceilings(factor, ["a", "b"], losses)
    assert found == [times * loss for loss in losses]


def test_ceilings_and_weights_are_numbers_dictionaries_or_policies():
    assert resolve_ceilings(3, ["a", "b"], [0.5, 2.0]) == [3.0, 3.0]
    assert resolve_ceilings({"b": 2.0, "a": 1.0, "c": 9.0}, ["a", "b"], [0.5, 2.0]) == [1.0, 2.0]
    assert resolve_weights("equal", ["a", "b"], [3, 5], "weights") == [1.0, 1.0]
    assert resolve_weights("samples", ["a", "b"], [3, 5], "average") == [3.0, 5.0]
    assert resolve_weights({"a": 2.0, "b": 1.5}, ["a", "b"], [0, 0], "weights") == [2.0, 1.5]


@pytest.mark.parametrize(
    ("ceilings", "agent"),
    [
        ("initial:x", None),
        ("worst", None),
        ("constant", None),
        ("terms.csv", None),
        ("-1", None),
        (float("nan"), None),
        ({"a": 1.0}, "b"),
        ({"a": 1.0, "b": -2.0}, "b"),
    ],
)
def test_ceilings_that_nobody_can_resolve_are_refused(ceilings, agent):
    with pytest.raises(InputError) as refused:
        resolve_ceilings(ceilings, ["a", "b"], [0.5, 2.0])
    assert (refused.value.field, refused.value.agent) == ("ceilings", agent)


@pytest.mark.parametrize(
    ("weights", "agent"), [("mean", None), ("samples", "b"), ({"a": 1.0, "b": 0.0}, "b")]
)
def test_weights_that_nobody_can_resolve_are_refused(weights, agent):
    with pytest.raises(InputError) as refused:
        resolve_weights(weights, ["a", "b"], [3, 0], "average")
    assert (refused.value.field, refused.value.agent) == ("average", agent)
