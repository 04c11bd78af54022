"""Flower's program for one message, forked from a process that has imported it.

Flower starts `flwr-clientapp` for every message, and every time it imports for a second. Here the
program of that name hands its arguments and its output to a process that waits with everything
imported, and which forks. What runs then is Flower's own function, in a process of its own.
"""

import json
import os
import signal
import socket
import sys
from pathlib import Path

from flwr.supernode.cli import flwr_clientapp

import corefed.flower  # noqa: F401

#: What is found by the name of Flower's program; it ends when the message is answered.
PROGRAM = """#!{python} -SE
import json, socket, sys
with socket.socket(socket.AF_UNIX) as caller:
    caller.connect({address!r})
    socket.send_fds(caller, [json.dumps(sys.argv[1:]).encode()], [1, 2])
    caller.recv(1)
"""


def answer(connection: socket.socket) -> None:
    """Becomes the program that the caller asked for."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    told, outputs, _, _ = socket.recv_fds(connection, 1 << 16, 2)
    for number, output in enumerate(outputs, 1):
        os.dup2(output, number)
        os.close(output)
    sys.argv = ["flwr-clientapp", *json.loads(told)]
    sys.exit(flwr_clientapp())


def wait(program: Path) -> None:
    """Forks for everybody who calls the program, which is there as soon as it can be called."""
    assert os.listdir("/proc/self/task") == [str(os.getpid())], "a fork would lose threads"
    # Nobody asks how a message ended but the caller, who sees the connection closed.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    address = f"\0{program}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        draft = program.with_suffix(".draft")
        draft.write_text(PROGRAM.format(python=sys.executable, address=address))
        draft.chmod(0o755)
        draft.rename(program)
        while True:
            connection, _ = listener.accept()
            with connection:
                if os.fork() == 0:
                    answer(connection)


if __name__ == "__main__":
    wait(Path(sys.argv[1]))
