"""Bad answers to an exact audit: each is named with its agent and a reason, and not kept."""

import numpy as np
import pytest
from exactly import asks, audited, node_of, spoil
from flwr.app import Array
from hospitals import federation


def answers(reply):
    return reply.content["answers"]


def edited(part, edit):
    """A change of one array of the answers."""

    def change(reply, message):
        array = answers(reply)[part].numpy().copy()
        answers(reply)[part] = Array(np.asarray(edit(array)))

    return change


def at_first(value):
    def edit(array):
        array.reshape(-1)[0] = value
        return array

    return edit


def other_points(reply, message):
    reply.content["oracle"]["points"] = "0" * 64


def other_round(reply, message):
    reply.content["oracle"]["server-round"] = 99


def no_record(reply, message):
    del reply.content["answers"]


def raising(reply, message):
    raise ValueError("the disk is full")


def speaks_for_another(reply, message):
    reply.content["corefed"]["agent"] = "Bergen"


def indefinite(array):
    array[0, 0] = -1.0
    return array


BAD = [
    ("no number", edited("losses", at_first(np.nan)), "loss of `Dresden` at point 0 is not finite"),
    ("gradient", edited("gradients", at_first(np.inf)), "gradient of `Dresden` at point"),
    ("too few", edited("losses", lambda a: a[:-1]), "answers 1 losses; 2 were asked for"),
    ("short", edited("gradients", lambda a: a[:, :-1]), "7 numbers in a gradient; 8 were asked"),
    ("flat", edited("gradients", lambda a: a.reshape(-1)), "expected float64 in 2 dimensions"),
    ("single", edited("losses", lambda a: a.astype(np.float32)), "is of type float32"),
    ("points", other_points, "answers for other points than those of round 1"),
    ("round", other_round, "answers round 99; this is round 1"),
    ("low", edited("losses", lambda a: a - [0.0, 0.5]), "no convex loss agrees with `Dresden`"),
    ("bent", edited("hessians", indefinite), "is not positive semidefinite"),
    ("own", edited("own", lambda a: 100.0 + a), "own predictor of `Dresden` is not usable"),
    ("nothing", no_record, "needs `answer_audits` among its mods"),
    ("broken", raising, "its app failed"),
    ("another", speaks_for_another, "answered for another agent"),
]


@pytest.mark.parametrize(("change", "reason"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_a_bad_answer_is_named_and_not_kept(tmp_path, hospitals, change, reason):
    grid = spoil(federation(hospitals), "Dresden", change)
    found, told = audited(tmp_path / "run", hospitals, grid)
    assert reason in told["agents"][3]["left_out"]
    assert sum(told["agents"][3]["answered"]) == 0
    assert [agent["name"] for agent in found["absent"]] == ["Dresden"]
    assert found["verdict"] != "stable"
    kept = sorted(path.name for path in (tmp_path / "run/answers").iterdir())
    assert kept
    assert not any(name.endswith("-3.json") for name in kept)


@pytest.mark.parametrize(
    ("fate", "reason"), [("lost", "not answer in time"), ("gone", "not there")]
)
def test_who_falls_silent_later_has_told_what_it_told(tmp_path, hospitals, fate, reason):
    grid = federation(hospitals)

    def silent(message):
        late = asks(message) == "oracle" and message.content["config"]["server-round"] > 1
        return fate if late else "answer"

    node_of(grid, "Dresden").fate = silent
    found, told = audited(tmp_path / "run", hospitals, grid, timeout=0.5)
    assert reason in told["agents"][3]["left_out"]
    assert "absent" not in found
    assert told["agents"][3]["answered"][0] > 0
    assert sum(told["agents"][3]["answered"][1:]) == 0
    # What it told bounds every group it could be in.
    assert found["kappa"]["lo"] <= found["kappa"]["hi"]


def test_scaled_gradients_are_found_out_when_there_are_more_points(tmp_path, hospitals):
    # Two points may lie above each other's tangents all the same; those of the second round do not.
    grid = spoil(federation(hospitals), "Dresden", edited("gradients", lambda a: 3.0 * a))
    found, told = audited(tmp_path / "run", hospitals, grid)
    assert "no convex loss agrees with `Dresden`" in told["agents"][3]["left_out"]
    # And what it sent before is not what its own rows say: it cannot sign.
    assert "is said to be known within" in told["agents"][3]["unsigned"]
    assert found["verdict"] == "undecided"
    (last,) = (line for line in found["assumptions"] if "signed" in line["statement"])
    assert (last["status"], "Dresden has not signed" in last["detail"]) == ("assumed", True)


def test_other_rows_in_a_later_round_are_found_out(tmp_path, hospitals):
    def losses_of_evora(reply, message):
        other = node_of(grid, "Evora")
        return other_reply(other, message, reply)

    def other_reply(node, message, reply):
        foreign = node.app(message, node.context)
        reply.content["answers"] = foreign.content["answers"]

    grid = federation(hospitals)
    spoil(grid, "Dresden", losses_of_evora, number=2)
    _, told = audited(tmp_path / "run", hospitals, grid)
    assert "no convex loss agrees with `Dresden`" in told["agents"][3]["left_out"]
    assert "left_out" not in told["agents"][4]


def test_a_table_of_another_agent_is_refused_before_it_is_asked(tmp_path, hospitals):
    def change(reply, message):
        reply.content["terms"]["rows-of"] = "Evora"

    grid = spoil(federation(hospitals), "Dresden", change, ask="terms", number=0)
    _, told = audited(tmp_path / "run", hospitals, grid)
    assert told["agents"][3]["left_out"] == "its rows are those of `Evora`"
