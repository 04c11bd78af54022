"""Corrected, compared and shortened steps over Flower are those of the engine."""

import json

import pytest
from flwr.app import ConfigRecord, Message, RecordDict
from flwr.clientapp import ClientApp
from hospitals import engine_model, federation, start_arrays
from inprocess import InProcess, Node
from test_parity import STRATEGIES, same_run

from corefed import flower

CORRECTED = ["corefed", "fedavg", "propfair", "afl", "qffl", "term"]
SEARCHED = ["corefed", "fedavg", "afl", "qffl"]
EPOCHS, ROUNDS = 5, 6


def trained(tmp_path, hospitals, rule, grid=None, **how):
    """Six rounds of five full-batch epochs, over Flower and by the engine."""
    strategy = STRATEGIES[rule](
        ceilings=1.0, agents=hospitals.names, seed=8, learning_rate=1.0, run=tmp_path / "run", **how
    )
    grid = grid or federation(hospitals, rule, epochs=EPOCHS)
    strategy.start(grid, start_arrays(hospitals), num_rounds=ROUNDS, timeout=5)
    local = {} if "epochs" in how else {"epochs": EPOCHS}
    same_run(tmp_path, engine_model(tmp_path / "engine", rule, ROUNDS, hospitals, **how, **local))
    return json.loads((tmp_path / "run/run.json").read_text())["steadiness"]


@pytest.mark.parametrize("rule", CORRECTED)
def test_corrected_steps_are_the_engines(tmp_path, hospitals, rule):
    told = trained(tmp_path, hospitals, rule, correction="control")
    assert told == {"correction": "control", "search": "off"}


@pytest.mark.parametrize("rule", SEARCHED)
def test_compared_steps_are_the_engines(tmp_path, hospitals, rule):
    told = trained(tmp_path, hospitals, rule, correction="none", search="on")
    assert told == {"correction": "none", "search": "on"}


@pytest.mark.parametrize("rule", SEARCHED)
def test_corrected_and_compared_short_steps_are_the_engines(tmp_path, hospitals, rule):
    how = {"correction": "control", "search": "on", "first_step": 0.5}
    told = trained(tmp_path, hospitals, rule, **how)
    assert told == {"correction": "control", "search": "on"}
    chosen = [json.loads(line)["chosen"] for line in (tmp_path / "run/rounds.jsonl").open()]
    assert chosen[0] is None
    assert set(chosen[1:]) <= {"rule", "fedavg", "stay"}


@pytest.mark.parametrize("rule", ["corefed", "fedmgda"])
def test_short_first_steps_are_the_engines(tmp_path, hospitals, rule):
    told = trained(tmp_path, hospitals, rule, correction="none", first_step=0.3)
    assert told == {"correction": "none", "search": "off"}


def test_what_auto_comes_to_is_what_the_engine_makes_of_it(tmp_path, hospitals):
    for rule in STRATEGIES:
        told = trained(tmp_path / rule, hospitals, rule, correction="auto")
        engine = json.loads((tmp_path / rule / "engine/run.json").read_text())
        assert told == engine["steadiness"], rule


def test_batches_with_momentum_are_corrected_as_the_engines(tmp_path, hospitals):
    local = {"epochs": 2, "batch": 32, "momentum": 0.9}

    def node(name):
        client = hospitals.client(name)
        app = ClientApp(mods=[flower.report_loss(lambda a, _: client.loss(a), corrects=True)])

        @app.train()
        def train(message, context):
            correction = flower.Correction(message)
            answer = client.train(
                message.content["arrays"],
                message.content["config"],
                learning_rate=0.1,
                correction=correction,
                **local,
            )
            return Message(RecordDict({"arrays": answer, **correction.answer()}), reply_to=message)

        @app.evaluate()
        def evaluate(message, context):
            return Message(RecordDict({"config": ConfigRecord()}), reply_to=message)

        return Node(app, name)

    strategy = flower.CoreFed(
        ceilings=1.0, agents=hospitals.names, seed=8, learning_rate=0.1, run=tmp_path / "run"
    )
    grid = InProcess([node(name) for name in hospitals.names])
    strategy.start(grid, start_arrays(hospitals), num_rounds=ROUNDS, timeout=5)
    expected = engine_model(
        tmp_path / "engine", "corefed", ROUNDS, hospitals, correction="control", rate=0.1, **local
    )
    same_run(tmp_path, expected)
