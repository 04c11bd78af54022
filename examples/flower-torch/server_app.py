"""The server: CoreFed instead of FedAvg, and an audit at the end."""

from flwr.app import ArrayRecord, ConfigRecord, Context
from flwr.serverapp import Grid, ServerApp
from task import new_net

from corefed.flower import CoreFed

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    config = context.run_config
    ceiling = str(config["ceiling"])
    strategy = CoreFed(
        agents=[f"agent-{k}" for k in range(int(config["agents"]))],
        ceilings=ceiling if ceiling.startswith("initial") else float(ceiling),
        average="equal",
        run=str(config["run"]),
        seed=int(config["seed"]),
    )
    first = ArrayRecord(new_net(int(config["seed"])).state_dict())
    # In every request, and part of what a resume compares; the run's configuration is neither.
    how = {"lr": float(config["learning-rate"]), "local-epochs": int(config["local-epochs"])}
    strategy.start(grid, first, num_rounds=int(config["rounds"]), train_config=ConfigRecord(how))
    strategy.audit({"first": first}, local=True)
