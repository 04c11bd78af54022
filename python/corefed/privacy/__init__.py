"""Differential privacy with a budget: what Gaussian noise promises, and how much is spent."""

from __future__ import annotations

from corefed.privacy.account import Account, Budget, BudgetError
from corefed.privacy.gaussian import delta_of, epsilon_of, mu_of
from corefed.privacy.noise import normal

__all__ = ["Account", "Budget", "BudgetError", "delta_of", "epsilon_of", "mu_of", "normal"]
