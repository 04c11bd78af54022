"""The server: it sees sums over hospitals, and no answer of one."""

import json
from pathlib import Path

import numpy as np
from flwr.app import Array, ArrayRecord, Context
from flwr.serverapp import Grid, ServerApp

from corefed.flower import CoreFed

app = ServerApp()
#: Columns of the hospitals once they are encoded; the intercept is apart.
FEATURES = 7


@app.main()
def main(grid: Grid, context: Context) -> None:
    config = context.run_config
    strategy = CoreFed(
        agents=str(config["agents"]).split(","),
        ceilings=float(config["ceiling"]),
        secure=True,
        seed=int(config["seed"]),
        run=str(config["run"]),
    )
    start = ArrayRecord({"weight": Array(np.zeros((1, FEATURES))), "bias": Array(np.zeros(1))})
    strategy.start(grid, start, num_rounds=int(config["rounds"]), timeout=float(config["timeout"]))
    if float(config["radius"]) > 0:
        bound = {"radius": config["radius"], "kappa_bound": strategy.bound(float(config["radius"]))}
        (Path(str(config["run"])) / "bound.json").write_text(json.dumps(bound) + "\n")
