"""Exact audits of agents that keep their rows: verdicts, signatures, resume, budgets."""

import json

import numpy as np
import pytest
from exactly import asks, audited, corefed, node_of, pooled, spoil, trained
from flwr.app import Array, ArrayRecord, ConfigRecord, Message, RecordDict
from hospitals import EXAMPLE, federation, model_of, module
from inprocess import InProcess, Node
from sites import NAMES, sites

import corefed as corefed_package
from corefed import CohortError, InputError, flower


@pytest.mark.parametrize(
    ("ceiling", "verdict", "rounds"), [(1.0, "stable", 4), (0.75, "blocked", 5)]
)
def test_the_verdict_is_that_of_pooled_rows(tmp_path, hospitals, ceiling, verdict, rounds):
    run = tmp_path / "run"
    found, told = audited(run, hospitals, ceiling=ceiling)
    expected = pooled(run, hospitals.folder / "all.csv", ceiling)
    assert found["verdict"] == expected["verdict"] == verdict
    assert told["rounds"] == rounds
    for factor in ("kappa", "everybody"):
        # Ends of a stable model need not meet; both hold.
        assert found[factor]["lo"] <= expected[factor]["hi"] * (1 + 1e-9)
        assert expected[factor]["lo"] <= found[factor]["hi"] * (1 + 1e-9)
    assert found["everybody"]["lo"] == pytest.approx(expected["everybody"]["lo"], rel=2e-6)
    if verdict == "blocked":
        assert found["kappa"]["lo"] == pytest.approx(expected["kappa"]["lo"], rel=2e-6)
        assert found["deviation"]["coalition"] == expected["deviation"]["coalition"]
    losses = {agent["name"]: agent["loss"] for agent in expected["agents"]}
    assert {a["name"]: a["loss"] for a in found["agents"]} == pytest.approx(losses, rel=1e-12)


def test_anybody_can_verify_what_agents_signed_and_a_changed_number_is_refused(tmp_path, hospitals):
    run = tmp_path / "run"
    audited(run, hospitals)
    path = run / "certificate.json"
    code, said = corefed("verify", path)
    assert (code, said.split(":")[0]) == (0, "attested"), said
    assert "signed by Aachen, Bergen, Coimbra, Dresden, Evora" in said
    rows = hospitals.folder / "Evora.csv"
    code, said = corefed("verify", path, "--data", rows, "--agent", "Evora")
    assert code == 0, said
    certificate = json.loads(path.read_text())
    certificate["attestations"][2]["leaves"][0]["loss"] -= 1e-9
    path.write_text(json.dumps(certificate))
    code, said = corefed("verify", path)
    assert code != 0
    assert "Coimbra" in said
    # Keys stay with the hospitals, for their eyes only.
    key = hospitals.folder / "Coimbra.corefed/key.json"
    assert key.stat().st_mode & 0o077 == 0
    assert json.loads(key.read_text())["public"] == certificate["terms"]["agents"][2]["key"]


def test_a_killed_server_asks_nothing_twice_and_ends_with_the_same_bytes(tmp_path, hospitals):
    audited(tmp_path / "whole", hospitals, ceiling=0.75)
    grid = federation(hospitals)

    def die(message):
        if asks(message) == "oracle" and message.content["config"]["server-round"] == 3:
            raise KeyboardInterrupt
        return "answer"

    node_of(grid, "Dresden").fate = die
    with pytest.raises(KeyboardInterrupt):
        audited(tmp_path / "cut", hospitals, grid, ceiling=0.75)
    # Two rounds of five answers are there, whole.
    assert len(list((tmp_path / "cut/answers").iterdir())) == 10
    grid = federation(hospitals, seed=1)
    audited(tmp_path / "cut", hospitals, grid, ceiling=0.75)
    rounds = [m.content["config"]["server-round"] for m in grid.sent if asks(m) == "oracle"]
    assert sorted(rounds) == [3] * 5 + [4] * 5 + [5] * 5
    for name in ("certificate.json", "audit.json", "answered.json", "model.safetensors"):
        whole, cut = ((tmp_path / folder / name).read_bytes() for folder in ("whole", "cut"))
        assert whole == cut, name


