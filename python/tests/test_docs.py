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


def test_the_notebook_runs(root, tmp_path):
    for path in sorted((root / "examples" / "notebook").glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        nbclient.NotebookClient(
            notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}
        ).execute()
        outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
        assert any(outputs)
