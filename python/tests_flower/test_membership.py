"""Attacks that try to tell from what a server releases who took part."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from test_privacy import private

from corefed import Server
from corefed._federation.model import Model
from corefed.flower.private import CentralNoise
from corefed.privacy import delta_of


def released(taking_part, seed, noise):
    """The model after a round in which the heaviest agent sends as much as it can, or nothing."""
    privacy = private(seed, noise=noise, epsilon=1e7)
    central = CentralNoise(privacy, "fedavg", 1, None)
    updates = {"target": np.array([0.2 * taking_part, 0.0]), "other": np.array([0.05, -0.1])}
    server = Server("fedavg", agents=["target", "other"], samples=[3, 1], clip=0.2)
    done = server.aggregate(np.zeros(2), updates)
    largest = max(done.weights.values())
    return central.model(1, Model({"t": done.model}), largest, 1.0).parts["t"]


@pytest.mark.parametrize("noise", [0.5, 1.0, 2.0])
def test_membership_is_guessed_as_well_as_the_curve_says_and_no_better(noise):
    # The best attack there is: along the target's update, at the middle.
    trials, shift, share = 1500, 1 / noise, 0.75
    seen = {
        part: np.array([released(part, 10_000 * part + seed, noise)[0] for seed in range(trials)])
        for part in (0, 1)
    }
    middle = 0.25 * 0.05 + share * 0.2 / 2
    hits, alarms = np.mean(seen[1] > middle), np.mean(seen[0] > middle)
    spread = math.sqrt(2 * 0.25 / trials)
    # A noise of half the size, or a share left out of it, would be far outside of this.
    best = 2 * NormalDist().cdf(shift / 2) - 1
    assert abs((hits - alarms) - best) < 4 * spread
    for epsilon in (0.5, 1.0, 2.0):
        delta = max(0.0, NormalDist().cdf(shift / 2 - epsilon / shift)) - math.exp(
            epsilon
        ) * NormalDist().cdf(-shift / 2 - epsilon / shift)
        assert hits <= math.exp(epsilon) * alarms + delta + 4 * math.exp(epsilon) * spread


def test_without_noise_to_speak_of_membership_is_plain():
    seen = [released(part, seed, 1e-3)[0] for part in (0, 1) for seed in range(20)]
    assert max(seen[:20]) < min(seen[20:])


CEILING, CLIP = 2.0, 0.2
OTHERS = {"a": np.array([0.05, -0.1]), "b": np.array([-0.02, 0.03])}


def evidence(taking_part, seed, noise, loss_noise):
    """The log of how much likelier a round of CoreFed is with the target in it than without.

    Who attacks knows everything but the target's answers: all noised losses, so all shares,
    and the noised step.
    """
    told = private(seed, noise=noise, loss_noise=loss_noise, epsilon=1e7)
    central = CentralNoise(told, "corefed", 1, None)
    names = ["target", *OTHERS]
    # Nothing in place of a loss is half a ceiling.
    true = {"target": CEILING if taking_part else CEILING / 2, **dict.fromkeys(OTHERS, 0.1)}
    losses = central.losses(1, true, dict.fromkeys(names, CEILING))
    updates = {"target": np.array([CLIP * taking_part, 0.0]), **OTHERS}
    server = Server("corefed", agents=names, ceilings=CEILING, clip=CLIP, memory=1.0)
    done = server.aggregate(np.zeros(2), updates, losses=losses)
    largest = max(done.weights.values())
    step = central.model(1, Model({"t": done.model}), largest, 1.0).parts["t"][0]
    known = sum(done.weights[name] * update[0] for name, update in OTHERS.items())
    shift = done.weights["target"] / largest / noise
    moved = (step - known) / (noise * CLIP * largest)
    return _of_loss(losses["target"], loss_noise) + shift * moved - shift**2 / 2


def _of_loss(seen, loss_noise):
    there, away = (NormalDist(mean, loss_noise * CEILING / 2) for mean in (CEILING, CEILING / 2))
    if seen == 0.0:
        # Losses are not negative: whatever is below is told as nothing.
        return math.log(there.cdf(0.0) / away.cdf(0.0))
    return (seen - away.mean) ** 2 / (2 * away.variance) - (seen - there.mean) ** 2 / (
        2 * there.variance
    )


@pytest.mark.parametrize(("noise", "loss_noise"), [(1.0, 1.5), (2.0, 1.0), (1.0, 4.0)])
def test_losses_and_step_together_tell_of_membership_what_the_curve_says(noise, loss_noise):
    trials, shift = 600, math.sqrt(noise**-2 + loss_noise**-2)
    seen = {
        part: np.array(
            [evidence(part, 10_000 * part + seed, noise, loss_noise) for seed in range(trials)]
        )
        for part in (0, 1)
    }
    spread = math.sqrt(2 * 0.25 / trials)
    # The best attack there is, and the curve of both releases together.
    hits, alarms = np.mean(seen[1] > 0), np.mean(seen[0] > 0)
    best = 2 * NormalDist().cdf(shift / 2) - 1
    assert hits - alarms < best + 4 * spread
    # Nor is it much weaker than promised: the target has the largest share most of the time.
    assert hits - alarms > best - 4 * spread - 0.05
    for epsilon in (0.5, 1.0):
        hits, alarms = np.mean(seen[1] > epsilon), np.mean(seen[0] > epsilon)
        delta = delta_of(epsilon, shift)
        assert hits <= math.exp(epsilon) * alarms + delta + 4 * math.exp(epsilon) * spread


def test_a_loss_without_noise_to_speak_of_tells_who_was_there():
    seen = {part: [evidence(part, seed, 5.0, 1e-3) for seed in range(20)] for part in (0, 1)}
    assert max(seen[0]) < 0 < min(seen[1])
