"""The same rounds in pfl-research: its FedAvg on its simulated backend, in one process."""

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import torch
from pfl.aggregate.simulate import SimulatedBackend
from pfl.aggregate.weighting import WeightByDatapoints
from pfl.algorithm.base import NNAlgorithmParams
from pfl.algorithm.federated_averaging import FederatedAveraging
from pfl.data.federated_dataset import FederatedDataset
from pfl.data.pytorch import PyTorchTensorDataset
from pfl.hyperparam import NNTrainHyperParams
from pfl.metrics import Weighted
from pfl.model.pytorch import PyTorchModel
from torch.nn.functional import cross_entropy

from rounds.settings import Workload
from rounds.torch_loop import linear, score
from rounds.workload import Dealt, read


class Softmax(torch.nn.Module):
    """The linear model with the two methods that `PyTorchModel` asks for."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = linear()

    def loss(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return cross_entropy(self.linear(x), y)

    @torch.no_grad()
    def metrics(self, x: torch.Tensor, y: torch.Tensor) -> dict[str, Weighted]:
        return {"loss": Weighted(float(self.loss(x, y)) * len(y), len(y))}


def federation(dealt: Dealt) -> FederatedDataset:
    """Datasets are made beforehand, and the sampler walks through the given cohorts."""
    images, labels = torch.from_numpy(dealt.images), torch.from_numpy(dealt.labels)
    clients = [
        PyTorchTensorDataset((x.flatten(0, 1), y.flatten()), user_id=str(client))
        for client, (x, y) in enumerate(zip(images, labels, strict=True))
    ]
    order: Iterator[int] = iter(dealt.cohorts.flatten().tolist())
    return FederatedDataset(clients.__getitem__, lambda: next(order))


def run(folder: Path, work: Workload) -> dict[str, float]:
    """`evaluation_frequency` beyond the last round: only round 0 evaluates, which pfl insists on."""
    module = Softmax()
    model = PyTorchModel(
        model=module,
        local_optimizer_create=torch.optim.SGD,
        central_optimizer=torch.optim.SGD(module.parameters(), lr=1.0),
    )
    data = federation(read(folder))
    backend = SimulatedBackend(data, data, postprocessors=[WeightByDatapoints()])
    algorithm = NNAlgorithmParams(
        central_num_iterations=work.rounds,
        evaluation_frequency=work.rounds + 1,
        train_cohort_size=work.cohort,
        val_cohort_size=0,
    )
    local = NNTrainHyperParams(local_num_epochs=1, local_learning_rate=work.rate, local_batch_size=work.batch)
    begin = perf_counter()
    FederatedAveraging().run(algorithm, backend, model, local, send_metrics_to_platform=False)
    seconds = perf_counter() - begin
    return {"seconds": seconds, "accuracy": score(folder, module.linear)}