@pytest.mark.parametrize("damage", [b"\xff\xfe", b"", b"{", b"[" * 100_000, b"[]"])
def test_an_answer_that_was_damaged_is_asked_for_again(tmp_path, hospitals, damage):
    audited(tmp_path / "run", hospitals)
    whole = (tmp_path / "run/certificate.json").read_bytes()
    damaged = tmp_path / "run/answers/1-3.json"
    kept = damaged.read_bytes()
    damaged.write_bytes(damage)
    grid = federation(hospitals, seed=1)
    audited(tmp_path / "run", hospitals, grid)
    rounds = [m.content["config"]["server-round"] for m in grid.sent if asks(m) == "oracle"]
    assert rounds == [1]
    assert (tmp_path / "run/certificate.json").read_bytes() == whole
    assert damaged.read_bytes() == kept


@pytest.mark.parametrize(("ceiling", "verdict"), [(1.0, "undecided"), (0.75, "blocked")])
def test_an_agent_that_is_away_leaves_an_interval_over_groups_without_it(
    tmp_path, hospitals, ceiling, verdict
):
    grid, run = federation(hospitals), tmp_path / "run"
    node_of(grid, "Evora").fate = lambda m: "gone" if asks(m) == "terms" else "answer"
    found, told = audited(run, hospitals, grid, ceiling)
    assert found["verdict"] == verdict
    assert [agent["name"] for agent in found["absent"]] == ["Evora"]
    assert "nothing is known of groups with them" in found["warnings"][0]
    assert told["agents"][4]["cells"] is None
    assert "not there any more" in told["agents"][4]["left_out"]
    # Four of the five in one table: the same groups, with a fifth of the weight missing.
    names = tuple(name for name in hospitals.names if name != "Evora")
    module(EXAMPLE / "prepare.py").prepare(tmp_path / "four", only=names)
    four = pooled(run, tmp_path / "four/all.csv", ceiling)
    truth = 0.8 * max(four["kappa"]["lo"], four["everybody"]["lo"])
    assert found["kappa"]["lo"] <= truth * (1 + 1e-9)
    assert found["kappa"]["hi"] >= truth * (1 - 1e-9)
    if verdict == "blocked":
        assert found["kappa"]["lo"] == pytest.approx(truth, rel=2e-6)
        # Shares are of everybody's weight.
        assert "a group of 3 of 5 needs x1.67" in (run / "summary.md").read_text()
    else:
        assert "Evora did not answer" in found["obstacle"]["reason"]
    code, said = corefed("verify", run / "certificate.json")
    assert code == 0, said
    assert "Evora did not answer" in said
    assert "Evora did not answer" in (run / "report.html").read_text()


def test_training_by_questions_finds_the_core(tmp_path, hospitals):
    grid, run = federation(hospitals), tmp_path / "run"
    strategy = trained(run, hospitals, grid, ceiling=0.75, rounds=0)
    found = strategy.audit(exact=flower.Exact(train=True), timeout=5)
    told = json.loads((run / "answered.json").read_text())
    assert (told["training_rounds"], told["rounds"]) == (5, 8)
    code, said = corefed(
        "solve", hospitals.folder / "all.csv", "--agent", "hospital", "--target", "disease",
        "--model", "logistic", "--ceiling", 0.75, "--json",
    )  # fmt: skip
    core = json.loads(said)
    assert code in (0, 1), said
    assert found["log_welfare"] == pytest.approx(core["log_welfare"], abs=2e-6)
    assert found["kappa"]["lo"] == pytest.approx(core["kappa"]["lo"], rel=1e-5)
    assert found["verdict"] == core["verdict"] == "blocked"
    strategy.history.close()
    loaded = corefed_package.load(run)
    verdict = loaded.verdict
    assert (verdict.status, verdict.scope) == ("blocked", "every predictor in the ball")
    assert verdict.agents == hospitals.names
    assert verdict.coalition == found["deviation"]["coalition"]
    assert min(verdict.gains.values()) > 1.0
    assert verdict.kappa.lo == found["kappa"]["lo"]
    assert verdict.certificate.status == "blocked"
    assert len(loaded.agents["loss"]) == 10
    assert corefed("report", run, "--out", tmp_path / "page.html")[0] == 0
    assert (tmp_path / "page.html").read_text() == (run / "report.html").read_text()
    assert not (run / "utilities.csv").exists()
    weight, bias = model_of(run)
    np.testing.assert_array_equal([*weight[0], *bias], [*found["predictor"]["parameters"]])
    last = json.loads((run / "rounds.jsonl").read_text().splitlines()[-1])
    assert last["round"] == 1
    assert last["log_welfare"] == pytest.approx(found["log_welfare"], rel=1e-12)


