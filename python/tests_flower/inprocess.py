"""A grid without a network: client apps run beside the server, and answer in any order."""

import copy
import random
import uuid
from collections.abc import Callable, Iterable

import numpy as np
from flwr.app import (
    Array,
    ArrayRecord,
    ConfigRecord,
    Context,
    Error,
    Message,
    MetricRecord,
    RecordDict,
)
from flwr.clientapp import ClientApp
from flwr.proto.node_pb2 import NodeInfo
from flwr.serverapp import Grid

from corefed import flower


class Node:
    """A client app with its configuration."""

    def __init__(
        self, app: ClientApp, name: str = "", registered: str = "", key: bytes = b"", **config
    ) -> None:
        self.app, self.registered, self.key = app, registered, key
        if name:
            config["agent"] = name
        self.context = Context(1, 0, config, RecordDict(), {})
        #: What happens to a message: answered, lost, or made an error of the SuperLink's.
        self.fate: Callable[[Message], str] = lambda message: "answer"


class InProcess(Grid):
    """Nodes get random numbers, and replies a random order, by a seed of their own."""

    has_all_nodes = True

    def __init__(self, nodes: Iterable[Node], seed: int = 0) -> None:
        self.random = random.Random(seed)
        self.nodes = {self.random.getrandbits(63): node for node in nodes}
        self.replies: dict[str, Message] = {}
        self.sent: list[Message] = []
        self.answered: list[Message] = []

    def set_run(self, run) -> None: ...

    @property
    def run(self): ...

    def create_message(self, *_, **__): ...

    def get_node_ids(self):
        return list(self.nodes)

    def get_nodes(self):
        return [
            NodeInfo(node_id=i, name=n.registered, public_key=n.key) for i, n in self.nodes.items()
        ]

    def push_messages(self, messages):
        ids = []
        for message in messages:
            message.metadata.__dict__["_message_id"] = str(
                uuid.UUID(int=self.random.getrandbits(128))
            )
            ids.append(message.metadata.message_id)
            self.sent.append(message)
            self._deliver(message)
        return ids

    def _deliver(self, message: Message) -> None:
        node = self.nodes[message.metadata.dst_node_id]
        fate = node.fate(message)
        if fate == "lost":
            return
        if fate == "gone":
            reply = Message(Error(3, "Error: Node Unavailable"), reply_to=message)
            reply.metadata.__dict__["_src_node_id"] = 1
        else:
            try:
                reply = node.app(copy.deepcopy(message), node.context)
            except Exception as error:
                reply = Message(Error(2, f"{type(error)}:<'{error}'>"), reply_to=message)
        self.answered.append(reply)
        self.replies[message.metadata.message_id] = reply

    def pull_messages(self, message_ids):
        there = [i for i in sorted(message_ids) if i in self.replies]
        self.random.shuffle(there)
        return [self.replies.pop(i) for i in there]

    def send_and_receive(self, messages, *, timeout=None):
        return self.pull_messages(self.push_messages(messages))


def arrays(**parts) -> ArrayRecord:
    return ArrayRecord({name: Array(np.asarray(part)) for name, part in parts.items()})


def parabola_app(at, samples=10, rate=0.1, steps=1) -> ClientApp:
    """An agent with the loss `|t - at|^2 / 2`, written without any helper of ours."""
    app = ClientApp()
    at = np.asarray(at, float)

    def answer(message: Message, context: Context, after) -> Message:
        (before,) = message.content["arrays"].to_numpy_ndarrays()
        loss = float(np.sum((before - at) ** 2)) / 2
        content = RecordDict(
            {
                "metrics": MetricRecord({"loss-before": loss, "num-examples": samples}),
                "corefed": ConfigRecord({"agent": context.node_config["agent"]}),
            }
        )
        if after:
            moved = before.copy()
            for _ in range(steps):
                moved = moved - rate * (moved - at)
            content["arrays"] = arrays(t=moved)
        return Message(content, reply_to=message)

    @app.train()
    def train(message, context):
        if message.content["config"].get("corefed-ask") == "who":
            about = ConfigRecord({"agent": context.node_config["agent"]})
            return Message(RecordDict({"corefed": about}), reply_to=message)
        return answer(message, context, after=True)

    @app.evaluate()
    def evaluate(message, context):
        return answer(message, context, after=False)

    return app


def corrected_app(at, rate=0.1, steps=5, momentum=0.0, corrects=True, stretch=1.0) -> ClientApp:
    """An agent with the loss `stretch |t - at|^2 / 2` whose steps are corrected, in NumPy."""
    at = np.asarray(at, float)

    def loss(record, _):
        (t,) = record.to_numpy_ndarrays()
        return {"loss": stretch * float(np.sum((t - at) ** 2)) / 2, "num-examples": 10}

    app = ClientApp(mods=[flower.report_loss(loss, corrects=corrects)])

    @app.train()
    def train(message, context):
        correction = flower.Correction(message)
        (t,) = message.content["arrays"].to_numpy_ndarrays()
        velocity = np.zeros_like(t)
        for _ in range(steps):
            gradient = stretch * (t - at)
            correction.add_to({"t": gradient})
            velocity = momentum * velocity + gradient
            t = t - rate * velocity
        answer = correction.answer(rate=rate, momentum=momentum)
        return Message(RecordDict({"arrays": arrays(t=t), **answer}), reply_to=message)

    @app.evaluate()
    def evaluate(message, context):
        return Message(RecordDict({"config": ConfigRecord()}), reply_to=message)

    return app
