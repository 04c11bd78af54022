"""Secure sums when something goes wrong: nobody's masks are opened, and everything is named."""

import json
import re
import shutil

import numpy as np
import pytest
from flwr.app import Array, ArrayRecord, ConfigRecord
from inprocess import Node
from summed import CENTRES, grid, lines, summed_app, train

from corefed import CohortError, InputError, RunError, flower
from corefed.flower.share import Own

OPEN = {"share_cap": None, "norm_cap": None, "ceiling_spread": None, "correction": "none"}


class KilledError(Exception):
    pass


def corefed(**settings):
    return flower.CoreFed(ceilings=5.0, **settings)


def asks(message):
    return message.content["config"].get("corefed-ask")


def node(net, name) -> Node:
    return next(n for n in net.nodes.values() if n.context.node_config["agent"] == name)


def lost(net, name, what, number):
    """Loses the messages of one kind that reach an agent in one round."""

    def fate(message):
        config = message.content["config"]
        rounds = config.get("server-round") or fate.round
        fate.round = rounds
        # Without secure sums, training asks for nothing in particular.
        hit = asks(message) == what and rounds == number and not (what is None and fate.sent)
        if what is None and rounds == number:
            fate.sent = True
        return "lost" if hit else "answer"

    fate.round, fate.sent = 0, False
    node(net, name).fate = fate


def test_a_missing_agent_means_that_the_others_are_asked_again(tmp_path):
    run = tmp_path / "run"
    net = grid(tmp_path / "keep")
    lost(net, "Dresden", "seal", 2)
    secure = train(corefed(secure=True, run=run), net, rounds=4)
    open_net = grid(tmp_path, plain=True)
    lost(open_net, "Dresden", None, 2)
    np.testing.assert_allclose(secure, train(corefed(**OPEN), open_net, rounds=4), atol=1e-12)
    rounds = lines(run / "rounds.jsonl")
    assert [r["trained"] for r in rounds] == [0, 4, 3, 4, 4]
    assert [r["dropped"] for r in rounds] == [0, 0, 1, 0, 0]
    rows = lines(run / "sums.jsonl")
    assert [row["agents"] for row in rows] == [4, 3, 4, 4, 4]
    assert rows[1]["cohort"] == ["Aachen", "Bergen", "Coimbra"]
    # A bound is everybody's or nobody's.
    assert rows[1]["kappa_bound"] is None
    assert rows[2]["kappa_bound"] >= 1


@pytest.mark.parametrize("fate", ["lost", "gone"])
def test_an_agent_that_is_away_is_dropped_and_not_rejected(tmp_path, fate):
    run, net = tmp_path / "run", grid(tmp_path / "keep")
    node(net, "Dresden").fate = lambda m: fate if asks(m) == "seal" else "answer"
    train(corefed(secure=True, run=run), net, rounds=1)
    record = lines(run / "rounds.jsonl")[1]
    assert (record["trained"], record["dropped"], record["rejections"]) == (3, 1, [])


def test_no_stream_is_used_for_two_messages(tmp_path):
    net = grid(tmp_path)
    lost(net, "Dresden", "seal", 2)
    train(corefed(secure=True), net, rounds=3)
    sent = [m.content["corefed-secure"] for m in net.sent if asks(m) == "seal"]
    tickets = [(secure["ticket"], tuple(secure["cohort"])) for secure in sent]
    assert len(set(tickets)) == 5  # three rounds, one of them twice, and the last model
    assert len({ticket for ticket, _ in tickets}) == 5


def test_a_round_that_is_asked_again_opens_only_once(tmp_path):
    net = grid(tmp_path)
    lost(net, "Dresden", "seal", 2)
    train(corefed(secure=True), net, rounds=3)
    opened = {m.content["corefed-secure"]["ticket"] for m in net.sent if asks(m) == "open"}
    assert opened == {1, 3, 4, 5}


def test_too_few_agents_leave_a_round_out(tmp_path):
    net = grid(tmp_path / "keep")
    for name in ("Coimbra", "Dresden"):
        lost(net, name, "seal", 1)
    run = tmp_path / "run"
    train(corefed(secure=True, run=run), net, rounds=2)
    assert [r["trained"] for r in lines(run / "rounds.jsonl")] == [0, 0, 4]
    again = grid(tmp_path / "other")
    for name in ("Coimbra", "Dresden"):
        lost(again, name, "seal", 1)
    with pytest.raises(CohortError, match=r"round 1: the round needs .* 3 agents"):
        train(corefed(secure=True, on_too_few="fail"), again, rounds=2)


