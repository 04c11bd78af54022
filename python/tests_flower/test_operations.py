"""Files that start servers and nodes say what their programs understand."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from deployment import BIN, free_port, quiet_environment, wait_until
from flwr.supercore.exit import ExitCode
from flwr.supercore.runtime_version_compatibility import RuntimeVersionMetadata

from corefed.flower.health import is_alive, main

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNITS = ("corefed-server.service", "corefed-node.service")
#: Starts a program of ours instead of Flower's.
NATIVE = "corefed-native-node.service"


def unit_command(name):
    text = (DEPLOY / name).read_text().replace("\\\n", " ")
    return shlex.split(re.search(r"^ExecStart=(.*)$", text, re.M)[1])


def composed():
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def commands():
    found = {name: unit_command(name) for name in UNITS}
    for name, service in composed()["services"].items():
        found[name] = shlex.split(re.sub(r"\$\{(\w+)[^}]*\}", r"\1", service["command"]))
    return found


@pytest.mark.parametrize(("name", "command"), commands().items(), ids=list(commands()))
def test_a_program_knows_every_flag_that_it_is_started_with(name, command):
    program, *words = command
    done = subprocess.run([BIN / Path(program).name, "--help"], capture_output=True, text=True)
    known = set(re.findall(r"--[\w-]+", done.stdout + done.stderr))
    flags = [word for word in words if word.startswith("--")]
    assert len(flags) >= 4
    assert set(flags) <= known


def test_the_guide_quotes_what_flower_says_of_another_version():
    """Between programs of one machine; `Exit Code: 606` is the number of that."""
    here = RuntimeVersionMetadata("flwr", "1.41.0", "SuperLink")
    said = here.check_compatibility(RuntimeVersionMetadata("flwr", "1.42.0", "flwr-serverapp"))
    guide = " ".join((ROOT / "docs/operations.md").read_text().split())
    assert said in guide
    assert ExitCode.RUNTIME_VERSION_INCOMPATIBLE == 606
    assert "Exit Code: 606" in (ROOT / "docs/flower.md").read_text()


def test_what_units_and_containers_keep_is_among_what_to_back_up():
    backups = (ROOT / "docs/operations.md").read_text().split("## What to back up")[1]
    for command in commands().values():
        for flag in ("--database", "--ssl-keyfile", "--auth-supernode-private-key"):
            if flag in command:
                name = Path(command[command.index(flag) + 1]).name
                # Where a file is called as the agent is, the guide has an agent's name.
                name = "Aachen" if name == "COREFED_AGENT" else name
                assert f"{name}`" in backups, (flag, name)


def test_the_node_in_one_program_knows_its_flags_and_its_environment():
    program, *words = unit_command(NATIVE)
    assert (Path(program).name, words[0]) == ("corefed", "node")
    ask = [os.environ["COREFED"], "node", "--help"]
    known = subprocess.run(ask, capture_output=True, text=True)
    flags = [word for word in words if word.startswith("--")]
    assert len(flags) >= 4
    assert set(flags) <= set(re.findall(r"--[\w-]+", known.stdout))
    given = (DEPLOY / NATIVE).read_text() + (DEPLOY / "node.env").read_text()
    for name in re.findall(r"\$\{(\w+)\}", " ".join(words)):
        assert re.search(rf"^(Environment=)?{name}=", given, re.M), name


def test_a_node_of_either_kind_is_told_who_it_is():
    lines = (DEPLOY / "node.env").read_text().splitlines()
    settings = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    (environment,) = shlex.split(settings["COREFED_NODE"])
    for told in (environment, commands()["supernode"][-1]):
        assert set(re.findall(r'(\w+)="', told)) == {"agent", "data", "keep"}
    assert {"COREFED_LINK", "COREFED_NODE"} == set(settings)
    text = (DEPLOY / "corefed-node.service").read_text()
    assert all(f"${{{name}}}" in text for name in settings)


def test_containers_read_the_tutorials_keys_as_the_user_that_the_file_names():
    command = commands()["supernode"]
    # `ssh-keygen -f $name` of the tutorial makes a key that is called as its agent is.
    assert command[command.index("--auth-supernode-private-key") + 1] == "/keys/COREFED_AGENT"
    link = commands()["superlink"]
    tutorial = (ROOT / "docs/tutorials/federation.md").read_text()
    for flag in ("--ssl-ca-certfile", "--ssl-certfile", "--ssl-keyfile"):
        assert f"{flag} {Path(link[link.index(flag) + 1]).name}" in tutorial
    (user,) = re.findall(r"--uid (\d+)", (DEPLOY / "Dockerfile").read_text())
    assert set(re.findall(r"chown (\d+)", (DEPLOY / "compose.yaml").read_text())) == {user}


def test_health_checks_ask_where_programs_answer():
    for service in composed()["services"].values():
        command = service["command"].split()
        address = command[command.index("--health-server-address") + 1]
        test = service["healthcheck"]["test"]
        assert test[:4] == ["CMD", "python", "-m", "corefed.flower.health"]
        assert test[4] == address


def test_volumes_and_ports_are_those_of_the_guide():
    told = composed()
    assert set(told["volumes"]) == {"server", "node"}
    guide = (ROOT / "docs/operations.md").read_text()
    for port in ("8000", "8001", "9094", "9095"):
        assert f"| {port} |" in guide


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
@pytest.mark.parametrize("unit", [*UNITS, NATIVE])
def test_systemd_understands_a_unit(unit, tmp_path):
    # The program is where the unit says on a server, and not here.
    text = (DEPLOY / unit).read_text()
    text = re.sub(r"/(opt/corefed|usr/local)/bin/", f"{sys.executable} ", text)
    (tmp_path / unit).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", tmp_path / unit], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert unit not in done.stderr


def shell(commands, folder):
    done = subprocess.run(["bash", "-ec", commands], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def holds(folder, days):
    """Whether nodes with this `ca.crt` accept the server after this many days."""
    later = str(int(time.time()) + 86_400 * days)
    command = ["openssl", "verify", "-attime", later, "-CAfile", "ca.crt", "link.crt"]
    return subprocess.run(command, cwd=folder, capture_output=True).returncode == 0


def test_certificates_of_the_tutorial_end_and_are_renewed_as_the_guide_says(tmp_path):
    tutorial = (ROOT / "docs/tutorials/federation.md").read_text()
    guide = (ROOT / "docs/operations.md").read_text().split("## Certificates end")[1]
    (make,) = [b for b in re.findall(r"```sh\n(.*?)```", tutorial, re.S) if "openssl req" in b]
    look, server, authority = re.findall(r"```sh\n(.*?)```", guide.split("\n## ")[0], re.S)
    days = re.findall(r"-days (\d+)", make)
    assert set(days) == {"365"}
    assert "valid for 365 days" in guide
    assert "end after 365 days" in tutorial
    shell(make, tmp_path)
    assert (holds(tmp_path, 364), holds(tmp_path, 366)) == (True, False)
    assert shell(look, tmp_path).count("notAfter=") == 2
    shell(make.replace("-days 365", "-days 20"), tmp_path)
    for line in look.splitlines():
        # As a script sees it.
        assert subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True).returncode == 1
    shell(make, tmp_path)
    before = (tmp_path / "ca.crt").read_bytes()
    shell(authority.replace("365", "800"), tmp_path)
    # What the authority has signed stays valid, as long as it was.
    assert (holds(tmp_path, 364), holds(tmp_path, 366)) == (True, False)
    shell(server.replace("365", "800"), tmp_path)
    assert holds(tmp_path, 790)
    # A node that has the old one still accepts the server, until that ends.
    (tmp_path / "ca.crt").write_bytes(before)
    assert (holds(tmp_path, 364), holds(tmp_path, 366)) == (True, False)


def test_a_link_that_is_up_is_alive_and_one_that_is_not_is_named(tmp_path, capsys):
    port, health = free_port(), f"127.0.0.1:{free_port()}"
    assert "does not answer" in is_alive(health, timeout=1)
    assert main([health]) == 1
    assert health in capsys.readouterr().err
    assert main([]) == 2
    (tmp_path / "flwr").mkdir()
    words = f"--insecure --host 127.0.0.1 --port {port} --health-server-address {health}"
    link = subprocess.Popen(
        [BIN / "flower-superlink", *words.split(), "--disable-runtime-dependency-installation"],
        env=quiet_environment(tmp_path / "flwr"),
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: is_alive(health) is None, 120, "the SuperLink is never healthy")
        assert main([health]) == 0
    finally:
        link.terminate()
        link.wait(30)
