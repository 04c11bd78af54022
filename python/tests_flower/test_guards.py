"""What one lying agent gets with the guards that are on by default, and without each of them."""

import logging
from functools import partial

import pytest
from liars import LIAR, NAMES, ROUNDS, Lie, trained

from corefed import InputError, flower

FIRST = Lie(loss=lambda loss, number, training: 1e-3 if number == 0 else loss)
HUGE = Lie(loss=lambda loss, number, training: 1e300)
TWO_FACED = Lie(loss=lambda loss, number, training: 0.7 * loss if training else loss)
ROWS = Lie(rows=10**12)

RULES = {
    "corefed": flower.CoreFed,
    "fedavg": flower.FedAvg,
    "propfair": flower.PropFair,
    "afl": flower.AFL,
    "qffl": partial(flower.QFFL, learning_rate=0.3),
    "term": flower.TERM,
}


@pytest.fixture
def said(caplog, monkeypatch):
    """Flower's log does not pass its lines on."""
    monkeypatch.setattr(logging.getLogger("flwr"), "propagate", True)
    caplog.set_level(logging.WARNING, logger="flwr")
    return lambda word: [line for line in caplog.messages if word in line]


def acted(ended, what):
    """In how many rounds a safeguard acted on the liar."""
    return sum(LIAR in record[what] for record in ended.rounds)


@pytest.mark.parametrize("rule", list(RULES))
def test_honest_agents_meet_no_guard_that_changes_anything(tmp_path, rule, said):
    held = trained(tmp_path / "held", RULES[rule])
    # The agent that all others oppose sends the longest updates: `norm_cap` may cut it.
    off = dict.fromkeys(("ceiling_spread", "rows_spread"))
    free = trained(tmp_path / "free", RULES[rule], **off)
    assert (tmp_path / "held/agents.jsonl").read_bytes() == (
        tmp_path / "free/agents.jsonl"
    ).read_bytes()
    assert not any(record["contradicted"] for record in held.rounds)
    assert "guards" not in held.header
    assert "guards" not in free.header
    assert not said("contradict") + said("median") + said("with the same model")


def test_a_low_first_loss_gives_no_low_ceiling(tmp_path, said):
    honest = trained(tmp_path / "honest", flower.CoreFed)
    lied = trained(tmp_path / "lied", flower.CoreFed, FIRST)
    assert abs(max(lied.shares) - max(honest.shares)) < 0.15
    assert abs(lied.others - honest.others) < 0.1
    # A third of the median first loss, times 1.5.
    middle = sorted(agent["ceiling"] for agent in lied.header["agents"])[5]
    assert lied.header["agents"][-1]["ceiling"] == pytest.approx(middle / 3, rel=0.05)
    (row,) = lied.header["guards"]
    assert (row["agent"], row["what"], row["told"]) == (LIAR, "first-loss", 1e-3)
    (line,) = said("first loss")
    assert LIAR in line
    assert "its ceiling rests on a first loss of" in lied.page


def test_without_its_guard_a_low_first_loss_is_a_low_ceiling(tmp_path):
    lied = trained(tmp_path / "lied", flower.CoreFed, FIRST, ceiling_spread=None)
    assert lied.header["agents"][-1]["ceiling"] == pytest.approx(1.5e-3)
    assert "guards" not in lied.header


@pytest.mark.parametrize("rule", ["afl", "qffl", "term"])
def test_an_absurd_loss_takes_a_bounded_share(tmp_path, rule, said):
    lied = trained(tmp_path / "lied", RULES[rule], HUGE, ceilings=3.0)
    assert max(lied.shares) <= 3 / len(NAMES) + 1e-9
    assert acted(lied, "capped") == ROUNDS
    assert len(said("more than its share")) == 1
    assert "its share was cut to the cap" in lied.page
    free = trained(tmp_path / "free", RULES[rule], HUGE, ceilings=3.0, share_cap=None)
    assert min(free.shares) > 0.99


@pytest.mark.parametrize("rule", ["fedavg", "corefed"])
@pytest.mark.parametrize("stretch", [10.0, 1000.0])
def test_a_long_update_is_shortened(tmp_path, rule, stretch, said):
    lied = trained(tmp_path / "lied", RULES[rule], Lie(stretch=stretch))
    assert len(said("sent a long update")) == 1
    assert acted(lied, "clipped") > ROUNDS / 2
    assert "its update was shortened" in lied.page
    honest = trained(tmp_path / "honest", RULES[rule])
    # A long update may make everybody's loss explode, which would end the run.
    off = {"norm_cap": None, "loss_factor": None}
    free = trained(tmp_path / "free", RULES[rule], Lie(stretch=stretch), **off)
    assert acted(free, "clipped") == 0
    cost, without = honest.others - lied.others, honest.others - free.others
    assert cost < 0.3
    assert not without < cost + (0.05 if stretch == 10 else 1.0)


