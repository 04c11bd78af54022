"""A real deployment on this machine: a SuperLink, SuperNodes, and nothing left behind."""

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

BIN = Path(sys.executable).parent
FORKED = Path(__file__).with_name("forked.py")
MARK = "COREFED_TEST_DEPLOYMENT"


def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def quiet_environment(home: Path) -> dict[str, str]:
    """Flower without telemetry, update checks, or anything of the user's own."""
    return os.environ | {
        "FLWR_HOME": str(home),
        "FLWR_TELEMETRY_ENABLED": "0",
        "FLWR_DISABLE_UPDATE_CHECK": "1",
        # Programs of Flower start one another by name.
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "PYTHONUNBUFFERED": "1",
        # Three clients share the machine: one thread each.
        "OMP_NUM_THREADS": "1",
        "RAYON_NUM_THREADS": "1",
    }


class Deployment:
    """Everything that is started here carries one mark in its environment, and is stopped by it.

    With `forked`, what Flower starts for every message is forked from one process of `forked.py`;
    without, as in the tutorial and beside nodes of ours, it is Flower's program as it is.
    """

    def __init__(
        self,
        folder: Path,
        *,
        tls: "Tls | None" = None,
        simulation: bool = False,
        forked: bool = False,
    ) -> None:
        self.folder, self.forked = folder, forked
        self.tls, self.simulation = tls, simulation
        self.mark = secrets.token_hex(8)
        self.home = folder / "flwr"
        self.home.mkdir(parents=True)
        self.port = free_port()
        self.environment = quiet_environment(self.home) | {MARK: self.mark}
        self.started: list[subprocess.Popen] = []
        self.nodes: dict[str, subprocess.Popen] = {}
        security = f'root-certificates = "{tls.ca}"' if tls else "insecure = true"
        config = f'[superlink.test]\naddress = "127.0.0.1:{self.port}"\n{security}\n'
        (self.home / "config.toml").write_text(config)

    def __enter__(self) -> "Deployment":
        self.launch()
        if self.forked:
            program = self.folder / "bin" / "flwr-clientapp"
            program.parent.mkdir()
            self.environment["PATH"] = f"{program.parent}{os.pathsep}{self.environment['PATH']}"
            self.start("forked", ["python", FORKED, program])
            wait_until(program.exists, 60, "nothing can be forked", self.log("forked"))
        return self

    def launch(self) -> None:
        """Starts the SuperLink, perhaps not for the first time."""
        link = ["flower-superlink", "--host", "127.0.0.1", "--port", str(self.port)]
        if self.simulation:
            link += ["--simulation"]
        if self.tls:
            link += self.tls.options()
        else:
            link += ["--insecure", "--disable-runtime-dependency-installation"]
        self.link = self.start("superlink", link)
        wait_until(self.answers, 60, "the SuperLink does not answer", self.log("superlink"))

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.started):
            process.terminate()
        patience = time.monotonic() + 3
        while self.alive() and time.monotonic() < patience:
            time.sleep(0.1)
        for pid in self.alive():
            stop(pid)
        wait_until(lambda: not self.alive(), 10, f"processes are left: {self.alive()}")

    def answers(self) -> bool:
        with socket.socket() as caller:
            return caller.connect_ex(("127.0.0.1", self.port)) == 0

    def start(self, name: str, command: list[object]) -> subprocess.Popen:
        with (self.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [str(BIN / str(command[0])), *map(str, command[1:])],
                env=self.environment,
                cwd=self.folder,
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )
        self.started.append(process)
        return process

    def node(
        self, name: str, config: str, key: Path | None = None, give_up: float | None = None
    ) -> subprocess.Popen:
        """Starts a SuperNode, perhaps one that stops trying to connect after some seconds."""
        command: list[object] = ["flower-supernode", "--superlink", f"127.0.0.1:{self.port}"]
        command += ["--host", "127.0.0.1", "--port", free_port(), "--node-config", config]
        if self.tls:
            command += ["--root-certificates", self.tls.ca]
        else:
            command += ["--insecure"]
        if key:
            command += ["--auth-supernode-private-key", key]
        if give_up:
            command += ["--max-wait-time", give_up]
        self.nodes[name] = self.start(name, command)
        return self.nodes[name]

    def submit(self, app: Path, clients: int = 0, **config: object) -> subprocess.Popen:
        """Submits a run; the process ends with the run."""
        settings = " ".join(f"{key.replace('_', '-')}={toml(v)}" for key, v in config.items())
        command = ["flwr", "run", app, "test", "--stream", "--run-config", settings]
        if clients:
            command += ["--federation-config", f"num-supernodes={clients}"]
        return self.start(f"run-{secrets.token_hex(3)}", command)

    def kill_server(self, run: subprocess.Popen) -> None:
        """Kills the server app of a run at its work, and ends what `submit` began."""
        servers = self.alive("flwr-serverapp")
        assert servers, "no server app is at work"
        for pid in servers:
            stop(pid)
        run.terminate()
        run.wait(60)

    def flwr(self, *arguments: object) -> str:
        """What a command of Flower's prints."""
        done = subprocess.run(
            [str(BIN / "flwr"), *map(str, arguments)],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def log(self, name: str) -> str:
        path = self.folder / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def logs(self) -> str:
        return "\n".join(
            f"--- {p.name}\n{p.read_text()}" for p in sorted(self.folder.glob("*.log"))
        )

    def alive(self, program: str = "") -> list[int]:
        """Processes of this deployment whose command line mentions a program."""
        return [pid for pid in marked(self.mark) if program in command_line(pid)]


def commands(program: str) -> list[str]:
    """Lines of the tutorial that call a program, as they stand there."""
    guide = Path(__file__).parents[2] / "docs/tutorials/federation.md"
    section = guide.read_text().split("## Over Flower")[1]
    lines = [line.strip() for line in section.replace("\\\n", " ").splitlines()]
    found = [line for line in lines if line.startswith(program)]
    assert found, f"the tutorial no longer calls `{program}`"
    return found


class Tls:
    """A certificate authority, the SuperLink's certificate, and keys of nodes: the tutorial's."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder = folder
        self.ca, self.certificate, self.key = (
            folder / n for n in ("ca.crt", "link.crt", "link.key")
        )
        authority, request, signing = commands("openssl")
        (curve,), (names,) = commands("curve="), commands("echo")
        self.type(curve, authority, request, names, signing)

    def type(self, *lines: str) -> None:
        script = "\n".join(["set -eu", *lines])
        done = subprocess.run(
            ["bash", "-c", script], cwd=self.folder, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr

    def options(self) -> list[str]:
        """What the tutorial's SuperLink is told of certificates and keys."""
        (link,) = commands("flower-superlink")
        words = link.split(">")[0].split()
        kept = words[words.index("--enable-supernode-auth") :]
        return [str(self.folder / word) if "." in word else word for word in kept]

    def node_key(self, name: str) -> Path:
        """A node's private key; the public one lies beside it, ending in `.pub`."""
        (line,) = commands("ssh-keygen")
        self.type(f"name={name}", line)
        return self.folder / name


def toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str | Path) else str(value)


def marked(mark: str) -> list[int]:
    """Processes with the mark in their environment, zombies aside."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if f"{MARK}={mark}".encode() in environment:
                found.append(int(entry.name))
    return sorted(found)


def command_line(pid: int) -> str:
    try:
        return (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        )
    except OSError:
        return ""


def stop(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def wait_until(done, seconds: float, complaint: str, log: str = "") -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, f"{complaint}\n{log}"
        time.sleep(0.1)
