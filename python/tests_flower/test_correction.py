"""Drift correction over Flower: against NumPy, with agents that miss rounds, restart or cannot."""

import json
from itertools import pairwise

import numpy as np
import pytest
from flwr.common.serde import recorddict_to_proto
from flwr.serverapp.strategy import DifferentialPrivacyServerSideFixedClipping
from inprocess import InProcess, Node, arrays, corrected_app, parabola_app
from test_resume import KilledError, digests

from corefed import CohortError, InputError, flower
from corefed.flower import steadiness
from corefed.flower.protocol import DRIFT, WALK

CENTRES = {"Aachen": [3.0, 0.0], "Bergen": [0.0, 2.0], "Coimbra": [-1.0, -1.0]}
STRETCH = {"Aachen": 1.0, "Bergen": 3.0, "Coimbra": 0.5}
START, CEILING, RATE, STEPS = np.array([0.5, 0.5]), 20.0, 0.1, 5


def nodes(**how) -> dict[str, Node]:
    return {
        name: Node(corrected_app(at, RATE, stretch=STRETCH[name], **{"steps": STEPS} | how), name)
        for name, at in CENTRES.items()
    }


def run(federation, rounds, folder=None, start=START, **how):
    how = {"ceilings": CEILING, "memory": 1.0} | how
    strategy = flower.CoreFed(run=folder, **how)
    grid = InProcess(federation.values())
    end = strategy.start(grid, arrays(t=start), num_rounds=rounds, timeout=0.3)
    return end.arrays.to_numpy_ndarrays()[0], grid, strategy


def in_numpy(rounds, momentum=0.0, missing=None, cohorts=None, corrects=True):
    """The same by the formulas of the ledger.

    `missing` is an agent and the round it misses; `cohorts` are those who are asked, by round.
    """
    at, stretch = np.array(list(CENTRES.values())), np.array(list(STRETCH.values()))
    travel = sum((1 - momentum**j) / (1 - momentum) for j in range(1, STEPS + 1))
    theta, own = START.copy(), np.zeros((3, 2))
    known = [0, 1, 2]
    for number in range(1, rounds + 1):
        pulls = 1 / (CEILING - stretch * ((theta - at) ** 2).sum(1) / 2)
        asked = cohorts[number - 1] if cohorts else [0, 1, 2]
        known = [k for k in known if k in asked]
        common = pulls[known] @ own[known] / pulls[known].sum()
        heard = [k for k in asked if (k, number) != missing]
        moves = np.zeros((3, 2))
        for k in heard:
            t, velocity = theta.copy(), np.zeros(2)
            for _ in range(STEPS):
                drift = common - own[k] if corrects else 0.0
                velocity = momentum * velocity + stretch[k] * (t - at[k]) + drift
                t = t - RATE * velocity
            moves[k] = t - theta
            own[k] += -common - moves[k] / (RATE * travel)
        theta = theta + pulls[heard] @ moves[heard] / pulls[heard].sum()
        # Who missed the training did not measure the model after it.
        known = [k for k in range(3) if (k, number) != missing]
    return theta


@pytest.mark.parametrize("momentum", [0.0, 0.8])
def test_corrected_rounds_follow_the_formula(momentum):
    end, _, strategy = run(nodes(momentum=momentum), 5)
    assert strategy.steady.what.header()["correction"] == "control"
    np.testing.assert_allclose(end, in_numpy(5, momentum), rtol=1e-12)
    plain, _, _ = run(nodes(momentum=momentum), 5, correction="none")
    np.testing.assert_allclose(plain, in_numpy(5, momentum, corrects=False), rtol=1e-12)
    assert np.abs(end - plain).max() > 1e-3


def test_many_corrected_steps_end_at_the_core_and_plain_ones_do_not():
    at, stretch = np.array(list(CENTRES.values())), np.array(list(STRETCH.values()))

    def slope(theta):
        utilities = 20.0 - stretch * ((theta - at) ** 2).sum(1) / 2
        return (stretch / utilities) @ (theta - at)

    corrected, _, _ = run(nodes(steps=20), 60)
    plain, _, _ = run(nodes(steps=20), 60, correction="none")
    assert np.abs(slope(corrected)).max() < 1e-8
    assert np.abs(slope(plain)).max() > 1e-2


