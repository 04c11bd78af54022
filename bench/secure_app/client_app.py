"""An agent whose training costs nothing: what is measured is the exchange."""

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Context, Message, RecordDict
from flwr.clientapp import ClientApp

from corefed.flower import report_loss, secure_sums


def loss(arrays: ArrayRecord, context: Context) -> dict[str, float]:
    (model,) = arrays.to_numpy_ndarrays()
    target = 1.0 + float(context.node_config["partition-id"])
    return {"loss": float(np.mean((model - target) ** 2)) / 2, "num-examples": 100}


PLAIN, SECURE = report_loss(loss), secure_sums(loss)


def either(message: Message, context: Context, call_next) -> Message:
    """Whatever the run asks for: a real agent does not let the server choose."""
    mod = SECURE if context.run_config["secure"] else PLAIN
    return mod(message, context, call_next)


app = ClientApp(mods=[either])


@app.train()
def train(message: Message, context: Context) -> Message:
    (model,) = message.content["arrays"].to_numpy_ndarrays()
    target = np.float32(1.0 + float(context.node_config["partition-id"]))
    moved = model - np.float32(0.1) * (model - target)
    content = {"arrays": ArrayRecord({"t": Array(moved)})}
    return Message(RecordDict(content), reply_to=message)


@app.evaluate()
def evaluate(message: Message, context: Context) -> Message:
    return Message(RecordDict({"config": ConfigRecord()}), reply_to=message)
