"""Is the model that a Flower run ended with in the core? And can every command read its folder?"""

import csv
import json
import os
import subprocess
from itertools import combinations

import numpy as np
import pytest
from flwr.app import ConfigRecord, Message, RecordDict
from flwr.clientapp import ClientApp
from inprocess import InProcess, Node, arrays, parabola_app

import corefed
from corefed import CohortError, InputError, flower

CENTRES = {"Aachen": [1.0, 0.0], "Bergen": [0.9, 0.1], "Coimbra": [-1.0, -1.0]}
CEILING = 3.0


def app_of(at) -> ClientApp:
    """The same agents with the helper; training is ten steps of descent."""
    at = np.array(at)

    def loss(record, context):
        (t,) = record.to_numpy_ndarrays()
        return {"loss": float(((t - at) ** 2).sum()) / 2, "num-examples": 10}

    app = ClientApp(mods=[flower.report_loss(loss)])

    @app.train()
    def train(message, context):
        (t,) = message.content["arrays"].to_numpy_ndarrays()
        return Message(RecordDict({"arrays": arrays(t=t + 0.6 * (at - t))}), reply_to=message)

    @app.evaluate()
    def evaluate(message, context):
        return Message(RecordDict(), reply_to=message)

    return app


def federation(seed=0):
    return InProcess([Node(app_of(at), name) for name, at in CENTRES.items()], seed)


def trained(tmp_path, rule=flower.CoreFed, **options):
    strategy = rule(ceilings=CEILING, run=tmp_path / "run", **options)
    strategy.start(federation(), arrays(t=np.array([0.2, 0.4])), num_rounds=3, timeout=2)
    return strategy


def utilities(t):
    return {name: CEILING - ((np.array(t) - at) ** 2).sum() / 2 for name, at in CENTRES.items()}


def kappa_by_hand(now, then):
    """The definition: every coalition but everybody, its share times its weakest member's gain."""
    best = 0.0
    for size in range(1, 3):
        for group in combinations(now, size):
            best = max(best, size / 3 * min(then[name] / now[name] for name in group))
    return best


def test_the_audit_finds_the_best_coalition_over_all_rivals(tmp_path):
    strategy = trained(tmp_path)
    rivals = {"theirs": arrays(t=np.array([0.95, 0.05])), "mean": arrays(t=np.array([0.3, -0.3]))}
    found = strategy.audit(rivals, local=True, timeout=2)
    final = strategy.model.parts["t"]
    models = {"zero": np.zeros(2)} | {name: r.to_numpy_ndarrays()[0] for name, r in rivals.items()}
    models |= {f"trained by {n}": final + 0.6 * (np.array(at) - final) for n, at in CENTRES.items()}
    factors = {name: kappa_by_hand(utilities(final), utilities(t)) for name, t in models.items()}
    told = {rival["model"]: rival["kappa"] for rival in found["rivals"]}
    for name, factor in factors.items():
        assert told[name] == pytest.approx(factor, rel=1e-12)
    assert found["kappa"]["lo"] == pytest.approx(max(told.values()), rel=1e-12)
    # Everybody can at least stay.
    assert found["everybody"]["lo"] >= 1.0
    # Headroom: what any coalition could gain if its losses fell to zero.
    assert found["kappa"]["hi"] == pytest.approx(
        kappa_by_hand(utilities(final), dict.fromkeys(CENTRES, CEILING)), rel=1e-12
    )
    assert json.loads((tmp_path / "run/audit.json").read_text()) == found
    assert found["verdict"] == "undecided"  # a list of rivals never proves stability here


def test_a_model_that_a_coalition_would_leave_is_blocked_by_name(tmp_path):
    # Uncapped: among three, nobody would have more than half of a step.
    strategy = trained(tmp_path, flower.AFL, gamma=5.0, share_cap=None)
    found = strategy.audit({"theirs": arrays(t=np.array([0.95, 0.05]))}, timeout=2)
    if found["verdict"] != "blocked":
        # Min-max of these three: Aachen and Bergen must pay for Coimbra.
        pytest.fail(f"{found['kappa']}")
    assert found["deviation"]["coalition"] == ["Aachen", "Bergen"]
    assert found["deviation"]["rival"] == "theirs"


def test_rivals_that_nobody_trained_are_named_in_the_audit(tmp_path):
    strategy = trained(tmp_path)
    for node in strategy.grid.nodes.values():
        if node.context.node_config["agent"] == "Bergen":
            node.fate = lambda m: "answer" if "corefed-ask" in m.content["config"] else "gone"
    found = strategy.audit(local=True, timeout=2)
    assert found["search_failed"].startswith("trained by Bergen: it is not there any more")
    named = {rival["model"] for rival in found["rivals"]}
    assert {"trained by Aachen", "trained by Coimbra"} <= named
    assert "trained by Bergen" in (tmp_path / "run/summary.md").read_text()


