"""Losses that do not go where an agent's own updates say, by hand and in a federation."""

from functools import partial

import numpy as np
import pytest
from liars import HONEST, LIAR, ROUNDS, Lie, trained

from corefed import flower
from corefed._federation.model import Model
from corefed._federation.movement import Movement


def model(*values):
    return Model({"t": np.array(values, dtype=np.float64)})


def told(movement, losses, update, step=(1.0, 0.0)):
    """A round in which everybody sends the same update, and the server takes this step."""
    updates = {name: {"t": np.array(update)} for name in losses}
    return movement.round(model(0.0, 0.0), model(*step), losses, updates)


@pytest.mark.parametrize(
    ("update", "falling"), [((1.0, 0.0), True), ((0.4, 0.9), True), ((-1.0, 0.5), False)]
)
def test_a_loss_must_fall_along_its_update_and_rise_against_it(update, falling):
    movement, losses = Movement(), {"still": 1.0, "down": 1.0, "up": 1.0}
    named = []
    for _ in range(6):
        named = told(movement, losses, update)
        losses |= {"down": losses["down"] / 2, "up": losses["up"] * 2}
    # Five comparisons have been made: a loss that stays is odd either way.
    assert named == (["still", "up"] if falling else ["down", "still"])


def test_nobody_is_named_by_few_comparisons_or_where_updates_lie_across_the_step():
    movement = Movement()
    for _ in range(5):
        assert told(movement, {"a": 1.0}, (1.0, 0.0)) == []
    assert told(movement, {"a": 1.0}, (1.0, 0.0)) == ["a"]
    across = Movement()
    assert [told(across, {"a": 1.0}, (0.1, 1.0)) for _ in range(20)] == [[]] * 20
    # Nothing moved, or nothing was sent: there is nothing to compare.
    for update, step in [((1.0, 0.0), (0.0, 0.0)), ((0.0, 0.0), (1.0, 0.0))]:
        still = Movement()
        assert [told(still, {"a": 1.0}, update, step) for _ in range(20)] == [[]] * 20


def test_who_mends_its_ways_is_named_no_more():
    movement = Movement()
    for _ in range(11):
        told(movement, {"a": 1.0}, (1.0, 0.0))
    honest = [told(movement, {"a": 1.0 - 0.01 * k}, (1.0, 0.0)) for k in range(1, 8)]
    assert honest[:4] == [["a"]] * 4
    assert honest[4:] == [[]] * 3


def test_a_checkpoint_continues_where_it_was():
    whole, first = Movement(), Movement()
    for movement in (whole, first):
        for _ in range(3):
            told(movement, {"a": 1.0}, (1.0, 0.0))
    second = Movement()
    second.load(first.state())
    rest = [
        [told(movement, {"a": 1.0}, (1.0, 0.0)) for _ in range(4)] for movement in (whole, second)
    ]
    assert rest[0] == rest[1]
    assert whole.state() == second.state()
    # Checkpoints of earlier versions say nothing.
    second.load(None)


@pytest.mark.parametrize(
    "rule", [flower.CoreFed, flower.AFL, partial(flower.QFFL, learning_rate=0.3), flower.TERM]
)
def test_a_liar_whose_loss_never_changes_is_named_and_honest_agents_are_not(tmp_path, rule, caplog):
    # Just above the floor, with every model, in training and in evaluation alike.
    lied = trained(
        tmp_path / "lied", rule, Lie(loss=lambda loss, number, training: 2.6), ceilings=3.0
    )
    named = [record["contradicted"] for record in lied.rounds]
    assert {name for names in named for name in names} == {LIAR}
    assert sum(LIAR in names for names in named) >= ROUNDS / 2
    assert "its loss contradicted its own measurement or updates" in lied.page
    honest = trained(tmp_path / "honest", rule, HONEST, ceilings=3.0)
    assert not any(record["contradicted"] for record in honest.rounds)
