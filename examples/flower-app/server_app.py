"""The server: CoreFed in place of FedAvg, and an audit."""

import numpy as np
from flwr.app import Array, ArrayRecord
from flwr.serverapp import ServerApp

from corefed.flower import CoreFed

app = ServerApp()


@app.main()
def main(grid, context):
    strategy = CoreFed(ceilings=1.0, run=str(context.run_config["run"]))
    strategy.start(grid, ArrayRecord({"weight": Array(np.zeros(2))}), num_rounds=20)
    print(strategy.audit(local=True)["verdict"])
