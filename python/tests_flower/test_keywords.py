"""Keywords of strategies: typed for editors, named when they are mistaken."""

import inspect
from typing import get_type_hints

import pytest

from corefed import flower
from corefed.flower.common import Common
from corefed.flower.told import Told


def test_the_typed_keywords_are_those_that_strategies_take():
    taken = inspect.signature(Told.__init__).parameters
    ours = {name for name in taken if name not in ("self", "ceilings", "settings")}
    assert ours == set(get_type_hints(Common))


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("fraction_evaluate", "evaluate_every"),
        ("min_available_nodes", "min_agents"),
        ("runs", "run"),
    ],
)
def test_a_mistaken_keyword_is_named_with_the_one_that_is_meant(told, meant):
    with pytest.raises(TypeError, match=rf"CoreFed takes no keyword `{told}`.*`{meant}`"):
        flower.CoreFed(ceilings=1.0, **{told: 1})


def test_no_wait_is_longer_than_minutes_unless_it_is_asked_for():
    for waits in (flower.start, flower.CoreFed.start, flower.CoreFed.audit):
        assert inspect.signature(waits).parameters["timeout"].default == 600
    assert flower.CoreFed(ceilings=1.0).timeout == 300
