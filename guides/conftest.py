"""Where the programs of this build are."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder with `corefed` and `corefed-verify`."""
    return Path(os.environ["COREFED"]).resolve().parent