def test_a_finished_folder_is_audited_with_the_settings_of_its_training(tmp_path):
    rates = []

    def counting(at):
        at = np.array(at)

        def loss(record, _):
            return float(np.abs(record.to_numpy_ndarrays()[0] - at).sum())

        made = ClientApp(mods=[flower.report_loss(loss)])

        @made.train()
        def train(message, context):
            rates.append(message.content["config"]["lr"])
            (t,) = message.content["arrays"].to_numpy_ndarrays()
            return Message(RecordDict({"arrays": arrays(t=t + 0.5 * (at - t))}), reply_to=message)

        @made.evaluate()
        def evaluate(message, context):
            return Message(RecordDict(), reply_to=message)

        return made

    def start():
        strategy = flower.CoreFed(ceilings=CEILING, run=tmp_path / "run", average="equal")
        grid = InProcess([Node(counting(at), name) for name, at in CENTRES.items()])
        config = ConfigRecord({"lr": 0.25})
        strategy.start(grid, arrays(t=np.zeros(2)), num_rounds=1, timeout=2, train_config=config)
        return strategy

    start().history.close()
    again = start()
    rates.clear()
    found = again.audit(local=True, timeout=2)
    assert rates == [0.25, 0.25, 0.25]
    assert "search_failed" not in found


def test_an_app_without_the_helper_is_told_what_an_audit_needs(tmp_path):
    grid = InProcess([Node(parabola_app(at), name) for name, at in CENTRES.items()])
    strategy = flower.CoreFed(ceilings=9.0, run=tmp_path / "run")
    strategy.start(grid, arrays(t=np.zeros(2)), num_rounds=1, timeout=1)
    with pytest.raises(CohortError, match=r"an audit needs everybody .*Aachen"):
        strategy.audit(timeout=1)


def test_a_rival_of_another_form_is_refused(tmp_path):
    with pytest.raises(InputError, match="the rival `wide` is not of the model's form"):
        trained(tmp_path).audit({"wide": arrays(t=np.zeros(5))})


def test_every_command_reads_the_folder_of_a_flower_run(tmp_path):
    strategy = trained(tmp_path)
    strategy.audit(timeout=2)
    strategy.history.close()
    run, program = tmp_path / "run", os.environ["COREFED"]
    command = lambda *a: subprocess.run([program, *map(str, a)], capture_output=True, text=True)  # noqa: E731
    page = tmp_path / "page.html"
    done = command("report", run, "--out", page)
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    assert "Coimbra" in text
    assert "corefed run spec.toml" not in text
    # There was none.
    assert "time limit" not in text
    assert "time limit" not in (run / "report.html").read_text()
    for table in ("rounds", "agents"):
        done = command("export", run, "--table", table, "--out", tmp_path / f"{table}.csv")
        assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "agents.csv").open()))
    assert len(rows) == 12
    assert {row["agent"] for row in rows} == set(CENTRES)
    loaded = corefed.load(run)
    np.testing.assert_array_equal(loaded.model["t"], strategy.model.parts["t"])
    assert len(loaded.agents) == 12
    assert loaded.audit["verdict"] == "undecided"
    verdict = loaded.verdict
    assert (verdict.status, verdict.scope) == ("undecided", "the listed rivals")
    assert verdict.agents == list(CENTRES)
    assert (verdict.kappa.lo, verdict.kappa.hi) == tuple(loaded.audit["kappa"].values())
    np.testing.assert_allclose(verdict.utilities, list(utilities(loaded.model["t"]).values()))
    assert verdict.certificate is None
    assert verdict.rivals["rival"] == [rival["model"] for rival in loaded.audit["rivals"]]
    done = command("audit", run / "utilities.csv", "--incumbent", "final", "--json")
    exact, ours = json.loads(done.stdout), json.loads((run / "audit.json").read_text())
    assert exact["kappa"]["lo"] == pytest.approx(max(r["kappa"] for r in ours["rivals"]), rel=1e-12)
    # Its rounds are models to choose from.
    certificate = tmp_path / "choice.json"
    done = command("choose", run, "--certificate", certificate)
    assert done.returncode == 0, done.stderr
    assert "losses on training rows" in done.stdout
    choices = list(csv.DictReader((run / "choices.csv").open()))
    assert [row["model"] for row in choices] == ["round 1", "round 2", "round 3"]
    assert float(choices[2]["Aachen"]) == float(rows[9]["loss"])
    done = command("verify", certificate, "--data", run / "choices.csv")
    assert done.returncode == 0, done.stderr
    assert corefed.choose(run).table == (run / "choices.csv").read_text()
