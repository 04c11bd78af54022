"""Documents are run, and generated ones are current."""

import importlib.util
import re

import nbclient
import nbformat
import pytest

DOCUMENTS = ["docs/python.md", "docs/foreign-models.md", "python/README.md"]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_block_of_the_guide_runs(root, document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (root / document).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, document, "exec"), names)


def test_the_reference_is_current(root):
    path = root / "python" / "tools" / "api.py"
    found = importlib.util.spec_from_file_location("api", path)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    written = (root / "docs" / "python-api.md").read_text(encoding="utf-8")
    assert written == module.markdown(), "run: python python/tools/api.py > docs/python-api.md"


def printed(notebook):
    """What every cell of code shows as text, numbers to six digits."""
    shown = [
        "".join(output.get("text") or output["data"]["text/plain"] for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]
    return [re.sub(r"-?\d+\.\d+", lambda number: f"{float(number[0]):.6g}", text) for text in shown]


def test_the_notebook_shows_what_it_prints_and_its_story_is_true(root, tmp_path):
    path = root / "examples" / "notebook" / "hospitals.ipynb"
    stored = nbformat.read(path, as_version=4)
    fresh = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        fresh, timeout=120, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    assert printed(fresh) == printed(stored), "execute the notebook again, and read its text"
    told = "\n".join(printed(stored))
    for verdict in ("'blocked'", "'stable'", "{'fedavg': 'blocked', 'corefed': 'stable'}"):
        assert verdict in told
