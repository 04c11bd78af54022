"""Folders and names that somebody else made."""

import json
import pickle
import shutil
import warnings

import numpy as np
import pytest

import corefed

HOSTILE = "a\x1b[2J\nFORGED: stable\u202e"


def hidden(text):
    return [c for c in text if c != "\n" and (not c.isprintable())]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained") / "run"
    corefed.run("hospitals-rounds", train__rounds=4, out=folder, progress=False)
    return folder


@pytest.fixture(scope="module")
def exact(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exact") / "run"
    corefed.run("hospitals", out=folder, progress=False)
    return folder


@pytest.fixture
def copy(trained, tmp_path):
    shutil.copytree(trained, tmp_path / "copy")
    return tmp_path / "copy"


@pytest.mark.parametrize("kind", [corefed.InputError, corefed.RunError, corefed.CohortError])
def test_nothing_that_is_hidden_in_a_name_acts_in_an_exception(kind):
    error = kind(f"agent `{HOSTILE}` is odd", agent=HOSTILE, hint=f"ask `{HOSTILE}`")
    for text in (str(error), error.message, error.hint, repr(error), str(error.args[0])):
        assert not hidden(text)
    assert str(error).count("\n") == 1, "only that of the hint"
    assert r"`a\u001b[2J\u000aFORGED: stable\u202e`" in error.message
    # Code that asks for the agent gets the name as it is.
    assert error.agent == HOSTILE
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.agent, type(again)) == (str(error), HOSTILE, kind)
    # Half a character, as JSON can name it.
    assert "\\ud800" in str(kind("agent `\ud800`"))


def test_a_list_of_ours_keeps_its_lines():
    error = corefed.InputError("two:\n  one\x1b\n  two", hint="or\nnot", lines=True)
    assert str(error) == "two:\n  one\\u001b\n  two\nhint: or\nnot"
    with pytest.raises(corefed.CorefedError) as caught:
        corefed.run({"name": "x", "data": "hospitals", "nonsense": 1, "other": 2}, progress=False)
    assert caught.value.message.count("\n") >= 1


@pytest.mark.parametrize("name", ["spec.toml", "audit.json", "certificate.json", "run.json"])
@pytest.mark.parametrize("bracket", [b"[", b'{"a":', b"a = ["])
def test_brackets_within_brackets_are_damage(copy, name, bracket):
    (copy / name).write_bytes(bracket * 100_000)
    assert name in refusal(copy)


@pytest.mark.parametrize("bracket", ["[", '{"a":'])
def test_a_certificate_of_brackets_is_refused(bracket):
    with pytest.raises(corefed.CertificateError, match="not JSON"):
        corefed.Certificate(bracket * 100_000)


def read_all(folder):
    run = corefed.load(folder)
    for name in ("spec", "header", "rounds", "agents", "model", "rules", "audit"):
        getattr(run, name)
    return run.certificate, run.verdict, repr(run), run._repr_html_()