def test_after_a_seal_that_stays_shut_only_the_same_group_goes_on(tmp_path):
    net, run = grid(tmp_path / "keep"), tmp_path / "run"
    lost(net, "Dresden", "open", 1)
    end = train(corefed(secure=True, run=run), net, rounds=2)
    records = lines(run / "rounds.jsonl")
    assert [r["trained"] for r in records] == [0, 0, 4]
    told = {r["agent"]: r["reason"] for r in records[1]["rejections"]}
    assert "did not open its seal" in told["Dresden"]
    np.testing.assert_allclose(
        end, train(corefed(**OPEN), grid(tmp_path, plain=True), rounds=1), atol=1e-12
    )


def test_the_others_do_not_answer_without_the_one_whose_seal_is_shut(tmp_path):
    net, run = grid(tmp_path / "keep"), tmp_path / "run"
    node(net, "Dresden").fate = lambda m: (
        "lost" if asks(m) == "open" or m.content["config"].get("server-round") == 2 else "answer"
    )
    train(corefed(secure=True, run=run), net, rounds=2)
    records = lines(run / "rounds.jsonl")
    assert [r["trained"] for r in records] == [0, 0, 0]
    reasons = " ".join(r["reason"] for r in records[2]["rejections"])
    assert "answered for another group" in reasons


@pytest.mark.parametrize("where", ["aggregate", "opening", "write"])
@pytest.mark.parametrize("number", [1, 3])
def test_a_killed_server_continues_to_the_same_model(tmp_path, monkeypatch, where, number):
    from corefed.flower import secure_rounds, summing

    whole = corefed(secure=True, run=tmp_path / "whole", server_momentum=0.5)
    expected = train(whole, grid(tmp_path / "a"))
    cut = corefed(secure=True, run=tmp_path / "cut", server_momentum=0.5)
    net = grid(tmp_path / "b")
    with monkeypatch.context() as patch:
        count = iter(range(100))

        def kill(original):
            def called(*args, **more):
                if next(count) == number - 1:
                    raise KilledError
                return original(*args, **more)

            return called

        if where == "aggregate":
            patch.setattr(summing, "total", kill(summing.total))
        elif where == "opening":
            patch.setattr(summing.Summing, "_seeds", kill(summing.Summing._seeds))
        else:
            patch.setattr(
                secure_rounds.SecureRounds, "_move", kill(secure_rounds.SecureRounds._move)
            )
        with pytest.raises(KilledError):
            train(cut, net)
    cut.history.close()
    # The agents' folders are theirs; nodes come back under other numbers.
    again = corefed(secure=True, run=tmp_path / "cut", server_momentum=0.5)
    found = train(again, grid(tmp_path / "b", seed=9))
    assert found.tobytes() == expected.tobytes()
    assert lines(tmp_path / "cut/sums.jsonl") == lines(tmp_path / "whole/sums.jsonl")
    for name in ("rounds.jsonl", "agents.jsonl", "model.safetensors"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_an_old_copy_of_a_run_folder_is_refused(tmp_path):
    strategy = corefed(secure=True, run=tmp_path / "run")
    train(strategy, grid(tmp_path / "keep"), rounds=1)
    strategy.history.close()
    shutil.copytree(tmp_path / "run", tmp_path / "copy")
    later = corefed(secure=True, run=tmp_path / "run")
    train(later, grid(tmp_path / "keep"), rounds=3)
    later.history.close()
    with pytest.raises(InputError, match="the run folder is an old copy"):
        train(corefed(secure=True, run=tmp_path / "copy"), grid(tmp_path / "keep"), rounds=3)


def test_a_damaged_session_is_named(tmp_path):
    strategy = corefed(secure=True, run=tmp_path / "run")
    train(strategy, grid(tmp_path / "keep"), rounds=1)
    strategy.history.close()
    (tmp_path / "run/secure.json").write_text("{")
    with pytest.raises(RunError, match=r"secure\.json` is damaged"):
        train(corefed(secure=True, run=tmp_path / "run"), grid(tmp_path / "keep"), rounds=2)


def test_an_agent_out_of_range_leaves_itself_out(tmp_path):
    net = grid(tmp_path / "keep")
    bad = summed_app(CENTRES["Dresden"], tmp_path / "keep", stretch=1e9)
    node(net, "Dresden").app = bad
    run = tmp_path / "run"
    train(corefed(secure=True, run=run), net, rounds=1)
    record = lines(run / "rounds.jsonl")[1]
    (told,) = record["rejections"]
    assert told["agent"] == "Dresden"
    assert "beyond the agreed range of 4096" in told["reason"]
    assert record["trained"] == 3


def broken(change):
    """An app whose sealed messages are spoilt on the way."""

    def spoil(app):
        def call(message, context):
            reply = app(message, context)
            if asks(message) == "seal" and message.content["config"]["server-round"] == 1:
                change(reply.content)
            return reply

        return call

    return spoil


def words(content):
    return content["sealed"]["sealed"].numpy()


def replaced(content, value):
    content["sealed"] = ArrayRecord({"sealed": Array(value)})


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda c: replaced(c, words(c).astype(np.float64)), "type float64, not uint64"),
        (lambda c: replaced(c, words(c)[:-1]), r"shape \(6,\), not \(7,\)"),
        (lambda c: c.pop("sealed"), "no sealed message"),
        (lambda c: c.update({"corefed": ConfigRecord({"agent": "Bergen"})}), "another agent"),
    ],
)
def test_malformed_messages_are_named_and_the_round_is_asked_again(tmp_path, change, why):
    net, run = grid(tmp_path / "keep"), tmp_path / "run"
    node(net, "Dresden").app = broken(change)(node(net, "Dresden").app)
    train(corefed(secure=True, run=run), net, rounds=1)
    record = lines(run / "rounds.jsonl")[1]
    assert record["trained"] == 3
    (told,) = record["rejections"]
    assert told["agent"] == "Dresden"
    assert re.search(why, told["reason"])


