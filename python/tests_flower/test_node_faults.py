"""A node of ours that is killed, lied to or left alone: nothing is lost, doubled or unbounded."""

import json
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest
from deployment import wait_until
from fake_link import FakeLink, node_command, node_key
from flwr.app import Array, ArrayRecord, ConfigRecord, RecordDict
from flwr.proto import message_pb2
from hospitals import Hospitals, start_arrays
from test_node_messages import AGENT, Running

#: Peak memory of a node, in kB: a debug build with all features.
MOST_MEMORY = 64_000


@pytest.fixture
def running(tmp_path, hospitals):
    node = Running(tmp_path, hospitals)
    yield node
    node.close()


def question(hospitals) -> RecordDict:
    config = ConfigRecord({"server-round": 1, "corefed-rule": "corefed", "lr": 0.5, "seed": 8})
    return RecordDict({"arrays": start_arrays(hospitals), "config": config})


def peak(process: subprocess.Popen) -> int:
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if "VmHWM" in line).split()[1])


#: What a message is answered by, call after call; objects are pulled and pushed several times.
CALLS = ["pull-messages", "pull-object", "push-messages", "push-object", "confirm-message-received"]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("call", CALLS)
def test_a_killed_node_answers_once_it_is_started_again(running, hospitals, call, when):
    """It is killed when the SuperLink hears a call, before or after that has had its effect."""
    link, killed = running.link, []
    wait_until(lambda: "pull-messages" in link.calls, 30, running.log.read_text())

    def kill(body: bytes):
        if killed or (call == "pull-messages" and not link.waiting):
            return None
        usual = getattr(link, "_" + call.replace("-", "_"))
        answer = usual(body).SerializeToString() if when == "after" else b""
        killed.append(call)
        running.process.send_signal(signal.SIGKILL)
        running.process.wait()
        return 200, answer

    link.odd[call] = kill
    name = link.ask(question(hospitals))
    wait_until(lambda: killed, 30, "it was not killed")
    running.start()
    if (call, when) == ("pull-messages", "after"):
        # The SuperLink has handed it out, and nobody has it: the server asks again.
        wait_until(lambda: link.calls.count("send-node-heartbeat") > 0, 30, "it is not back")
        name = link.ask(question(hospitals))
    reply = link.reply(name)
    assert set(reply.content) == {"arrays", "metrics", "corefed"}
    wait_until(lambda: not (hospitals.folder / f"{AGENT}.corefed/asked.json").exists(), 10, "left")
    # Both lives of the node speak for the same number; the fake refuses two different replies.
    assert link.calls.count("activate-node") == 1


def test_it_comes_back_when_the_superlink_was_away(running, hospitals):
    link = running.link
    wait_until(lambda: "pull-messages" in link.calls, 30, "it does not look for messages")
    link.odd["pull-messages"] = lambda body: (503, b"")
    wait_until(lambda: "trying again in" in running.log.read_text(), 30, "it does not say so")
    # A SuperLink that was started anew knows nobody.
    link.odd["send-node-heartbeat"] = lambda body: (401, b"{}")
    del link.odd["pull-messages"]
    reply = link.reply(link.ask(question(hospitals)))
    assert not reply.has_error()
    assert link.calls.count("activate-node") == 2


def test_a_clock_that_flower_takes_is_not_blamed_when_the_superlink_forgets_the_node(
    running, hospitals
):
    """A node that is a minute behind works until the SuperLink is started anew, and after it."""
    link = running.link
    wait_until(lambda: "pull-messages" in link.calls, 30, "it does not look for messages")
    link.ahead = 60.0
    forgotten: list[str] = []

    def forget(body: bytes):
        if link.calls.count("activate-node") > 1:
            return None
        forgotten.append("once")
        return 401, b'{"detail":"Invalid SuperNode authentication"}'

    link.odd["pull-messages"] = link.odd["send-node-heartbeat"] = forget
    reply = link.reply(link.ask(question(hospitals)))
    assert not reply.has_error()
    assert forgotten
    assert link.calls.count("activate-node") == 2


def refusal(code: int, detail: str = "in Flower's words") -> bytes:
    return json.dumps({"code": code, "detail": detail}).encode()


