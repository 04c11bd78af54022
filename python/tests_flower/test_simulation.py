"""Flower's own simulation, on Ray."""

import json
from pathlib import Path

import pytest
from deployment import Deployment
from hospitals import module

EXAMPLES = Path(__file__).parents[2] / "examples"
PATIENCE = 240


@pytest.fixture(scope="module")
def simulation(tmp_path_factory):
    with Deployment(tmp_path_factory.mktemp("simulation"), simulation=True) as running:
        yield running
    assert running.alive() == []


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def trained(simulation, run):
    process = simulation.submit(
        EXAMPLES / "flower-torch", clients=20, run=run, agents=20, rounds=2, local_epochs=1
    )
    assert process.wait(PATIENCE) == 0, simulation.logs()
    assert (run / "audit.json").exists(), simulation.logs()
    return run


@pytest.fixture(scope="module")
def run(simulation, tmp_path_factory):
    return trained(simulation, tmp_path_factory.mktemp("first") / "run")


def test_twenty_clients_of_a_users_own_network_train_and_are_audited(run):
    rounds, agents = lines(run / "rounds.jsonl"), lines(run / "agents.jsonl")
    assert [r["trained"] for r in rounds] == [0, 20, 20]
    # In the order of partitions, not of text: agent-2 comes before agent-10.
    assert [a["agent"] for a in agents if a["round"] == 1] == [f"agent-{k}" for k in range(20)]
    assert rounds[2]["log_welfare"] > rounds[0]["log_welfare"]
    assert all(a["held_out_accuracy"] is not None for a in agents)
    audit = json.loads((run / "audit.json").read_text())
    named = [rival["model"] for rival in audit["rivals"]]
    assert {"first", "zero", "trained by agent-7"} <= set(named)
    assert len(named) >= 22
    header = json.loads((run / "run.json").read_text())
    assert header["steadiness"] == {"correction": "control", "search": "off"}
    ceilings = {a["name"]: a["ceiling"] for a in header["agents"]}
    first = {a["agent"]: a["loss"] for a in agents if a["round"] == 0}
    assert ceilings == pytest.approx({name: 1.5 * loss for name, loss in first.items()})


def test_the_hospitals_of_the_guide_go_on_in_a_simulation(simulation, tmp_path):
    data, run = tmp_path / "data", tmp_path / "run"
    prepare = module(EXAMPLES / "flower-hospitals/prepare.py").prepare
    prepare(data)
    for rounds in (1, 2):
        process = simulation.submit(
            EXAMPLES / "flower-hospitals", clients=5, data=data, run=run, rounds=rounds
        )
        assert process.wait(PATIENCE) == 0, simulation.logs()
        assert len(lines(run / "rounds.jsonl")) == rounds + 1, simulation.logs()
    names = [agent["name"] for agent in json.loads((run / "run.json").read_text())["agents"]]
    assert names == ["Aachen", "Bergen", "Coimbra", "Dresden", "Evora"]


def test_a_simulation_is_the_same_to_the_byte_when_it_is_repeated(simulation, run, tmp_path):
    again = trained(simulation, tmp_path / "run")
    for name in ("run.json", "rounds.jsonl", "agents.jsonl", "model.safetensors", "audit.json"):
        assert (again / name).read_bytes() == (run / name).read_bytes(), name