def test_an_agent_at_its_floor_is_in_log_records_and_report(tmp_path, said):
    # Nine of ten agree, and the last one has nothing at their model.
    ended = trained(tmp_path / "run", flower.CoreFed, ceilings=0.6, share_cap=None)
    floored = acted(ended, "floored")
    assert floored >= 1
    (line,) = [line for line in said("its utility counts as the floor") if f"`{LIAR}`" in line]
    assert line.startswith("round ")
    assert f"{LIAR}: its utility counted as the floor in {floored} of {ROUNDS} rounds" in ended.page


def test_a_loss_that_contradicts_itself_is_in_log_records_and_report(tmp_path, said):
    lied = trained(tmp_path / "lied", flower.CoreFed, TWO_FACED)
    assert [record["contradicted"] for record in lied.rounds] == [[], *[[LIAR]] * ROUNDS]
    (line,) = said("with the same model")
    assert LIAR in line
    sentence = f"contradicted its own measurement or updates in {ROUNDS} of {ROUNDS}"
    assert sentence in lied.page


@pytest.mark.parametrize("rule", ["fedavg", "propfair"])
def test_a_number_of_rows_weighs_within_a_spread_of_the_median(tmp_path, rule, said):
    honest = trained(tmp_path / "honest", RULES[rule], ceilings=9.0)
    lied = trained(tmp_path / "lied", RULES[rule], ROWS, ceilings=9.0)
    free = trained(tmp_path / "free", RULES[rule], ROWS, ceilings=9.0, rows_spread=None)
    assert max(honest.shares) == pytest.approx(0.1)
    assert max(lied.shares) == pytest.approx(10 / 19)
    assert min(free.shares) > 0.99
    assert lied.others > free.others + 0.3
    liar = lied.header["agents"][-1]
    assert (liar["samples"], liar["average"]) == (10**12, 100)
    (row,) = lied.header["guards"]
    assert row == {"agent": LIAR, "what": "rows", "told": 1e12, "used": 100.0}
    (line,) = said("rows")
    assert f"agent `{LIAR}` reports 1000000000000 rows; 100 of them count" in line
    assert "of the 1000000000000 rows that it reported 100 counted" in lied.page
    assert "rows that it reported" not in free.page


def test_say_by_samples_is_bounded_likewise_and_other_weights_are_not(tmp_path):
    lied = trained(tmp_path / "say", flower.CoreFed, ROWS, ceilings=9.0, weights="samples")
    assert lied.header["agents"][-1]["weight"] == 100
    own = dict.fromkeys(NAMES, 1.0) | {LIAR: 50.0}
    told = trained(tmp_path / "own", flower.FedAvg, ROWS, ceilings=9.0, average=own)
    assert told.header["agents"][-1]["average"] == 50
    assert "guards" not in told.header


def test_of_two_agents_the_smaller_number_is_the_measure(tmp_path):
    strategy = flower.FedAvg(ceilings=9.0)
    assert strategy.guards.row_counts(["a", "b"], [10, 10**12], "samples") == [10, 100]
    # Ten times the median is not cut, and nobody is cut to nothing.
    assert strategy.guards.row_counts(["a", "b", "c"], [10, 10, 100], "samples") == [10, 10, 100]
    assert strategy.guards.row_counts(["a", "b"], [0, 5], "samples") == [0, 1]


def test_every_guard_is_on_unless_it_is_switched_off():
    strategy = flower.CoreFed(ceilings=9.0)
    on = {"norm_cap": 5.0, "ceiling_spread": 3.0, "rows_spread": 10.0}
    assert strategy.guards.settings() == on
    assert strategy.settings["share_cap"] == 3.0


@pytest.mark.parametrize("guard", ["norm_cap", "ceiling_spread", "rows_spread"])
@pytest.mark.parametrize("limit", [0.5, -1.0, float("nan"), float("inf")])
def test_a_limit_that_is_none_is_refused(guard, limit):
    with pytest.raises(InputError, match=f"`{guard}` is") as caught:
        flower.CoreFed(ceilings=9.0, **{guard: limit})
    assert caught.value.field == guard
