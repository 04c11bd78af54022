"""Noise and budget in a federation."""

import logging
import math

import numpy as np
import pytest
from flwr.app import ConfigRecord, Message, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp.strategy import DifferentialPrivacyServerSideFixedClipping as Wrapper
from inprocess import InProcess, Node, arrays
from summed import CENTRES, START, grid, lines, loss_at, model, train

from corefed import CohortError, InputError, RunError, flower, load
from corefed.flower.model import model_of
from corefed.flower.private import CentralNoise
from corefed.privacy import BudgetError, epsilon_of

PROMISE = {"epsilon": 4.0, "delta": 1e-5, "clip": 0.2}


def drawn(seed):
    return np.random.default_rng(seed).bytes


def private(seed=0, **settings):
    return flower.Privacy(**PROMISE | {"draw": drawn(seed)} | settings)


def test_the_planned_rounds_spend_the_promise_and_no_more(tmp_path):
    for rule in (flower.CoreFed, flower.FedAvg):
        run = tmp_path / rule.__name__
        strategy = rule(ceilings=5.0, privacy=private(), run=run, average="equal")
        train(strategy, grid(tmp_path, plain=True), rounds=6)
        rows = lines(run / "privacy.jsonl")
        assert [row["round"] for row in rows] == [1, 2, 3, 4, 5, 6]
        assert rows[-1]["epsilon"] == pytest.approx(4.0, rel=1e-9)
        assert sorted(row["epsilon"] for row in rows) == [row["epsilon"] for row in rows]
        for row in rows:
            deviation = strategy.private.noise * 0.2 * row["largest_share"]
            assert row["deviation"] == pytest.approx(deviation)


def test_the_log_says_after_every_round_what_is_spent(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("flwr"), "propagate", True)
    caplog.set_level(logging.INFO, logger="flwr")
    run = tmp_path / "run"
    train(flower.CoreFed(ceilings=5.0, privacy=private(), run=run), grid(None, plain=True), 3)
    said = [line for line in caplog.messages if line.startswith("privacy: epsilon is")]
    rows = lines(run / "privacy.jsonl")
    assert said == [
        f"privacy: epsilon is {row['epsilon']:.4g} of 4 after the model of round {row['round']}"
        for row in rows
    ]
    assert len(said) == 3


def test_a_round_is_the_clipped_step_by_noised_losses_and_noise():
    strategy = flower.CoreFed(ceilings=5.0, memory=1.0, privacy=private(seed=3), share_cap=None)
    found = train(strategy, grid(None, plain=True), rounds=1)
    again = CentralNoise(private(seed=3), "corefed", 1, None)
    at = np.array(list(CENTRES.values()), float)
    gaps = np.array(START) - at
    losses = dict(zip(CENTRES, (gaps**2).sum(1) / 2, strict=True))
    noised = again.losses(1, losses, dict.fromkeys(CENTRES, 5.0))
    assert all(abs(noised[name] - losses[name]) > 1e-6 for name in CENTRES)
    utilities = np.maximum(5.0 - np.array(list(noised.values())), 0.5)
    shares = (1 / utilities) / (1 / utilities).sum()
    updates = -0.1 * gaps
    updates *= np.minimum(1, 0.2 / np.linalg.norm(updates, axis=1))[:, None]
    before = model_of(arrays(t=np.array(START) + shares @ updates))
    expected = again.model(1, before, shares.max(), 1.0).parts["t"]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_run_that_cannot_keep_its_promise_does_not_start(tmp_path):
    told = private(noise=3.0, loss_noise=10.0)
    possible = CentralNoise(told, "corefed", 1, None)._budget.releases(possible_square(told))
    with pytest.raises(BudgetError, match=rf"{possible} rounds keep it"):
        train(
            flower.CoreFed(ceilings=5.0, privacy=told, run=tmp_path / "run"),
            grid(None, plain=True),
            rounds=possible + 1,
        )
    assert not (tmp_path / "run").exists()
    train(flower.CoreFed(ceilings=5.0, privacy=told), grid(None, plain=True), rounds=possible)


def possible_square(told):
    return told.noise**-2 + told.loss_noise**-2


def test_a_resumed_run_stops_where_its_budget_is_spent(tmp_path):
    first = flower.FedAvg(
        ceilings=5.0, average="equal", privacy=private(noise=4.0), run=tmp_path / "run"
    )
    train(first, grid(None, plain=True), rounds=2)
    most = first.private._budget.releases(4.0**-2)
    first.history.close()
    again = flower.FedAvg(
        ceilings=5.0, average="equal", privacy=private(noise=4.0), run=tmp_path / "run"
    )
    train(again, grid(None, plain=True), rounds=most + 5)
    rows = lines(tmp_path / "run/privacy.jsonl")
    assert len(rows) == most == again.done
    assert rows[-1]["epsilon"] <= 4.0
    assert epsilon_of(1e-5, math.sqrt(most + 1) / 4.0) > 4.0
    (tmp_path / "run/privacy.jsonl").write_text("{}\n")
    again.history.close()
    with pytest.raises(RunError, match=r"privacy\.jsonl` is damaged: line 1"):
        train(
            flower.FedAvg(
                ceilings=5.0, average="equal", privacy=private(noise=4.0), run=tmp_path / "run"
            ),
            grid(None, plain=True),
            rounds=most,
        )


