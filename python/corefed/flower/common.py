"""Keywords that all strategies take: typed for editors, and named when they are mistaken."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, TypeAlias, TypedDict

from corefed._federation.terms import Weights
from corefed.flower.private import Privacy
from corefed.flower.secure import Secure

StepLength: TypeAlias = Literal["normalised", "printed", "dynamic"]
AtCeiling: TypeAlias = Literal["floor", "warm-up", "raise"]

#: What Flower's own strategies call it.
_OF_FLOWER = {
    "fraction_evaluate": "evaluate_every",
    "min_train_nodes": "min_replies",
    "min_evaluate_nodes": "min_replies",
    "min_available_nodes": "min_agents",
    "weighted_by_key": "average",
}


class Common(TypedDict, total=False):
    """Keywords of :class:`RuleStrategy`, which says what they mean."""

    agents: Iterable[str] | None
    weights: Weights
    average: Weights
    fraction_train: float
    evaluate_every: int
    min_agents: int
    min_replies: int
    on_too_few: Literal["skip", "fail"]
    learning_rate: float | None
    clip: float | None
    share_cap: float | None
    norm_cap: float | None
    ceiling_spread: float | None
    rows_spread: float | None
    server_step: float
    server_momentum: float
    correction: Literal["auto", "control", "none"]
    search: Literal["on", "off"]
    first_step: float
    loss_factor: float | None
    secure: bool | Secure
    privacy: Privacy | None
    seed: int
    run: str | Path | None
    name: str | None
    changed_spec: bool
    tolerance: float
    timeout: float
    gather: float | None
    loss_key: str
    held_out_keys: tuple[str, str]
    arrayrecord_key: str
    configrecord_key: str


def check_keywords(strategy: str, told: Iterable[str]) -> None:
    """Refuse a keyword that the strategy does not take, and say which one is meant."""
    known = list(Common.__annotations__)
    for keyword in told:
        if keyword in known:
            continue
        close = get_close_matches(keyword, known, 1)
        meant = _OF_FLOWER.get(keyword) or (close[0] if close else None)
        hint = f"did you mean `{meant}`?" if meant else f"it takes {', '.join(known)}"
        raise TypeError(f"{strategy} takes no keyword `{keyword}`: {hint}")