def test_a_message_that_is_not_what_was_agreed_spoils_the_sum_and_is_noticed(tmp_path):
    def noise(content):
        random = np.random.default_rng(5)
        replaced(content, random.integers(0, 2**64, 7, dtype=np.uint64))

    net, run = grid(tmp_path / "keep"), tmp_path / "run"
    node(net, "Dresden").app = broken(noise)(node(net, "Dresden").app)
    end = train(corefed(secure=True, run=run), net, rounds=1)
    assert end.tolist() == [0.3, 0.1]
    reasons = [r["reason"] for r in lines(run / "rounds.jsonl")[1]["rejections"]]
    assert any("nobody can tell whose" in reason for reason in reasons)


def test_agents_of_secure_sums_answer_nothing_else(tmp_path):
    with pytest.raises(CohortError, match="this agent answers in secure sums only"):
        train(corefed(), grid(tmp_path))
    with pytest.raises(CohortError, match="does it have `secure_sums` among its mods"):
        train(corefed(secure=True), grid(tmp_path, plain=True))


def test_a_server_that_swaps_a_key_is_noticed_by_a_pin(tmp_path):
    keep = tmp_path / "keep"
    first = corefed(secure=True, run=tmp_path / "run")
    train(first, grid(keep), rounds=1)
    keys = json.loads((tmp_path / "run/secure.json").read_text())["keys"]
    pins = tmp_path / "pins.json"
    pins.write_text(json.dumps(keys))
    train(corefed(secure=True), grid(keep, pins=pins), rounds=1)
    pins.write_text(json.dumps(keys | {"Bergen": "00" * 31 + "07"}))
    net = grid(keep, pins=pins)
    with pytest.raises(CohortError, match="key of agent `Bergen` is not the one that is pinned"):
        train(corefed(secure=True, on_too_few="fail"), net, rounds=1)


@pytest.mark.parametrize(
    "terms",
    [
        {"weights": {"Aachen": 1e6, "Bergen": 1.0, "Coimbra": 1.0, "Dresden": 1.0}},
        {"ceilings": {"Aachen": 1.0, "Bergen": 1e6, "Coimbra": 1e6, "Dresden": 1e6}},
    ],
)
def test_a_say_that_would_make_the_sum_ones_own_is_refused_by_its_agent(tmp_path, terms):
    run = tmp_path / "run"
    strategy = flower.CoreFed(**{"ceilings": 5.0} | terms, secure=True, run=run)
    train(strategy, grid(tmp_path), rounds=1)
    (told,) = lines(run / "rounds.jsonl")[1]["rejections"]
    assert told["agent"] == "Aachen"
    assert "100% of the say" in told["reason"]


def test_a_node_without_a_folder_says_so(tmp_path):
    with pytest.raises(CohortError, match="need a folder of the agent's own"):
        train(corefed(secure=True), grid(None), rounds=1)


def test_logs_of_next_to_nothing_stay_in_range():
    terms = {"rule": "corefed", "weights": {"a": 1, "b": 1}, "ceilings": {"a": 2, "b": 2}}
    own = Own.of(terms | {"floor": 0.1, "memory": 1, "clip": None}, "a", ["a", "b"], 64.0)
    assert own.log_utility(1.0) == 0.0
    assert own.log_utility(2.0) == pytest.approx(np.log(0.2) - 1)
    assert own.log_utility(1e9) == own.log_utility(float("inf")) == -0.9 * 64
    assert own.measures(2.0)[2] == 1.0


def test_settings_of_a_session_belong_to_the_run(tmp_path):
    strategy = corefed(secure=True, run=tmp_path / "run")
    train(strategy, grid(tmp_path / "keep"), rounds=1)
    strategy.history.close()
    with pytest.raises(InputError, match="secure"):
        train(corefed(run=tmp_path / "run"), grid(tmp_path / "keep"), rounds=2)