@pytest.mark.parametrize("agent", range(3))
def test_an_agent_that_misses_a_round_is_left_out_of_the_mixture_and_comes_back(tmp_path, agent):
    federation = nodes()
    name = list(CENTRES)[agent]
    federation[name].fate = lambda m: (
        "gone" if (m.metadata.group_id, m.metadata.message_type) == ("2", "train") else "answer"
    )
    end, _, _ = run(federation, 5, tmp_path / "run")
    np.testing.assert_allclose(end, in_numpy(5, missing=(agent, 2)), rtol=1e-12)
    parts = [json.loads(line) for line in (tmp_path / "run/agents.jsonl").open()]
    assert [a["part"] for a in parts if a["agent"] == name][1:4] == [
        "trained",
        "dropped",
        "trained",
    ]


def test_who_is_not_asked_keeps_what_is_known_of_it(tmp_path):
    end, _, _ = run(nodes(), 6, tmp_path / "run", correction="control", fraction_train=0.6)
    lines = [json.loads(line) for line in (tmp_path / "run/agents.jsonl").open()]
    there = {(a["round"], a["agent"]) for a in lines if a["part"] == "trained"}
    cohorts = [[k for k, a in enumerate(CENTRES) if (r, a) in there] for r in range(1, 7)]
    assert {len(cohort) for cohort in cohorts} == {2}
    assert len({tuple(cohort) for cohort in cohorts}) > 1
    np.testing.assert_allclose(end, in_numpy(6, cohorts=cohorts), rtol=1e-12)
    _, _, drawn = run(nodes(), 1, fraction_train=0.6)
    assert drawn.steady.what.header()["correction"] == "none"


def test_losses_that_nobody_measured_are_asked_for():
    end, grid, _ = run(nodes(), 5, evaluate_every=0)
    np.testing.assert_allclose(end, in_numpy(5), rtol=1e-12)
    asked = [m for m in grid.sent if m.content["config"].get("corefed-ask") == "losses"]
    # Those at the first model are known.
    assert len(asked) == 4 * 3


@pytest.mark.parametrize("where", ["configure_train", "aggregate_train", "aggregate_evaluate"])
@pytest.mark.parametrize("how", [{}, {"search": "on"}, {"evaluate_every": 2}])
def test_a_server_that_is_killed_goes_on_with_nodes_that_know_nothing(tmp_path, where, how):
    run(nodes(), 5, tmp_path / "whole/run", first_step=0.5, **how)
    strategy = flower.CoreFed(
        ceilings=CEILING, memory=1.0, first_step=0.5, run=tmp_path / "cut/run", **how
    )
    original = getattr(strategy, where)

    def kill(number, *rest):
        if number == 3:
            raise KilledError
        return original(number, *rest)

    setattr(strategy, where, kill)
    with pytest.raises(KilledError):
        strategy.start(InProcess(nodes().values()), arrays(t=START), num_rounds=5, timeout=0.3)
    strategy.history.close()
    # Every node is a new one, and remembers nothing.
    run(nodes(), 5, tmp_path / "cut/run", first_step=0.5, **how)
    assert digests(tmp_path / "cut/run") == digests(tmp_path / "whole/run")


