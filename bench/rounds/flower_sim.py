"""Flower's simulation engine on Ray, with clients that cost as little as possible.

Client code is at module level and data is mapped from a file, because what a client closes over
is pickled for every call. Which client a node plays is sent along: node ids are random, and the
cohorts must be those of everybody else.
"""

import logging
import os
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from time import perf_counter, sleep

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg
from flwr.simulation import run_simulation

from rounds.numpy_loop import start, train_client
from rounds.settings import Workload
from rounds.workload import accuracy, read

Train = Callable[[Message, Context], Message]


class GivenCohorts(FedAvg):
    """Flower's FedAvg with cohorts from outside, and a clock read after each round."""

    def __init__(self, nodes: list[int], cohorts: np.ndarray, config: dict[str, str | float]) -> None:
        super().__init__(fraction_evaluate=0.0)
        self.nodes, self.cohorts, self.config = nodes, cohorts, config
        self.ends: list[float] = []

    def configure_train(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        messages = []
        for client in self.cohorts[server_round - 1].tolist():
            settings = ConfigRecord({**self.config, "client": client})
            content = RecordDict({"arrays": arrays, "config": settings})
            messages.append(Message(content, self.nodes[client], "train"))
        return messages

    def aggregate_train(
        self, server_round: int, replies: Iterable[Message]
    ) -> tuple[ArrayRecord | None, MetricRecord | None]:
        replies = list(replies)
        failed = [reply.error.reason for reply in replies if reply.has_error()]
        if failed:
            raise RuntimeError(f"{len(failed)} clients failed, the first with {failed[0]}")
        result = super().aggregate_train(server_round, replies)
        self.ends.append(perf_counter())
        return result


def simulate(
    train: Train, clients: int, cohorts: np.ndarray, initial: list[np.ndarray], config: dict[str, str | float]
) -> tuple[float, np.ndarray, list[np.ndarray]]:
    """Seconds of the first round with Ray's start, seconds of each later round, final arrays."""
    logging.getLogger("flwr").setLevel(logging.ERROR)
    server, client = ServerApp(), ClientApp()
    client.train()(train)
    answers: list[tuple[float, np.ndarray, list[np.ndarray]]] = []

    @server.main()
    def main(grid: Grid, _: Context) -> None:
        begin = perf_counter()
        while len(nodes := list(grid.get_node_ids())) < clients:
            sleep(0.01)
        strategy = GivenCohorts(sorted(nodes), cohorts, config)
        result = strategy.start(grid, ArrayRecord(initial), num_rounds=len(cohorts))
        later = np.diff(strategy.ends)
        answers.append((strategy.ends[0] - begin, later, result.arrays.to_numpy_ndarrays()))

    backend = {"client_resources": {"num_cpus": 1}, "init_args": {"num_cpus": os.cpu_count()}}
    run_simulation(server, client, clients, backend_config=backend)
    return answers[0]


@lru_cache(maxsize=1)
def training_set(folder: str) -> tuple[np.ndarray, np.ndarray]:
    """Opened once per worker, not once per call."""
    dealt = read(Path(folder), mapped=True)
    return dealt.images, dealt.one_hot


def train_mnist(message: Message, _: Context) -> Message:
    """One client's epoch, in NumPy: what remains is the engine."""
    config = message.content["config"]
    images, targets = training_set(config["folder"])
    weights, bias = (array.copy() for array in message.content["arrays"].to_numpy_ndarrays())
    x, target = images[config["client"]], targets[config["client"]]
    train_client(weights, bias, x, target, config["rate"])
    metrics = MetricRecord({"num-examples": target.shape[0] * target.shape[1]})
    content = RecordDict({"arrays": ArrayRecord([weights, bias]), "metrics": metrics})
    return Message(content, reply_to=message)


def run(folder: Path, work: Workload) -> dict[str, float]:
    """Rounds 2 to the last; the first carries Ray's start and is given apart."""
    cohorts = np.load(folder / "cohorts.npy")
    config = {"folder": str(folder), "rate": work.rate}
    first, later, (weights, bias) = simulate(train_mnist, work.clients, cohorts, list(start()), config)
    score = accuracy(folder, weights, bias)
    return {"seconds": float(later.sum()), "first_round": first, "accuracy": score}


def echo(message: Message, _: Context) -> Message:
    """A client that does nothing: the model comes back as it went."""
    arrays = message.content["arrays"]
    content = RecordDict({"arrays": arrays, "metrics": MetricRecord({"num-examples": 1})})
    return Message(content, reply_to=message)