def test_training_without_somebody_is_never_called_stable(tmp_path, hospitals):
    grid = federation(hospitals)
    strategy = trained(tmp_path / "run", hospitals, grid, rounds=0)
    node_of(grid, "Aachen").fate = lambda message: "gone"
    found = strategy.audit(exact=flower.Exact(train=True), timeout=5)
    assert [agent["name"] for agent in found["absent"]] == ["Aachen"]
    assert found["verdict"] == "undecided"
    assert found["everybody"]["hi"] == "inf"


def test_the_same_question_again_costs_nothing_and_a_spent_budget_leaves_an_interval(
    tmp_path, hospitals
):
    def grid(budget):
        nodes = []
        own = lambda context: hospitals.client(context.node_config["agent"])  # noqa: E731
        loss = lambda arrays, context: own(context).loss(arrays)  # noqa: E731
        for name in hospitals.names:
            answering = flower.answer_audits(own, budget=budget if name == "Evora" else None)
            app = flower_app(flower.report_loss(loss), answering)
            nodes.append(Node(app, name, keep=str(tmp_path / "keep" / name)))
        return InProcess(nodes)

    def account():
        told = json.loads((tmp_path / "keep/Evora/answered.json").read_text())
        return sum(told.values())

    strategy = flower.FedAvg(ceilings=1.0, agents=hospitals.names, run=tmp_path / "run")
    strategy.start(grid(0.5), hospitals.client("Evora").zero(), num_rounds=0, timeout=5)
    found = strategy.audit(exact=True, timeout=5)
    # 60 rows of six columns and a target.
    assert account() <= 210
    answered = json.loads((tmp_path / "run/answered.json").read_text())["agents"][4]
    assert (answered["cells"], sum(answered["answered"])) == (420, account())
    assert "210 are the most for 420 cells" in answered["left_out"]
    assert found["kappa"]["lo"] < found["kappa"]["hi"]
    # With more to give it is asked for the rest only; what it told is not counted twice.
    strategy.grid = strategy.exchange._grid = grid(None)
    strategy.audit(exact=True, timeout=5)
    answered = json.loads((tmp_path / "run/answered.json").read_text())["agents"][4]
    assert "left_out" not in answered
    assert sum(answered["answered"]) == account()


def flower_app(*mods):
    from flwr.app import Message, RecordDict
    from flwr.clientapp import ClientApp

    app = ClientApp(mods=list(mods))

    @app.train()
    def train(message, context):
        return Message(RecordDict({"arrays": message.content["arrays"]}), reply_to=message)

    @app.evaluate()
    def evaluate(message, context):
        return Message(RecordDict(), reply_to=message)

    return app


def test_answers_are_losses_and_derivatives_and_the_own_optimum(hospitals):
    client = hospitals.client("Dresden")
    rng = np.random.default_rng(4)
    points = rng.normal(size=(3, 8)) / 4
    question = {"round": 1, "points": points, "gradients": [1], "hessians": [0, 2], "own": True}
    losses, gradients, hessians, own, digest, told = client.answer(
        question | {"radius": 10.0, "answered": 7, "budget": None}
    )
    # One block: the engine's order is that of the parts.
    record = lambda at: client._record(np.asarray(at))  # noqa: E731
    np.testing.assert_allclose(losses, [client.loss(record(p))["loss"] for p in points], rtol=1e-14)
    whole = client.derivatives(record(points[1]))
    np.testing.assert_allclose(gradients[0], whole["gradient"].numpy(), rtol=1e-12, atol=1e-15)
    for at, packed in zip((0, 2), hessians, strict=True):
        hessian = client.derivatives(record(points[at]))["hessian"].numpy()
        np.testing.assert_allclose(packed, hessian[np.tril_indices(8)], rtol=1e-12, atol=1e-15)
    assert np.abs(client.derivatives(record(own))["gradient"].numpy()).max() < 1e-6
    assert told == 7 + 3 + 8 + 2 * 36 + 8
    assert len(digest) == 64


