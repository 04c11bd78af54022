"""Runs from Python: the same folders as the command's, Ctrl-C and resuming."""

import json
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import corefed

PRESET = "hospitals-rounds"


def settings(rounds):
    # A certificate that cannot be reached, so that every round is run.
    return {"train__rounds": rounds, "train__stop__certificate": 0, "progress": False}


def test_a_training_is_read_back(tmp_path):
    events = []
    options = settings(5) | {"progress": events.append}
    done = corefed.run(PRESET, out=tmp_path / "run", train__rule="fedavg", **options)
    assert [event["event"] for event in events] == ["start", *["round"] * 6, "end"]
    assert done.spec["train"]["rule"] == "fedavg"
    assert done.header["rule"] == "fedavg"
    assert done.rounds["round"].tolist() == [0, 1, 2, 3, 4, 5]
    assert np.isfinite(done.rounds["log_welfare"]).all()
    assert len(done.agents["agent"]) == 6 * 5
    assert sum(part.size for part in done.model.values()) == done.header["model"]["parameters"]
    assert done.verdict.status in {"stable", "blocked", "undecided"}
    assert done.certificate.status == done.verdict.status
    last = done.agents.to_pandas().query("round == 5").set_index("agent")["utility"]
    np.testing.assert_allclose(last.loc[done.verdict.agents], done.verdict.utilities)
    assert "<table>" in done._repr_html_()
    assert "<table>" in done.rounds._repr_html_()


def test_an_exact_run_is_read_back(tmp_path):
    done = corefed.run("hospitals", out=tmp_path / "run", progress=False, ceiling=1.0)
    assert set(done.rules) == {"core", "utilitarian", "egalitarian"}
    assert (done.verdict.status, done.certificate.status) == ("stable", "stable")
    assert len(done.rounds) == 0
    assert done.model == {}
    again = corefed.load(str(tmp_path / "run"))
    assert again.verdict.kappa == done.verdict.kappa


def test_held_out_rows_are_columns_of_exact_runs_and_trainings(tmp_path):
    exact = corefed.run("hospitals", out=tmp_path / "exact", progress=False, held_out=0.25)
    trained = corefed.run(PRESET, out=tmp_path / "trained", held_out=0.25, **settings(2))
    for done in (exact, trained):
        table = done.verdict.to_pandas()
        for prefix in ("held_out_", "held_out_alone_"):
            loss, utility = table[prefix + "loss"], table[prefix + "utility"]
            np.testing.assert_allclose(loss + utility, table["ceiling"], rtol=1e-12)
            assert table[prefix + "accuracy"].between(0.0, 1.0).all()
        counts = {agent["name"]: agent["held_out_samples"] for agent in done.header["agents"]}
        assert table["held_out_rows"].to_dict() == counts
        assert min(counts.values()) > 0
    # The same rows and the same own models, whatever was trained on the rest.
    first, second = exact.verdict.to_pandas(), trained.verdict.to_pandas()
    np.testing.assert_allclose(first["held_out_alone_loss"], second["held_out_alone_loss"])
    last = trained.agents.to_pandas().query("round == 2").set_index("agent")
    np.testing.assert_allclose(last["held_out_loss"], second["held_out_loss"].loc[last.index])
    assert corefed.run("hospitals", out=tmp_path / "none", progress=False).verdict.held_out is None


#: A spec of every kind, small: what it trains, and what the verdict speaks about.
SHAPES = {"data": "shapes", "test": "false", "sample": "0.05", "partition__agents": 3}
KINDS = {
    "exact": ("hospitals", {}, "every predictor in the ball"),
    "table": (PRESET, {"train__rounds": 2}, "every predictor in the ball"),
    "images": ("mnist", SHAPES | {"train__rounds": 2}, "every rival"),
    "network": (
        "table1-mnist",
        {"data": "shapes", "test": "false", "sample": "0.02", "model": "mlp", "train__rounds": 1},
        "every rival",
    ),
    # More agents than a search over coalitions takes: bounds decide.
    "many": (None, {}, "every rival"),
}


