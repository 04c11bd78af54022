"""Every `corefed` command of every document exists as it is written, flags and all."""

import re
import shlex
import subprocess

import pytest
from console import BLOCK, ROOT, environment, typed

#: Written by hand; the change log speaks of commands as they were.
DOCUMENTS = [
    path
    for path in sorted(ROOT.glob("**/*.md"))
    if not {"target", ".venv", "node_modules"} & set(path.relative_to(ROOT).parts)
    and path.name not in {"CHANGELOG.md", "python-api.md"}
]
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def lines(text: str) -> list[str]:
    """Commands of a block; lines that are continued, or inside of quotes, are joined."""
    joined: list[str] = []
    for line in text.replace("\\\n", " ").splitlines():
        if joined and joined[-1].split("#")[0].count("'") % 2:
            joined[-1] += " " + line
        else:
            joined.append(line)
    return joined


def corefed(line: str) -> list[list[str]]:
    """The arguments of every call of `corefed` in a line."""
    if "corefed " not in line and "cargo run" not in line:
        return []
    read = shlex.shlex(line, posix=True, punctuation_chars="|;&>")
    read.whitespace_split = True
    calls: list[list[str]] = [[]]
    for word in read:
        if set(word) <= set("|;&"):
            calls.append([])
        else:
            calls[-1].append(word)
    ended = [call[: call.index(">")] if ">" in call else call for call in calls]
    found = [call[1:] for call in ended if call[:1] == ["corefed"]]
    return found + [call[4:] for call in ended if call[:4] == ["cargo", "run", "--release", "--"]]


def calls() -> list[tuple[str, list[str]]]:
    found = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        blocks = [line for block in SHELL.findall(text) for line in lines(block)]
        blocks += [
            line
            for block in BLOCK.findall(text)
            for one in typed(block)
            for line in lines(one.command)
        ]
        name = path.relative_to(ROOT).as_posix()
        found += [(name, call) for line in blocks for call in corefed(line)]
    return found


CALLS = calls()


@pytest.mark.parametrize(
    ("document", "call"), CALLS, ids=[f"{name}: {' '.join(call)[:60]}" for name, call in CALLS]
)
def test_a_documented_command_is_understood(document, call, programs, tmp_path):
    # Arguments are read from left to right: what is unknown before `--help` is refused.
    done = subprocess.run(
        ["corefed", *call, "--help"],
        cwd=tmp_path,
        env=environment(programs, tmp_path),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{document}: corefed {' '.join(call)}\n{done.stderr}"


def test_there_are_commands_to_test():
    assert len(CALLS) > 80
    assert corefed("corefed run x --set a=1 | head  # first") == [["run", "x", "--set", "a=1"]]
    assert corefed("cd a && corefed keys new k > p; echo") == [["keys", "new", "k"]]
