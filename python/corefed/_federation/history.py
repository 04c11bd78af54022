"""The run folder of a federation, written by the code that writes CoreFed's own."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field
from logging import WARNING
from pathlib import Path
from typing import Any

from corefed import _corefed
from corefed._errors import InputError
from corefed._federation.logged import Log, log
from corefed._federation.measured import Measured
from corefed._federation.model import Model, Parts
from corefed._federation.settings import Change, changes, check_changes
from corefed._reading import reading

#: Files of a verdict.
AUDIT, UTILITIES = "audit.json", "utilities.csv"


@dataclass
class Round:
    """One round in progress."""

    number: int
    before: Model
    #: Agents chosen, by node.
    cohort: dict[int, str] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    rejections: dict[str, str] = field(default_factory=dict)
    losses: dict[str, float] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    norms: dict[str, float] = field(default_factory=dict)
    learning_rate: float | None = None
    acted: dict[str, Any] = field(default_factory=dict)
    #: Those who report another loss of a model than when they measured it.
    contradicted: list[str] = field(default_factory=list)
    after: Model | None = None
    #: Direction and part of the step that won, where several are compared.
    chosen: tuple[str, float] | None = None
    #: Losses with the model after it that are known before it is measured.
    known: dict[str, float] = field(default_factory=dict)
    #: Whether the replies of its cohort were seen.
    heard: bool = False

    def refuse(self, agent: str, why: str, part: str = "rejected") -> None:
        """Leave an agent out, and say so."""
        self.parts[agent] = part
        if part == "rejected":
            self.rejections[agent] = why

    def facts(self, measured: dict[str, Measured]) -> dict[str, Any]:
        """What the folder is told."""
        names = sorted({*self.parts, *measured})
        after = self.after or self.before
        direction, part = self.chosen or (None, None)
        return {
            "round": self.number,
            "learning_rate": self.learning_rate,
            "step_norm": self.before.distance(after) if self.number else None,
            "chosen": direction,
            "chosen_part": part,
            "contradicted": self.contradicted,
            "rejections": [{"agent": a, "reason": r} for a, r in sorted(self.rejections.items())],
            "agents": [self._agent(name, measured.get(name)) for name in names],
            **self.acted,
        }

    def _agent(self, name: str, measured: Measured | None) -> dict[str, Any]:
        told = {
            "agent": name,
            "part": self.parts.get(name, "idle"),
            "reported_loss": _number(self.losses.get(name)),
            "weight": _number(self.weights.get(name)),
            "update_norm": _number(self.norms.get(name)),
        }
        if measured is not None:
            told |= {
                "loss": _number(measured.loss),
                "accuracy": _number(measured.accuracy),
                "held_out_loss": _number(measured.held_out_loss),
                "held_out_accuracy": _number(measured.held_out_accuracy),
            }
        return told


@dataclass(frozen=True)
class Restored:
    """Where a run resumes."""

    round: int
    tensors: Parts
    state: dict[str, Any]


class History:
    """A run folder that is being written, or nothing where no folder was asked for."""

    def __init__(self, path: str | Path | None, log: Log = log) -> None:
        self.path = None if path is None else Path(path)
        self._log = log
        self._writer: Any = None
        self.last: dict[str, Any] | None = None
        #: What else a reader of the summary should know, a sentence each.
        self.notes: list[str] = []

    @property
    def exists(self) -> bool:
        """Whether there is a run to resume."""
        return self.path is not None and (self.path / "run.json").exists()

    def create(self, header: dict[str, Any], spec: str) -> None:
        """Start a folder that must not exist."""
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps(header, allow_nan=False)
            self._writer = _corefed.RunWriter.create(str(self.path), text, spec)

    def open(
        self, spec: str, *, changed_spec: bool = False
    ) -> tuple[dict[str, Any], Restored | None]:
        """Resume a folder by its own settings; `changed_spec` allows others, and says so there."""
        if self.path is None:
            raise InputError("there is no folder to continue with", field="run")
        self._writer = _corefed.RunWriter.open(str(self.path))
        changed = self._changed(self.path, spec, changed_spec)
        for edit in _corefed.run_edits(self.path):
            self._log(WARNING, "%s", edit)
        restored = self._writer.restore(changed)
        header = json.loads(self._writer.header)
        if restored is None:
            return header, None
        number, tensors, state, _damaged = restored
        return header, Restored(number, tensors, json.loads(state))

    def _changed(self, path: Path, spec: str, allowed: bool) -> tuple[str, list[Change]] | None:
        """The settings to continue with and what differs, unless they are those of the folder."""
        # The checkpoint knows by which settings it was made, whatever the file says by now.
        made_by = self._writer.made_by or spec
        with reading(path / "spec.toml"):
            since, written = changes(made_by, spec), changes(self._writer.spec, spec)
        if not since and not written:
            return None
        check_changes(path, since or written, allowed)
        return spec, since

    def measured(self, number: int) -> dict[str, Measured]:
        """What agents measured after a round, by the records."""
        if self.path is None:
            return {}
        path = self.path / "agents.jsonl"
        with reading(path):
            lines = path.read_text(encoding="utf-8").splitlines()
            agents = [agent for agent in map(json.loads, lines) if agent["round"] == number]
            return {a["agent"]: Measured(a["loss"]) for a in agents if a["loss"] is not None}

    def append(self, facts: dict[str, Any]) -> dict[str, Any]:
        """Write a round; gives its record."""
        if self._writer is None:
            return {}
        if self.judged:
            # An earlier end's, on another model: killed on the way, nobody could tell.
            for name in (AUDIT, UTILITIES):
                self._writer.remove(name)
        self.last = json.loads(self._writer.append(json.dumps(facts, allow_nan=False)))
        return self.last

    def checkpoint(self, number: int, tensors: Parts, state: dict[str, Any]) -> None:
        """Keep a moment to continue from."""
        if self._writer is not None:
            self._writer.checkpoint(number, tensors, json.dumps(state, allow_nan=False))

    def save_model(self, model: Model) -> None:
        """Write the model, which the page of a verdict names by its digest."""
        if self._writer is not None:
            self._writer.save_model(model.tensors())

    def finish(self, number: int, tensors: Parts, state: dict[str, Any]) -> None:
        """Write the last checkpoint, and have everything on the disk."""
        if self._writer is not None:
            self._writer.finish(number, tensors, json.dumps(state, allow_nan=False))

    def audit(
        self,
        losses: list[float],
        rivals: list[tuple[str, list[float]]],
        left_out: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        """Judge the last model, and write the judgement; `left_out` are rivals that failed."""
        if self._writer is None:
            raise InputError(
                "an audit is written to a run folder, and there is none",
                field="run",
                hint="pass `run='runs/first'` to the strategy",
            )
        told = "; ".join(f"{name}: {why}" for name, why in (left_out or {}).items()) or None
        audit: dict[str, Any] = json.loads(self._writer.audit(losses, rivals, told))
        self._annotate()
        return audit

    def unjudged(self, number: int) -> None:
        """Tell of a run whose last model, that of round `number`, not everybody measured."""
        if self._writer is not None:
            self._writer.unjudged(number)
            self._annotate()

    @property
    def judged(self) -> bool:
        """Whether there is a verdict on the last model."""
        return self.path is not None and (self.path / AUDIT).exists()

    def attested(
        self, certificate: str, ended: dict[str, Any], answered: dict[str, Any]
    ) -> dict[str, Any]:
        """Write a certificate that agents signed, what they told, and the audit that follows."""
        told = json.dumps(ended), json.dumps(answered)
        audit: dict[str, Any] = json.loads(self._writer.attested(certificate, *told))
        # The rivals of the audit that this one replaces.
        self._writer.remove(UTILITIES)
        self._annotate()
        return audit

    def _annotate(self) -> None:
        """Add the notes to the summary, which every end of a run writes anew."""
        path = None if self.path is None else self.path / "summary.md"
        if self.notes and path is not None and path.exists():
            summary = path.read_text(encoding="utf-8")
            self.write(path.name, "\n\n".join([summary.rstrip("\n"), *self.notes]) + "\n")

    def write(self, name: str, text: str) -> None:
        """Write a file of the folder, listed in its digests, and have it on the disk."""
        if self._writer is None or self.path is None:
            return
        self._writer.write(name, text)
        for path in (self.path / name, self.path):
            # What was promised to agents must not be forgotten when the power goes.
            _sync(path)

    def close(self) -> None:
        """Let go of the folder."""
        self._writer = None


def _sync(path: Path) -> None:
    if os.name == "nt":
        # There only who writes a file can ask for this.
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _number(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
