"""Every rule through Flower's interface, against the same step written out in NumPy."""

import numpy as np
import pytest
from inprocess import InProcess, Node, arrays, parabola_app

import corefed
from corefed import flower

CENTRES = {"agent-2": [1.0, 0.0], "agent-10": [0.0, 2.0], "agent-1": [-1.0, -1.0]}
SAMPLES = {"agent-1": 10, "agent-2": 30, "agent-10": 60}
ORDER = ["agent-1", "agent-2", "agent-10"]
RATE, CEILING = 0.1, 4.0


def one_round(strategy, seed, start=(0.3, 0.1)):
    nodes = [Node(parabola_app(at, SAMPLES[name]), name) for name, at in CENTRES.items()]
    grid = InProcess(nodes, seed)
    result = strategy.start(grid, arrays(t=np.array(start)), num_rounds=1, timeout=5)
    return result.arrays.to_numpy_ndarrays()[0]


def losses_and_updates(start=(0.3, 0.1)):
    at = np.array([CENTRES[name] for name in ORDER])
    gaps = np.array(start) - at
    return (gaps**2).sum(1) / 2, -RATE * gaps


def weights_of(rule, losses, updates):
    """The step of each rule as its paper has it."""
    samples = np.array([SAMPLES[name] for name in ORDER], float)
    squares = (updates**2).sum(1)
    match rule:
        case "fedavg" | "propfair":
            return samples / samples.sum()
        case "corefed":
            pulls = 1 / (CEILING - losses)
            return pulls / pulls.sum()
        case "printed":
            return 1 / (CEILING - losses) / 3
        case "dynamic":
            u = CEILING - losses
            return (1 / u) / (1 / u + squares / (RATE * u**2)).sum()
        case "afl":
            wanted = 1 / 3 + 0.05 * losses
            multipliers = np.maximum(wanted - (wanted.sum() - 1) / 3, 0)
            assert (multipliers > 0).all()  # else the projection is another
            return multipliers
        case "qffl":
            pulls = losses**2.0
            return pulls / (pulls + 2 * losses * squares / RATE).sum()
        case "term":
            pulls = np.exp(0.7 * losses)
            return pulls / pulls.sum()


STRATEGIES = {
    "fedavg": lambda: flower.FedAvg(ceilings=CEILING),
    "propfair": lambda: flower.PropFair(ceilings=CEILING),
    "corefed": lambda: flower.CoreFed(ceilings=CEILING),
    "printed": lambda: flower.CoreFed(ceilings=CEILING, step_length="printed"),
    "dynamic": lambda: flower.CoreFed(ceilings=CEILING, step_length="dynamic", learning_rate=RATE),
    "afl": lambda: flower.AFL(ceilings=CEILING, gamma=0.05),
    # The paper has no cap on shares, and agent-10 would have more than half of this step.
    "qffl": lambda: flower.QFFL(ceilings=CEILING, q=2.0, learning_rate=RATE, share_cap=None),
    "term": lambda: flower.TERM(ceilings=CEILING, t=0.7),
}


@pytest.mark.parametrize("rule", STRATEGIES)
def test_a_round_is_the_step_of_the_papers(rule):
    losses, updates = losses_and_updates()
    expected = np.array([0.3, 0.1]) + weights_of(rule, losses, updates) @ updates
    np.testing.assert_allclose(one_round(STRATEGIES[rule](), seed=1), expected, rtol=1e-13)


@pytest.mark.parametrize("rule", STRATEGIES)
def test_neither_the_order_of_replies_nor_the_numbers_of_nodes_change_a_bit(rule):
    first, *others = [one_round(STRATEGIES[rule](), seed).tobytes() for seed in range(6)]
    assert all(other == first for other in others)


def test_fedmgda_takes_the_shortest_combination():
    # With three normalised updates the shortest point of their hull, found by a fine grid.
    _, updates = losses_and_updates()
    units = updates / np.linalg.norm(updates, axis=1, keepdims=True)
    steps = np.linspace(0, 1, 401)
    a, b = np.meshgrid(steps, steps)
    a, b = a[a + b <= 1], b[a + b <= 1]
    combos = np.stack([a, b, 1 - a - b], 1) @ units
    shortest = np.linalg.norm(combos, axis=1).min()
    step = one_round(flower.FedMGDA(ceilings=CEILING), seed=1) - [0.3, 0.1]
    assert np.linalg.norm(step) <= shortest + 1e-9
    assert np.linalg.norm(step) >= shortest - 0.01


def test_nash_mtl_has_the_largest_product_of_gains():
    # Of all directions in the plane, by a fine grid; as long as the mean update. Between the
    # centres no direction serves everybody.
    start = (3.0, 2.5)
    _, updates = losses_and_updates(start)
    step = one_round(flower.NashMTL(ceilings=CEILING), seed=1, start=start) - start
    assert (one_round(flower.NashMTL(ceilings=CEILING), seed=1) == [0.3, 0.1]).all()
    angles = np.linspace(0, 2 * np.pi, 40_001)
    gains = np.stack([np.cos(angles), np.sin(angles)], 1) @ updates.T
    best = np.log(np.maximum(gains, 1e-300)).sum(axis=1).argmax()
    length = np.linalg.norm(updates, axis=1).mean()
    np.testing.assert_allclose(np.linalg.norm(step), length, rtol=1e-12)
    np.testing.assert_allclose(np.arctan2(step[1], step[0]) % (2 * np.pi), angles[best], atol=2e-4)


def test_every_rule_has_a_strategy():
    named = {getattr(flower, name) for name in flower.__all__ if name[0].isupper()}
    found = {strategy.rule for strategy in named if hasattr(strategy, "rule")}
    assert found == {rule.name for rule in corefed.rules()}


def test_afl_remembers_its_multipliers_and_momentum_its_velocity():
    nodes = [Node(parabola_app(at, SAMPLES[name]), name) for name, at in CENTRES.items()]
    strategy = flower.AFL(ceilings=CEILING, gamma=0.05, server_momentum=0.5)
    end = strategy.start(InProcess(nodes), arrays(t=np.array([0.3, 0.1])), num_rounds=3, timeout=5)
    theta, multipliers, velocity = np.array([0.3, 0.1]), np.full(3, 1 / 3), np.zeros(2)
    for _ in range(3):
        losses, updates = losses_and_updates(theta)
        wanted = multipliers + 0.05 * losses
        multipliers = wanted - (wanted.sum() - 1) / 3
        velocity = 0.5 * velocity + multipliers @ updates
        theta = theta + velocity
    np.testing.assert_allclose(end.arrays.to_numpy_ndarrays()[0], theta, rtol=1e-12)


def test_a_part_of_the_agents_is_drawn_by_seed_and_round_alone():
    def cohorts(seed, numbers):
        nodes = [Node(parabola_app([k, 0.0]), f"agent-{k}") for k in range(8)]
        grid = InProcess(nodes, numbers)
        strategy = flower.CoreFed(ceilings=100.0, fraction_train=0.5, seed=seed)
        strategy.start(grid, arrays(t=np.zeros(2)), num_rounds=3, timeout=5)
        names = {i: node.context.node_config["agent"] for i, node in grid.nodes.items()}
        drawn = [
            (m.metadata.group_id, names[m.metadata.dst_node_id])
            for m in grid.sent
            if m.metadata.message_type == "train"
        ]
        return sorted(drawn)

    assert cohorts(1, numbers=1) == cohorts(1, numbers=2)
    assert cohorts(1, numbers=1) != cohorts(2, numbers=1)
    assert len(cohorts(1, numbers=1)) == 12
