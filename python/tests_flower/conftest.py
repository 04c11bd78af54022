"""What all tests share."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
os.environ |= {"FLWR_TELEMETRY_ENABLED": "0", "FLWR_DISABLE_UPDATE_CHECK": "1"}
os.environ.setdefault("COREFED", str(Path(__file__).parents[2] / "target/release/corefed"))

from flwr.supercore.task_identity import TaskIdentity
from hospitals import EXAMPLE, Hospitals, module

# Messages are made outside of a task of Flower's here.
TaskIdentity.task_id, TaskIdentity.run_id, TaskIdentity.node_id = 1, 1, 1


@pytest.fixture(scope="session")
def hospitals(tmp_path_factory) -> Hospitals:
    folder = tmp_path_factory.mktemp("hospitals")
    return Hospitals(folder, module(EXAMPLE / "prepare.py").prepare(folder))
