"""Nodes of ours on a real SuperLink: beside a Python node, over TLS, killed, and left alone."""

import json
import os
import shutil
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest
from deployment import Deployment, Tls, stop, wait_until
from exactly import corefed
from fake_link import node_command, node_key
from hospitals import EXAMPLE, Hospitals, federation, model_of, module, start_arrays

from corefed import flower

NAMES = ("Aachen", "Dresden", "Evora")
#: A loaded machine answers late; nobody is missing before this.
PATIENCE = 240


@pytest.fixture(scope="module")
def three(tmp_path_factory) -> Hospitals:
    folder = tmp_path_factory.mktemp("three")
    return Hospitals(folder, module(EXAMPLE / "prepare.py").prepare(folder, only=NAMES))


def own(running: Deployment, table: Path, key: Path, ca: Path | None = None) -> subprocess.Popen:
    """Starts a node of ours, which goes by the name of its table."""
    command = node_command(f"127.0.0.1:{running.port}", table, key, tls=ca)
    running.nodes[table.stem] = running.start(table.stem, command)
    return running.nodes[table.stem]


def records(run):
    path = run / "rounds.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def submitted(running, run, rounds, **settings) -> subprocess.Popen:
    told = {"agents": ",".join(NAMES), "rounds": rounds, "timeout": PATIENCE, "audit": False}
    return running.submit(EXAMPLE, run=run, **told | settings)


def in_process(run, hospitals: Hospitals, rounds: int) -> None:
    """The same federation of Python clients only, without a network."""
    strategy = flower.CoreFed(
        ceilings=1.0, agents=list(NAMES), learning_rate=1.0, seed=8, run=run, evaluate_every=1
    )
    grid = federation(hospitals)
    strategy.start(grid, start_arrays(hospitals), num_rounds=rounds, timeout=60)
    strategy.audit(exact=True, timeout=60)
    strategy.history.close()


def same_run(run, expected) -> None:
    """Models, records and what agents answered are equal to the last bit."""
    for found, wanted in zip(model_of(run), model_of(expected), strict=True):
        assert found.tobytes() == wanted.tobytes()
    for name in ("rounds.jsonl", "agents.jsonl"):
        assert (run / name).read_bytes() == (expected / name).read_bytes()


def test_nodes_of_both_kinds_train_and_sign_over_tls(tmp_path, three):
    tls, run, expected = Tls(tmp_path / "tls"), tmp_path / "run", tmp_path / "expected"
    with Deployment(tmp_path / "deployment", tls=tls) as running:
        for name in NAMES:
            key, table = tls.node_key(name), three.folder / f"{name}.csv"
            running.flwr("supernode", "register", f"{key}.pub", "test", "--name", name)
            if name == "Dresden":
                running.node(name, f'agent="{name}" data="{table}"', key)
            else:
                own(running, table, key, tls.ca)
        refused(running, three, tls.node_key("Mallory"), tls.ca, "flwr supernode register")
        other = Tls(tmp_path / "other").ca
        refused(running, three, tls.folder / "Evora", other, "signed the SuperLink's")
        refused(running, three, tls.folder / "Evora", None, "does not answer")
        process = submitted(running, run, 1, exact=True)
        assert process.wait(PATIENCE) == 0, running.logs()
        for name in ("Aachen", "Evora"):
            running.nodes[name].terminate()
            assert running.nodes[name].wait(30) == 0, running.log(name)
        said = running.flwr("supernode", "ls", "test")
        assert (said.count("online"), said.count("offline")) == (1, 2)
    assert running.alive() == []
    code, said = corefed("verify", run / "certificate.json")
    assert (code, said.split(":")[0]) == (0, "attested"), said
    assert "signed by Aachen, Dresden, Evora" in said
    in_process(expected, three, 1)
    same_run(run, expected)
    # Keys and signatures are the agents' own in both.
    both = [json.loads((path / "certificate.json").read_text()) for path in (run, expected)]
    assert both[0] == both[1]


def refused(running: Deployment, hospitals: Hospitals, key: Path, ca: Path | None, why: str):
    """A node that the SuperLink does not take, or that does not take the SuperLink, says why."""
    table = hospitals.folder / "Mallory.csv"
    shutil.copy(hospitals.folder / "Evora.csv", table)
    node = own(running, table, key, ca)
    wait_until(lambda: why in running.log("Mallory"), 60, "it does not say why")
    node.terminate()
    node.wait(30)


def is_back(running: Deployment, name: str) -> bool:
    said = running.log(name)
    return said.rfind("joined") > said.rfind("trying again") > 0


def test_kills_of_a_node_and_of_the_superlink_lose_nothing(tmp_path, three):
    run, expected = tmp_path / "run", tmp_path / "expected"
    keys = {name: node_key(tmp_path / name) for name in NAMES}
    with Deployment(tmp_path / "deployment") as running:
        for name in NAMES:
            own(running, three.folder / f"{name}.csv", keys[name])
        submitted(running, run, 60)
        wait_until(lambda: len(records(run)) >= 3, PATIENCE, "no round is over", running.logs())
        # At work: one that is killed while a message is handed over misses a round.
        asked = three.folder / "Evora.corefed/asked.json"
        while not asked.exists():
            time.sleep(0.001)
        os.kill(running.nodes["Evora"].pid, signal.SIGKILL)
        running.nodes["Evora"].wait()
        rounds = len(records(run))
        own(running, three.folder / "Evora.csv", keys["Evora"])
        wait_until(lambda: len(records(run)) >= rounds + 3, PATIENCE, "it waits", running.logs())
        # The SuperLink forgets its nodes and its run; the folder of the run does not.
        servers = running.alive("flwr-serverapp") + running.alive("superexec")
        for pid in [running.link.pid, *servers]:
            stop(pid)
        running.link.wait()
        wait_until(lambda: not running.answers(), 30, "it still answers")
        assert len(records(run)) < 60
        running.launch()
        # A resumed run begins with those who are there.
        for name in NAMES:
            wait_until(partial(is_back, running, name), PATIENCE, "it is away", running.logs())
        done = submitted(running, run, len(records(run)) + 2)
        assert done.wait(PATIENCE) == 0, running.logs()
        for name in NAMES:
            assert running.nodes[name].poll() is None, running.log(name)
    assert running.alive() == []
    assert [record["trained"] for record in records(run)[1:]] == [3] * (len(records(run)) - 1)
    in_process(expected, three, len(records(run)) - 1)
    same_run(run, expected)
