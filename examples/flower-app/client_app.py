"""An agent: a logistic regression on rows of its own."""

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Message, RecordDict
from flwr.clientapp import ClientApp

from corefed.flower import report_loss


def rows(context):
    """Points whose first coordinate means the opposite at the last, smallest agent."""
    agent = int(context.node_config["partition-id"])
    x = np.random.default_rng(agent).normal(size=((200, 150, 40)[agent], 2))
    return x, x @ [(2, 1), (2, -1), (-2, 0)][agent] > 0


def loss(arrays, context):
    x, y = rows(context)
    each = np.logaddexp(0, np.where(y, -1, 1) * (x @ arrays["weight"].numpy()))
    return {"loss": float(each.mean()), "num-examples": len(y)}


app = ClientApp(mods=[report_loss(loss)])  # the one line that CoreFed asks for


@app.train()
def train(message, context):
    (x, y), weight = rows(context), message.content["arrays"]["weight"].numpy()
    for _ in range(5):
        weight = weight - x.T @ (1 / (1 + np.exp(-x @ weight)) - y) / len(y)
    return Message(RecordDict({"arrays": ArrayRecord({"weight": Array(weight)})}), reply_to=message)


@app.evaluate()
def evaluate(message, context):
    return Message(RecordDict({"config": ConfigRecord()}), reply_to=message)
