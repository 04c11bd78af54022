"""What the guide shows exists."""

import ast
import re
from pathlib import Path

import pytest

from corefed import flower
from corefed.flower.common import Common

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/flower.md").read_text()
EXAMPLES = sorted((ROOT / "examples").glob("flower-*"))


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.S)


def test_the_code_of_the_guide_is_code_and_uses_what_is_there():
    assert blocks("python")
    for block in blocks("python"):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and node.module == "corefed.flower":
                assert all(hasattr(flower, name.name) for name in node.names)


def test_every_strategy_is_in_the_guide():
    for name in flower.__all__:
        assert f"`{name}" in GUIDE or f"{name}(" in GUIDE, name


def test_the_guide_names_settings_that_exist():
    for row in re.findall(r"^\| (`[A-Z]\w*`(?:, `[A-Z]\w*`)*) \|.*\| ([^|]*) \|$", GUIDE, re.M):
        strategies, knobs = (re.findall(r"`(\w+)`", cell) for cell in row)
        known = [getattr(flower, name).__init__.__code__.co_varnames for name in strategies]
        for knob in knobs:
            assert any(knob in names for names in [*known, Common.__annotations__]), knob


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_has_all_its_files_and_pins_flower(example):
    for name in ("pyproject.toml", "server_app.py", "client_app.py", "README.md"):
        assert (example / name).is_file()
    assert "flwr" in (example / "pyproject.toml").read_text()
    assert re.search(r"flwr.*>=1\.41,<1\.43", (example / "pyproject.toml").read_text())
