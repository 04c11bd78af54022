"""The same job for models of PyTorch."""

from __future__ import annotations

from nvflare.app_opt.pt.recipes.fedavg import FedAvgRecipe

from corefed.flare.recipe import RuleRecipe


class CoreFedRecipe(RuleRecipe, FedAvgRecipe):  # type: ignore[misc]
    """FLARE's recipe for PyTorch, with another server.

    Sites train modules; parameters travel as arrays and differences. Counters and other parts that
    are not floating-point numbers stay as they are.

    Parameters
    ----------
    aggregator
        The rule and its settings.
    **fedavg
        Keywords of FLARE's ``FedAvgRecipe`` for PyTorch; ``model`` is a module.
    """
