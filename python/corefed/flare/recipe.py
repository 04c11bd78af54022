"""A job of FLARE whose server steps by a rule of CoreFed."""

from __future__ import annotations

from typing import Any

from nvflare.client.config import ExchangeFormat, TransferType
from nvflare.fuel.utils.constants import FrameworkType
from nvflare.recipe.fedavg import FedAvgRecipe

from corefed._errors import InputError
from corefed.flare.aggregator import CoreFedAggregator
from corefed.flare.controller import CoreFedController
from corefed.flare.protocol import LOSS_BEFORE

#: Keywords of FLARE's recipe that the rule decides, and why.
_DECIDED = {
    "params_transfer_type": "sites send differences",
    "server_expected_format": "the server steps on NumPy's arrays",
    "aggregation_weights": "shares follow from the rule; pass `weights` to the aggregator",
    "exclude_vars": "the rule moves every floating-point part",
}
#: Keywords of FLARE's recipe that mean something else here than there unless told.
_USUAL = {"name": "corefed", "key_metric": LOSS_BEFORE, "key_metric_mode": "min"}


class RuleRecipe(FedAvgRecipe):  # type: ignore[misc]
    """What recipes share, whatever models are made of at the sites."""

    def __init__(self, aggregator: CoreFedAggregator, **fedavg: Any) -> None:
        for keyword, why in _DECIDED.items():
            if keyword in fedavg:
                raise InputError(f"`{keyword}` is not for this recipe: {why}", field=keyword)
        super().__init__(
            aggregator=aggregator,
            params_transfer_type=TransferType.DIFF,
            server_expected_format=ExchangeFormat.NUMPY,
            **_USUAL | fedavg,
        )
        # The package is installed where the server is: some of its files would not do.
        self._job.set_app_packages(["corefed"])

    def _create_controller(
        self, persistor_id: str, model_params: Any, model_aggregator: CoreFedAggregator
    ) -> CoreFedController:
        return CoreFedController(
            num_clients=self.min_clients,
            num_rounds=self.num_rounds,
            persistor_id=persistor_id,
            model=model_params,
            save_filename=self.save_filename,
            aggregator=model_aggregator,
            stop_cond=self.stop_cond,
            patience=self.patience,
            task_name="train",
            memory_gc_rounds=self.server_memory_gc_rounds,
        )


class CoreFedRecipe(RuleRecipe):
    """FLARE's recipe of federated averaging, with another server; models are NumPy's.

    Parameters
    ----------
    aggregator
        The rule and its settings.
    **fedavg
        Keywords of FLARE's ``FedAvgRecipe``: ``name``, ``model``, ``min_clients``, ``num_rounds``,
        ``train_script``, ``train_args`` and so on.
    """

    def __init__(self, aggregator: CoreFedAggregator, **fedavg: Any) -> None:
        super().__init__(aggregator, **{"framework": FrameworkType.NUMPY} | fedavg)