ENDS = {
    "unknown": (
        {"activate-node": (412, refusal(2004)), "register-node": (412, refusal(2001))},
        0,
        ["does not know the key of this node", "flwr supernode register KEY.pub"],
    ),
    "behind": ({}, 3600, ["this machine's clock is 36", "s behind the SuperLink's", "timedatectl"]),
    "ahead": ({}, -3600, ["s ahead of the SuperLink's"]),
    "version": (
        {"activate-node": (404, b"{}")},
        0,
        ["does not answer as Flower's Fleet API does", "tested with Flower 1.41 and 1.42"],
    ),
    "disbelieved": (
        {"activate-node": (401, b"{}")},
        0,
        ["does not take this node's signature", "tested with Flower 1.41 and 1.42"],
    ),
    "unregistered": (
        {"activate-node": (412, refusal(2004)), "register-node": (401, b"{}")},
        0,
        ["does not take this node's signature", "tested with Flower 1.41 and 1.42"],
    ),
    "messages": (
        {"pull-messages": (200, b"\x12\x00" * (1 << 20))},
        0,
        ["1048576 entries where 1 are the most", "1.41 and 1.42"],
    ),
    "flood": ({"pull-messages": (200, bytes(5 << 20))}, 0, ["more than 4194304 bytes"]),
    "garbage": ({"activate-node": (200, b"\xff\xff\xff")}, 0, ["activate-node", "1.41 and 1.42"]),
}


@pytest.mark.parametrize("end", ENDS)
def test_what_cannot_work_ends_with_the_reason(tmp_path, hospitals, end):
    odd, ahead, said = ENDS[end]
    link = FakeLink()
    link.ahead = ahead
    link.odd = {call: lambda _, answer=answer: answer for call, answer in odd.items()}
    command = node_command(
        link.address, hospitals.folder / f"{AGENT}.csv", node_key(tmp_path / "key")
    )
    done = subprocess.run(
        [*command, "--keep", str(tmp_path / "keep")], capture_output=True, text=True, timeout=60
    )
    link.close()
    assert done.returncode == 2, done.stderr
    for part in said:
        assert part in done.stderr


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("missing", "ssh-keygen -t ecdsa -b 384"),
        ("ed25519", "`ssh-ed25519`"),
        ("locked", "passphrase"),
    ],
)
def test_keys_that_flower_does_not_take_are_named(tmp_path, hospitals, key, said):
    path = tmp_path / key
    if key != "missing":
        kind = ["-t", "ed25519"] if key == "ed25519" else ["-t", "ecdsa", "-b", "384"]
        phrase = "secret" if key == "locked" else ""
        subprocess.run(["ssh-keygen", *kind, "-N", phrase, "-q", "-f", path], check=True)
    command = node_command("127.0.0.1:9", hospitals.folder / f"{AGENT}.csv", path)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert said in done.stderr, done.stderr


@pytest.mark.parametrize("form", ["SEC1", "PKCS8"])
def test_keys_in_pem_are_the_same_keys(tmp_path, hospitals, form):
    node_key(tmp_path / "key")
    pem = tmp_path / "pem"
    pem.write_bytes((tmp_path / "key").read_bytes())
    pem.chmod(0o600)
    old = ["ssh-keygen", "-p", "-q", "-N", "", "-m", "PEM" if form == "SEC1" else "PKCS8"]
    subprocess.run([*old, "-f", pem], check=True, stdout=subprocess.DEVNULL)
    assert ("EC PRIVATE" in pem.read_text()) == (form == "SEC1")
    node = Running(tmp_path / "pem-node", hospitals, key=pem)
    try:
        # The fake checks the signature against the key in the header.
        assert not node.link.reply(node.link.ask(question(hospitals))).has_error()
    finally:
        node.close()


def hostile(content: bytes, found: bool = True) -> bytes:
    return message_pb2.PullObjectResponse(
        object_found=found, object_available=found, object_content=content
    ).SerializeToString()


