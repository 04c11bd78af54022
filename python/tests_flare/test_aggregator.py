"""The aggregator, by the events and objects that FLARE's workflow has."""

import json

import numpy as np
import pytest
from federation import Federation, trained
from nvflare.app_common.abstract.fl_model import ParamsType
from safetensors.numpy import load_file

import corefed
from corefed.flare import CoreFedAggregator

START = {"w": np.array([1.0, -2.0, 0.5]), "b": np.array([[0.25]])}
SITES = ["site-1", "site-2", "site-10"]
LOSSES = [
    {"site-1": 1.0, "site-2": 2.0, "site-10": 1.5},
    {"site-1": 0.5, "site-2": 1.9, "site-10": 1.4},
]
SAMPLES = {"site-1": 10, "site-2": 30, "site-10": 20}
CEILINGS = {"site-1": 3.0, "site-2": 2.5, "site-10": 2.0}
RULES = [rule.name for rule in corefed.rules() if rule.name != "newton"]
KNOBS = {"qffl": {"q": 0.7}, "term": {"t": 0.3}, "afl": {"gamma": 0.2}}


def update(number, site):
    rng = np.random.default_rng([number, SITES.index(site)])
    return {name: 0.1 * rng.normal(size=part.shape) for name, part in START.items()}


def answers(number, order=SITES):
    return {
        site: trained(update(number, site), LOSSES[number][site], SAMPLES[site]) for site in order
    }


@pytest.mark.parametrize("rule", RULES)
def test_rounds_are_the_servers_own(rule):
    """In any order of answers, and with a state that lasts from round to round."""
    knobs = KNOBS.get(rule, {}) | {"server_momentum": 0.5}
    told = {"ceilings": CEILINGS, "settings": knobs, "learning_rate": 0.1, "norm_cap": None}
    federation = Federation(CoreFedAggregator(rule, **told), START)
    server = corefed.Server(
        rule, agents=SITES, ceilings=CEILINGS, samples=SAMPLES, share_cap=3.0, **knobs
    )
    model, state = START, None
    for number, order in enumerate([SITES, SITES[::-1]]):
        assert federation.round(number, answers(number, order)) == {}
        updates = {site: update(number, site) for site in SITES}
        done = server.aggregate(
            model, updates, losses=LOSSES[number], learning_rate=0.1, state=state
        )
        model, state = done.model, done.state
        for name, part in model.items():
            np.testing.assert_array_equal(federation.model.params[name], part)


def test_sites_are_in_the_order_of_people():
    federation = Federation(CoreFedAggregator(ceilings=3.0), START)
    federation.round(0, answers(0, SITES[::-1]))
    assert federation.aggregator.names == ["site-1", "site-2", "site-10"]


def odd(**more):
    return trained(update(0, "site-2"), 1.0, **more)


