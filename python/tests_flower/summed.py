"""Agents that answer in secure sums, in process."""

import json

import numpy as np
from flwr.app import ConfigRecord, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from inprocess import InProcess, Node, arrays

from corefed import flower

CENTRES = {"Aachen": [1.0, 0.0], "Bergen": [0.0, 2.0], "Coimbra": [-1.0, -1.0], "Dresden": [2, 1]}
START = (0.3, 0.1)
RATE = 0.1


def loss_at(at):
    def loss(record, _):
        (t,) = record.to_numpy_ndarrays()
        loss = float(np.sum((t.astype(float) - np.asarray(at, float)) ** 2)) / 2
        return {"loss": loss, "num-examples": 10}

    return loss


def gradient_at(at):
    return lambda record, _: {"t": record.to_numpy_ndarrays()[0] - np.asarray(at, float)}


def summed_app(at, keep, rate=RATE, stretch=1.0, pins=None, plain=False) -> ClientApp:
    """An agent with the loss `|t - at|^2 / 2`; `stretch` multiplies its update."""
    helper = (
        flower.report_loss(loss_at(at))
        if plain
        else flower.secure_sums(loss_at(at), keep=keep, gradient=gradient_at(at), pins=pins)
    )
    app = ClientApp(mods=[helper])
    app.trained = 0

    @app.train()
    def train(message, context):
        app.trained += 1
        (t,) = message.content["arrays"].to_numpy_ndarrays()
        moved = (t - stretch * rate * (t - np.asarray(at, float))).astype(t.dtype)
        # Apps send metrics of their own; with secure sums they stay where they are.
        metrics = MetricRecord({"train_loss": 0.123, "num-examples": 7})
        return Message(RecordDict({"arrays": arrays(t=moved), "m": metrics}), reply_to=message)

    @app.evaluate()
    def evaluate(message, context):
        return Message(RecordDict({"config": ConfigRecord()}), reply_to=message)

    return app


def grid(keep, seed=0, plain=False, centres=CENTRES, **settings) -> InProcess:
    nodes = [
        Node(summed_app(at, keep, plain=plain, **settings), name) for name, at in centres.items()
    ]
    return InProcess(nodes, seed)


def model(dtype=np.float64):
    return arrays(t=np.array(START, dtype))


def train(strategy, net, rounds=5, dtype=np.float64):
    result = strategy.start(net, model(dtype), num_rounds=rounds, timeout=1)
    return result.arrays.to_numpy_ndarrays()[0]


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]
