"""The server: a rule, a folder, and an audit at the end."""

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Context
from flwr.serverapp import Grid, ServerApp

from corefed import flower

app = ServerApp()

RULES = {
    "corefed": flower.CoreFed,
    "fedavg": flower.FedAvg,
    "afl": flower.AFL,
    "qffl": flower.QFFL,
    "term": flower.TERM,
    "propfair": flower.PropFair,
    "fedmgda": flower.FedMGDA,
    "newton": flower.Newton,
}
#: Columns of the hospitals once they are encoded; the intercept is apart.
FEATURES = 7


@app.main()
def main(grid: Grid, context: Context) -> None:
    config = context.run_config
    strategy = RULES[str(config["rule"])](
        agents=str(config["agents"]).split(","),
        ceilings=float(config["ceiling"]),
        learning_rate=float(config["learning-rate"]),
        seed=int(config["seed"]),
        evaluate_every=int(config["evaluate-every"]),
        run=str(config["run"]),
    )
    strategy.start(
        grid,
        ArrayRecord({"weight": Array(np.zeros((1, FEATURES))), "bias": Array(np.zeros(1))}),
        num_rounds=int(config["rounds"]),
        timeout=float(config["timeout"]),
        # Nodes that run no app, such as `corefed node`, do not see the run's configuration.
        train_config=ConfigRecord({"local-epochs": int(config["local-epochs"])}),
    )
    if config["audit"]:
        strategy.audit(timeout=float(config["timeout"]))
    if config["exact"]:
        strategy.audit(exact=True, timeout=float(config["timeout"]))