def many_agents(folder, agents=130):
    """Two rows of every agent, one of either class."""
    ages = np.random.default_rng(3).normal(size=(agents, 2))
    lines = [f"a{k:03},{ages[k, ill] + ill:.3f},{ill}" for k in range(agents) for ill in (0, 1)]
    path = folder / "many.csv"
    path.write_text("site,age,ill\n" + "\n".join(lines) + "\n")
    return {"data": path, "agent": "site", "target": "ill", "model": "logistic"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_run_has_a_verdict_with_its_agents(tmp_path, kind):
    spec, changed, scope = KINDS[kind]
    if kind == "many":
        spec = many_agents(tmp_path) | {"train": {"rule": "fedavg", "rounds": 2}}
    done = corefed.run(spec, out=tmp_path / "run", progress=False, **changed)
    for found in (done, corefed.load(tmp_path / "run")):
        names = [agent["name"] for agent in found.header["agents"]]
        verdict = found.verdict
        assert verdict.status in {"stable", "blocked", "improvable", "undecided"}
        assert (verdict.agents, verdict.scope) == (names, scope)
        assert np.isfinite(verdict.utilities).all()
        assert len(verdict.utilities) == len(names)
        assert (verdict.certificate is None) == (scope == "every rival")
        assert verdict.status in repr(found)
        assert "<table>" in found._repr_html_()
        assert verdict.to_pandas().index.tolist() == names
    assert (tmp_path / "run" / "report.html").exists()


def test_records_are_tables_of_pandas_and_polars(tmp_path):
    import pandas as pd
    import polars as pl

    done = corefed.run(PRESET, out=tmp_path / "run", **settings(2))
    for frame in (pd.DataFrame(done.agents), pl.DataFrame(done.agents)):
        assert frame.shape == (3 * 5, len(done.agents))
        assert list(frame["agent"][:5]) == done.verdict.agents
    assert pd.DataFrame(done.rounds)["round"].tolist() == [0, 1, 2]


def test_agents_of_an_exact_run_are_tables_of_pandas_and_polars(tmp_path):
    import pandas as pd
    import polars as pl

    done = corefed.run("hospitals", out=tmp_path / "run", progress=False)
    for frame in (pd.DataFrame(done.agents), pl.DataFrame(done.agents)):
        assert frame.shape == (3 * 5, len(done.agents))
        assert sorted(set(frame["rule"])) == ["core", "egalitarian", "utilitarian"]
        assert list(frame["agent"][:5]) == done.verdict.agents
        core = frame["utility"][:5]
        np.testing.assert_array_equal(np.asarray(core), done.verdict.utilities)


def test_a_spec_may_be_a_dictionary(tmp_path):
    table = tmp_path / "rows.csv"
    rng = np.random.default_rng(0)
    rows = [
        f"{k % 2},{a:.3f},{int(a + b > 0)}" for k, (a, b) in enumerate(rng.normal(size=(60, 2)))
    ]
    table.write_text("site,age,ill\n" + "\n".join(rows) + "\n")
    spec = {
        "name": "sites",
        "data": table,
        "agent": "site",
        "target": "ill",
        "model": "logistic",
        "train": {"rule": "term", "rounds": 2, "local": {"batch": "full"}},
    }
    done = corefed.run(spec, out=tmp_path / "run", progress=False)
    assert done.spec["train"]["rule"] == "term"
    assert done.rounds.rows == 3


def interrupt_at(number):
    """Presses Ctrl-C while a round is told."""

    def listen(event):
        if event["event"] == "round" and event["round"] == number:
            os.kill(os.getpid(), signal.SIGINT)

    return listen


def test_ctrl_c_stops_at_a_round_and_the_rest_gives_the_same_bits(tmp_path):
    whole = corefed.run(PRESET, out=tmp_path / "whole", **settings(3000))
    options = settings(3000) | {"progress": interrupt_at(20)}
    with pytest.raises(KeyboardInterrupt) as stopped:
        corefed.run(PRESET, out=tmp_path / "part", **options)
    assert "corefed.resume" in stopped.value.__notes__[0]
    part = corefed.load(tmp_path / "part")
    assert part.verdict is None
    assert 20 <= part.rounds["round"][-1] < 3000
    done = corefed.resume(tmp_path / "part", progress=False)
    assert done.rounds.rows == 3001
    for name, values in whole.model.items():
        assert done.model[name].tobytes() == values.tobytes()
    assert done.verdict.kappa == whole.verdict.kappa


def test_an_error_of_the_listener_ends_the_run(tmp_path):
    def listen(event):
        if event["event"] == "round":
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        corefed.run(PRESET, out=tmp_path / "run", **(settings(3000) | {"progress": listen}))
    assert corefed.load(tmp_path / "run").rounds.rows < 3000


def test_python_goes_on_while_a_run_does_and_runs_may_go_on_side_by_side(tmp_path):
    seen = []

    def listen(event):
        if event["event"] == "round" and event["round"] == 1:
            other = threading.Thread(target=second)
            other.start()
            other.join()

    def second():
        seen.append(corefed.run(PRESET, out=tmp_path / "second", **settings(3)))

    first = corefed.run(PRESET, out=tmp_path / "first", **(settings(3) | {"progress": listen}))
    assert len(seen) == 1
    assert seen[0].rounds["log_welfare"].tolist() == first.rounds["log_welfare"].tolist()


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("nonsense", {}, "nonsense"),
        ("missing.toml", {}, "missing.toml"),
        (PRESET, {"train__rule": "fedsgd"}, "fedsgd"),
        (PRESET, {"train__round": 3}, "round"),
        ({"data": "heart"}, {}, "model"),
    ],
)
def test_what_cannot_be_run_is_refused(tmp_path, spec, options, message):
    with pytest.raises(corefed.RunError, match=message):
        corefed.run(spec, out=tmp_path / "run", progress=False, **options)
    assert not (tmp_path / "run").exists()


