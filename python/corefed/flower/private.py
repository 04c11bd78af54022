"""Privacy with a budget at the server: noised losses, clipped updates, noised steps."""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from logging import INFO, WARNING
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from corefed._errors import InputError
from corefed.flower.logged import log
from corefed.flower.model import Model
from corefed.flower.protocol import EPSILON
from corefed.flower.reply import Trained
from corefed.privacy import Budget, BudgetError, normal
from corefed.secure.party import Draw

if TYPE_CHECKING:
    from corefed.flower.told import Told

#: File in the run folder: a line per release.
SPENT = "privacy.jsonl"
#: File in the run folder: what agents said that they have spent.
TOLD = "told-privacy.jsonl"
#: Part of the budget that noised losses get, unless told.
_FOR_LOSSES = 0.1
#: Rules whose shares are known before updates are.
_RULES = ("corefed", "fedavg", "propfair")


@dataclass(frozen=True)
class Privacy:
    """A promise about every agent: whoever sees all models can hardly tell whether it took part.

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
    weighs = told.rule == "corefed"
    wrong = {
        "rule": (told.rule not in _RULES, f"the shares of `{told.rule}` depend on updates"),
        "secure": (told.secure is not None, "noise inside of secure sums is not built"),
        "search": (told.search == "on", "compared steps go by losses without noise"),
        "correction": (told.correction == "control", "corrections tell updates without noise"),
        "server_momentum": (told.settings["server_momentum"] != 0, "momentum repeats a release"),
        "step_length": (
            told.settings.get("step_length") == "dynamic",
            "the length of a dynamic step goes by updates without noise",
        ),
        "ceilings": (
            weighs and isinstance(told.ceilings, str),
            f"`ceilings={told.ceilings!r}` go by first losses without noise",
        ),
        "clip": (told.settings["clip"] not in (None, privacy.clip), "there are two clips"),
    }
    for keyword, (is_wrong, why) in wrong.items():
        if is_wrong:
            raise InputError(f"{why}: the privacy budget would not hold", field=keyword)


class CentralNoise:
    """The noise of one run, and what it has spent."""

    def __init__(self, privacy: Privacy, rule: str, rounds: int, folder: Path | None) -> None:
        self._privacy, self._budget = privacy, Budget(privacy.epsilon, privacy.delta)
        self._secret, self._folder = privacy.draw(32), folder
        self.rows = self._read()
        left = max(1, rounds)
        share = _FOR_LOSSES if rule == "corefed" else 0.0
        self.noise = privacy.noise or self._budget.noise(left) / math.sqrt(1 - share)
        self.loss_noise = math.inf
        if rule == "corefed":
            self.loss_noise = privacy.loss_noise or self._budget.noise(left) / math.sqrt(share)
        #: Squared shift of one round: its losses and its step.
        self.square = self.noise**-2 + self.loss_noise**-2
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
    def spent(self) -> float:
        """The epsilon of all releases by now."""
        return self._budget.spent(self._squares())

    def allows(self, number: int) -> bool:
        """Whether one more round keeps the promise."""
        allowed = self._budget.allows(self._squares() + self.square)
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
        moved, at = {}, 0
        for name, part in model.floats.items():
            noise = drawn[at : at + part.size].reshape(part.shape)
            moved[name] = part.astype(np.float64) + noise
            at += part.size
        return model.moved(moved)

    def _squares(self) -> float:
        return math.fsum(row["squares"] for row in self.rows)

    def _book(self, row: dict[str, Any]) -> None:
        squares = self._squares() + self.square
        row |= {"squares": self.square, "epsilon": self._budget.spent(squares)}
        self.rows.append(row | {"delta": self._budget.delta})
        if self._folder is not None:
            with (self._folder / SPENT).open("a", encoding="utf-8") as file:
                file.write(json.dumps(self.rows[-1], allow_nan=False) + "\n")

    def _read(self) -> list[dict[str, Any]]:
        path = None if self._folder is None else self._folder / SPENT
        if path is None or not path.exists():
            return []
        try:
            rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            math.fsum(row["squares"] for row in rows)
        except (ValueError, KeyError, TypeError) as why:
            raise InputError(
                f"`{path}` cannot be read: {why}",
                field="run",
                hint="without it nobody knows what is spent: start a new run",
            ) from why
        return rows


def note_told(folder: Path | None, number: int, trained: Mapping[str, Trained]) -> None:
    """Write down what agents that noise their own answers say that they have spent."""
    told = [own.metrics[EPSILON] for own in trained.values() if EPSILON in own.metrics]
    if folder is not None and told:
        row = {"round": number, "agents": len(told), "largest_epsilon": max(told)}
        with (folder / TOLD).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
