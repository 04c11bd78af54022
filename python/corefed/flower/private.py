"""Privacy with a budget at the server: noised losses, clipped updates, noised steps."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from logging import INFO, WARNING
from typing import TYPE_CHECKING, Any

import numpy as np

from corefed._errors import InputError
from corefed._federation.ledger import Ledger
from corefed._federation.model import Model
from corefed._rules import RULES
from corefed.flower.logged import log
from corefed.flower.protocol import EPSILON
from corefed.flower.reply import Trained
from corefed.privacy import Budget, BudgetError, normal
from corefed.secure.party import Draw

if TYPE_CHECKING:
    from corefed._federation.history import History
    from corefed.flower.run import FederatedRun
    from corefed.flower.told import Told

#: File in the run folder: a line per release.
SPENT = "privacy.jsonl"
#: File in the run folder: what agents said that they have spent.
TOLD = "told-privacy.jsonl"
#: What to do about a ledger that cannot be right.
_NOBODY_KNOWS = "without it nobody knows what is spent: restore it from a copy, or start a new run"
#: Part of the budget that noised losses get, unless told.
_FOR_LOSSES = 0.1


@dataclass(frozen=True)
class Privacy:
    """A promise about every agent: all models together hardly tell whether it took part.

    Attributes
    ----------
    epsilon, delta
        What is promised for the whole run: of two runs that differ in one agent's answers being
        there or being nothing, no event is more likely in one than `e^epsilon` times that in the
        other, plus `delta`.
    clip
        Longer updates are shortened to this norm.
    noise, loss_noise
        Standard deviation of noise as a multiple of what one agent can change: of the step, and of
        its own reported loss. Without them, as much as the planned rounds need.
    draw
        Where the secret of the noise comes from.
    """

    epsilon: float
    delta: float
    clip: float
    noise: float | None = None
    loss_noise: float | None = None
    draw: Draw = secrets.token_bytes

    def settings(self) -> dict[str, Any]:
        """What a resume compares."""
        names = ("epsilon", "delta", "clip", "noise", "loss_noise")
        return {name: getattr(self, name) for name in names}


def check_privacy(told: Told, privacy: Privacy) -> None:
    """Refuse what would tell more than the accountant knows of."""
    Budget(privacy.epsilon, privacy.delta)
    for name in ("clip", "noise", "loss_noise"):
        value = getattr(privacy, name)
        if value is not None and not (math.isfinite(value) and value > 0):
            raise InputError(f"`{name}` is {value}; expected a number above 0", field=name)
    rule = RULES[told.rule]
    wrong = {
        "rule": (rule.needs_each is not None, f"the shares of `{told.rule}` depend on updates"),
        "secure": (told.secure is not None, "noise inside of secure sums is not built"),
        "search": (told.search == "on", "compared steps go by losses without noise"),
        "correction": (told.correction == "control", "corrections tell updates without noise"),
        "server_momentum": (told.settings["server_momentum"] != 0, "momentum repeats a release"),
        "step_length": (
            told.settings.get("step_length") == "dynamic",
            "the length of a dynamic step goes by updates without noise",
        ),
        "ceilings": (
            rule.needs_losses and isinstance(told.ceilings, str),
            f"`ceilings={told.ceilings!r}` go by first losses without noise",
        ),
        "clip": (told.settings["clip"] not in (None, privacy.clip), "there are two clips"),
    }
    for keyword, (is_wrong, why) in wrong.items():
        if is_wrong:
            raise InputError(f"{why}: the privacy budget would not hold", field=keyword)


class CentralNoise:
    """The noise of one run, and what it has spent."""

    def __init__(self, privacy: Privacy, rule: str, rounds: int, history: History | None) -> None:
        self._privacy, self._budget = privacy, Budget(privacy.epsilon, privacy.delta)
        self._secret = privacy.draw(32)
        self._ledger = Ledger(history, SPENT)
        left = max(1, rounds)
        share = _FOR_LOSSES if RULES[rule].needs_losses else 0.0
        self.noise = privacy.noise or self._budget.noise(left) / math.sqrt(1 - share)
        self.loss_noise = math.inf
        if RULES[rule].needs_losses:
            self.loss_noise = privacy.loss_noise or self._budget.noise(left) / math.sqrt(share)
        #: Squared shift of one round: its losses and its step.
        self.square = self.noise**-2 + self.loss_noise**-2
        self._check_ledger()
        possible = self._budget.releases(self.square)
        if rounds > possible and not self.rows:
            raise BudgetError(
                f"{rounds} rounds would spend an epsilon of "
                f"{self._budget.spent(rounds * self.square):.4g}, more than {privacy.epsilon:g}",
                field="noise",
                hint=f"{possible} rounds keep it; or take more noise: "
                f"{self._budget.noise(rounds):.4g} for updates alone",
            )
        told = "privacy: noise %g of steps, %g of losses; %d rounds spend an epsilon of %g"
        whole = self._budget.spent(rounds * self.square)
        log(INFO, told, self.noise, self.loss_noise, rounds, whole)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Releases by now."""
        return self._ledger.rows

    @property
    def spent(self) -> float:
        """The epsilon of all releases by now."""
        return self._budget.spent(self.squares())

    def remember(self, squares: float) -> None:
        """Refuse a ledger that knows of less than the checkpoint: rounds would be free."""
        if self.squares() < squares * (1 - 1e-12):
            told = self._budget.spent(squares)
            raise self._ledger.damaged(
                f"its releases spend an epsilon of {self.spent:.4g}, and the checkpoint knows of "
                f"{told:.4g}",
                _NOBODY_KNOWS,
            )

    def allows(self, number: int) -> bool:
        """Whether one more round keeps the promise."""
        allowed = self._budget.allows(self.squares() + self.square)
        if not allowed:
            told = "round %d is not begun: the privacy budget is spent, epsilon is %g of %g"
            log(WARNING, told, number, self.spent, self._privacy.epsilon)
        return allowed

    def losses(
        self, number: int, losses: Mapping[str, float], ceilings: Mapping[str, float]
    ) -> dict[str, float]:
        """Losses that shares may go by: within their ceilings, and noised.

        Nothing in place of an agent's loss is half of its ceiling, so that one loss changes by at
        most that half.
        """
        if math.isinf(self.loss_noise):
            return dict(losses)
        noised = {}
        for name, loss in losses.items():
            # By name: replies come in any order.
            what = f"loss {number} {len(self.rows)} {name}"
            noise = self.loss_noise * ceilings[name] / 2 * float(normal(self._secret, what, 1)[0])
            noised[name] = max(0.0, min(max(loss, 0.0), ceilings[name]) + noise)
        return noised

    def model(self, number: int, model: Model, largest: float, step: float) -> Model:
        """The model after a step, with noise; `largest` is the largest share, `step` its factor.

        One agent moves the step by at most its share times the clip.
        """
        deviation = self.noise * self._privacy.clip * largest * abs(step)
        size = sum(part.size for part in model.floats.values())
        drawn = deviation * normal(self._secret, f"step {number} {len(self.rows)}", size)
        # Booked before it leaves: what might have been seen counts.
        self._book({"round": number, "largest_share": largest, "deviation": deviation})
        told = "privacy: epsilon is %.4g of %g after the model of round %d"
        log(INFO, told, self.spent, self._privacy.epsilon, number)
        moved, at = {}, 0
        for name, part in model.floats.items():
            noise = drawn[at : at + part.size].reshape(part.shape)
            moved[name] = part.astype(np.float64) + noise
            at += part.size
        return model.moved(moved)

    def squares(self) -> float:
        """Squared shifts of all releases by now."""
        return math.fsum(row["squares"] for row in self.rows)

    def _book(self, row: dict[str, Any], square: float | None = None) -> None:
        square = self.square if square is None else square
        row |= {"squares": square, "epsilon": self._budget.spent(self.squares() + square)}
        self._ledger.append(row | {"delta": self._budget.delta})

    def _check_ledger(self) -> None:
        for number, row in enumerate(self.rows, 1):
            square = row.get("squares")
            if not (isinstance(square, float) and math.isfinite(square) and square > 0):
                why = f"line {number} does not say what was spent"
                raise self._ledger.damaged(why, _NOBODY_KNOWS)
        if self._ledger.torn:
            # A line that was begun is a release that may have been seen: it counts in full.
            log(WARNING, "`%s` ends in half a line: it counts as one more release", SPENT)
            most = max([self.square, *(row["squares"] for row in self.rows)])
            self._book({"round": None, "largest_share": None, "deviation": None}, most)


def spent(run: FederatedRun) -> list[str]:
    """What the models of a run have spent of a promise, and what agents say of their own."""
    notes = []
    if run.private is not None and run.privacy is not None:
        promise = run.privacy
        notes.append(
            f"Privacy: the models have spent an epsilon of {run.private.spent:.4g} of "
            f"{promise.epsilon:g}, at a delta of {promise.delta:g} ({SPENT})."
        )
    if told := [row["largest_epsilon"] for row in run.told_spent.rows]:
        notes.append(
            f"Privacy: agents say that they have spent an epsilon of {max(told):.4g} at most, by "
            f"their own accounts ({TOLD})."
        )
    return notes


def note_told(ledger: Ledger, number: int, trained: Mapping[str, Trained]) -> None:
    """Write down what agents that noise their own answers say that they have spent."""
    told = [own.metrics[EPSILON] for own in trained.values() if EPSILON in own.metrics]
    known = [epsilon for epsilon in told if math.isfinite(epsilon)]
    if known:
        ledger.append({"round": number, "agents": len(known), "largest_epsilon": max(known)})
