"""A hospital: its rows never leave it."""

from functools import cache
from pathlib import Path

from flwr.app import ArrayRecord, ConfigRecord, Context, Message, RecordDict
from flwr.clientapp import ClientApp

from corefed.flower import Correction, LinearClient, answer_audits, report_loss


@cache
def hospital(table: str, encoding: str) -> LinearClient:
    return LinearClient(table, encoding, model="logistic")


def name(context: Context) -> str:
    """The hospital that the node's configuration names, or that of its partition in a simulation."""
    if "agent" in context.node_config:
        return str(context.node_config["agent"])
    return str(context.run_config["agents"]).split(",")[int(context.node_config["partition-id"])]


def own(context: Context) -> LinearClient:
    """Rows that the node's configuration names, or those of the hospital in the run's folder."""
    data = Path(str(context.node_config.get("data", context.run_config["data"])))
    table = data if data.is_file() else data / f"{name(context)}.csv"
    return hospital(str(table), str(table.parent / "encoding.json"))


def loss(arrays: ArrayRecord, context: Context) -> dict[str, float]:
    return own(context).loss(arrays)


# The first mod is all that CoreFed asks of an app; the second answers exact audits, and the correction
# below is for many local epochs.
app = ClientApp(mods=[report_loss(loss, corrects=True, agent=name), answer_audits(own, agent=name)])


@app.train()
def train(message: Message, context: Context) -> Message:
    arrays, config = message.content["arrays"], message.content["config"]
    correction = Correction(message)
    if config["corefed-rule"] == "newton":
        answer = own(context).derivatives(arrays)
    else:
        answer = own(context).train(
            arrays,
            config,
            epochs=int(context.run_config["local-epochs"]),
            learning_rate=float(context.run_config["learning-rate"]),
            correction=correction,
        )
    return Message(RecordDict({"arrays": answer, **correction.answer()}), reply_to=message)


@app.evaluate()
def evaluate(message: Message, context: Context) -> Message:
    """Nothing but what `report_loss` adds: there are no held-out rows here."""
    return Message(RecordDict({"config": ConfigRecord()}), reply_to=message)
