"""The documentation site builds, strictly: every page is in the index, every link has a target."""

import re
import subprocess
import sys

from console import ROOT


def test_the_site_builds_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    done = subprocess.run(
        [*command, "--site-dir", str(tmp_path)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    first = (tmp_path / "index.html").read_text(encoding="utf-8")
    for door in ("I have a table", "I run a federation", "I was handed a certificate"):
        assert door in first


def test_the_readme_is_short_and_the_glossary_is_twenty_words():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= 120
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^\| \*\*", glossary, re.MULTILINE)) == 20
