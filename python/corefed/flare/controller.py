"""FLARE's FedAvg workflow, and one question more: what everybody loses with the last model."""

from __future__ import annotations

from nvflare.app_common.abstract.fl_model import FLModel, ParamsType
from nvflare.app_common.app_constant import AppConstants
from nvflare.app_common.workflows.fedavg import FedAvg

from corefed._errors import InputError
from corefed.flare.aggregator import CoreFedAggregator


class CoreFedController(FedAvg):  # type: ignore[misc]
    """Rounds as FLARE runs them; then all sites evaluate the model that came of them."""

    def run(self) -> None:
        """Run all rounds, and have the last model measured."""
        if not isinstance(self.aggregator, CoreFedAggregator):
            raise InputError(
                "this workflow is for a `CoreFedAggregator`",
                field="aggregator",
                hint="use FLARE's own `FedAvg` with other aggregators",
            )
        super().run()
        last = self.aggregator.model
        if last is None or self.abort_signal.triggered:
            return
        answers = self.send_model_and_wait(
            task_name=AppConstants.TASK_VALIDATION,
            targets=self.aggregator.names,
            data=FLModel(params=last, params_type=ParamsType.FULL),
            timeout=self.aggregator.last_timeout,
        )
        self.aggregator.measure_last(answers)
