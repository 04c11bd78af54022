"""What every peer trains: softmax regression on MNIST, dealt once for all of them.

Rows are written in the order of clients, so that a client is a slice and no peer pays for a
gather that another one avoids. Cohorts are drawn here too: nobody's sampler is timed.
"""

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rounds.settings import Workload

CLASSES = 10
PIXELS = 28 * 28


@dataclass(frozen=True)
class Dealt:
    """The training set in the order of clients, as `(client, step, row of the batch, ...)`."""

    images: np.ndarray
    labels: np.ndarray
    cohorts: np.ndarray

    @property
    def one_hot(self) -> np.ndarray:
        """Labels as the rows that a softmax is compared with."""
        return np.eye(CLASSES, dtype=np.float32)[self.labels]


def idx(path: Path, header: int) -> np.ndarray:
    """The bytes of a compressed idx file after its header, or a hint where to put the file."""
    if not path.exists():
        raise SystemExit(f"`{path.name}` is missing\nhint: --data DIR must hold DIR/mnist/{path.name}")
    with gzip.open(path) as file:
        return np.frombuffer(file.read(), np.uint8, offset=header)


def split(data: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Pixels in [0, 1] as float32, one row per image, and labels."""
    images = idx(data / "mnist" / f"{name}-images-idx3-ubyte.gz", 16).reshape(-1, PIXELS)
    labels = idx(data / "mnist" / f"{name}-labels-idx1-ubyte.gz", 8)
    return images.astype(np.float32) / np.float32(255), labels.astype(np.int64)


def write(data: Path, folder: Path, work: Workload) -> None:
    """Deals the rows and draws the cohorts; everything a peer needs is in `folder`."""
    random = np.random.default_rng(work.seed)
    images, labels = split(data, "train")
    order = random.permutation(len(labels))
    cohorts = [random.choice(work.clients, work.cohort, replace=False) for _ in range(work.rounds)]
    shape = (work.clients, -1, work.batch)
    np.save(folder / "images.npy", images[order].reshape(*shape, PIXELS))
    np.save(folder / "labels.npy", labels[order].reshape(shape))
    np.save(folder / "cohorts.npy", np.array(cohorts))
    images, labels = split(data, "t10k")
    np.save(folder / "test_images.npy", images)
    np.save(folder / "test_labels.npy", labels)


def read(folder: Path, mapped: bool = False) -> Dealt:
    """What `write` wrote; mapped where many processes share it and each needs little."""
    images = np.load(folder / "images.npy", mmap_mode="r" if mapped else None)
    return Dealt(images, np.load(folder / "labels.npy"), np.load(folder / "cohorts.npy"))


def accuracy(folder: Path, weights: np.ndarray, bias: np.ndarray) -> float:
    """Share of test images classified correctly by `weights` (classes x pixels) and `bias`."""
    scores = np.load(folder / "test_images.npy") @ weights.T + bias
    return float((scores.argmax(axis=1) == np.load(folder / "test_labels.npy")).mean())
