"""The smallest app does what its README says, in few lines."""

import json
import re

import numpy as np
import pytest
from flwr.app import Array, ArrayRecord
from hospitals import EXAMPLE, module
from inprocess import InProcess, Node

from corefed import flower

APP = EXAMPLE.parent / "flower-app"


def own_lines(path):
    """Lines that a user has to write: no blank ones, no comments, no docstrings."""
    text = re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]


def test_the_app_is_as_short_as_its_readme_says():
    count = sum(len(own_lines(APP / name)) for name in ("client_app.py", "server_app.py"))
    assert count <= 40
    assert f"{count} lines of Python" in (APP / "README.md").read_text(encoding="utf-8")


def rows_of_the_readme():
    text = (APP / "README.md").read_text(encoding="utf-8")
    return re.findall(
        r"^\| (CoreFed|FedAvg) \| (\S+) \| (\S+) \| (\S+) \| (\w+)", text, re.MULTILINE
    )


@pytest.mark.parametrize("row", rows_of_the_readme(), ids=lambda row: row[0])
def test_twenty_rounds_end_as_the_readme_says(row, tmp_path):
    rule, *utilities, verdict = row
    app = module(APP / "client_app.py").app
    grid = InProcess([Node(app, **{"partition-id": k}) for k in range(3)])
    strategy = getattr(flower, rule)(ceilings=1.0, run=str(tmp_path / "run"))
    strategy.start(grid, ArrayRecord({"weight": Array(np.zeros(2))}), num_rounds=20)
    assert strategy.audit(local=True)["verdict"] == verdict
    lines = (tmp_path / "run" / "agents.jsonl").read_text().splitlines()
    last = [json.loads(line)["utility"] for line in lines][-3:]
    np.testing.assert_allclose(last, [float(u) for u in utilities], atol=6e-4)
    assert len(rows_of_the_readme()) == 2
