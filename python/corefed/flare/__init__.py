"""The rules of CoreFed in NVIDIA FLARE: an aggregator, a recipe, and what a client sends."""

from __future__ import annotations

try:
    import nvflare as _nvflare  # noqa: F401
except ImportError as missing:
    raise ImportError("corefed.flare needs NVIDIA FLARE: pip install 'corefed[flare]'") from missing

from corefed.flare.aggregator import CoreFedAggregator
from corefed.flare.client import report, told_ceiling
from corefed.flare.controller import CoreFedController
from corefed.flare.recipe import CoreFedRecipe

__all__ = [
    "CoreFedAggregator",
    "CoreFedController",
    "CoreFedRecipe",
    "report",
    "told_ceiling",
]
