"""A training that jumps between two models is named; others are not."""

import logging

import numpy as np
import pytest
from hospitals import federation, start_arrays
from inprocess import InProcess, Node, arrays, parabola_app

from corefed import flower
from corefed.flower.cycle import alternates

CENTRES = {"Aachen": [1.0, 0.0], "Bergen": [0.0, 2.0], "Coimbra": [-1.0, -1.0]}


@pytest.fixture
def warned(caplog, monkeypatch):
    """Flower's log does not pass its lines on."""
    monkeypatch.setattr(logging.getLogger("flwr"), "propagate", True)
    caplog.set_level(logging.WARNING, logger="flwr")
    return lambda: [line for line in caplog.messages if "to and fro" in line]


def train(rate, rounds=10, **settings):
    net = InProcess([Node(parabola_app(at, rate=rate), name) for name, at in CENTRES.items()])
    strategy = flower.FedAvg(ceilings=9.0, **settings)
    strategy.start(net, arrays(t=np.array([2.0, -1.0])), num_rounds=rounds, timeout=1)


def test_steps_twice_too_long_jump_to_and_fro_and_are_named_once(warned):
    # Twice the step to the mean is the mirror image of where it began.
    train(2.0)
    (line,) = warned()
    assert line.startswith("round 6: ")
    assert "Aachen" in line
    assert "correction='auto'" in line


@pytest.mark.parametrize("rate", [0.1, 1.0, 1.5, 1.8])
def test_a_training_that_settles_is_not_named(rate, warned):
    train(rate)
    assert warned() == []


def test_where_rounds_are_not_measured_nothing_is_said(warned):
    train(2.0, evaluate_every=2)
    assert warned() == []


@pytest.mark.parametrize("rule", [flower.CoreFed, flower.FedAvg, flower.AFL])
def test_the_hospitals_raise_no_alarm(hospitals, rule, warned):
    strategy = rule(ceilings=1.0, agents=hospitals.names)
    strategy.start(federation(hospitals), start_arrays(hospitals), num_rounds=20, timeout=1)
    assert warned() == []


def test_noise_raises_next_to_no_alarm():
    noise = np.random.default_rng(8).normal(size=20_000)
    found = [alternates(list(noise[at : at + 7]), 0.05) for at in range(0, noise.size - 7)]
    assert sum(found) < 20


def test_a_period_of_two_is_found_whatever_noise_is_on_it():
    random = np.random.default_rng(3)
    swing = [0.7 + 0.4 * (-1) ** k + 0.02 * random.normal() for k in range(7)]
    assert alternates(swing, 0.05)
    assert not alternates(swing, 1.0)
    assert not alternates(swing[:6], 0.05)