def test_an_app_that_cannot_correct_is_named_and_nobody_is_corrected(tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr(steadiness, "log", lambda _, text, *args: told.append(text % args))
    federation = nodes() | {"Bergen": Node(parabola_app([0.0, 2.0]), "Bergen")}
    _, grid, _ = run(federation, 2, tmp_path / "run")
    why = "the apps of ['Bergen'] do not say that they can"
    assert told == [f"local steps are not corrected for drift: {why}"]
    assert json.loads((tmp_path / "run/run.json").read_text())["steadiness"] == {
        "correction": "none",
        "search": "off",
    }
    assert not any(DRIFT in message.content for message in grid.sent)
    with pytest.raises(InputError, match="drift cannot be corrected: the apps of") as caught:
        run(federation, 2, correction="control")
    assert (caught.value.agent, caught.value.field) == ("Bergen", "correction")
    assert "report_loss(loss, corrects=True)" in caught.value.hint


def without_answer(reply):
    del reply.content[WALK]


def with_walk(**changed):
    def change(reply):
        for key, value in changed.items():
            reply.content[WALK][key] = value

    return change


REFUSED = {
    "it did not correct for drift: it sent no record `corefed-walk`": without_answer,
    "its `steps` are -1, not a number of steps": with_walk(steps=-1),
    "its `rate` is 0.0, not a size of steps": with_walk(rate=0.0),
    "its `momentum` is 1.0; expected [0, 1)": with_walk(momentum=1.0),
    "it corrected parts ['u'] that are not of the model": with_walk(parts=["u"]),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_a_reply_that_does_not_tell_of_its_steps_is_refused_by_name(tmp_path, reason):
    federation = nodes()
    good = federation["Bergen"].app

    def app(message, context):
        reply = good(message, context)
        if message.metadata.message_type == "train" and DRIFT in message.content:
            REFUSED[reason](reply)
        return reply

    federation["Bergen"].app = app
    run(federation, 1, tmp_path / "run")
    last = [json.loads(line) for line in (tmp_path / "run/rounds.jsonl").open()][-1]
    assert last["rejections"] == [{"agent": "Bergen", "reason": reason}]


def test_steps_that_lead_to_no_number_leave_what_was_known(monkeypatch):
    told = []
    monkeypatch.setattr(
        "corefed.flower.steady.log", lambda _, text, *args: told.append(text % args)
    )
    federation = nodes()
    good = federation["Bergen"].app

    def app(message, context):
        reply = good(message, context)
        if WALK in reply.content:
            reply.content[WALK]["rate"] = 5e-324
        return reply

    federation["Bergen"].app = app
    end, _, _ = run(federation, 3)
    assert len(told) == 3
    assert "agent `Bergen`" in told[0]
    assert np.isfinite(end).all()


def carried(grid) -> tuple[int, int, int]:
    """Bytes of all messages, of the largest request to train and of the largest reply."""
    size = lambda message: recorddict_to_proto(message.content).ByteSize()  # noqa: E731
    training = [m for m in grid.sent if m.metadata.message_type == "train"]
    return (
        sum(map(size, [*grid.sent, *grid.answered])),
        max(map(size, training)),
        max(map(size, grid.answered)),
    )


@pytest.mark.parametrize(("every", "most"), [(1, 1.4), (0, 1.9)])
def test_correction_costs_at_most_twice_the_bytes(every, most):
    large = np.linspace(-1, 1, 20_000)

    def federation():
        return {name: Node(corrected_app(large * k), name) for k, name in enumerate(CENTRES)}

    def costs(correction):
        how = {"ceilings": "initial:2", "evaluate_every": every, "correction": correction}
        return carried(run(federation(), 8, start=large + 1, **how)[1])

    (plain, request, reply), (all_of_it, corrected, answer) = costs("none"), costs("control")
    # One vector down, and a few numbers up.
    assert all_of_it / plain < most
    assert 1.9 * request < corrected < 2.01 * request
    assert answer < 1.01 * reply


def test_correction_does_not_tell_agents_what_a_wrapper_keeps_from_them(tmp_path):
    def wrapped(**how):
        inner = flower.CoreFed(**{"ceilings": 50.0} | how)
        strategy = DifferentialPrivacyServerSideFixedClipping(inner, 0.0, 100.0, 3)
        grid = InProcess(nodes().values())
        flower.start(strategy, grid, arrays(t=START), num_rounds=2, timeout=0.3)
        return inner, grid

    inner, grid = wrapped()
    assert inner.steady.what.header() == {"correction": "none", "search": "off"}
    assert not any(DRIFT in message.content for message in grid.sent)
    for how in ({"correction": "control"}, {"search": "on"}):
        with pytest.raises(InputError, match="tell agents of updates past it") as caught:
            wrapped(**how)
        assert {caught.value.field} == how.keys()
    # Nor does it continue with a run that began without one.
    _, _, begun = run(nodes(), 1, tmp_path / "run")
    begun.history.close()
    with pytest.raises(InputError, match="tell agents of updates past it"):
        wrapped(run=tmp_path / "run", ceilings=CEILING, memory=1.0)
    alone = DifferentialPrivacyServerSideFixedClipping(
        flower.CoreFed(ceilings=50.0, first_step=0.5), 0.0, 100.0, 3
    )
    with pytest.raises(InputError, match="does not tell how many"):
        alone.start(InProcess(nodes().values()), arrays(t=START), num_rounds=2, timeout=0.3)


@pytest.mark.parametrize(
    ("how", "field", "match"),
    [
        ({"correction": "always"}, "correction", "no correction `always`; expected `auto`"),
        ({"search": "yes"}, "search", "no search `yes`; expected `on` or `off`"),
        ({"first_step": 0.0}, "first_step", r"expected \(0, 1\]"),
        ({"search": "on", "fraction_train": 0.5}, "search", "needs `fraction_train=1`"),
        ({"search": "on", "server_momentum": 0.5}, "search", "needs `server_momentum=0`"),
    ],
)
def test_settings_that_cannot_be_are_named(how, field, match):
    with pytest.raises(InputError, match=match) as caught:
        run(nodes(), 1, **how)
    assert caught.value.field == field


def test_rules_that_cannot_are_named():
    grid = InProcess(nodes().values())
    for strategy, how in [
        (flower.NashMTL, {"correction": "control"}),
        (flower.TERM, {"search": "on"}),
    ]:
        with pytest.raises(InputError, match=f"rule `{strategy.rule}` cannot use"):
            strategy(ceilings=CEILING, **how).start(grid, arrays(t=START), num_rounds=1, timeout=1)


def test_steps_are_compared_by_everybody_or_not_taken(tmp_path):
    federation = nodes()
    silent = federation["Coimbra"]

    def fate(message):
        asked = message.content["config"].get("corefed-ask") == "losses"
        return "lost" if asked else "answer"

    silent.fate = fate
    end, _, _ = run(federation, 2, tmp_path / "run", search="on")
    np.testing.assert_array_equal(end, START)
    records = [json.loads(line) for line in (tmp_path / "run/rounds.jsonl").open()]
    reasons = {r["agent"]: r["reason"] for r in records[1]["rejections"]}
    assert reasons["Coimbra"] == "it did not compare steps: it did not answer in time"
    with pytest.raises(CohortError, match="round 1: the round needs 3 usable"):
        run(federation, 2, search="on", on_too_few="fail")


def test_welfare_never_falls_where_steps_are_compared(tmp_path):
    # Steps of 0.7 against a curvature of 3 go too far.
    federation = {
        name: Node(corrected_app(at, 0.7, 2, stretch=STRETCH[name]), name)
        for name, at in CENTRES.items()
    }
    run(federation, 12, tmp_path / "run", search="on", correction="none")
    records = [json.loads(line) for line in (tmp_path / "run/rounds.jsonl").open()]
    welfare = [record["log_welfare"] for record in records]
    assert all(after >= before for before, after in pairwise(welfare))
    assert {record["chosen"] for record in records[1:]} != {"rule"}


def test_a_step_to_where_somebody_loses_no_number_is_not_taken(tmp_path):
    federation = nodes()
    good = federation["Aachen"].app

    def app(message, context):
        reply = good(message, context)
        for key, record in message.content.array_records.items():
            if key.startswith("model-") and record.to_numpy_ndarrays()[0][0] > START[0]:
                reply.content[key]["loss-before"] = float("nan")
        return reply

    federation["Aachen"].app = app
    end, _, _ = run(federation, 1, tmp_path / "run", search="on")
    # Every step of the rule and of FedAvg leads there.
    np.testing.assert_array_equal(end, START)
    last = [json.loads(line) for line in (tmp_path / "run/rounds.jsonl").open()][-1]
    assert (last["chosen"], last["chosen_part"], last["trained"]) == ("stay", 0.0, 3)