def refusal(folder):
    """What the one error says that may come; nothing where all can be read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", corefed.EditedWarning)
        try:
            read_all(folder)
        except corefed.RunError as error:
            return str(error)
    return ""


@pytest.mark.parametrize("damage", [b"{", b"\xff\xfe\x00", b"", b"[1]", b'{"kind": 7}', b"= ="])
@pytest.mark.parametrize("kind", ["trained", "exact"])
def test_every_damaged_file_is_a_run_error(request, tmp_path, kind, damage):
    source = request.getfixturevalue(kind)
    names = ["spec.toml", "run.json"]
    names += (
        ["audit.json", "certificate.json", "rounds.jsonl", "agents.jsonl", "model.safetensors"]
        if kind == "trained"
        else ["core.predictor.json", "core.certificate.json"]
    )
    for name in names:
        folder = tmp_path / name.replace(".", "-")
        shutil.copytree(source, folder)
        assert (folder / name).exists(), name
        (folder / name).write_bytes(damage)
        said = refusal(folder)
        # Records that are not there yet, or settings of nobody, can be read.
        assert said or name in ("rounds.jsonl", "agents.jsonl", "spec.toml"), (name, damage)
        assert not hidden(said), name


@pytest.mark.parametrize(
    "gone", ["samples", "ceiling", "loss", "weight", "utility", "name", "alone"]
)
@pytest.mark.parametrize("null", [False, True])
def test_an_agent_of_whom_an_exact_run_does_not_say_all_is_a_run_error(exact, tmp_path, gone, null):
    folder = tmp_path / "copy"
    shutil.copytree(exact, folder)
    path = folder / "core.predictor.json"
    document = json.loads(path.read_text())
    del document["agents"][0][gone]
    if null:
        document["agents"][0][gone] = None
    path.write_text(json.dumps(document))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", corefed.EditedWarning)
        if gone == "alone":
            # Audits whose agents fitted no model of their own do not have it.
            assert corefed.load(folder).agents["agent"][0] == document["agents"][0]["name"]
            return
        with pytest.raises(corefed.RunError, match=r"core\.predictor\.json"):
            dict(corefed.load(folder).agents)


@pytest.mark.parametrize(
    "name", ["rounds.jsonl", "agents.jsonl", "spec.toml", "audit.json", "summary.md"]
)
def test_edited_files_are_said(copy, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error", corefed.EditedWarning)
        corefed.load(copy)
    text = (copy / name).read_text()
    at = max(i for i, c in enumerate(text) if c.isdigit())
    (copy / name).write_text(text[:at] + ("2" if text[at] == "1" else "1") + text[at + 1 :])
    with pytest.warns(corefed.EditedWarning, match=f"{name}` was edited"):
        corefed.load(copy)


@pytest.mark.parametrize(
    ("name", "read", "most"),
    [
        ("spec.toml", lambda run: run.spec, 1),
        ("certificate.json", lambda run: run.certificate, 256),
    ],
)
def test_a_file_that_is_too_large_is_refused_before_it_is_read(copy, name, read, most):
    run = corefed.Run(copy)
    # A hole takes no space on the disk.
    with (copy / name).open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(corefed.RunError, match=f"{name}` is damaged: .*larger than {most} MiB"):
        read(run)


def test_a_hint_writes_a_name_as_a_literal(tmp_path):
    column = "my `id` it's"
    rows = [f'{"AB"[k % 2]},"{k + 1},751.34",{k // 2 % 2}' for k in range(40)]
    (tmp_path / "d.csv").write_text("\n".join([f'agent,"{column}",y', *rows]) + "\n")
    spec = {"data": str(tmp_path / "d.csv"), "agent": "agent", "target": "y", "model": "logistic"}
    with pytest.raises(corefed.CorefedError) as refused:
        corefed.run(spec, out=tmp_path / "run", progress=False)
    assert r"columns={'my `id` it\'s': 'ignore'}" in refused.value.hint


def test_a_link_out_of_the_folder_is_refused(copy, tmp_path):
    (tmp_path / "victim").write_text("precious")
    (copy / "audit.json").unlink()
    (copy / "audit.json").symlink_to(tmp_path / "victim")
    for read in (corefed.load, lambda folder: corefed.resume(folder, progress=False)):
        with pytest.raises(corefed.RunError, match=r"audit\.json` is a link"):
            read(copy)
    assert (tmp_path / "victim").read_text() == "precious"


def test_a_changed_spec_is_refused_or_said(copy):
    spec = (copy / "spec.toml").read_text()
    (copy / "spec.toml").write_text(spec.replace("learning_rate = 1.0", "learning_rate = 0.5"))
    with pytest.raises(corefed.RunError, match=r"learning_rate` was 1\.0 and is 0\.5"):
        corefed.resume(copy, progress=False)
    run = corefed.resume(copy, changed_spec=True, progress=False)
    assert any("was changed after round 4" in warning for warning in run.audit["warnings"])
    assert json.loads((copy / "changes.json").read_text())["changes"][0]["after_round"] == 4


def test_names_are_shown_everywhere(tmp_path):
    now = {HOSTILE: 0.1, "b": 0.5, "c": 0.5}
    verdict = corefed.audit(now, {"x\x1b[2J": [0.9, 0.1, 0.1], "y": [0.2, 0.9, 0.2]})
    assert verdict.coalition == [HOSTILE]
    for text in (str(verdict), repr(verdict), verdict.explanation, verdict._repr_html_()):
        assert not hidden(text), text
        assert "\nFORGED" not in text, text
    (tmp_path / "file").write_text("")
    with pytest.raises(corefed.RunError) as caught:
        corefed.run("hospitals", out=tmp_path / "file" / HOSTILE, progress=False)
    assert not hidden(str(caught.value))
    assert "\nFORGED" not in str(caught.value)


def test_a_sweep_goes_on_and_another_is_told(tmp_path):
    asked = {"field": "ceiling", "values": [0.9, 2.0], "out": tmp_path / "s"}
    corefed.sweep("hospitals", **asked)
    with pytest.raises(corefed.RunError, match="exists already"):
        corefed.sweep("hospitals", **asked)
    again = corefed.sweep("hospitals", **asked, resume=True)
    assert np.array_equal(again.points["value"], ["0.9", "2.0"])
