"""Rounds of FLARE's FedAvg workflow in one process: its objects, its events, no network."""

import numpy as np
from nvflare.apis.dxo import DXO, DataKind
from nvflare.apis.event_type import EventType
from nvflare.apis.fl_constant import FLContextKey, ReservedKey
from nvflare.apis.fl_context import FLContext
from nvflare.app_common.abstract.fl_model import FLModel, ParamsType
from nvflare.app_common.app_constant import AppConstants
from nvflare.app_common.app_event_type import AppEventType
from nvflare.app_common.utils.fl_model_utils import FLModelUtils

from corefed.flare import CoreFedAggregator


class _Workspace:
    def __init__(self, folder):
        self.folder = folder

    def get_run_dir(self, _job):
        return str(self.folder)


class _Engine:
    def __init__(self, folder):
        self.folder = folder

    def get_workspace(self):
        return _Workspace(self.folder)


class Federation:
    """What FLARE's server does with an aggregator, and sites that send what a test says."""

    def __init__(self, aggregator: CoreFedAggregator, model, folder=None, rounds=2):
        self.aggregator, self.folder, self.rounds = aggregator, folder, rounds
        self.model = FLModel(
            params={name: np.array(part) for name, part in model.items()},
            params_type=ParamsType.FULL,
            start_round=0,
            total_rounds=rounds,
        )
        self.received = {}
        aggregator.handle_event(EventType.START_RUN, self.context())

    def context(self, site=None):
        made = FLContext()
        made.set_prop(ReservedKey.ENGINE, _Engine(self.folder), private=True, sticky=False)
        if site is not None:
            peer = FLContext()
            peer.set_prop(ReservedKey.IDENTITY_NAME, site, private=False, sticky=False)
            made.set_prop(FLContextKey.PEER_CONTEXT, peer, private=True, sticky=False)
        return made

    def round(self, number, answers, asked=None):
        """One round; gives errors by site. `answers` are results by site, in order of arrival."""
        self.model.current_round = number
        self.aggregator.reset_stats()
        task = FLModelUtils.to_shareable(self.model)
        for site in asked or answers:
            context = self.context(site)
            context.set_prop(AppConstants.TRAIN_SHAREABLE, task, private=True, sticky=False)
            self.aggregator.handle_event(AppEventType.BEFORE_TRAIN_TASK, context)
            self.received[site] = FLModelUtils.from_shareable(task)
        errors = {}
        for site, answer in answers.items():
            result = FLModelUtils.from_shareable(FLModelUtils.to_shareable(answer))
            result.meta["client_name"] = site
            try:
                self.aggregator.accept_model(result)
            except Exception as error:  # FLARE logs whatever comes, and continues
                errors[site] = error
        self.model = FLModelUtils.update_model(self.model, self.aggregator.aggregate_model())
        return errors

    def evaluate(self, model, losses):
        """What sites lose with a model of FLARE's cross-site evaluation."""
        for site, loss in losses.items():
            context = self.context()
            result = DXO(DataKind.METRICS, data={"loss": loss}).to_shareable()
            for key, value in {
                AppConstants.MODEL_OWNER: model,
                AppConstants.DATA_CLIENT: site,
                AppConstants.VALIDATION_RESULT: result,
            }.items():
                context.set_prop(key, value, private=True, sticky=False)
            self.aggregator.handle_event(AppEventType.VALIDATION_RESULT_RECEIVED, context)

    def measure(self, losses):
        answers = [FLModel(metrics={"loss": v}, meta={"client_name": s}) for s, v in losses.items()]
        self.aggregator.measure_last(answers)

    def end(self):
        self.aggregator.handle_event(EventType.END_RUN, self.context())


def trained(update, loss, samples=10, **more):
    """What a site sends after training."""
    told = {
        "params": {name: np.array(part) for name, part in update.items()},
        "params_type": ParamsType.DIFF,
        "metrics": {"loss_before": loss},
        "meta": {"samples": samples},
    }
    return FLModel(**told | more)
