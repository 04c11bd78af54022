"""References from the suite beside this one, and the paths of documents."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "reference"))


@pytest.fixture
def root():
    return ROOT