def test_folders_are_not_overwritten_and_not_guessed(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "file").touch()
    with pytest.raises(corefed.RunError, match="here"):
        corefed.run("hospitals", out=tmp_path / "here", progress=False)
    for read in [corefed.load, corefed.resume]:
        with pytest.raises(corefed.RunError):
            read(tmp_path / "nowhere")


def test_lines_are_told_where_there_is_no_bar(tmp_path, capsys):
    from corefed._progress import Lines

    corefed.run(
        PRESET, out=tmp_path / "run", **(settings(2) | {"progress": Lines(sys.stderr, every=0.0)})
    )
    assert "round 2 of 2" in capsys.readouterr().err


def test_the_installed_command_is_the_command(tmp_path):
    command = [sys.executable, "-c", "import corefed._command as c, sys; sys.exit(c.main())"]
    ran = subprocess.run(
        [*command, "run", "hospitals", "--json", "--out", tmp_path / "run"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["folder"] == str(tmp_path / "run")
    # The next command can be copied from what it says.
    words = [*command, "run", "hospitals", "--out", tmp_path / "again"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert f"corefed verify {tmp_path / 'again'}" in said
    refused = subprocess.run([*command, "solve"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "Usage" in refused.stderr


def test_sets_may_lie_in_any_folder(tmp_path):
    heart = tmp_path / "data" / "heart"
    heart.mkdir(parents=True)
    for k, hospital in enumerate(["cleveland", "hungarian", "switzerland", "va"]):
        rows = np.random.default_rng(k).integers(1, 3, (30, 13))
        disease = np.arange(30) % 2
        text = "".join(
            ",".join(map(str, [*row, ill])) + "\n" for row, ill in zip(rows, disease, strict=True)
        )
        (heart / f"processed.{hospital}.data").write_text(text)
    train = {"rule": "fedavg", "rounds": 2}
    spec = {"data": "heart", "model": "logistic", "allow": ["damaged"], "train": train}
    options = {"out": tmp_path / "run", "progress": False}
    with pytest.raises(corefed.CorefedError, match="nowhere"):
        corefed.run(spec, data_dir=tmp_path / "nowhere", **options)
    with pytest.raises(corefed.CorefedError, match="bytes instead of"):
        corefed.run(spec | {"allow": []}, data_dir=tmp_path / "data", **options)
    done = corefed.run(spec, data_dir=tmp_path / "data", **options)
    assert done.rounds["round"].tolist() == [0, 1, 2]
    assert str(tmp_path) not in (done.path / "spec.toml").read_text()
    assert corefed.resume(done.path, data_dir=str(tmp_path / "data"), progress=False).audit


def test_errors_of_the_library_name_keywords_and_not_flags(tmp_path):
    table = tmp_path / "rows.csv"
    rows = [f"{'ab'[k % 2]},{k % 7 - 3},{k % 2}" for k in range(20)]
    table.write_text("site,age,ill\n" + "\n".join(rows) + "\n")
    named = {"agent": "site", "target": "ill", "model": "logistic"}
    with pytest.raises(corefed.RunError) as raised:
        corefed.run(table, out=tmp_path / "run", progress=False, **named)
    assert raised.value.hint == "merge or remove such agents, or pass `allow=['one-class']`"
    with pytest.raises(corefed.CorefedError) as raised:
        corefed.stay("hospitals", coalitions=5)
    assert "--" not in str(raised.value)
    assert raised.value.hint == "drop `coalitions=`"
