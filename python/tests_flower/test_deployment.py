"""A real SuperLink with three SuperNodes on loopback, each with a table of its own."""

import hashlib
import json
import os
import signal

import numpy as np
import pytest
from deployment import Deployment, Tls, wait_until
from hospitals import EXAMPLE, Hospitals, engine_model, federation, model_of, module, serve
from safetensors.numpy import load_file
from test_parity import same_records

NAMES = ("Aachen", "Dresden", "Evora")
#: A loaded machine answers late; nobody is missing before this.
PATIENCE = 240


@pytest.fixture(scope="module")
def three(tmp_path_factory) -> Hospitals:
    folder = tmp_path_factory.mktemp("three")
    return Hospitals(folder, module(EXAMPLE / "prepare.py").prepare(folder, only=NAMES))


@pytest.fixture(scope="module")
def deployment(tmp_path_factory, three):
    with Deployment(tmp_path_factory.mktemp("deployment"), forked=True) as running:
        for name in three.names:
            running.node(name, config(three, name))
        yield running
    assert running.alive() == []


def config(hospitals: Hospitals, name: str) -> str:
    return f'agent="{name}" data="{hospitals.folder}/{name}.csv"'


def submitted(deployment, run, rounds, **settings):
    agents = settings.pop("agents", ",".join(NAMES))
    return deployment.submit(
        EXAMPLE, run=run, agents=agents, rounds=rounds, timeout=PATIENCE, **settings
    )


def ended(deployment, process):
    assert process.wait(PATIENCE) == 0, deployment.logs()


def records(run, name="rounds"):
    path = run / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def digests(folder):
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


@pytest.fixture(scope="module")
def killed(deployment, tmp_path_factory):
    """A run of two rounds, with an audit, whose server was killed after the first."""
    run = tmp_path_factory.mktemp("killed") / "run"
    process = submitted(deployment, run, 2)
    wait_until(lambda: len(records(run)) >= 2, PATIENCE, "no round is over", deployment.logs())
    deployment.kill_server(process)
    assert len(records(run)) < 3
    ended(deployment, submitted(deployment, run, 2))
    assert len(records(run)) == 3, deployment.logs()
    return run


def test_the_deployed_model_is_the_engines(killed, three, tmp_path):
    # All nodes run the example's app, which corrects for drift.
    expected = engine_model(tmp_path / "engine", "corefed", 2, three, correction="control")
    weight, bias = model_of(killed)
    np.testing.assert_allclose(weight, expected["weight"], rtol=1e-11)
    np.testing.assert_allclose(bias, expected["bias"], rtol=1e-11)
    for name in ("rounds", "agents"):
        same_records(records(killed, name), records(tmp_path / "engine", name))
    header = json.loads((killed / "run.json").read_text())
    assert header["steadiness"]["correction"] == "control"


def test_the_audit_of_a_deployed_model_lists_its_rivals(killed):
    audit = json.loads((killed / "audit.json").read_text())
    assert "zero" in [rival["model"] for rival in audit["rivals"]]
    assert audit["kappa"]["lo"] <= audit["kappa"]["hi"] <= audit["headroom"] * (1 + 1e-12)
    assert [agent["name"] for agent in audit["agents"]] == list(NAMES)


def test_a_killed_server_goes_on_and_ends_with_the_bytes_of_an_undisturbed_run(
    killed, three, tmp_path
):
    run = tmp_path / "run"
    serve(EXAMPLE, federation(three), run=str(run), agents=",".join(NAMES), rounds=2)
    assert records(killed, "agents") == records(run, "agents")
    assert digests(killed) == digests(run)


def test_a_killed_node_is_missing_and_the_others_go_on(deployment, three, tmp_path):
    run = tmp_path / "run"
    process = deployment.submit(
        EXAMPLE, run=run, agents=",".join(NAMES), rounds=2, timeout=40, audit=False
    )
    wait_until(lambda: len(records(run)) >= 2, PATIENCE, "no round is over", deployment.logs())
    os.kill(deployment.nodes.pop("Evora").pid, signal.SIGKILL)
    ended(deployment, process)
    last = records(run)[-1]
    assert (last["round"], last["trained"], last["dropped"]) == (2, 2, 1)
    parts = {a["agent"]: a["part"] for a in records(run, "agents") if a["round"] == 2}
    assert parts == {"Aachen": "trained", "Dresden": "trained", "Evora": "dropped"}
    assert set(load_file(run / "model.safetensors")) == {"weight", "bias"}


def test_registered_nodes_train_over_tls_and_a_stranger_is_refused(tmp_path, three):
    tls = Tls(tmp_path / "tls")
    names, run = ["Aachen", "Evora"], tmp_path / "run"
    with Deployment(tmp_path / "deployment", tls=tls, forked=True) as running:
        for name in names:
            key = tls.node_key(name)
            running.flwr("supernode", "register", f"{key}.pub", "test", "--name", name)
            # What the node calls itself does not count: its key does.
            running.node(name, config(three, name).replace(f'"{name}"', '"Mallory"', 1), key)
        stranger = running.node(
            "stranger", config(three, "Dresden"), tls.node_key("stranger"), give_up=20
        )
        ended(running, submitted(running, run, 1, agents=",".join(names), audit=False))
        wait_until(lambda: stranger.poll() is not None, 60, "the stranger is not refused")
        assert stranger.returncode != 0
        assert "SuperNode ID" not in running.log("stranger")
        assert running.flwr("supernode", "ls", "test").count("online") == 2
    assert [
        agent["name"] for agent in json.loads((run / "run.json").read_text())["agents"]
    ] == names
    assert [r["trained"] for r in records(run)] == [0, 2]
    assert running.alive() == []
