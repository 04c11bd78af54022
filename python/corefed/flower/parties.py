"""Who takes part in an exact audit, and on which terms: all agents must name the same."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flwr.app import ConfigRecord, Message, RecordDict

from corefed._errors import InputError
from corefed.flower.asking import ask
from corefed.flower.protocol import ASK, ROUND, TERMS
from corefed.flower.reply import FailedError, ReplyError

if TYPE_CHECKING:
    from corefed.flower.run import FederatedRun


@dataclass(frozen=True)
class Party:
    """What an agent says of its model and its table before it is asked about points."""

    model: str
    l2: float
    #: How rows become numbers; not known of a model of the agents' own.
    encoding: dict[str, Any] | None
    #: How many parameters a model of the agents' own has.
    parameters: int | None
    samples: int
    cells: int
    key: str

    def difference(self, other: Party) -> str | None:
        """In what another agent's model is not of this one's form."""
        for name in ("model", "l2", "encoding", "parameters"):
            if getattr(self, name) != getattr(other, name):
                return name
        return None


def ask_parties(run: FederatedRun, timeout: float) -> tuple[dict[str, Party], dict[str, str]]:
    """Terms by agent, in the order of agents, and why others have told none."""
    names = run.terms.names
    question = RecordDict({"config": ConfigRecord({ASK: TERMS, ROUND: run.done})})
    replies, failed = ask(run, dict.fromkeys(names, question), timeout, "the terms of the audit")
    # An app that does not know the question takes it for one to train.
    reasons = {
        name: f"{why} (does it have `answer_audits` among its mods?)"
        if isinstance(why, FailedError)
        else str(why)
        for name, why in failed.items()
    }
    found: dict[str, Party] = {}
    for name, reply in replies.items():
        try:
            found[name] = read_party(name, reply)
        except ReplyError as why:
            reasons[name] = str(why)
    check_same(found)
    return found, reasons


def check_same(found: dict[str, Party]) -> None:
    """Refuse agents whose models are not of one form."""
    first = next(iter(found), "")
    for name, party in found.items():
        if odd := found[first].difference(party):
            raise InputError(
                f"agent `{name}` has another `{odd}` than agent `{first}`",
                agent=name,
                field=odd,
                hint="all agents use one model with one ridge, and of tables one file of "
                "`LinearClient.agree`",
            )


def read_party(name: str, reply: Message) -> Party:
    """What an agent's reply says of its model."""
    told = reply.content.config_records.get(TERMS)
    if told is None:
        raise ReplyError(
            "its app does not answer exact audits: it needs `answer_audits` among its mods"
        )
    try:
        if (owner := str(told["rows-of"])) != name:
            raise ReplyError(f"its rows are those of `{owner}`")
        return Party(
            model=str(told["model"]),
            l2=float(str(told["l2"])),
            encoding=_encoding(str(told["encoding"])) if "encoding" in told else None,
            parameters=int(str(told["parameters"])) if "parameters" in told else None,
            samples=int(str(told["samples"])),
            cells=int(str(told["cells"])),
            key=str(told["key"]),
        )
    except (KeyError, ValueError, OverflowError, RecursionError) as why:
        raise ReplyError(f"its terms cannot be read: {why}") from why


def _encoding(text: str) -> dict[str, Any]:
    found = json.loads(text)
    lists = isinstance(found, dict) and all(
        isinstance(found.get(key), list) for key in ("features", "classes")
    )
    if not lists:
        raise ValueError("its encoding has no lists of features and classes")
    return dict(found)
