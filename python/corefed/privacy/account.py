"""How much privacy is spent: a sum of squared shifts, and the epsilon that it means."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

from corefed._errors import CorefedError, InputError
from corefed._writing import private_folder, replace_text
from corefed.privacy.gaussian import epsilon_of, mu_of


class BudgetError(CorefedError):
    """An answer or a run that the privacy budget does not allow."""


@dataclass(frozen=True)
class Budget:
    """A promise: no more than `epsilon` with `delta`."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        mu_of(self.epsilon, self.delta)

    @property
    def shift(self) -> float:
        """The largest shift that keeps it."""
        return mu_of(self.epsilon, self.delta)

    def spent(self, squares: float) -> float:
        """The epsilon of releases whose squared shifts add up to this."""
        return epsilon_of(self.delta, math.sqrt(squares))

    def allows(self, squares: float) -> bool:
        """Whether such releases keep it, rounding aside."""
        return squares <= self.shift**2 * (1 + 1e-12)

    def releases(self, square: float) -> int:
        """How many equal releases keep it."""
        return math.floor(self.shift**2 * (1 + 1e-12) / square)

    def noise(self, releases: int) -> float:
        """The multiplier of noise with which this many equal releases keep it."""
        if releases < 1:
            raise InputError(f"a budget for {releases} releases", field="rounds")
        return math.sqrt(releases) / self.shift


class Account:
    """An agent's own account, over all runs, in a file of its own."""

    def __init__(self, path: str | Path, budget: Budget) -> None:
        self._path, self._budget = Path(path), budget

    @property
    def squares(self) -> float:
        """Squared shifts of everything that was released."""
        if not self._path.exists():
            return 0.0
        try:
            squares = float(json.loads(self._path.read_text(encoding="utf-8"))["squares"])
            if not (math.isfinite(squares) and squares >= 0):
                raise ValueError(f"`squares` is {squares}")
            return squares
        except (ValueError, KeyError, TypeError, RecursionError) as why:
            raise InputError(f"`{self._path}` cannot be read: {why}", field="account") from why

    @property
    def epsilon(self) -> float:
        """The epsilon that is spent."""
        return self._budget.spent(self.squares)

    def spend(self, square: float) -> None:
        """Book a release before it is sent, or refuse it."""
        after = self.squares + square
        if not self._budget.allows(after):
            raise BudgetError(
                f"the privacy budget is spent: epsilon is {self.epsilon:.4g} of "
                f"{self._budget.epsilon:g}, and one more answer would make it "
                f"{self._budget.spent(after):.4g}",
                field="epsilon",
            )
        private_folder(self._path.parent)
        told = {"squares": after, "epsilon": self._budget.spent(after), "delta": self._budget.delta}
        replace_text(self._path, json.dumps(told, indent=1) + "\n", private=True)