def test_the_own_model_in_another_ball_is_another_question(tmp_path, hospitals):
    """A server that asks for it again and again with other radii learns more each time."""
    own = lambda context: hospitals.client(context.node_config["agent"])  # noqa: E731
    node = Node(flower_app(flower.answer_audits(own)), "Evora", keep=str(tmp_path / "keep"))

    def told(radius: float, own: bool) -> int:
        settings = {"server-round": 1, "radius": radius, "gradients": [], "hessians": []}
        config = ConfigRecord({"corefed-ask": "oracle", "own": own} | settings)
        points = ArrayRecord({"points": Array(np.zeros((1, 8)))})
        content = RecordDict({"points": points, "config": config})
        reply = node.app(Message(content, 1, "train"), node.context)
        assert ("own" in reply.content["answers"]) == own
        return sum(json.loads((tmp_path / "keep/answered.json").read_text()).values())

    assert [told(10.0, False), told(5.0, False)] == [1, 1]
    assert [told(10.0, True), told(10.0, True)] == [10, 10]
    assert [told(5.0, True), told(2.5, True)] == [19, 28]


@pytest.mark.parametrize("model", ["softmax", "linear", "poisson"])
def test_other_families_agree_with_pooled_rows(tmp_path, model):
    found = sites(tmp_path / "data", model)
    ceiling = {"softmax": 1.2, "linear": 1.5, "poisson": 2.5}[model]
    strategy = flower.FedAvg(ceilings=ceiling, agents=NAMES, run=tmp_path / "run")
    first = found.client("North").zero()
    strategy.start(found.grid(flower_app), first, num_rounds=0, timeout=5)
    audit = strategy.audit(exact=flower.Exact(train=True), timeout=5)
    expected = pooled(tmp_path / "run", found.folder / "all.csv", ceiling)
    assert audit["verdict"] == expected["verdict"]
    assert audit["kappa"]["lo"] <= expected["kappa"]["hi"] * (1 + 1e-9)
    assert expected["kappa"]["lo"] <= audit["kappa"]["hi"] * (1 + 1e-9)
    assert audit["everybody"]["hi"] <= 1 + 2e-6
    code, said = corefed("verify", tmp_path / "run/certificate.json")
    assert (code, said.split(":")[0]) == (0, "attested"), said
    told = json.loads((tmp_path / "run/answered.json").read_text())
    if model == "linear":
        # Losses that are quadratic are known everywhere once they are known to second order.
        assert told["rounds"] == 1


def test_agents_with_other_encodings_are_named(tmp_path, hospitals):
    def change(reply, message):
        reply.content["terms"]["l2"] = 0.5

    grid = spoil(federation(hospitals), "Coimbra", change, ask="terms", number=0)
    with pytest.raises(InputError, match="`Coimbra` has another `l2` than agent `Aachen`"):
        audited(tmp_path / "run", hospitals, grid)


def test_an_agent_that_does_not_sign_is_named_and_the_rest_stands(tmp_path, hospitals):
    def change(reply, message):
        reply.content["attestation"]["attestation"] = "{}"

    grid = spoil(federation(hospitals), "Bergen", change, ask="attest", number=0)
    _, told = audited(tmp_path / "run", hospitals, grid)
    assert "certificate refused" in told["agents"][1]["unsigned"]
    code, said = corefed("verify", tmp_path / "run/certificate.json")
    assert (code, said.split(":")[0]) == (0, "partly attested"), said
    assert "not signed by Bergen" in said


def test_apps_without_the_mod_are_named(tmp_path, hospitals):
    loss = lambda arrays, context: hospitals.client("Evora").loss(arrays)  # noqa: E731
    grid = InProcess([Node(flower_app(flower.report_loss(loss)), n) for n in hospitals.names])
    strategy = trained(tmp_path / "run", hospitals, grid, rounds=0)
    with pytest.raises(CohortError, match=r"Bergen: its app failed.*`answer_audits` among"):
        strategy.audit(exact=True, timeout=5)


def test_what_cannot_be_asked_is_refused_before_anybody_is(tmp_path, hospitals):
    strategy = flower.CoreFed(ceilings=1.0, agents=hospitals.names)
    with pytest.raises(InputError, match="run folder"):
        strategy.audit(exact=True)
    strategy = trained(tmp_path / "run", hospitals, federation(hospitals), rounds=1)
    with pytest.raises(InputError, match="no list of rivals"):
        strategy.audit(exact=True, local=True)
    with pytest.raises(InputError, match="outside the ball"):
        strategy.audit(exact=flower.Exact(radius=1e-3), timeout=5)
    with pytest.raises(InputError, match="`radius` is 0; it must be positive"):
        strategy.audit(exact=flower.Exact(radius=0.0), timeout=5)
