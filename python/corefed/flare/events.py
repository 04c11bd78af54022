"""What FLARE's events tell the aggregator."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nvflare.apis.dxo import DataKind, from_shareable, get_leaf_dxos
from nvflare.apis.fl_context import FLContext
from nvflare.app_common.abstract.fl_model import FLModel
from nvflare.app_common.app_constant import AppConstants
from nvflare.app_common.utils.fl_model_utils import FLModelUtils

from corefed.flare.protocol import CEILINGS
from corefed.flare.rounds import Sent


def asked_site(fl_ctx: FLContext) -> str:
    """The site that an event is about."""
    peer = fl_ctx.get_peer_context()
    return "" if peer is None else str(peer.get_identity_name())


def speaker(result: FLModel, fl_ctx: FLContext | None) -> str:
    """The site that a result is from: FLARE says it, not the site."""
    told = (result.meta or {}).get("client_name")
    return str(told) if told or fl_ctx is None else asked_site(fl_ctx)


def sent_to(fl_ctx: FLContext, ceilings: Mapping[str, float]) -> Sent:
    """The model of a training task that is about to be sent; `ceilings` are sent along."""
    task = fl_ctx.get_prop(AppConstants.TRAIN_SHAREABLE)
    if ceilings:
        told = from_shareable(task)
        told.set_meta_prop(CEILINGS, dict(ceilings))
        told.update_shareable(task)
    model = FLModelUtils.from_shareable(task)
    first, now = model.start_round or 0, model.current_round or 0
    return Sent(model.params, now - first + 1, model.total_rounds or 0, [asked_site(fl_ctx)])


def validations(fl_ctx: FLContext) -> dict[str, dict[str, Any]]:
    """Metrics by site of a model of FLARE's cross-site evaluation."""
    result = fl_ctx.get_prop(AppConstants.VALIDATION_RESULT)
    if not result:
        return {}
    site, dxo = str(fl_ctx.get_prop(AppConstants.DATA_CLIENT)), from_shareable(result)
    if dxo.data_kind == DataKind.METRICS:
        return {site: dxo.data}
    found, _ = get_leaf_dxos(dxo, site)
    return {name: leaf.data for name, leaf in found.items()}


def evaluated_model(fl_ctx: FLContext) -> str:
    """Whose model FLARE's cross-site evaluation is about: a site, or ``SRV_`` and a file."""
    return str(fl_ctx.get_prop(AppConstants.MODEL_OWNER))


def run_folder(run: str | None, fl_ctx: FLContext) -> Path | None:
    """Where a run folder lies: in the job's own folder, unless its path is absolute."""
    if run is None:
        return None
    return Path(fl_ctx.get_engine().get_workspace().get_run_dir(fl_ctx.get_job_id())) / run
