"""An agent with a linear layer and rows of its own, or one whose training costs nothing."""

from functools import cache

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Context, Message, RecordDict
from flwr.clientapp import ClientApp

from corefed.flower import report_loss, secure_sums


@cache
def table(agent: int, rows: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and outputs of an agent."""
    rng = np.random.default_rng(agent)
    return tuple(rng.normal(size=(rows, width)).astype(np.float32) for _ in range(2))


def residual(model: np.ndarray, context: Context) -> tuple[np.ndarray, np.ndarray]:
    """Inputs, and what a square layer misses of the outputs; without rows, a target."""
    agent, rows = int(context.node_config["partition-id"]), int(context.run_config["rows"])
    width = round(model.size**0.5)
    inputs, outputs = table(agent, rows, width)
    return inputs, inputs @ model.reshape(width, width) / np.sqrt(np.float32(width)) - outputs


def loss(arrays: ArrayRecord, context: Context) -> dict[str, float]:
    (model,) = arrays.to_numpy_ndarrays()
    if context.run_config["rows"]:
        gap = residual(model, context)[1]
    else:
        gap = model - np.float32(1 + int(context.node_config["partition-id"]))
    return {"loss": float(np.mean(gap**2)) / 2, "num-examples": 100}


PLAIN, SECURE = report_loss(loss), secure_sums(loss)


def either(message: Message, context: Context, call_next) -> Message:
    """Whatever the run asks for: a real agent does not let the server choose."""
    mod = SECURE if context.run_config["secure"] else PLAIN
    return mod(message, context, call_next)


app = ClientApp(mods=[either])


@app.train()
def train(message: Message, context: Context) -> Message:
    (model,) = message.content["arrays"].to_numpy_ndarrays()
    if rows := int(context.run_config["rows"]):
        width = round(model.size**0.5)
        moved = model
        for _ in range(int(context.run_config["epochs"])):
            inputs, gap = residual(moved, context)
            slope = inputs.T @ gap / np.float32(rows * np.sqrt(width))
            moved = moved - np.float32(10) * slope.reshape(-1)
    else:
        target = np.float32(1 + int(context.node_config["partition-id"]))
        moved = model - np.float32(0.1) * (model - target)
    content = {"arrays": ArrayRecord({"t": Array(moved)})}
    return Message(RecordDict(content), reply_to=message)


@app.evaluate()
def evaluate(message: Message, context: Context) -> Message:
    return Message(RecordDict({"config": ConfigRecord()}), reply_to=message)
