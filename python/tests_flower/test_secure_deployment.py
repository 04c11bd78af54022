"""Secure sums over a real SuperLink: three hospitals, a killed server, and a node that is lost."""

import json
import os
import signal

import numpy as np
import pytest
from deployment import Deployment, wait_until
from hospitals import EXAMPLE, Hospitals, federation, model_of, module, serve, start_arrays
from inprocess import InProcess, Node
from safetensors.numpy import load_file
from summed import lines

from corefed import flower

NAMES = ("Aachen", "Bergen", "Dresden", "Evora")
APP = EXAMPLE.parent / "flower-secure"
#: A loaded machine answers late; nobody is missing before this.
PATIENCE = 300


@pytest.fixture(scope="module")
def four(tmp_path_factory) -> Hospitals:
    folder = tmp_path_factory.mktemp("four")
    return Hospitals(folder, module(EXAMPLE / "prepare.py").prepare(folder, only=NAMES))


@pytest.fixture(scope="module")
def deployment(tmp_path_factory, four):
    with Deployment(tmp_path_factory.mktemp("deployment"), forked=True) as running:
        for name in four.names:
            config = f'agent="{name}" data="{four.folder}/{name}.csv" keep="{keep(four, name)}"'
            running.node(name, config)
        yield running
    assert running.alive() == []


def keep(hospitals, name):
    return hospitals.folder / "keep" / name


def submitted(deployment, run, rounds, **settings):
    told = {"timeout": PATIENCE, "agents": ",".join(NAMES)} | settings
    return deployment.submit(APP, run=run, rounds=rounds, **told)


def ended(deployment, process):
    assert process.wait(2 * PATIENCE) == 0, deployment.logs()


def rounds_of(run):
    path = run / "rounds.jsonl"
    return lines(path) if path.exists() else []


@pytest.fixture(scope="module")
def killed(deployment, tmp_path_factory):
    """A run of two rounds whose server was killed after the first."""
    run = tmp_path_factory.mktemp("killed") / "run"
    process = submitted(deployment, run, 2, radius=2.0)
    wait_until(lambda: len(rounds_of(run)) >= 2, PATIENCE, "no round is over", deployment.logs())
    deployment.kill_server(process)
    assert len(rounds_of(run)) < 3
    ended(deployment, submitted(deployment, run, 2, radius=2.0))
    return run


def test_the_deployed_model_is_that_of_answers_in_the_open(killed, four, tmp_path):
    plain = flower.CoreFed(
        agents=NAMES,
        ceilings=1.0,
        share_cap=None,
        norm_cap=None,
        correction="none",
        run=tmp_path / "p",
    )
    plain.start(federation(four), start_arrays(four), num_rounds=2, timeout=30)
    for found, expected in zip(model_of(killed), model_of(tmp_path / "p"), strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    rows = lines(killed / "sums.jsonl")
    welfare = [record["log_welfare"] for record in lines(tmp_path / "p/rounds.jsonl")]
    np.testing.assert_allclose([row["log_welfare"] for row in rows], welfare, rtol=1e-12)
    assert json.loads((killed / "bound.json").read_text())["kappa_bound"] > 1


def test_each_hospital_has_its_own_history(killed, four):
    for name in four.names:
        histories = list(keep(four, name).glob("*.history.jsonl"))
        rows = [row for history in histories for row in lines(history) if "round" in row]
        assert {1, 2} <= {row["round"] for row in rows}
        assert (keep(four, name) / "sums.key").stat().st_mode & 0o077 == 0


def test_a_killed_server_continues_to_the_model_of_an_undisturbed_run(killed, four, tmp_path):
    run, app = tmp_path / "run", module(APP / "client_app.py").app
    nodes = [
        Node(app, name, data=f"{four.folder}/{name}.csv", keep=str(tmp_path / name))
        for name in four.names
    ]
    settings = {"agents": ",".join(NAMES), "rounds": 2, "radius": 2.0}
    serve(APP, InProcess(nodes), run=str(run), **settings)
    assert (killed / "model.safetensors").read_bytes() == (run / "model.safetensors").read_bytes()
    assert lines(killed / "sums.jsonl") == lines(run / "sums.jsonl")


def test_a_killed_node_means_that_the_others_are_asked_again(deployment, tmp_path):
    run = tmp_path / "run"
    process = submitted(deployment, run, 2, timeout=60)
    wait_until(lambda: len(rounds_of(run)) >= 2, PATIENCE, "no round is over", deployment.logs())
    os.kill(deployment.nodes.pop("Evora").pid, signal.SIGKILL)
    ended(deployment, process)
    last = rounds_of(run)[-1]
    assert (last["round"], last["trained"], last["dropped"]) == (2, 3, 1)
    assert last["rejections"] == []
    assert lines(run / "sums.jsonl")[1]["cohort"] == ["Aachen", "Bergen", "Dresden"]
    assert set(load_file(run / "model.safetensors")) == {"weight", "bias"}