LIES = {
    "wrong": (hostile(b"ArrayChunk  3\0abc"), "does not have the hash"),
    "empty": (hostile(b""), "does not have the hash"),
    "cut": (hostile(b"x" * 100)[:-7], "Fleet API"),
    "length": (b"\x08\x01\x10\x01\x1a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "Fleet API"),
    "huge": (hostile(bytes(40 << 20)), "more than 16777216 bytes"),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_a_hostile_superlink_sends_is_refused_in_little_memory(running, hospitals, lie):
    link = running.link
    body, said = LIES[lie]
    link.odd["pull-object"] = lambda _: (200, body)
    reply = link.reply(link.ask(question(hospitals)))
    assert reply.error.code == 2
    assert said in reply.error.reason
    assert "tested with Flower 1.41 and 1.42" in reply.error.reason
    assert peak(running.process) < MOST_MEMORY
    # It serves on.
    del link.odd["pull-object"]
    assert not link.reply(link.ask(question(hospitals))).has_error()


def test_a_question_whose_answer_would_fill_the_memory_is_declined(running):
    """A million times the Hessian of one point: a small message with a huge answer."""
    config = ConfigRecord(
        {
            "corefed-ask": "oracle",
            "server-round": 1,
            "radius": 10.0,
            "gradients": [],
            "hessians": [0] * 1_000_000,
        }
    )
    points = ArrayRecord({"points": Array(np.zeros((1, 8)))})
    content = RecordDict({"points": points, "config": config})
    reply = running.link.reply(running.link.ask(content))
    assert "more than 16777216 numbers" in reply.error.reason
    # A table without columns is as small as can be, and has as many rows as it says.
    content["points"]["points"] = Array(np.zeros((1 << 40, 0)))
    reply = running.link.reply(running.link.ask(content))
    assert "points have 0 parameters" in str(reply.content["corefed-refusal"])
    assert peak(running.process) < MOST_MEMORY


def test_a_message_that_nobody_has_any_more_is_dropped(running, hospitals):
    link = running.link
    link.odd["pull-object"] = lambda _: (200, hostile(b"", found=False))
    link.ask(question(hospitals))
    wait_until(lambda: "dropped" in running.log.read_text(), 30, "it is not dropped")
    del link.odd["pull-object"]
    assert not link.reply(link.ask(question(hospitals))).has_error()


def test_a_superlink_that_has_forgotten_a_run_is_served_on(running, hospitals):
    """Started anew, it fails at objects of a run it does not know, and hands out new messages."""
    link = running.link
    link.odd["pull-object"] = lambda _: (500, b'{"detail":"Internal server error."}')
    link.ask(question(hospitals))
    wait_until(lambda: "dropped" in running.log.read_text(), 30, "it is not dropped")
    del link.odd["pull-object"]
    assert not link.reply(link.ask(question(hospitals))).has_error()


@pytest.mark.parametrize("call", ["pull-object", "push-messages", "push-object"])
def test_a_superlink_that_fails_once_is_tried_again(running, hospitals, call):
    failed: list[str] = []

    def fail(body: bytes):
        failed.append(call)
        return (500, b"") if len(failed) == 1 else None

    running.link.odd[call] = fail
    assert not running.link.reply(running.link.ask(question(hospitals))).has_error()
    assert len(failed) > 1
    assert "dropped" not in running.log.read_text()


HOSTILE = "\x1b]0;owned\x07\x1b[31mred\r\nAug 1 corefed: all is well\u202e"


def test_nothing_of_a_stranger_reaches_the_terminal_raw(tmp_path, hospitals):
    """Neither the words of a SuperLink nor the name of an agent."""
    own = Hospitals(tmp_path / "rows", [AGENT])
    own.folder.mkdir()
    rows = (hospitals.folder / f"{AGENT}.csv").read_text()
    named = rows.replace(AGENT, f"{AGENT}\x1b[2J\x07")
    (own.folder / f"{AGENT}.csv").write_text(named)
    encoding = (hospitals.folder / "encoding.json").read_text()
    (own.folder / "encoding.json").write_text(encoding)
    node = Running(tmp_path / "node", own)
    node.link.odd["push-messages"] = lambda _: (412, refusal(7, HOSTILE))
    node.link.ask(question(hospitals))
    wait_until(lambda: "dropped" in node.log.read_text(), 30, "it is not dropped")
    said = node.close()
    assert "owned" in said
    assert "rows of Evora" in said
    assert not any(letter in said for letter in "\x1b\x07\r\u202e")
    assert [line for line in said.splitlines() if line.startswith("Aug 1")] == []


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "127.0.0.1:9/", "me@127.0.0.1:9"])
def test_an_address_with_more_than_host_and_port_is_refused_with_a_hint(
    tmp_path, hospitals, address
):
    command = node_command(address, hospitals.folder / f"{AGENT}.csv", node_key(tmp_path / "key"))
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "without `http://`" in done.stderr


def test_a_key_that_others_may_read_is_warned_of_and_the_status_is_told(tmp_path, hospitals):
    key = node_key(tmp_path / "key")
    key.chmod(0o644)
    node = Running(tmp_path / "node", hospitals, "--keep", tmp_path / "keep", key=key)
    assert not node.link.reply(node.link.ask(question(hospitals))).has_error()
    assert f"others may read the key `{key}`" in node.close()
    status = json.loads((tmp_path / "keep/status.json").read_text())
    assert (status["superlink"], status["answered"]) == (node.link.address, 1)
    assert (tmp_path / "keep").stat().st_mode & 0o777 == 0o700


def test_two_nodes_do_not_share_a_folder(running, hospitals):
    wait_until(lambda: "joined" in running.log.read_text(), 30, "it has not joined")
    done = subprocess.run(running.command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "another node uses" in done.stderr
