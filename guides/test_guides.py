"""Commands of guides, run on files such as the ones they speak of."""

import csv
import io
import json
import random
import subprocess

import pytest
from console import ROOT, environment, run
from test_commands import SHELL, corefed, lines

#: Guides whose every command runs here; others need downloads, a GPU, minutes or several machines.
GUIDES = [
    "docs/stay.md",
    "docs/tables.md",
    "docs/choose.md",
    "docs/foreign-models.md",
    "docs/certificate.md",
    "docs/versions.md",
]
CONSORTIUM = 'data = "heart.csv"\nagent = "hospital"\ntarget = "disease"\nmodel = "logistic"\n'


@pytest.fixture(scope="module")
def stage(programs, tmp_path_factory):
    """A folder with the files that guides name."""
    folder = tmp_path_factory.mktemp("stage")
    run("corefed data export hospitals --out all.csv", folder, programs)
    table = list(csv.DictReader(io.StringIO((folder / "all.csv").read_text())))
    for row in table:
        row["hospital"] = row.pop("agent")
        row["disease"] = "yes" if row["disease"] == "1" else "no"
    write(folder / "heart.csv", table)
    (folder / "my-consortium.toml").write_text(CONSORTIUM)
    draw = random.Random(1)
    write(folder / "scores.csv", [{m: draw.uniform(0.1, 0.9) for m in "ab"} for _ in table])
    features = ["age", "blood_pressure", "cholesterol", "heart_rate", "glucose", "(intercept)"]
    parameters = dict.fromkeys([*features, "sex=female", "sex=male"], 0.001)
    (folder / "mine.json").write_text(json.dumps({"parameters": parameters}))
    (folder / "losses.csv").write_text("model,north,south\na,0.3,0.9\nb,0.5,0.5\n")
    air = [
        {"station": s, "PM2.5": draw.uniform(5, 90), "wind": draw.uniform(0, 9)}
        for s in ("east", "west")
        for _ in range(60)
    ]
    write(folder / "air.csv", air)
    solve = "corefed solve heart.csv --agent hospital --target disease --model logistic"
    run(f"{solve} --certificate core.certificate.json > said.txt", folder, programs)
    run("cp heart.csv federation.csv", folder, programs)
    return folder


def write(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@pytest.mark.parametrize("guide", GUIDES)
def test_every_command_of_a_guide_gives_an_answer(guide, stage, programs):
    text = (ROOT / guide).read_text(encoding="utf-8")
    typed = [line for block in SHELL.findall(text) for line in lines(block) if corefed(line)]
    assert typed
    for command in typed:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=stage,
            env=environment(programs, stage),
            capture_output=True,
            text=True,
            timeout=300,
        )
        # Stable, blocked and undecided are answers; 2 is an error.
        assert done.returncode in (0, 1, 3), f"{guide}: {command}\n{done.stderr}"
