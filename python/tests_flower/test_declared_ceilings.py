"""Ceilings by every policy over Flower: the same as with all rows in one place, and signed."""

import json

import pytest
from exactly import asks, corefed, node_of, spoil
from own_losses import LOSSES, RADIUS, clients
from own_losses import NAMES as OWN
from own_losses import grid as own_grid
from scipy.optimize import minimize
from sites import NAMES, sites, solved
from test_exact import flower_app

from corefed import CohortError, InputError, flower

POLICIES = ["constant:3", "pooled-constant:2", "baseline:1.5", "alone:40", "worst", "initial:2"]
WEIGHTS = {"North": 1.0, "South": 2.5, "West": 0.5}


def begun(tmp_path, found, policy, rule=flower.FedAvg, grid=None, **how):
    strategy = rule(ceilings=policy, agents=NAMES, run=tmp_path / "run", **how)
    first = found.client("North").zero()
    strategy.start(grid or found.grid(flower_app), first, num_rounds=0, timeout=5)
    return strategy


@pytest.mark.parametrize("model", ["logistic", "softmax", "linear", "poisson"])
@pytest.mark.parametrize("policy", POLICIES)
def test_ceilings_are_those_of_pooled_rows(tmp_path, model, policy):
    found = sites(tmp_path / "data", model)
    weights = tmp_path / "w.csv"
    weights.write_text("agent,weight\n" + "".join(f"{n},{w}\n" for n, w in WEIGHTS.items()))
    spread = {"ceiling_spread": None} if policy.startswith("initial") else {}
    strategy = begun(tmp_path, found, policy, weights=WEIGHTS, **spread)
    code, said = solved(found, "--ceiling", policy, "--weights", weights)
    assert code in (0, 1, 3), said
    expected = {agent["name"]: agent["ceiling"] for agent in json.loads(said)["agents"]}
    told = dict(zip(NAMES, strategy.terms.ceilings, strict=True))
    assert told == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("policy", ["constant:3", "baseline:1.5", "alone:40", "worst"])
def test_the_policy_is_part_of_what_agents_sign_and_a_resume_knows_it(tmp_path, policy):
    found = sites(tmp_path / "data", "logistic")
    strategy = begun(tmp_path, found, policy)
    ceilings = strategy.terms.ceilings
    strategy.history.close()
    # A server that is started again asks nobody for it.
    grid = found.grid(flower_app)
    strategy = begun(tmp_path, found, policy, grid=grid)
    assert strategy.terms.ceilings == ceilings
    assert not any(asks(message) == "declare" for message in grid.sent)
    strategy.audit(exact=flower.Exact(train=True), timeout=5)
    certificate = json.loads((tmp_path / "run/certificate.json").read_text())
    for party, ceiling in zip(certificate["terms"]["agents"], ceilings, strict=True):
        assert (party["policy"], party["ceiling"]) == (policy, ceiling)
    code, said = corefed("verify", tmp_path / "run/certificate.json")
    assert (code, said.split(":")[0]) == (0, "attested"), said


@pytest.mark.parametrize("policy", ["constant:3", "alone:40", "worst"])
def test_an_agent_does_not_sign_a_ceiling_that_its_rows_do_not_give(tmp_path, policy):
    strategy = begun(tmp_path, sites(tmp_path / "data", "logistic"), policy)
    strategy.terms.ceilings[1] *= 1.01
    strategy.audit(exact=flower.Exact(train=True), timeout=5)
    told = json.loads((tmp_path / "run/answered.json").read_text())["agents"]
    assert f"on its rows `{policy}` gives" in told[1]["unsigned"]
    assert [agent["name"] for agent in told if "unsigned" in agent] == ["South"]


def test_training_goes_by_declared_ceilings(tmp_path):
    found = sites(tmp_path / "data", "logistic")
    strategy = flower.Newton(ceilings="pooled-constant:1.5", agents=NAMES, run=tmp_path / "run")
    grid = found.grid(lambda *mods: newton_app(found, *mods))
    strategy.start(grid, found.client("North").zero(), num_rounds=12, timeout=5)
    audit = strategy.audit(exact=True, timeout=5)
    code, said = solved(found, "--ceiling", "pooled-constant:1.5")
    assert code in (0, 1, 3), said
    assert audit["log_welfare"] == pytest.approx(json.loads(said)["log_welfare"], abs=1e-6)


def newton_app(found, *mods):
    from flwr.app import ConfigRecord, Message, RecordDict
    from flwr.clientapp import ClientApp

    app = ClientApp(mods=list(mods))

    @app.train()
    def train(message, context):
        answer = found.own(context).derivatives(message.content["arrays"])
        return Message(RecordDict({"arrays": answer}), reply_to=message)

    @app.evaluate()
    def evaluate(message, context):
        return Message(RecordDict({"config": ConfigRecord()}), reply_to=message)

    return app


