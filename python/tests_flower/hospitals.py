"""The hospitals of the example, in process and by the engine."""

import importlib.util
import os
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from flwr.app import ArrayRecord, Context, RecordDict
from inprocess import InProcess, Node
from safetensors.numpy import load_file

from corefed import flower

EXAMPLE = Path(__file__).parents[2] / "examples" / "flower-hospitals"


def module(path: Path):
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}.{path.stem}", path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@dataclass
class Hospitals:
    folder: Path
    names: list[str]

    def client(self, name: str) -> flower.LinearClient:
        return flower.LinearClient(self.folder / f"{name}.csv", self.folder / "encoding.json")


def federation(hospitals: Hospitals, rule="corefed", seed=0, epochs=1, rate=1.0) -> InProcess:
    app = module(EXAMPLE / "client_app.py").app
    nodes = [
        Node(app, name, data=str(hospitals.folder / f"{name}.csv")) for name in hospitals.names
    ]
    config = {
        "local-epochs": epochs,
        "learning-rate": rate,
        "agents": ",".join(hospitals.names),
        "data": "",
    }
    for node in nodes:
        node.context.run_config.update(config)
    return InProcess(nodes, seed)


def serve(example: Path, grid: InProcess, **settings) -> None:
    """What `flwr run` does with an example's server, without a network."""
    project = tomllib.loads((example / "pyproject.toml").read_text())
    told = project["tool"]["flwr"]["app"]["config"] | settings
    module(example / "server_app.py").app(grid, Context(1, 0, {}, RecordDict(), told))


def start_arrays(hospitals: Hospitals) -> ArrayRecord:
    return hospitals.client(hospitals.names[0]).zero()


def model_of(run: Path) -> tuple[np.ndarray, np.ndarray]:
    model = load_file(run / "model.safetensors")
    return model["weight"], model["bias"]


SPEC = """
name = "engine"
data = "{data}"
seed = 8
agent = "hospital"
target = "disease"
model = "logistic"
ceiling = 1.0

[train]
rule = "{rule}"
rounds = {rounds}
correction = "{correction}"
search = "{search}"
first_step = {first_step}

[train.local]
epochs = {epochs}
batch = {batch}
learning_rate = {rate}
momentum = {momentum}
"""


DEFAULTS = {
    "correction": "none",
    "search": "off",
    "first_step": 1.0,
    "epochs": 1,
    "batch": '"full"',
    "rate": 1.0,
    "momentum": 0.0,
}


def engine_model(
    folder: Path, rule: str, rounds: int, hospitals: Hospitals, **train
) -> dict[str, np.ndarray]:
    """What the engine trains from the same rows, without Flower."""
    spec = folder.with_suffix(".toml")
    data = hospitals.folder / "all.csv"
    spec.write_text(SPEC.format(**DEFAULTS | train, data=data, rule=rule, rounds=rounds))
    command = [os.environ["COREFED"], "run", spec, "--out", folder]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, 1, 3), done.stderr
    return load_file(folder / "model.safetensors")
