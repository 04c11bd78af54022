"""Secure sums without a network: exact, hidden, and never twice under one mask."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from corefed import InputError
from corefed.secure import Agreement, Memory, Party, Ring, own_key, read_pins, secure_sum, total
from corefed.secure.streams import add_stream, seal_key

NAMES = ["Aachen", "Bergen", "Coimbra", "Dresden"]
MODEL = "m1"


def drawn(seed):
    return np.random.default_rng(seed).bytes


def parties(folder=None, **settings):
    return {
        name: Party(
            X25519PrivateKey.from_private_bytes(drawn(at)(32)),
            Memory(None if folder is None else folder / name),
            draw=drawn(100 + at),
            **settings,
        )
        for at, name in enumerate(NAMES)
    }


def agreed(them, ticket=1, cohort=NAMES, **other):
    told = {
        "session": "s1",
        "ticket": ticket,
        "keys": {name: party.public for name, party in them.items()},
        "cohort": list(cohort),
        "terms": {"floor": 0.1},
        "question": "q",
        "limit": 64.0,
    }
    return Agreement(**told | other)


def numbers(size=50, seed=3):
    rng = np.random.default_rng(seed)
    return {name: rng.normal(scale=5, size=size) for name in NAMES}


@pytest.mark.parametrize(("agents", "limit", "bits"), [(3, 4096.0, 49), (10, 64.0, 53), (2, 1, 60)])
def test_a_word_has_the_digits_that_agents_and_limit_leave(agents, limit, bits):
    ring = Ring(agents, limit)
    assert ring.fraction_bits == bits
    assert ring.error == agents * 2.0 ** -(bits + 1)
    # The largest sum that can be does not wrap.
    most = np.nextafter(limit, 0)
    added = np.sum([ring.encode([most]) for _ in range(agents)], axis=0, dtype=np.uint64)
    np.testing.assert_allclose(ring.decode(added), agents * most, rtol=1e-15)


def test_sums_are_those_of_whole_numbers_to_the_last_bit():
    values, limit = numbers(), 64.0
    ring = Ring(4, limit)
    scale = 2**ring.fraction_bits
    exact = [
        sum(round(Fraction(float(own[at])) * scale) for own in values.values()) for at in range(50)
    ]
    found = secure_sum(values, limit=limit, draw=drawn(1))
    assert [float(Fraction(number, scale)) for number in exact] == found.tolist()
    np.testing.assert_allclose(found, sum(values.values()), rtol=0, atol=ring.error + 1e-14)


@pytest.mark.parametrize("value", [4096.0, -5000.0, np.inf, np.nan])
def test_an_agent_out_of_range_refuses_itself(value):
    them = parties()
    with pytest.raises(InputError, match="beyond the agreed range"):
        them["Aachen"].seal(agreed(them, limit=4096.0), [0.0, value], [MODEL])


def test_a_message_says_nothing_until_all_seals_are_open():
    them, values = parties(), numbers(size=4096)
    agreement = agreed(them)
    sealed = {n: p.seal(agreement, values[n], [MODEL]) for n, p in them.items()}
    ring = agreement.ring()
    for name, words in sealed.items():
        # As good as uniform: bits are set half of the time, and have nothing to do with the values.
        bits = np.unpackbits(words.view(np.uint8))
        assert abs(bits.mean() - 0.5) < 5 * 0.5 / np.sqrt(bits.size)
        hidden = (words - ring.encode(values[name])).view(np.int64).astype(float)
        assert abs(np.corrcoef(hidden, values[name])[0, 1]) < 5 / np.sqrt(4096)
    # All messages together are still sealed: one seed less, and the sum is noise.
    seeds = {name: party.open(agreement) for name, party in them.items()}
    wrong = total(agreement, sealed, seeds | {"Dresden": bytes(32)})
    assert np.abs(wrong - sum(values.values())).min() > 1e-6
    np.testing.assert_allclose(
        total(agreement, sealed, seeds), sum(values.values()), rtol=0, atol=1e-13
    )


@pytest.mark.parametrize(
    "change",
    [
        {"question": "another model"},
        {"terms": {"floor": 0.2}},
        {"session": "s2"},
        {"cohort": NAMES[:3]},
    ],
)
def test_masks_do_not_cancel_where_agents_were_told_different_things(change):
    them, values = parties(), numbers()
    agreement = agreed(them)
    other = replace(agreement, **change)
    sealed, seeds = {}, {}
    for name, party in them.items():
        told = other if name == "Aachen" else agreement
        sealed[name] = party.seal(told, values[name], [MODEL])
        seeds[name] = party.open(told)
    # Even a server that knows what it told to whom is left with noise.
    added = np.zeros(50, np.uint64)
    for name in NAMES:
        told = other if name == "Aachen" else agreement
        added += sealed[name]
        add_stream(added, seal_key(seeds[name], told.context()), subtract=True)
    assert np.abs(agreement.ring().decode(added) - sum(values.values())).min() > 1e-6


def test_no_ticket_is_used_twice_even_after_a_restart(tmp_path):
    them = parties(tmp_path)
    them["Aachen"].seal(agreed(them, ticket=5), [1.0], [MODEL])
    again = parties(tmp_path)["Aachen"]
    for ticket in (5, 4):
        with pytest.raises(InputError, match=f"ticket {ticket} is not a new one: 5"):
            again.seal(agreed(them, ticket=ticket), [2.0], [MODEL])
    again.seal(agreed(them, ticket=6), [2.0], [MODEL])


def test_what_was_asked_again_stays_sealed_for_ever():
    them, three = parties(), NAMES[:3]
    first, second = agreed(them), agreed(them, ticket=2, cohort=three)
    for name in NAMES:
        them[name].seal(first, [1.0], [MODEL])
    for name in three:
        them[name].seal(second, [1.0], [MODEL])
        with pytest.raises(InputError, match="no sealed message with ticket 1"):
            them[name].open(first)
        them[name].open(second)
    # The fourth one was too slow. Its seed alone opens nothing of the first sum.
    assert them["Dresden"].open(first)


def test_a_model_is_answered_for_one_group_only(tmp_path):
    them = parties(tmp_path)
    agreement = agreed(them)
    them["Aachen"].seal(agreement, [1.0], [MODEL])
    them["Aachen"].open(agreement)
    fewer = agreed(them, ticket=2, cohort=NAMES[:3])
    again = parties(tmp_path)["Aachen"]
    with pytest.raises(InputError, match="answered for another group"):
        again.seal(fewer, [1.0], [MODEL])
    again.seal(fewer, [1.0], ["a model that has moved"])
    # The same group may ask again: a server that was killed does.
    again.seal(agreed(them, ticket=3), [1.0], [MODEL])


def test_sums_over_two_and_strangers_are_refused():
    them = parties()
    with pytest.raises(InputError, match="over 2 agents"):
        agreed(them, cohort=NAMES[:2])
    with pytest.raises(InputError, match="not of the session"):
        agreed(them, cohort=[*NAMES[:2], "Mallory"])
    twice = dict.fromkeys(NAMES, them["Aachen"].public)
    with pytest.raises(InputError, match="same public key"):
        agreed(them, keys=twice)
    keys = {name: party.public for name, party in them.items() if name != "Aachen"}
    with pytest.raises(InputError, match="not among those of the session"):
        them["Aachen"].seal(agreed(them, keys=keys, cohort=NAMES[1:]), [1.0], [MODEL])


def test_a_pinned_key_that_differs_is_named(tmp_path):
    them = parties()
    pins = {name: party.public for name, party in them.items()}
    path = tmp_path / "pins.json"
    path.write_text("{" + ", ".join(f'"{n}": "{k.hex()}"' for n, k in pins.items()) + "}")
    party = replace(them["Aachen"], pins=read_pins(path))
    party.seal(agreed(them), [1.0], [MODEL])
    swapped = agreed(them, ticket=2, keys=pins | {"Bergen": drawn(77)(32)})
    with pytest.raises(InputError, match="key of agent `Bergen` is not the one that is pinned"):
        party.seal(swapped, [1.0], [MODEL])
    fewer = replace(party, pins={"Aachen": pins["Aachen"]})
    with pytest.raises(InputError, match="no key is pinned for agents"):
        fewer.seal(agreed(them, ticket=3), [1.0], [MODEL])


def test_a_list_of_agents_that_changes_is_refused():
    them = parties()
    them["Aachen"].seal(agreed(them), [1.0], [MODEL])
    with pytest.raises(InputError, match="have changed since it began"):
        them["Aachen"].seal(agreed(them, ticket=2, terms={"floor": 0.3}), [1.0], [MODEL])


def test_a_key_is_drawn_once_and_private(tmp_path):
    path = tmp_path / "keep" / "sums.key"
    first = own_key(path).public_key().public_bytes_raw()
    assert own_key(path).public_key().public_bytes_raw() == first
    assert path.stat().st_mode & 0o077 == 0
    path.write_text("not a key")
    with pytest.raises(InputError, match=r"sums\.key` has a key that is not 64"):
        own_key(path)


def test_a_message_of_another_length_or_none_is_named():
    them, values = parties(), numbers()
    agreement = agreed(them)
    sealed = {n: p.seal(agreement, values[n], [MODEL]) for n, p in them.items()}
    seeds = {name: party.open(agreement) for name, party in them.items()}
    with pytest.raises(InputError, match="`Bergen` sent 49 numbers; expected 50"):
        total(agreement, sealed | {"Bergen": sealed["Bergen"][:-1]}, seeds)
    del seeds["Coimbra"]
    with pytest.raises(InputError, match="`Coimbra` sent no seed"):
        total(agreement, sealed, seeds)
