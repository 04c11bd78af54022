"""Rounds of questions to agents that keep their rows; answers are kept, and not asked for again."""

from __future__ import annotations

import json
from logging import INFO, WARNING
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from flwr.app import Array, ArrayRecord, ConfigRecord, Message, RecordDict

from corefed import _corefed
from corefed._errors import InputError
from corefed._writing import replace_text
from corefed.flower.asking import ask
from corefed.flower.logged import log
from corefed.flower.protocol import ASK, ORACLE, POINTS, ROUND
from corefed.flower.reply import ReplyError

if TYPE_CHECKING:
    from corefed.flower.run import FederatedRun

#: Folder in a run's, with one file per round and agent.
ANSWERS = "answers"


class Questioning:
    """A session with the agents of a run. Who answers wrongly, or not, is left out from then on."""

    def __init__(
        self,
        run: FederatedRun,
        setup: dict[str, Any],
        away: dict[str, str],
        radius: float,
        timeout: float,
    ) -> None:
        self._run, self._radius, self._timeout = run, radius, timeout
        self._session = _corefed.AuditSession(json.dumps(setup, allow_nan=False))
        assert run.history.path is not None
        self._folder = run.history.path / ANSWERS
        self._folder.mkdir(exist_ok=True)
        #: Why agents do not answer any more.
        self.left_out: dict[str, str] = {}
        #: Those of them whose answers were bad: of a model of their own nobody else can tell which.
        self.contradicted: set[str] = set()
        for name, why in away.items():
            self._leave_out(name, why)

    def run(self) -> dict[str, Any]:
        """Ask until there is nothing left to ask."""
        while (step := self._session.next()) is not None:
            number, points = step
            names = self._run.terms.names
            missing = [names[at] for at in self._session.missing()]
            asked = [name for name in missing if not self._replayed(number, name)]
            if asked:
                self._round(number, points, asked)
        found: dict[str, Any] = json.loads(self._session.outcome())
        return found

    def certificate(self, keys: list[str | None]) -> str:
        """What is proven, for agents to sign."""
        return self._session.certificate(keys)

    def _round(self, number: int, points: npt.NDArray[np.float64], asked: list[str]) -> None:
        log(INFO, "question %d: %d points to %d agents", number, len(points), len(asked))
        record = ArrayRecord({POINTS: Array(points)})
        questions = {
            name: RecordDict({POINTS: record, "config": self._config(number, name)})
            for name in asked
        }
        replies, reasons = ask(self._run, questions, self._timeout, f"question {number}")
        for name, reply in replies.items():
            at = self._run.terms.index(name)
            try:
                text = self._session.receive(at, _read(reply))
            except ReplyError as error:
                reasons[name] = error
            except InputError as error:
                reasons[name] = ReplyError(error.message)
                self.contradicted.add(name)
            else:
                replace_text(self._path(number, name), text)
        for name, why in reasons.items():
            self._leave_out(name, str(why))

    def _config(self, number: int, name: str) -> ConfigRecord:
        gradients, hessians, own = self._session.asked(self._run.terms.index(name))
        return ConfigRecord(
            {
                ASK: ORACLE,
                ROUND: number,
                "gradients": gradients,
                "hessians": hessians,
                "own": own,
                "radius": self._radius,
            }
        )

    def _replayed(self, number: int, name: str) -> bool:
        """Take an answer of an earlier start, if it is one to this question."""
        path = self._path(number, name)
        if not path.exists():
            return False
        try:
            self._session.replay(self._run.terms.index(name), path.read_text(encoding="utf-8"))
        except (InputError, OSError, UnicodeDecodeError) as why:
            log(INFO, "question %d: agent `%s` is asked again: %s", number, name, why)
            return False
        return True

    def _path(self, number: int, name: str) -> Path:
        # Names of agents may be anything, and are not names of files.
        return self._folder / f"{number}-{self._run.terms.index(name)}.json"

    def _leave_out(self, name: str, why: str) -> None:
        log(WARNING, "agent `%s` is left out of the audit from here on: %s", name, why)
        self.left_out[name] = why
        self._session.refuse(self._run.terms.index(name))


def _read(reply: Message) -> dict[str, Any]:
    """The answers of a reply, as the session takes them."""
    told = reply.content.config_records.get(ORACLE)
    arrays = reply.content.array_records.get("answers")
    if told is None or arrays is None:
        raise ReplyError(
            "its app does not answer exact audits: it needs `answer_audits` among its mods"
        )
    found: dict[str, Any] = {"own": None}
    for key, array in arrays.items():
        try:
            found[key] = array.numpy()
        except Exception as error:  # whatever the bytes of a stranger do
            raise ReplyError(f"its `{key}` cannot be read: {error}") from error
    for key, dimensions in (("losses", 1), ("gradients", 2), ("hessians", 2), ("own", 1)):
        part = found.get(key)
        if part is None and key == "own":
            continue
        if part is None or part.dtype != np.float64 or part.ndim != dimensions:
            form = "missing" if part is None else f"of type {part.dtype} and shape {part.shape}"
            raise ReplyError(f"its `{key}` is {form}; expected float64 in {dimensions} dimensions")
    number, digest = told.get(ROUND), told.get(POINTS)
    if not isinstance(number, int) or number < 0 or not isinstance(digest, str):
        raise ReplyError("it does not say which question it answers")
    known = {key: found[key] for key in ("losses", "gradients", "hessians", "own")}
    return known | {"round": number, "points": digest}
