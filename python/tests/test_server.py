"""The server step against the reference in NumPy, and against hostile input."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from rounds import Trainer

import corefed

RULES = [
    {"rule": "fedavg"},
    {"rule": "propfair"},
    {"rule": "corefed", "step_length": "printed", "memory": 1.0},
    {"rule": "corefed", "step_length": "normalised", "memory": 1.0},
    {"rule": "corefed", "step_length": "dynamic", "memory": 1.0},
    {"rule": "afl", "gamma": 0.3},
    {"rule": "qffl", "q": 0.7},
    {"rule": "term", "t": 1.5},
    {"rule": "fedmgda", "spread": 0.3},
    {"rule": "nash-mtl"},
]
SAFETIES = [
    {},
    {"clip": 1.5},
    {"at_ceiling": "warm-up", "floor": 0.3},
    {"at_ceiling": "raise", "floor": 0.3},
    {"weight_cap": 1.2},
]
WEIGHTS, SAMPLES, CEILINGS = [1.0, 2.0, 3.0, 2.0], [10.0, 40.0, 20.0, 30.0], [3.0, 2.5, 4.0, 2.2]


class Replayed(Trainer):
    """The reference with losses and updates that are given instead of computed."""

    def __init__(self, losses, updates, train):
        data = SimpleNamespace(dim=updates.shape[2], losses=lambda _: self.given[0])
        super().__init__(data, CEILINGS, WEIGHTS, SAMPLES, np.inf, train | {"project": False})
        self.plays = iter(zip(losses, updates, strict=True))

    def round(self, number):
        self.given = next(self.plays)
        return super().round(number)

    def update(self, agent, _drift):
        return self.given[1][agent]


@pytest.mark.parametrize("safety", SAFETIES, ids=str)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: "-".join(map(str, rule.values())))
def test_every_rule_steps_as_the_reference_does(rule, safety):
    rng = np.random.default_rng(3)
    rounds, agents, dim = 3, 4, 57
    losses = rng.uniform(0.1, 2.1, (rounds, agents))
    updates = rng.normal(size=(rounds, agents, dim)) * rng.uniform(0.1, 0.5, (rounds, agents, 1))
    server_side = {"server_step": 0.7, "server_momentum": 0.6}
    reference = Replayed(losses, updates, rule | server_side | {"safety": safety})
    server = corefed.Server(
        **rule,
        **safety,
        **server_side,
        agents=agents,
        weights=WEIGHTS,
        samples=SAMPLES,
        ceilings=CEILINGS,
    )
    model, state = np.zeros(dim), None
    for at in range(rounds):
        expected = reference.round(at + 1)
        done = server.aggregate(
            model, list(updates[at]), losses=losses[at], learning_rate=0.1, state=state
        )
        model, state = done.model, done.state
        np.testing.assert_allclose(model, expected.theta, rtol=1e-9, atol=1e-12)
        weights = [done.weights[agent] for agent in range(agents)]
        np.testing.assert_allclose(weights, expected.weights, rtol=1e-7, atol=1e-12)
        assert done.floored == expected.floored
        assert done.capped == expected.capped
        assert done.clipped == expected.clipped
        assert done.raised == pytest.approx(expected.raised)
        assert done.warm_up == expected.warm_up


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rule", [rule["rule"] for rule in RULES[1:] if rule["rule"] != "propfair"])
def test_structure_and_type_of_the_model_are_kept(rule, dtype):
    rng = np.random.default_rng(4)
    model = {"w": rng.normal(size=(5, 3)), "b": rng.normal(size=3), "s": np.array(2.0)}
    model = {name: part.astype(dtype) for name, part in model.items()}
    updates = {
        agent: {name: rng.normal(size=part.shape).astype(dtype) for name, part in model.items()}
        for agent in ["north", "south"]
    }
    settings = {"losses": {"north": 0.5, "south": 1.0}, "ceilings": 3.0, "learning_rate": 0.1}
    named = corefed.aggregate(rule, model, updates, **settings)
    listed = corefed.aggregate(
        rule,
        list(model.values()),
        {agent: list(update.values()) for agent, update in updates.items()},
        **settings,
    )
    whole = corefed.aggregate(
        rule,
        np.concatenate([part.reshape(-1) for part in model.values()]),
        {
            agent: np.concatenate([part.reshape(-1) for part in update.values()])
            for agent, update in updates.items()
        },
        **settings,
    )
    assert list(named.model) == list(model)
    for (name, part), other in zip(named.model.items(), listed.model, strict=True):
        assert part.shape == model[name].shape
        assert part.dtype == dtype
        np.testing.assert_array_equal(part, other)
    flat = np.concatenate([part.reshape(-1) for part in named.model.values()])
    np.testing.assert_allclose(flat, whole.model, rtol=1e-5 if dtype is np.float32 else 1e-12)


def test_the_old_model_and_the_updates_are_left_alone():
    model, update = np.ones(3), np.ones(3)
    done = corefed.aggregate("fedavg", model, [update])
    assert done.model.tolist() == [2, 2, 2]
    assert model.tolist() == update.tolist() == [1, 1, 1]


def test_arrays_with_gaps_count_by_their_values():
    wide = np.arange(12.0).reshape(3, 4)
    model = np.zeros((4, 3))
    done = corefed.aggregate("fedavg", model, [wide.T, 3 * wide.T])
    np.testing.assert_array_equal(done.model, 2 * wide.T)
    columns = corefed.aggregate("fedavg", np.zeros(3), [wide[:, 1], wide[:, 1]])
    assert columns.model.tolist() == [1, 5, 9]


def test_the_order_of_updates_does_not_matter():
    rng = np.random.default_rng(5)
    updates = {agent: rng.normal(size=99).astype(np.float32) for agent in "abc"}
    losses = {"a": 0.2, "b": 1.0, "c": 2.0}
    server = corefed.Server("corefed", agents="abc", ceilings=3.0)
    model = np.zeros(99, np.float32)
    one = server.aggregate(model, updates, losses=losses)
    other = server.aggregate(model, dict(reversed(updates.items())), losses=losses)
    assert one.model.tobytes() == other.model.tobytes()


def test_a_state_survives_pickling_and_dictionaries():
    server = corefed.Server("afl", agents=2, server_momentum=0.5, gamma=0.2)
    updates = [np.array([1.0, 0.0]), np.array([0.0, 1.0])]

    def step(model, state):
        return server.aggregate(model, updates, losses=[0.1, 1.0], state=state)

    first = step(np.zeros(2), None)
    server = pickle.loads(pickle.dumps(server))
    again = [
        step(first.model, first.state),
        step(first.model, pickle.loads(pickle.dumps(first.state))),
        step(first.model, first.state.to_dict()),
        step(first.model, {name: a.tolist() for name, a in first.state.to_dict().items()}),
    ]
    assert {done.model.tobytes() for done in again} == {again[0].model.tobytes()}
    assert not np.array_equal(again[0].model, step(first.model, None).model)


def test_whoever_cannot_count_is_left_out_with_a_reason():
    server = corefed.Server("fedavg", agents=["a", "b", "c", "d"])
    updates = {
        "a": np.array([2.0]),
        "b": np.array([np.nan]),
        "c": np.array([4.0]),
        "stranger": np.array([9.0]),
        "d": np.array([np.inf]),
    }
    losses = {"a": 1.0, "b": 1.0, "c": -1.0, "d": 1.0, "stranger": 1.0}
    done = server.aggregate(np.zeros(1), updates, losses=losses)
    assert done.model.tolist() == [2.0]
    assert dict(done.rejected) == {
        "b": "its update is not finite",
        "c": "its loss is negative",
        "d": "its update is not finite",
        "stranger": "there is no such agent",
    }


def test_nobody_left_is_an_error():
    with pytest.raises(corefed.CohortError, match="nobody is left") as caught:
        corefed.aggregate("fedavg", np.zeros(1), [np.array([np.nan])])
    assert "clip" in caught.value.hint


HOSTILE = {
    "no such rule": ({"rule": "fedsgd"}, "rule"),
    "newton averages nothing": ({"rule": "newton"}, "rule"),
    "no losses": ({"losses": None}, "losses"),
    "too few losses": ({"losses": [1.0]}, "losses"),
    "losses that are words": ({"losses": ["a", "b"]}, "losses"),
    "no ceilings": ({"ceilings": None}, "ceilings"),
    "a negative ceiling": ({"ceilings": [3.0, -1.0]}, "ceilings"),
    "too many ceilings": ({"ceilings": [3.0, 1.0, 1.0]}, "ceilings"),
    "a weight of zero": ({"weights": [1.0, 0.0]}, "weights"),
    "samples of nobody": ({"samples": [1.0]}, "samples"),
    "a floor above one": ({"floor": 2.0}, "floor"),
    "a negative clip": ({"clip": -1.0}, "clip"),
    "a cap below one": ({"weight_cap": 0.5}, "weight_cap"),
    "momentum of one": ({"server_momentum": 1.0}, "momentum"),
    "no such length": ({"step_length": "long"}, "step_length"),
    "no such safeguard": ({"at_ceiling": "panic"}, "at_ceiling"),
    "dynamic without a rate": ({"step_length": "dynamic"}, "learning_rate"),
    "a rate of zero": ({"learning_rate": 0.0}, "learning_rate"),
    "updates of another shape": ({"updates": [np.ones(3), np.ones(4)]}, "updates"),
    "updates of another type": ({"updates": [np.ones(3), np.ones(3, np.float32)]}, "updates"),
    "updates of words": ({"updates": [np.ones(3), np.array(["a"] * 3)]}, "updates"),
    "a model of whole numbers": ({"model": np.ones(3, int)}, "model"),
    "a model of two types": ({"model": [np.ones(3), np.ones(3, np.float32)]}, "model"),
    "no updates": ({"updates": []}, "agents"),
    "a state of nobody": ({"state": {"multipliers": [], "ceilings": []}}, "state"),
    "a state of others": (
        {"state": {"multipliers": [], "ceilings": [1.0], "velocity": np.zeros(0)}},
        "state",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_cannot_be_used_is_refused_by_name(case):
    given, field = HOSTILE[case]
    good = {
        "rule": "corefed",
        "model": np.zeros(3),
        "updates": [np.ones(3), np.ones(3)],
        "losses": [1.0, 2.0],
        "ceilings": 3.0,
    }
    with pytest.raises(corefed.InputError) as caught:
        corefed.aggregate(**(good | given))
    assert caught.value.field == field
    assert str(caught.value)


def test_errors_speak_of_agents_by_name():
    with pytest.raises(corefed.InputError) as caught:
        corefed.Server("corefed", agents=["a", "b"], ceilings={"a": 1.0, "b": 0.0})
    assert caught.value.agent == "b"
    with pytest.raises(corefed.InputError, match="two agents are called 'a'"):
        corefed.Server("fedavg", agents=["a", "a"])
    copied = pickle.loads(pickle.dumps(caught.value))
    assert (copied.agent, copied.field, str(copied)) == ("b", "ceilings", str(caught.value))


def test_propfairs_factor_is_the_slope_of_the_log():
    assert corefed.log_slope(1.5, 2.0) == 2.0
    assert corefed.log_slope(9.0, 2.0) == 5.0


def test_the_table_of_rules_says_what_servers_do():
    table = {rule.name: rule for rule in corefed.rules()}
    assert {rule["rule"] for rule in RULES} == table.keys() - {"newton"}
    for rule in RULES:
        knobs = {name for name in rule if name != "rule"}
        assert knobs == {knob.name for knob in table[rule["rule"]].knobs}
    assert [knob.default for knob in table["corefed"].knobs] == ["normalised", 0.2]
    sums = [rule.name for rule in corefed.rules() if rule.needs_each is None]
    assert sums == ["fedavg", "corefed", "propfair"]
    for name in table.keys() - {"newton"}:
        server = corefed.Server(name, agents=2, ceilings=1.0)
        assert server.needs_learning_rate == table[name].needs_learning_rate
    assert table["qffl"].needs_learning_rate
    dynamic = corefed.Server(agents=2, ceilings=1.0, step_length="dynamic")
    assert dynamic.needs_learning_rate


def test_unknown_rules_and_knobs_are_named_with_those_there_are():
    with pytest.raises(corefed.InputError, match=r"there is no rule `dictator`.*`newton`"):
        corefed.Server("dictator", agents=2)
    with pytest.raises(corefed.InputError, match=r"no rule has a knob `w`.*`spread`"):
        corefed.Server("qffl", agents=2, w=2.0)
    wanted = r"`spread` is `2`; it must be a number in \[0, 1\]"
    with pytest.raises(corefed.InputError, match=wanted):
        corefed.Server("fedmgda", agents=2, spread=2.0)
    with pytest.raises(corefed.InputError, match="`q` must be a number >= 0"):
        corefed.Server("qffl", agents=2, q="two")
    # Settings that a loop over rules shares.
    assert corefed.Server("term", agents=2, q=2.0, t=0.5).rule == "term"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_part_of_a_step_is_that_part_of_it(dtype):
    rng = np.random.default_rng(2)
    model, updates = np.zeros(9, dtype), rng.normal(size=(3, 9)).astype(dtype)
    server = corefed.Server(agents=3, ceilings=3.0)
    step = lambda part: server.aggregate(model, updates, losses=[1, 2, 0.5], part=part)  # noqa: E731
    whole, half = step(1.0), step(0.5)
    # Halving is exact.
    np.testing.assert_array_equal(half.model, whole.model / 2)
    assert half.weights == {agent: weight / 2 for agent, weight in whole.weights.items()}
    assert whole.state.utilities.tolist() == half.state.utilities.tolist()
    for part in (0.0, 1.5, float("nan")):
        with pytest.raises(corefed.InputError, match="`part`"):
            step(part)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_controls_are_mixed_by_the_weights_that_the_next_step_has(dtype):
    rng = np.random.default_rng(4)
    controls = rng.normal(size=(3, 7)).astype(dtype)
    for rule in ("corefed", "fedavg", "afl", "qffl", "term"):
        server = corefed.Server(
            rule, agents=["a", "b", "c"], samples=[1, 2, 3], ceilings=3.0, weights=[3, 1, 2]
        )
        state = None
        for losses in ({"a": 1.0, "b": 0.4, "c": 2.0}, {"c": 1.0, "a": 2.5}):
            mixed = server.mix(controls, losses=losses, state=state)
            here = {name: controls["abc".index(name)] for name in losses}
            done = server.aggregate(
                np.zeros(7, dtype), here, losses=losses, state=state, learning_rate=1e30
            )
            # With a rate without end even q-FFL's step is as long as its weights are large.
            expected = done.model / sum(done.weights.values())
            np.testing.assert_allclose(mixed, expected, rtol=2e-6 if dtype == np.float32 else 1e-12)
            state = done.state
        assert mixed.dtype == dtype


def test_controls_that_cannot_be_mixed_are_refused():
    server = corefed.Server(agents=["a", "b"], ceilings=3.0)
    losses = {"a": 1.0, "b": 1.0}
    with pytest.raises(corefed.InputError, match="3 controls of 2 agents"):
        server.mix(np.zeros((3, 2)), losses=losses)
    with pytest.raises(corefed.InputError, match="no agent 'c'"):
        server.mix(np.zeros((2, 2)), losses={"c": 1.0})
    other = corefed.Server(agents=3, ceilings=3.0)
    state = other.aggregate(np.zeros(2), np.zeros((3, 2)), losses=[1, 1, 1]).state
    with pytest.raises(corefed.InputError, match="another federation"):
        server.mix(np.zeros((2, 2)), losses=losses, state=state)
    for rule in corefed.rules():
        if rule.name != "newton" and not rule.corrects:
            with pytest.raises(corefed.InputError, match=f"`{rule.name}` has no weights"):
                corefed.Server(rule.name, agents=2, ceilings=3.0).mix(
                    np.zeros((2, 2)), losses={0: 1.0, 1: 1.0}
                )


def test_the_model_that_the_rule_wants_is_chosen():
    models = [[1.0, 1.0], [0.2, 1.6], [0.6, 1.3]]
    # Products of utilities under 2: 1, 0.72, 0.98; means: 1, 0.9, 0.95; largest: 1, 1.6, 1.3.
    chosen = {"corefed": 0, "fedavg": 1, "afl": 0}
    for rule, place in chosen.items():
        assert corefed.Server(rule, agents=2, ceilings=2.0).choose(models) == place
    with pytest.raises(corefed.InputError, match="no objective"):
        corefed.Server("term", agents=2, ceilings=2.0).choose(models)
