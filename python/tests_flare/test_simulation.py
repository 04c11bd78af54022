"""The example in FLARE's simulator: what the rules compute, what is written, what is audited."""

import importlib.util
import json
import re
import subprocess

import numpy as np
import pytest
from simulated import EXAMPLE

import corefed

ROUNDS = 4


@pytest.fixture(scope="module")
def ended(jobs):
    ended = jobs["hospitals"].result()
    assert ended.code == 0, ended.said[-5000:]
    return ended


@pytest.fixture(scope="module")
def hospital():
    spec = importlib.util.spec_from_file_location("hospital", EXAMPLE / "client.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def records(ended, name):
    lines = (ended.server / "corefed" / name).read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_every_round_is_the_servers_own_step(ended, hospital):
    """The same rows, the same steps, in one process without FLARE."""
    names = [agent["name"] for agent in json.loads(text(ended, "run.json"))["agents"]]
    assert names == ["Aachen", "Bergen", "Coimbra", "Dresden", "Evora"]
    rows = {name: hospital.rows(ended.out / "data", name) for name in names}
    model, state = np.zeros(7, dtype=np.float32), None
    ceilings = {name: 1.5 * hospital.loss(model, *rows[name]) for name in names}
    samples = {name: len(y) for name, (_, y) in rows.items()}
    server = corefed.Server(
        "corefed", agents=names, ceilings=ceilings, samples=samples, share_cap=3.0
    )
    agents = records(ended, "agents.jsonl")
    for number in range(ROUNDS + 1):
        losses = {name: hospital.loss(model.astype(float), *rows[name]) for name in names}
        told = {a["agent"]: a for a in agents if a["round"] == number}
        assert {name: told[name]["loss"] for name in names} == losses
        if number == ROUNDS:
            break
        updates = {
            name: (hospital.train(model.astype(float), *rows[name]) - model).astype(np.float32)
            for name in names
        }
        done = server.aggregate(model, updates, losses=losses, state=state)
        after = {a["agent"]: a for a in agents if a["round"] == number + 1}
        assert {name: after[name]["weight"] for name in names} == done.weights
        model, state = done.model, done.state
    saved = np.load(ended.server / "models" / "server.npy")
    assert saved.dtype == np.float32
    np.testing.assert_array_equal(saved, model)


def text(ended, name):
    return (ended.server / "corefed" / name).read_text()


def test_the_folder_is_one_of_ours(ended, command):
    run = corefed.load(ended.server / "corefed")
    assert len(set(run.agents["agent"])) == 5
    assert len(records(ended, "rounds.jsonl")) == ROUNDS + 1
    header = json.loads(text(ended, "run.json"))
    assert header["data"]["file"] == "5 agents of a FLARE federation"
    assert header["rounds"] == ROUNDS
    for name in ("summary.md", "report.html", "spec.toml", "model.safetensors", "audit.json"):
        assert (ended.server / "corefed" / name).exists(), name
    again = subprocess.run(
        [command, "report", ended.server / "corefed", "--out", ended.out / "again.html"],
        capture_output=True,
        text=True,
    )
    assert again.returncode == 0, again.stderr


def test_models_that_sites_submitted_are_rivals_of_the_audit(ended):
    """FLARE's table and ours say the same of the same models."""
    audit = json.loads(text(ended, "audit.json"))
    results = table(ended)
    ceilings = {agent["name"]: agent["ceiling"] for agent in audit["agents"]}
    for agent in audit["agents"]:
        assert agent["loss"] == results[agent["name"]]["SRV_server"]["loss"]
    lines = [line.split(",") for line in text(ended, "utilities.csv").splitlines()]
    sites = lines[0][1:]
    rows = {line[0]: [float(cell) for cell in line[1:]] for line in lines[1:]}
    for model in sites:
        expected = [ceilings[site] - results[site][model]["loss"] for site in sites]
        np.testing.assert_allclose(rows[model], expected, rtol=0, atol=1e-15)


def table(ended):
    return json.loads((ended.server / "cross_site_val" / "cross_val_results.json").read_text())


def test_the_table_is_audited_as_it_is(ended, command):
    file = ended.server / "cross_site_val" / "cross_val_results.json"
    results = table(ended)
    sites = sorted(results)
    asked = [command, "audit", file, "--incumbent", "SRV_server"]
    refused = subprocess.run(asked, capture_output=True, text=True)
    assert refused.returncode == 2
    assert "`loss` of" in refused.stderr
    assert "hint: give the loss at which a site gets nothing" in refused.stderr
    utilities, certificate = ended.out / "utilities.csv", ended.out / "certificate.json"
    told = ["--ceiling", "1.04", "--utilities", utilities, "--certificate", certificate, "--json"]
    done = subprocess.run([*asked, *told], capture_output=True, text=True)
    found = json.loads(done.stdout)
    # By hand: the best rival of a group is worth its share of the sites.
    now = np.array([1.04 - results[site]["SRV_server"]["loss"] for site in sites])
    best = 0.0
    for model in sites:
        then = np.array([1.04 - results[site][model]["loss"] for site in sites])
        for size, gain in enumerate(np.sort(then / now)[::-1][: len(sites) - 1], 1):
            best = max(best, gain * size / len(sites))
    assert found["kappa"]["lo"] == pytest.approx(best, rel=1e-12)
    checked = subprocess.run([command, "verify", certificate, "--data", utilities])
    assert checked.returncode == 0
    verdict = corefed.audit_cross_site(file, "SRV_server", ceilings=1.04)
    assert verdict.status == found["verdict"]
    assert verdict.kappa.lo == pytest.approx(best, rel=1e-12)


def test_the_readme_says_what_is_printed(ended):
    shown = re.findall(r"^(\w+): loss ([\d.]+), utility ([\d.]+)$", ended.said, re.M)
    assert [name for name, *_ in shown] == ["Aachen", "Bergen", "Coimbra", "Dresden", "Evora"]
    readme = (EXAMPLE / "README.md").read_text()
    expected = re.findall(r"^(\w+): loss ([\d.]+), utility ([\d.]+)$", readme, re.M)
    assert len(expected) == 5
    for (_, loss, utility), (_, known_loss, known_utility) in zip(shown, expected, strict=True):
        assert float(loss) == pytest.approx(float(known_loss), abs=2e-4)
        assert float(utility) == pytest.approx(float(known_utility), abs=2e-4)
    assert re.search(r"^verdict: (\w+)", readme, re.M).group(0) in ended.said
