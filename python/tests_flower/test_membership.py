"""Attacks that try to tell who took part, from what a server or an agent releases."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from flwr.app import ConfigRecord, Message, RecordDict
from flwr.clientapp import ClientApp
from inprocess import InProcess, Node, arrays
from test_privacy import private

from corefed import Server, flower
from corefed._federation.model import Model
from corefed.flower.private import CentralNoise
from corefed.privacy import delta_of, epsilon_of


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


CEILING, CLIP, DELTA = 2.0, 0.2, 0.02
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


def sent(taking_part, seed, noise, loss_noise, keep, rounds=2):
    """All that a server sees of an agent that noises its own answers, and the epsilon they say.

    It sends as much as it can, or nothing: no update, and half of the ceiling in place of a loss.
    """
    rng = np.random.default_rng(seed)
    mod = flower.private_answers(
        epsilon=1e7,
        delta=DELTA,
        clip=CLIP,
        noise=noise,
        ceiling=CEILING,
        loss_noise=loss_noise,
        keep=keep / f"{taking_part}-{seed}-{noise}",
        draw=rng.bytes,
    )
    own = 9 * CEILING if taking_part else CEILING / 2
    app = ClientApp(mods=[mod, flower.report_loss(lambda *_: own)])

    def answer(message, context):
        (t,) = message.content["arrays"].to_numpy_ndarrays()
        moved = t + np.array([30 * CLIP * taking_part, 0.0])
        return Message(RecordDict({"arrays": arrays(t=moved)}), reply_to=message)

    app.train()(answer)
    app.evaluate()(lambda message, context: Message(RecordDict(), reply_to=message))
    net = InProcess([Node(app, "target")])
    (node,) = net.nodes
    for number in range(rounds + 1):
        config = ConfigRecord({"server-round": number})
        question = RecordDict({"arrays": arrays(t=np.zeros(2)), "config": config})
        net.push_messages([Message(question, node, "train" if number else "evaluate")])
    return net.answered


def suspicion(replies, noise, loss_noise):
    """The log of how much likelier they are if the agent took part: the best attack there is."""
    total = 0.0
    for reply in replies:
        total += _of_loss(reply.content["metrics"]["loss-before"], loss_noise)
        if "arrays" in reply.content:
            (t,) = reply.content["arrays"].to_numpy_ndarrays()
            total += t[0] / (noise * CLIP) / noise - 1 / (2 * noise**2)
    return total


@pytest.mark.parametrize(("noise", "loss_noise"), [(2.0, 2.5), (3.0, 8.0)])
def test_an_agents_own_answers_tell_of_it_what_its_epsilon_allows(tmp_path, noise, loss_noise):
    trials, rounds = 250, 2
    shift = math.sqrt(rounds * noise**-2 + (rounds + 1) * loss_noise**-2)
    guessed = {}
    for part in (0, 1):
        runs = [
            sent(part, 10_000 * part + seed, noise, loss_noise, tmp_path, rounds)
            for seed in range(trials)
        ]
        guessed[part] = np.array([suspicion(run, noise, loss_noise) for run in runs])
    # What the agent says that it has spent is what all of its answers allow.
    epsilon = runs[-1][-1].content["metrics"]["corefed-epsilon"]
    assert epsilon == pytest.approx(epsilon_of(DELTA, shift))
    spread = math.sqrt(2 * 0.25 / trials)
    hits, alarms = np.mean(guessed[1] > 0), np.mean(guessed[0] > 0)
    # No attack has a larger advantage under (epsilon, delta).
    allowed = (math.exp(epsilon) - 1 + 2 * DELTA) / (math.exp(epsilon) + 1)
    assert hits - alarms < allowed + 4 * spread
    # Nor is there more noise than is said, or less.
    best = 2 * NormalDist().cdf(shift / 2) - 1
    assert abs(hits - alarms - best) < 4 * spread
    for threshold in (epsilon / 2, epsilon):
        hits, alarms = np.mean(guessed[1] > threshold), np.mean(guessed[0] > threshold)
        delta = delta_of(threshold, shift)
        assert hits <= math.exp(threshold) * alarms + delta + 4 * math.exp(threshold) * spread


def test_an_agents_own_answers_without_noise_to_speak_of_tell_all(tmp_path):
    noise = loss_noise = 1e-3
    guessed = {
        part: [
            suspicion(sent(part, seed, noise, loss_noise, tmp_path), noise, loss_noise)
            for seed in range(20)
        ]
        for part in (0, 1)
    }
    assert max(guessed[0]) < 0 < min(guessed[1])