@pytest.mark.parametrize(
    ("rule", "settings", "field"),
    [
        ("AFL", {}, "rule"),
        ("FedMGDA", {}, "rule"),
        ("CoreFed", {"secure": True}, "secure"),
        ("CoreFed", {"search": "on"}, "search"),
        ("CoreFed", {"correction": "control"}, "correction"),
        ("CoreFed", {"server_momentum": 0.5}, "server_momentum"),
        ("CoreFed", {"step_length": "dynamic"}, "step_length"),
        ("CoreFed", {"ceilings": "initial:2"}, "ceilings"),
        ("CoreFed", {"clip": 3.0}, "clip"),
        ("CoreFed", {"privacy": private(noise=-1.0)}, "noise"),
        ("CoreFed", {"privacy": private(delta=2.0)}, "delta"),
    ],
)
def test_what_the_accountant_does_not_know_of_is_refused(rule, settings, field):
    with pytest.raises(InputError) as caught:
        getattr(flower, rule)(**{"ceilings": 5.0, "privacy": private()} | settings)
    assert caught.value.field == field


def test_the_end_of_a_run_says_what_is_spent(tmp_path):
    run = tmp_path / "run"
    strategy = flower.FedAvg(ceilings=5.0, privacy=private(noise=9.0), run=run, average="equal")
    train(strategy, grid(None, plain=True), rounds=6)
    said = "Privacy: the models have spent an epsilon of "
    epsilon = lines(run / "privacy.jsonl")[-1]["epsilon"]
    summary = (run / "summary.md").read_text()
    assert summary.endswith(f"{said}{epsilon:.4g} of 4, at a delta of 1e-05 (privacy.jsonl).\n")
    # An audit writes the summary anew.
    strategy.audit(zero=True)
    assert (run / "summary.md").read_text().count(said) == 1
    assert load(run).verdict.status


def test_a_wrapper_is_refused():
    wrapped = Wrapper(flower.CoreFed(ceilings=5.0, privacy=private()), 1.0, 1.0, 4)
    with pytest.raises(InputError, match="would see updates without noise"):
        flower.start(wrapped, grid(None, plain=True), model(), num_rounds=1, timeout=1)


def agents_app(at, keep, **settings):
    told = {"epsilon": 3.0, "delta": 1e-5, "clip": 0.2, "noise": 20.0} | {
        "ceiling": 5.0,
        "loss_noise": 60.0,
    }
    mod = flower.private_answers(keep=keep, **told | settings)
    app = ClientApp(mods=[mod, flower.report_loss(loss_at(at))])

    @app.train()
    def trained(message, context):
        (t,) = message.content["arrays"].to_numpy_ndarrays()
        moved = t - 0.1 * (t - np.asarray(at, float))
        return Message(RecordDict({"arrays": arrays(t=moved)}), reply_to=message)

    @app.evaluate()
    def evaluated(message, context):
        return Message(RecordDict({"config": ConfigRecord()}), reply_to=message)

    return app


def agents_grid(tmp_path, **settings):
    nodes = [Node(agents_app(at, tmp_path / n, **settings), n) for n, at in CENTRES.items()]
    return InProcess(nodes)


def test_agents_noise_their_own_answers_and_say_what_they_spent(tmp_path):
    net = agents_grid(tmp_path)
    strategy = flower.CoreFed(ceilings=5.0, run=tmp_path / "run", evaluate_every=0, norm_cap=None)
    train(strategy, net, rounds=3)
    # Round 0 tells a loss, every training a loss and an update.
    squares = 60.0**-2 + 3 * (60.0**-2 + 20.0**-2)
    told = lines(tmp_path / "run/told-privacy.jsonl")
    largest = f"an epsilon of {told[-1]['largest_epsilon']:.4g} at most"
    assert [largest in note for note in strategy.history.notes] == [True]
    assert [row["round"] for row in told] == [1, 2, 3]
    assert told[-1]["largest_epsilon"] == pytest.approx(epsilon_of(1e-5, math.sqrt(squares)))
    for reply in net.answered:
        for record in reply.content.metric_records.values():
            assert set(record) <= {"loss-before", "corefed-epsilon", "corefed-samples"}


def test_the_noise_of_agents_is_as_large_as_they_say(tmp_path):
    sent = []
    for name in range(150):
        net = InProcess([Node(agents_app([1.0, 0.0], tmp_path / str(name)), "a")] * 1)
        question = RecordDict({"arrays": model(), "config": ConfigRecord({"server-round": 1})})
        (node,) = net.nodes
        net.push_messages([Message(question, node, "train")])
        (reply,) = net.answered
        sent.append(reply.content["arrays"].to_numpy_ndarrays()[0] - np.array(START))
    noise = np.array(sent)
    # The update itself is shorter than the clip, and small beside the noise of 4.
    assert abs(noise.std() - 20 * 0.2) < 5 * 4 / math.sqrt(2 * noise.size)


def test_a_spent_account_refuses_by_name(tmp_path):
    net = agents_grid(tmp_path, epsilon=0.2)
    strategy = flower.CoreFed(ceilings=5.0, evaluate_every=0, on_too_few="fail", norm_cap=None)
    with pytest.raises(CohortError, match="the privacy budget is spent: epsilon is"):
        train(strategy, net, rounds=5)


def test_a_private_agent_answers_no_other_question(tmp_path):
    strategy = flower.CoreFed(ceilings=5.0, run=tmp_path / "run", evaluate_every=0, norm_cap=None)
    train(strategy, agents_grid(tmp_path), rounds=1)
    with pytest.raises(CohortError, match="it answers in private only"):
        strategy.audit(timeout=1)