def declared(numbers):
    def change(reply, message):
        reply.content["declared"]["declared"] = numbers

    return change


@pytest.mark.parametrize(
    ("policy", "numbers"),
    [
        ("constant:3", [float("nan")]),
        ("constant:3", [0.5, 0.5]),
        ("baseline:1.5", [0.9]),
        ("baseline:1.5", [0.9, 0.9]),
        ("worst", [-1.0]),
    ],
)
def test_declarations_that_cannot_be_are_named(tmp_path, policy, numbers):
    found = sites(tmp_path / "data", "logistic")
    grid = spoil(found.grid(flower_app), "South", declared(numbers), ask="declare", number=0)
    with pytest.raises(InputError) as refused:
        begun(tmp_path, found, policy, grid=grid)
    assert (refused.value.agent, refused.value.field) == ("South", "ceilings")


def test_a_ceiling_far_below_the_others_is_raised_and_signed_as_a_number(tmp_path):
    found = sites(tmp_path / "data", "logistic")
    honest = begun(tmp_path / "honest", found, "worst").terms.ceilings
    low = spoil(found.grid(flower_app), "South", declared([1e-6]), ask="declare", number=0)
    strategy = begun(tmp_path, found, "worst", grid=low)
    middle = sorted([honest[0], 1e-6, honest[2]])[1]
    assert strategy.terms.ceilings == [honest[0], middle / 9, honest[2]]
    (row,) = json.loads((tmp_path / "run/run.json").read_text())["guards"]
    assert (row["agent"], row["what"], row["told"]) == ("South", "ceiling", 1e-6)
    # A server that is started again knows whose ceiling follows from no rows.
    strategy.history.close()
    strategy = begun(tmp_path, found, "worst")
    strategy.audit(exact=flower.Exact(train=True), timeout=5)
    certificate = json.loads((tmp_path / "run/certificate.json").read_text())
    policies = [party["policy"] for party in certificate["terms"]["agents"]]
    assert policies == ["worst", str(strategy.terms.ceilings[1]), "worst"]
    told = json.loads((tmp_path / "run/answered.json").read_text())["agents"]
    assert not any("unsigned" in agent for agent in told)
    assert (
        "would have been 0.000001 by what it declared" in (tmp_path / "run/report.html").read_text()
    )
    free = spoil(found.grid(flower_app), "South", declared([1e-6]), ask="declare", number=0)
    strategy = begun(tmp_path / "free", found, "worst", grid=free, ceiling_spread=None)
    assert strategy.terms.ceilings[1] == 1e-6


def test_who_declares_nothing_is_named(tmp_path):
    found = sites(tmp_path / "data", "logistic")
    grid = found.grid(flower_app)
    node_of(grid, "West").fate = lambda m: "gone" if asks(m) == "declare" else "answer"
    with pytest.raises(CohortError, match=r"`constant:3`.*West: .*not there") as refused:
        begun(tmp_path, found, "constant:3", grid=grid)
    assert refused.value.agent == "West"
    with pytest.raises(InputError, match=r"`alone:0\.9`"):
        begun(tmp_path, found, "alone:0.9")
    with pytest.raises(InputError, match="`ceilings` is `constant:x`"):
        begun(tmp_path, found, "constant:x")


def test_a_ball_of_another_radius_needs_other_ceilings(tmp_path):
    strategy = begun(tmp_path, sites(tmp_path / "data", "logistic"), "worst")
    with pytest.raises(InputError, match="declared for a ball of radius 10, not 5"):
        strategy.audit(exact=flower.Exact(radius=5.0), timeout=5)


def test_an_own_model_is_measured_by_what_its_agent_has_alone(tmp_path):
    strategy = flower.Newton(ceilings="alone:3", radius=RADIUS, agents=OWN, run=tmp_path / "run")
    own = clients(tmp_path)
    strategy.start(own_grid(own), own["east"].zero(), num_rounds=0, timeout=5)
    for name, ceiling in zip(OWN, strategy.terms.ceilings, strict=True):
        best = minimize(LOSSES[name], [0.0] * 3, jac=True, method="BFGS", options={"gtol": 1e-10})
        assert ceiling == pytest.approx(3 * best.fun, rel=1e-9)
    strategy.audit(exact=flower.Exact(train=True), timeout=5)
    code, said = corefed("verify", tmp_path / "run/certificate.json")
    assert (code, said.split(":")[0]) == (0, "attested"), said
    strategy = flower.Newton(ceilings="baseline:2", agents=OWN, run=tmp_path / "other")
    with pytest.raises(CohortError, match="not known of a model of the agents' own"):
        strategy.start(own_grid(own), own["east"].zero(), num_rounds=0, timeout=5)
