"""Commands of documents with what they print: ```console blocks are run and compared.

A line that begins with `$ ` is a command, lines that begin with `> ` continue it, and the others are
what it prints. A line `...` stands for any number of lines, and `...` inside a line for any text.
Blocks of one document run in one folder, from top to bottom, and every command must succeed: a
command whose exit code is the point shows it with `; echo $?`.

`python guides/console.py FILE.md` prints the document with its outputs as they are now.
"""

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass
class Typed:
    """One command and what the document says it prints."""

    command: str
    printed: list[str]


def typed(block: str) -> list[Typed]:
    """The commands of a block."""
    found: list[Typed] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(Typed(line[2:], []))
        elif line.startswith("> ") and found and not found[-1].printed:
            found[-1].command += "\n" + line[2:]
        else:
            assert found, f"a block begins with `{line}`, which is not a command"
            found[-1].printed.append(line)
    return found


def commands(document: Path) -> list[Typed]:
    """All commands of a document, in order."""
    text = document.read_text(encoding="utf-8")
    return [command for block in BLOCK.findall(text) for command in typed(block)]


def environment(programs: Path, folder: Path) -> dict[str, str]:
    """A shell in which `corefed` is found first, and nothing of the user's is touched."""
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": path, "HOME": str(folder), "COREFED_DATA": str(folder / "data")}


def run(command: str, folder: Path, programs: Path) -> list[str]:
    """What a command prints on both streams; it must succeed."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment(programs, folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"{command}\nexit code {done.returncode}\n{done.stdout}"
    return [line.rstrip() for line in done.stdout.splitlines()]


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether lines are those shown, with `...` for what is left out."""
    whole = lambda line: ".*".join(re.escape(part) for part in line.rstrip().split("..."))
    pattern = "".join("(.*\n)*" if line.strip() == "..." else whole(line) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def with_outputs(document: Path, programs: Path) -> str:
    """The text of a document, every block with the whole output of its commands."""
    with tempfile.TemporaryDirectory() as folder:

        def filled(match: re.Match[str]) -> str:
            lines = []
            for one in typed(match[1]):
                lines += ["$ " + one.command.replace("\n", "\n> ")]
                lines += run(one.command, Path(folder), programs)
            return "```console\n" + "\n".join(lines) + "\n```"

        return BLOCK.sub(filled, document.read_text(encoding="utf-8"))


if __name__ == "__main__":
    print(with_outputs(Path(sys.argv[1]), Path(os.environ["COREFED"]).parent), end="")
