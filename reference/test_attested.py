"""Both checkers on certificates of agents that keep their rows, and the command's signatures."""

import copy
import json
import math
import os
import subprocess

import pytest

from attested_by_hand import (
    KEYS,
    draft,
    first_order,
    halfway,
    headroom,
    hopeless,
    own_model,
    own_model_below_zero,
    ridge,
    signed,
    text_of,
    without_middle,
)
from binary import COREFED
from first_checker import COREFED_VERIFY, is_built
from second_checker.attested import judge_attested
from second_checker.attested.ed25519 import fits, public_of, sign

pytestmark = pytest.mark.skipif(not is_built(), reason="corefed-verify is not built")

REAL = {
    "stable": lambda: halfway(0.6),
    "blocked": lambda: halfway(0.4),
    "first order": first_order,
    "headroom": headroom,
    "hopeless": hopeless,
    "absent": without_middle,
    "ridge": ridge,
    "own model": own_model,
    "own model below zero": own_model_below_zero,
}


def first(folder, certificate):
    """None, or why the checker in Rust refuses."""
    path = folder / "certificate.json"
    path.write_text(text_of(certificate), encoding="utf-8")
    done = subprocess.run(
        [COREFED_VERIFY, path, "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    answer = json.loads(done.stdout)
    return answer.get("reason") if answer["status"] == "refused" else None


def test_signatures_are_those_of_rfc_8032():
    """Section 7.1, test 3."""
    secret = bytes.fromhex("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7")
    public = "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"
    signature = (
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
    )
    message = bytes.fromhex("af82")
    assert public_of(secret).hex() == public
    assert sign(secret, message).hex() == signature
    assert fits(bytes.fromhex(public), message, bytes.fromhex(signature))
    assert not fits(bytes.fromhex(public), b"af", bytes.fromhex(signature))


@pytest.mark.parametrize("name", REAL)
def test_true_certificates_are_accepted_by_both(tmp_path, name):
    certificate = REAL[name]()
    assert judge_attested(text_of(certificate)) is None
    assert first(tmp_path, certificate) is None


def paths(value, path=()):
    """Every number and text of a document."""
    if isinstance(value, dict):
        for name, entry in value.items():
            yield from paths(entry, (*path, name))
    elif isinstance(value, list):
        for k, entry in enumerate(value):
            yield from paths(entry, (*path, k))
    elif value is not None:
        yield path


def value_at(value, path):
    for step in path:
        value = value[step]
    return value


def changed(certificate, path, change):
    forged = copy.deepcopy(certificate)
    place = value_at(forged, path[:-1])
    place[path[-1]] = change(place[path[-1]])
    return forged


def bump(value):
    if isinstance(value, str):
        return {"inf": 1.5, "stable": "blocked"}.get(value, value + "x")
    if isinstance(value, int):
        return value + 1
    return math.nextafter(value, math.inf) if value >= 0 else value * 2


@pytest.mark.parametrize("name", REAL)
def test_both_refuse_whatever_was_signed_and_changed(tmp_path, name):
    certificate = REAL[name]()
    for path in paths(certificate):
        forged = changed(certificate, path, bump)
        second, one = judge_attested(text_of(forged)), first(tmp_path, forged)
        if path[0] in ("terms", "points", "attestations"):
            assert second is not None, path
        assert (second is None) == (one is None), (path, second, one)


@pytest.mark.parametrize("name", REAL)
def test_both_agree_on_claims_and_proofs_that_are_lowered(tmp_path, name):
    """Signed again, so that only arithmetic can refuse."""
    certificate = REAL[name]()
    tried = 0
    for path in paths({k: certificate[k] for k in ("claim", "evidence", "attestations")}):
        for change in (lambda v: v * (1 - 1e-3), lambda v: v * (1 + 1e-3) + 1e-3):
            if not isinstance(value_at(certificate, path), float):
                continue
            forged = signed(changed(certificate, path, change))
            second, one = judge_attested(text_of(forged)), first(tmp_path, forged)
            assert (second is None) == (one is None), (path, second, one)
            tried += 1
    assert tried > 10


def own_twin(certificate):
    """The same answers, signed, about a model that nobody can compute."""
    twin = copy.deepcopy(certificate)
    before, twin["version"] = twin["terms"]["predictor"], 2
    kept = {key: before[key] for key in ("l2", "radius", "parameters")}
    twin["terms"]["predictor"] = {"own": "parabola"} | kept
    return signed(twin)


def test_what_rests_on_losses_not_being_negative_is_refused_of_a_model_of_the_agents_own(tmp_path):
    twin = own_twin(headroom())
    assert "negative" in judge_attested(text_of(twin))
    assert "negative" in first(tmp_path, twin)
    # A bound of `sum p M` follows from ceilings alone, and only where losses are not negative.
    capped = halfway(0.6)
    capped["attestations"][0]["leaves"][0]["gradient"]["values"] = [1.25]
    for conflict in capped["evidence"]["conflicts"]:
        conflict["bound"] = 0.6 / 0.35 * (1 + 1e-12)
    capped["claim"]["everybody"]["hi"] = 0.6 / 0.35 * (1 + 1e-12)
    capped["claim"]["kappa"]["hi"] = 2.0
    capped["claim"]["verdict"] = "undecided"
    capped = signed(capped)
    assert judge_attested(text_of(capped)) is None
    assert first(tmp_path, capped) is None
    twin = own_twin(capped)
    assert "does not prove its bound" in judge_attested(text_of(twin))
    assert first(tmp_path, twin) is not None


@pytest.mark.parametrize("version", [1, 3])
def test_a_model_of_the_agents_own_has_its_own_version(tmp_path, version):
    certificate = own_model()
    certificate["version"] = version
    assert judge_attested(text_of(certificate)) is not None
    assert "version" in first(tmp_path, certificate)
    known = halfway(0.6)
    known["version"] = 2
    assert judge_attested(text_of(known)) is not None
    assert "version 2; one about such a model has version 1" in first(tmp_path, known)


def test_a_model_of_the_agents_own_has_a_name(tmp_path):
    certificate = own_model()
    certificate["terms"]["predictor"]["own"] = " "
    certificate = signed(certificate)
    assert "without a name" in judge_attested(text_of(certificate))
    assert "`terms.predictor.own` is blank" in first(tmp_path, certificate)


def test_the_command_signs_what_the_second_checker_reads(tmp_path):
    """Keys by the command, a certificate by hand, rows of one agent, and back."""
    run = lambda *words: subprocess.run(  # noqa: E731
        [COREFED, *map(str, words)], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    keys = []
    for name in ("left", "right"):
        made = run("keys", "new", f"{name}.key")
        assert made.returncode == 0, made.stderr
        keys.append(made.stdout.strip())
        if os.name == "posix":
            assert (tmp_path / f"{name}.key").stat().st_mode & 0o777 == 0o600
    certificate = halfway(0.6)
    for own in certificate["attestations"]:
        own["rows"] = own["signature"] = None
    for party, key in zip(certificate["terms"]["agents"], keys, strict=True):
        assert key not in KEYS
        party["key"] = key
    (tmp_path / "c.json").write_text(text_of(certificate), encoding="utf-8")
    for name, target in (("left", 0), ("right", 1)):
        (tmp_path / f"{name}.csv").write_text(f"x,y\n1,{target}\n", encoding="utf-8")
        done = run("attest", "c.json", "--data", f"{name}.csv", "--key", f"{name}.key")
        assert done.returncode == 0, done.stderr
    files = [f"{name}.attestation.json" for name in ("left", "right")]
    done = run("attest", "c.json", "--merge", *files, "--out", "attested.json")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "attested.json").read_text(encoding="utf-8")
    assert judge_attested(text) is None
    done = run("verify", "attested.json")
    assert done.returncode == 0 and done.stdout.startswith("attested: "), done.stdout
    forged = json.loads(text)
    forged["attestations"][0]["leaves"][0]["margin"] *= 2
    assert "`left` did not sign this" in judge_attested(json.dumps(forged))


ENCODINGS = {
    "a level": {"features": [{"kind": "level", "column": "größe", "level": "groß"}]},
    "an intercept": {"features": [{"kind": "intercept"}]},
    "a stand-in for holes": {
        "features": [{"kind": "numeric", "column": "x", "mean": -0.0, "scale": 2.0, "missing": 3.5}]
    },
    "a standardised target": {"target_scale": {"mean": 1.5, "scale": 0.25}},
    "an intake": {
        "intake": {
            "na": ["-9999", "leer"],
            "dates": [{"column": "seen", "becomes": "parts"}, {"column": "born", "becomes": "days"}],
            "rows": "labelled",
        }
    },
    "an exposure": {"family": "poisson", "exposure_column": "years"},
    "classes": {"family": "logistic", "classes": ["no", "yes"]},
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_part_of_an_encoding_is_signed_alike(tmp_path, name):
    """The same bytes from both: a signature made here fits there, and none of it can be changed."""
    certificate = halfway(0.6)
    predictor = certificate["terms"]["predictor"]
    for key, value in ENCODINGS[name].items():
        place = predictor if key == "family" else predictor["encoding"]
        place[key] = value
    certificate = signed(certificate)
    assert judge_attested(text_of(certificate)) is None
    assert first(tmp_path, certificate) is None
    for path in paths(ENCODINGS[name]):
        if path[-1] in ("kind", "becomes", "rows", "family"):
            continue
        where = ("terms", "predictor", "encoding", *path)
        forged = changed(certificate, where, bump)
        assert "did not sign" in judge_attested(text_of(forged)), where
        assert "did not sign" in first(tmp_path, forged), where


def test_terms_that_say_how_a_file_is_written_are_refused_by_both(tmp_path):
    """Nobody signs it: agents have files of their own."""
    for written in ({"separator": "tab"}, {"decimal": "comma"}):
        certificate = halfway(0.6)
        certificate["terms"]["predictor"]["encoding"]["intake"] = {"written": written}
        certificate = signed(certificate)
        assert "files of their own" in judge_attested(text_of(certificate))
        assert "files of their own" in first(tmp_path, certificate)
    certificate["terms"]["predictor"]["encoding"]["intake"] = {"written": {}}
    assert judge_attested(text_of(certificate)) is not None
    assert first(tmp_path, certificate) is not None


def test_answers_of_no_convex_function_are_refused_by_both(tmp_path):
    certificate = draft([0.0, 1.0], [0.6, 0.6], [0.5, 0.0, 1.0])
    certificate["attestations"][0]["leaves"][2]["loss"] = 0.7
    certificate = signed(certificate)
    assert "convex" in judge_attested(text_of(certificate))
    assert "convex" in first(tmp_path, certificate)
