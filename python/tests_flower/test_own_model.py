"""A convex model of the user's own, audited exactly where rows stay: no family of ours has it."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from exactly import corefed
from own_losses import LOSSES, NAMES, RADIUS, clients, grid, pooled_kappa

import corefed as corefed_package
from corefed import CertificateError, CohortError, InputError, flower

sys.path.insert(0, str(Path(__file__).parents[2] / "reference"))


def strategy(run, ceiling, **how):
    return flower.Newton(ceilings=ceiling, radius=RADIUS, agents=NAMES, run=run, **how)


def audited(run, own, ceiling, rounds=0, **how):
    """The audit of the model of zeros, or of one that is trained first."""
    rule = strategy(run, ceiling)
    rule.start(grid(own), own["east"].zero(), num_rounds=rounds, timeout=5)
    found = rule.audit(exact=flower.Exact(**how), timeout=5)
    rule.history.close()
    return found, json.loads((run / "answered.json").read_text())


def predictor(run):
    return json.loads((run / "certificate.json").read_text())["terms"]["predictor"]


@pytest.mark.parametrize(
    ("ceiling", "train", "l2", "verdict"),
    [
        (1.0, False, 0.0, "blocked"),
        (1.2, False, 0.0, "improvable"),
        (0.75, True, 0.0, "blocked"),
        (0.9, True, 0.0, "stable"),
        (0.9, True, 0.05, "stable"),
    ],
)
def test_verdict_and_interval_are_those_of_pooled_rows(tmp_path, ceiling, train, l2, verdict):
    run = tmp_path / "run"
    found, told = audited(run, clients(tmp_path, l2=l2), ceiling, train=train)
    theta = np.array(predictor(run)["parameters"])
    kappa, who, everybody = pooled_kappa(theta, dict.fromkeys(NAMES, ceiling), l2)
    assert found["verdict"] == verdict
    # Both ends hold, and where they decide they are close.
    assert found["kappa"]["lo"] <= kappa * (1 + 1e-7)
    assert kappa <= found["kappa"]["hi"] * (1 + 1e-9)
    if verdict == "blocked":
        assert found["kappa"]["lo"] == pytest.approx(kappa, rel=2e-6)
        assert found["kappa"]["hi"] == pytest.approx(kappa, rel=2e-6)
        assert found["deviation"]["coalition"] == list(who)
    assert found["everybody"]["lo"] == pytest.approx(max(everybody, 1.0), rel=2e-6)
    assert found["everybody"]["hi"] == pytest.approx(max(everybody, 1.0), rel=2e-6)
    assert told["rounds"] <= 6
    assert not any({"left_out", "unsigned"} & agent.keys() for agent in told["agents"])


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    run = tmp_path_factory.mktemp("own") / "run"
    audited(run, clients(run.parent), 0.75, train=True)
    return run / "certificate.json"


def test_anybody_verifies_it_without_data_and_is_told_what_that_means(signed):
    code, said = corefed("verify", signed)
    assert (code, said.split(":")[0]) == (0, "attested"), said
    assert "signed by east, north, south, west" in said
    words = " ".join(said.split())
    assert "each agent stands for its own losses; nobody can recompute them from rows" in words
    assert "the agents claim it, and only the points that they answered are checked" in words
    certificate = json.loads(signed.read_text())
    assert certificate["version"] == 2
    assert certificate["terms"]["predictor"]["own"] == "huber"
    assert corefed_package.verify(signed).status == "attested"
    from second_checker.attested import judge_attested

    assert judge_attested(signed.read_text()) is None
    certificate["attestations"][1]["leaves"][0]["loss"] -= 1e-9
    assert "`north` did not sign this" in judge_attested(json.dumps(certificate))


def test_the_command_cannot_attest_it_and_says_who_can(tmp_path, signed):
    rows = tmp_path / "rows.csv"
    rows.write_text("x,y\n1,2\n")
    key = signed.parents[1] / "north/key.json"
    for words in (
        ("attest", signed, "--data", rows, "--key", key),
        ("verify", signed, "--data", rows),
    ):
        code, said = corefed(*words)
        said = " ".join(said.split())
        assert code != 0
        assert "`huber` is the agents' own: this program cannot compute its losses" in said
        assert "`ConvexClient.attest(certificate, key)`" in said


def test_an_agent_attests_by_its_own_program_alone(tmp_path, signed):
    certificate = json.loads(signed.read_text())
    before = certificate["attestations"][2]
    certificate["attestations"][2] = before | {"rows": None, "signature": None}
    own = clients(signed.parents[1])["south"]
    key = signed.parents[1] / "south/key.json"
    again = json.loads(own.attest(json.dumps(certificate), key))
    assert again["attestation"] == before
    # Another loss than the one that answered: nothing is signed.
    other = clients(tmp_path, dict(LOSSES, south=LOSSES["west"]))["south"]
    with pytest.raises(CertificateError, match="`south` is said to lose"):
        other.attest(json.dumps(certificate), key)
    fewer = flower.ConvexClient(LOSSES["south"], parameters=3, samples=39, model="huber")
    with pytest.raises(CertificateError, match=r"`south`.*40"):
        fewer.attest(json.dumps(certificate), key)
    renamed = flower.ConvexClient(LOSSES["south"], parameters=3, samples=40, model="tukey")
    with pytest.raises(InputError, match="another model, ridge or number"):
        renamed.attest(json.dumps(certificate), key)


def test_newton_trains_it_to_the_same_core(tmp_path):
    asked, _ = audited(tmp_path / "asked", clients(tmp_path), 2.5, train=True)
    found, _ = audited(tmp_path / "newton", clients(tmp_path), 2.5, rounds=12)
    assert found["log_welfare"] == pytest.approx(asked["log_welfare"], abs=2e-6)


def test_a_hessian_of_the_users_own_changes_no_answer(tmp_path):
    def hessian_of(loss):
        def hessian(theta):
            near = np.abs(loss.x @ theta - loss.y) <= 1
            return loss.x[near].T @ loss.x[near] / len(loss.y)

        return hessian

    own = clients(tmp_path)
    exact = {
        name: flower.ConvexClient(
            loss,
            parameters=3,
            samples=40,
            model="huber",
            hessian=hessian_of(loss),
            keep=tmp_path / name,
        )
        for name, loss in LOSSES.items()
    }
    at = np.array([0.3, -0.2, 0.1])
    np.testing.assert_allclose(exact["east"]._hessian(at), own["east"]._hessian(at), atol=1e-6)
    one, _ = audited(tmp_path / "one", own, 0.75, train=True)
    two, _ = audited(tmp_path / "two", exact, 0.75, train=True)
    assert one["verdict"] == two["verdict"]
    assert one["kappa"]["lo"] == pytest.approx(two["kappa"]["lo"], rel=1e-5)


def wavy(theta):
    return float(np.sum(np.cos(3 * theta))) + 3.0, -3 * np.sin(3 * theta)


BAD = {
    "shape": (lambda t: (1.0, np.zeros(2)), "gradient of shape (2,); the model has 3 parameters"),
    "pair": (lambda t: 1.0, "gives float, not a loss and a gradient"),
    "single": (lambda t: (1.0, np.zeros(3, np.float32)), "computes in single precision"),
    "nan": (lambda t: (1.0 if t.any() else np.nan, t), "a number that is not finite at [0. 0. 0.]"),
    "bent": (wavy, "no convex loss agrees with `south`"),
    "scaled": (lambda t: (float(t @ t) / 2 + 0.1, 3 * t), "no convex loss agrees with `south`"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_function_that_cannot_be_is_named_with_its_agent(tmp_path, name):
    function, reason = BAD[name]
    good = strategy(tmp_path / "run", 2.5)
    own = clients(tmp_path)
    # Honest while it trains: only questions are answered wrongly.
    nodes = grid(own)
    bad = flower.ConvexClient(
        function, parameters=3, samples=40, model="huber", keep=tmp_path / "south"
    )
    good.start(nodes, own["east"].zero(), num_rounds=1, timeout=5)
    liar = next(n for n in nodes.nodes.values() if n.context.node_config["agent"] == "south")
    liar.app = flower.convex_app(bad)
    found = good.audit(exact=True, timeout=5)
    told = json.loads((tmp_path / "run/answered.json").read_text())["agents"]
    assert reason in told[2]["left_out"]
    assert [agent["name"] for agent in told if "left_out" in agent] == ["south"]
    # What it told before may be as wrong: nobody vouches for groups with it.
    absent = [agent["name"] for agent in found.get("absent", [])]
    assert absent == ["south"] or told[2]["unsigned"] == "its answers contradict each other"
    code, said = corefed("verify", tmp_path / "run/certificate.json")
    assert code == 0, said
    assert "not signed by south" in said or "south did not answer" in said
    assert (found["verdict"], absent) != ("stable", ["south"])


def test_terms_must_be_one_model_and_somewhere_to_keep_a_key(tmp_path):
    own = clients(tmp_path)
    own["west"] = flower.ConvexClient(
        LOSSES["west"], parameters=3, samples=40, model="tukey", keep=tmp_path / "west"
    )
    rule = strategy(tmp_path / "run", 2.5)
    rule.start(grid(own), own["east"].zero(), num_rounds=0, timeout=5)
    with pytest.raises(InputError, match="`west` has another `model` than agent `east`"):
        rule.audit(exact=True, timeout=5)
    homeless = {
        name: flower.ConvexClient(loss, parameters=3, samples=40) for name, loss in LOSSES.items()
    }
    rule = strategy(tmp_path / "other", 2.5)
    rule.start(grid(homeless), own["east"].zero(), num_rounds=0, timeout=5)
    with pytest.raises(CohortError, match="no folder is named for the agent's key"):
        rule.audit(exact=True, timeout=5)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [({"parameters": 0}, "parameters"), ({"samples": 0}, "samples"), ({"l2": -1.0}, "l2"),
     ({"model": " "}, "model")],
)  # fmt: skip
def test_arguments_that_cannot_be_are_named(wrong, field):
    with pytest.raises(InputError) as refused:
        flower.ConvexClient(wavy, **{"parameters": 3, "samples": 1, **wrong})
    assert refused.value.field == field
