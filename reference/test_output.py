"""What is printed: fields that the help promises, and the same bytes for any number of threads."""

import json
import re

import pytest

from binary import corefed, solve
from cases import federation
from core import kappa_against

SIZES = [40, 25, 35]

ANSWER = """kind version rule file scope verdict kappa everybody tolerance obstacle headroom first_order deviation improvement agents
log_welfare iterations gap converged proportionality fixed_point ball search assumptions parameters predictor""".split()
AGENT = "name samples weight ceiling loss utility alone".split()
PREDICTOR = "family l2 radius encoding parameters".split()
ENCODING = "agent_column target_column classes features".split()
CERTIFICATE = "format version claim agents subject witness improvement evidence assumptions digests".split()


@pytest.mark.parametrize("family", ["linear", "logistic", "softmax"])
def test_the_number_of_threads_changes_no_byte(tmp_path, family):
    case = federation(tmp_path, family, 21, SIZES, l2=0.01)
    seen = set()
    for threads in (1, 2):
        path = tmp_path / "certificate.json"
        flags = ["--threads", threads, "--certificate", path, "--rule", "core"]
        for form in (["--json"], []):
            answer = corefed("solve", case.path, *case.flags(), *flags, *form)
            assert answer.err == "", answer.err
            seen.add((bool(form), answer.out, path.read_bytes()))
    assert len(seen) == 2, f"{len(seen)} different outputs for two formats"


def test_json_has_the_documented_fields_in_order(tmp_path):
    case = federation(tmp_path, "logistic", 22, SIZES)
    path = tmp_path / "certificate.json"
    answer = solve(case, "--certificate", path).json
    assert list(answer) == ANSWER, list(answer)
    assert all(list(agent) == AGENT for agent in answer["agents"]), answer["agents"]
    assert list(answer["predictor"]) == PREDICTOR, list(answer["predictor"])
    assert list(answer["predictor"]["encoding"]) == ENCODING
    for field in ("kappa", "everybody"):
        assert list(answer[field]) == ["lo", "hi"], answer[field]
    assert {a["status"] for a in answer["assumptions"]} <= {"checked", "assumed", "violated"}
    assert list(json.loads(path.read_text())) == CERTIFICATE


def test_a_blocked_answer_names_the_rival_the_coalition_and_its_gains(tmp_path):
    case = federation(tmp_path, "logistic", 15, [25, 25, 25, 25], l2=0.01)
    answer = solve(case, "--ceiling", 0.75, "--radius", 5, rule="egalitarian")
    assert answer.code == 1, answer.json["kappa"]
    deviation = answer.json["deviation"]
    assert list(deviation) == ["rival", "coalition", "gains"], deviation
    assert list(deviation["gains"]) == deviation["coalition"], deviation
    assert list(deviation["rival"]) == list(answer.json["parameters"]), deviation


def test_quantities_beside_kappa_follow_their_definitions(tmp_path):
    """Headroom over coalitions but everybody; proportionality max (w_i/W) alone_i/u_i."""
    case = federation(tmp_path, "softmax", 23, SIZES)
    answer = solve(case, "--weights", "samples").json
    agents = answer["agents"]
    utilities, ceilings, weights = (
        [agent[key] for agent in agents] for key in ("utility", "ceiling", "weight")
    )
    total, headroom = sum(weights), kappa_against(utilities, ceilings, weights)
    assert abs(answer["headroom"] - headroom) <= 1e-12, f"{answer['headroom']} {headroom}"
    alone = max(a["weight"] / total * a["alone"] / a["utility"] for a in agents)
    assert abs(answer["proportionality"] - alone) <= 1e-12, f"{answer['proportionality']} {alone}"
    for agent in agents:
        assert abs(agent["loss"] + agent["utility"] - agent["ceiling"]) <= 1e-12, agent


def test_timing_goes_to_standard_error_only(tmp_path):
    case = federation(tmp_path, "linear", 24, SIZES)
    plain = corefed("solve", case.path, *case.flags(), "--json")
    timed = corefed("solve", case.path, *case.flags(), "--json", "--timing")
    assert timed.out == plain.out and plain.err == ""
    pattern = r"timing: read and encode [\d.]+ s, solve [\d.]+ s, audit [\d.]+ s\n"
    assert re.fullmatch(pattern, timed.err), timed.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--tolerance", "0"], "--tolerance"),
        (["--ceiling", "0"], "positive"),
        (["--radius", "0"], "radius"),
        (["--target", "z"], "z"),
        (["--threads", "0"], "--threads"),
    ],
)
def test_errors_exit_with_two_and_say_why(tmp_path, args, said):
    case = federation(tmp_path, "linear", 25, SIZES)
    flags = ["--agent", "agent", "--model", "linear", *args]
    flags += [] if "--target" in args else ["--target", "y"]
    answer = corefed("solve", case.path, *flags)
    assert (answer.code, answer.out) == (2, ""), answer
    assert said in answer.err, answer.err