FULL = {"params_type": ParamsType.FULL}
REFUSED = {
    "full": (odd(**FULL), "whole model (FULL)", "TransferType.DIFF"),
    "no loss": (
        odd(metrics={"accuracy": 0.5}),
        "no metric `loss_before`, only ['accuracy']",
        "report",
    ),
    "nan": (odd(metrics={"loss_before": float("nan")}), "its `loss_before` is nan", "report"),
    "negative": (odd(metrics={"loss_before": -1.0}), "its `loss_before` is -1.0", "report"),
    "text": (odd(metrics={"loss_before": "low"}), "its `loss_before` is 'low'", "report"),
    "keys": (odd(params={"w": np.zeros(3)}), "differ in the parts ['b']", "every part"),
    "shape": (
        odd(params={"w": np.zeros(2), "b": np.zeros((1, 1))}),
        "part `w` has the shape (2,), ours (3,)",
        "every part",
    ),
    "samples": (odd(meta={"samples": 1.5}), "its `samples` are 1.5", "report"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_used_is_refused_by_name(case, tmp_path):
    answer, why, hint = REFUSED[case]
    aggregator = CoreFedAggregator(ceilings=3.0, sites=SITES, run="run", min_replies=2)
    federation = Federation(aggregator, START, tmp_path)
    federation.round(0, answers(0))
    errors = federation.round(1, answers(1) | {"site-2": answer})
    assert list(errors) == ["site-2"]
    error = errors["site-2"]
    assert error.agent == "site-2"
    assert "the result of site `site-2` is refused" in error.message
    assert why in error.message
    assert hint in error.hint
    federation.measure(LOSSES[1])
    federation.end()
    rounds = [json.loads(line) for line in (tmp_path / "run/rounds.jsonl").read_text().splitlines()]
    assert [r["agent"] for r in rounds[-1]["rejections"]] == ["site-2"]
    assert why in rounds[-1]["rejections"][0]["reason"]
    np.testing.assert_array_equal(federation.model.params["w"], without("site-2"))


def test_a_job_whose_losses_explode_ends_with_the_model_before(tmp_path):
    federation = Federation(CoreFedAggregator(ceilings=3.0, run="run"), START, tmp_path)
    federation.round(0, answers(0))
    kept = {name: part.copy() for name, part in federation.model.params.items()}
    # One site alone ends nothing.
    huge = {"site-10": trained(update(1, "site-10"), 1e9, 20)}
    federation.round(1, answers(1) | huge)
    with pytest.raises(corefed.RunError, match="explodes in round 2: the median loss is 1e\\+09"):
        federation.round(2, {s: trained(update(1, s), 1e9, SAMPLES[s]) for s in SITES})
    federation.end()
    model = load_file(tmp_path / "run/model.safetensors")
    for name, part in kept.items():
        np.testing.assert_array_equal(model[name], part)
    rounds = (tmp_path / "run/rounds.jsonl").read_text().splitlines()
    assert [json.loads(line)["round"] for line in rounds] == [0, 1]


def without(absent):
    """The same two rounds by the server alone, the second without somebody."""
    server = corefed.Server(agents=SITES, ceilings=3.0, samples=SAMPLES, share_cap=3.0)
    model, state = START, None
    for number, sites in enumerate([SITES, [site for site in SITES if site != absent]]):
        updates = {site: update(number, site) for site in sites}
        losses = {site: LOSSES[number][site] for site in sites}
        done = server.aggregate(model, updates, losses=losses, state=state)
        model, state = done.model, done.state
    return model["w"]


def test_an_update_that_is_not_finite_is_left_out_by_name(tmp_path):
    federation = Federation(CoreFedAggregator(ceilings=3.0, run="run"), START, tmp_path, rounds=1)
    bad = update(0, "site-2") | {"b": np.array([[np.nan]])}
    assert federation.round(0, answers(0) | {"site-2": trained(bad, 1.0, 30)}) == {}
    assert np.isfinite(federation.model.params["b"]).all()
    federation.measure(LOSSES[1])
    federation.end()
    agents = [json.loads(line) for line in (tmp_path / "run/agents.jsonl").read_text().splitlines()]
    parts = {agent["agent"]: agent["part"] for agent in agents if agent["round"] == 1}
    assert parts == {"site-1": "trained", "site-2": "rejected", "site-10": "trained"}


def test_a_federation_begins_with_everybody_or_says_who_is_missing():
    federation = Federation(CoreFedAggregator(ceilings=3.0, sites=SITES), START)
    first = answers(0) | {"site-2": odd(metrics={})}
    del first["site-10"]
    with pytest.raises(corefed.CohortError) as raised:
        federation.round(0, first, asked=SITES)
    assert "site-2: it sent no metric `loss_before`" in raised.value.message
    assert "site-10: it did not answer" in raised.value.message
    assert "corefed.flare.report" in raised.value.hint


def test_strangers_take_no_part():
    federation = Federation(CoreFedAggregator(ceilings=3.0), START)
    federation.round(0, answers(0, ["site-1", "site-10"]))
    alone = Federation(CoreFedAggregator(ceilings=3.0), START)
    alone.round(0, answers(0, ["site-1", "site-10"]))
    federation.round(1, answers(1))
    alone.round(1, answers(1, ["site-1", "site-10"]))
    np.testing.assert_array_equal(federation.model.params["w"], alone.model.params["w"])


@pytest.mark.parametrize("on_too_few", ["skip", "fail"])
def test_a_round_with_too_few_results(on_too_few):
    told = {"ceilings": 3.0, "min_replies": 3, "on_too_few": on_too_few}
    federation = Federation(CoreFedAggregator(**told), START)
    federation.round(0, answers(0))
    before = federation.model.params["w"].copy()
    two = answers(1, ["site-1", "site-2"])
    if on_too_few == "fail":
        with pytest.raises(corefed.CohortError, match="needs 3 usable replies and has 2"):
            federation.round(1, two, asked=SITES)
    else:
        federation.round(1, two, asked=SITES)
    np.testing.assert_array_equal(federation.model.params["w"], before)


def test_a_long_update_and_a_low_first_report_are_held_back(tmp_path, caplog):
    aggregator = CoreFedAggregator(ceilings="initial:1.5", run="run")
    federation = Federation(aggregator, START, tmp_path, rounds=1)
    long = {name: 100 * part for name, part in update(0, "site-2").items()}
    federation.round(0, answers(0) | {"site-2": trained(long, 0.01, 30)})
    federation.end()
    header = json.loads((tmp_path / "run/run.json").read_text())
    ceilings = {agent["name"]: agent["ceiling"] for agent in header["agents"]}
    # The median of 1, 0.01 and 1.5 is 1; a third of it is what a ceiling may rest on.
    assert ceilings == pytest.approx({"site-1": 1.5, "site-2": 0.5, "site-10": 2.25})
    last = json.loads((tmp_path / "run/rounds.jsonl").read_text().splitlines()[-1])
    assert last["clipped"] == ["site-2"]
    assert "agent `site-2` sent a long update" in caplog.text


@pytest.mark.parametrize(("spread", "counted"), [(10.0, 200), (None, 10**12)])
def test_rows_beyond_any_sense_do_not_take_the_step(tmp_path, caplog, spread, counted):
    aggregator = CoreFedAggregator("fedavg", ceilings=9.0, run="run", rows_spread=spread)
    federation = Federation(aggregator, START, tmp_path, rounds=1)
    federation.round(0, answers(0) | {"site-2": trained(update(0, "site-2"), 1.0, 10**12)})
    federation.end()
    header = json.loads((tmp_path / "run/run.json").read_text())
    assert [agent["average"] for agent in header["agents"]] == [10, counted, 20]
    assert ("agent `site-2` reports 1000000000000 rows" in caplog.text) == (spread is not None)
    assert len(header.get("guards", [])) == (0 if spread is None else 1)


def test_sites_that_train_by_ceilings_are_told_them():
    federation = Federation(CoreFedAggregator("propfair", ceilings=CEILINGS), START)
    federation.round(0, answers(0))
    assert federation.received["site-2"].meta["corefed_ceilings"] == CEILINGS
    with pytest.raises(corefed.InputError, match="train by their ceilings"):
        CoreFedAggregator("propfair", ceilings="initial:1.5")


def test_the_last_model_is_judged_against_what_sites_submitted(tmp_path):
    federation = Federation(CoreFedAggregator(ceilings=3.0, run="run"), START, tmp_path, rounds=1)
    federation.round(0, answers(0))
    federation.measure({"site-1": 2.0, "site-2": 2.0, "site-10": 2.0})
    # Utilities of 1 each; with its own model site-1 has 2.9, of which a third is not enough.
    federation.evaluate("site-1", {"site-1": 0.1, "site-2": 3.0, "site-10": 3.0})
    # Two sites have 2 each with that of site-2: two thirds of it are 4/3.
    federation.evaluate("site-2", {"site-1": 1.0, "site-2": 1.0, "site-10": 3.0})
    federation.evaluate("SRV_server", {"site-1": 0.0, "site-2": 0.0, "site-10": 0.0})
    federation.end()
    audit = json.loads((tmp_path / "run/audit.json").read_text())
    assert audit["verdict"] == "blocked"
    assert audit["kappa"]["lo"] == pytest.approx(4 / 3)
    assert audit["deviation"]["coalition"] == ["site-1", "site-2"]
    verdict = corefed.load(tmp_path / "run").verdict
    assert (verdict.status, verdict.scope) == ("blocked", "the listed rivals")
    assert verdict.agents == ["site-1", "site-2", "site-10"]
    assert (verdict.coalition, verdict.gains) == (["site-1", "site-2"], audit["deviation"]["gains"])
    assert verdict.utilities.tolist() == [1.0, 1.0, 1.0]
    assert verdict.kappa.lo == pytest.approx(4 / 3)


def test_a_job_whose_last_model_not_everybody_measured_has_summary_and_page(tmp_path):
    federation = Federation(CoreFedAggregator(ceilings=3.0, run="run"), START, tmp_path)
    federation.round(0, answers(0))
    federation.round(1, answers(1))
    federation.measure({"site-1": 0.4})
    federation.end()
    assert not (tmp_path / "run/audit.json").exists()
    summary = (tmp_path / "run/summary.md").read_text()
    assert "There is no verdict: not everybody measured the model of round 2" in summary
    # What was reported before the second round is about the model of the first.
    assert "those of round 1" in summary
    assert f"| site-2 | 30 | 3.0000 | {LOSSES[1]['site-2']:.4f} |" in summary
    assert "site-10" in (tmp_path / "run/report.html").read_text()


def test_a_folder_that_is_there_is_not_written_to(tmp_path):
    for again in (False, True):
        federation = Federation(CoreFedAggregator(ceilings=3.0, run="run"), START, tmp_path)
        if again:
            with pytest.raises(corefed.CorefedError, match="already"):
                federation.round(0, answers(0))
        else:
            federation.round(0, answers(0))


MISTAKES = [
    ({"rule": "newton", "ceilings": 1.0}, "Newton"),
    ({"ceilings": 1.0, "settings": {"qq": 1}}, "no rule has a knob `qq`"),
    ({"ceilings": 1.0, "settings": {"ceilings": 1}}, "has a keyword for it"),
    ({"ceilings": 1.0, "on_too_few": "wait"}, "expected 'skip' or 'fail'"),
    ({"ceilings": 1.0, "min_replies": 0}, "`min_replies` is 0"),
    ({"rule": "qffl", "ceilings": 1.0}, "learning rate"),
]


@pytest.mark.parametrize(("told", "why"), MISTAKES, ids=[why for _, why in MISTAKES])
def test_settings_are_checked_before_a_job_is_sent(told, why):
    with pytest.raises(corefed.CorefedError, match=why):
        CoreFedAggregator(**told)


def test_weights_by_samples_need_samples():
    federation = Federation(CoreFedAggregator(ceilings=3.0), START)
    nobody = {site: trained(update(0, site), 1.0, meta={}) for site in SITES}
    with pytest.raises(corefed.InputError, match="agent `site-1` sent no `samples`") as raised:
        federation.round(0, nobody)
    assert "average='equal'" in raised.value.hint
