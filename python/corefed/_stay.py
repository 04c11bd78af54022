"""Whether the shared model is worth staying for, on rows that nobody trained on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from corefed import _corefed, _html
from corefed._asked_spec import asked_spec
from corefed._columns import Columns

#: Who a question is about: a name, or several.
_About = str | Sequence[str]


def stay(
    spec: str | Path | Mapping[str, Any] = "hospitals",
    *,
    rule: str | None = None,
    held_out: float | None = None,
    split: str = "rows",
    repeats: int = 1,
    level: float = 0.9,
    margin: float = 0.05,
    support: int = 30,
    all: bool = False,  # noqa: A002
    coalitions: int | None = None,
    without: Sequence[_About] = (),
    joining: Sequence[_About] = (),
    expel: Sequence[_About] = (),
    time_limit: float | None = None,
    data_dir: str | Path | None = None,
    **overrides: Any,
) -> Stay:
    """Ask whether the shared model is worth staying for.

    Every group of agents trains a model of its own by the same rule and settings, and all models
    are measured on held-out rows of every agent. ``docs/stay.md`` says how to read the answer.

    Parameters
    ----------
    spec
        A preset, a file ending in ``.toml``, a table such as ``heart.csv`` (its columns are then
        keys: ``agent="hospital", target="disease"``), or the spec itself as a dictionary, such as
        ``{"data": "heart.csv", "agent": "hospital", "target": "disease", "model": "logistic"}``.
    rule
        Which optimum every group takes: ``core`` unless told, ``utilitarian`` or ``egalitarian``.
        A spec with ``[train]`` has its own rule.
    held_out
        Share of every agent's rows that nobody trains on; that of the spec, else 0.3.
    split
        ``rows``, ``group:COLUMN`` (all rows of a patient on one side) or ``time:COLUMN`` (the
        latest rows of every agent).
    repeats
        Average over this many splits; verdict and intervals are those of the first.
    level
        How sure intervals and verdicts are.
    margin
        Gains by leaving up to this part of a loss still count as staying.
    support
        Nothing is said about agents with fewer independent held-out rows.
    all
        Train every group; at most 12 agents.
    coalitions
        Beyond 12 agents, train at least this many more groups, drawn at random.
    without, joining, expel
        Questions: what if these agents left, what did they bring as new partners, what if the
        others expelled them? Each is a name or a list of names.
    time_limit
        Seconds after which there is no answer, but an error; no limit unless told.
    data_dir
        Folder of downloaded data sets.
    **overrides
        Keys of the spec, with two underscores for a dot: ``ceiling=1.0``.

    Examples
    --------
    >>> answer = stay("hospitals")
    >>> answer.verdict
    'leave'
    >>> answer.agents["name"]
    ['Aachen', 'Bergen', 'Coimbra', 'Dresden', 'Evora']
    """
    wanted, settings = asked_spec(spec, overrides)
    questions = [("without", without), ("with", joining), ("expel", expel)]
    asked = {
        "rule": rule,
        "held_out": held_out,
        "split": split,
        "repeats": repeats,
        "level": level,
        "margin": margin,
        "support": support,
        "all": all,
        "coalitions": coalitions,
        "questions": [(name, _names(who)) for name, each in questions for who in _each(each)],
        "time_limit": time_limit,
    }
    data = None if data_dir is None else Path(data_dir)
    document, text = _corefed.stay_spec(wanted, settings, asked, data, lambda _: None)
    return Stay(json.loads(document), text)


def _each(questions: Sequence[_About] | str) -> Sequence[_About]:
    """Take a single name as one question."""
    return [questions] if isinstance(questions, str) else questions


def _names(who: _About) -> list[str]:
    return [who] if isinstance(who, str) else list(who)


class Stay:
    """The answer of :func:`stay`.

    Tables are dictionaries of columns, which ``pandas.DataFrame`` and ``polars.DataFrame`` take.
    """

    def __init__(self, document: dict[str, Any], text: str) -> None:
        self.document = document
        self._text = text

    @property
    def verdict(self) -> str:
        """``stable``, ``leave`` or ``open``."""
        return str(self.document["verdict"])

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        return self._text.split("\n", 1)[0]

    @property
    def leaving(self) -> list[list[str]]:
        """Names of the groups that would leave."""
        groups = self.document["leaving"]
        return [[member["name"] for member in group["members"]] for group in groups]

    @property
    def agents(self) -> Columns:
        """One row per agent: losses and quality shared, alone and in its best group, with gains."""
        lines = self.document["agents"]
        best = [line["best"] or {} for line in lines]
        columns: dict[str, Any] = {
            key: [line[key] for line in lines]
            for key in ("name", "weight", "ceiling", "rows", "held_out", "units", "few")
        }
        for world in ("shared", "alone"):
            columns |= _measured(world, [line[world] for line in lines])
        columns |= _gain("alone", [line["alone_gain"] for line in lines])
        columns["best_group"] = [" + ".join(group.get("members", [])) for group in best]
        columns |= _measured("best", [group.get("measured") for group in best])
        columns |= _gain("best", [group.get("gain") for group in best])
        return Columns(columns)

    @property
    def groups(self) -> Columns:
        """One row per trained group and agent."""
        names = [line["name"] for line in self.document["agents"]]
        columns: dict[str, list[Any]] = {key: [] for key in ("group", "size", "agent", "member")}
        numbers: dict[str, list[float]] = {key: [] for key in ("loss", "quality", "gain", "error")}
        for group in self.document["groups"]:
            members = set(group["members"])
            joined = " + ".join(names[k] for k in group["members"])
            for k, name in enumerate(names):
                columns["group"].append(joined)
                columns["size"].append(len(members))
                columns["agent"].append(name)
                columns["member"].append(k in members)
                for key, column in numbers.items():
                    column.append(_number(group[key][k]))
        return Columns(columns | numbers)

    @property
    def contributions(self) -> Columns:
        """One row per agent: what it saves and is missed for, and its shares by three rules.

        Each but the payment has the ends of its interval beside it, such as ``shapley_lo``.
        """
        lines = self.document["contributions"]["agents"]
        columns: dict[str, Any] = {"name": [line["name"] for line in lines]}
        for key in ("saves", "leave_one_out", "shapley", "banzhaf"):
            found = [line[key] or {} for line in lines]
            ends = [one.get("interval") or (None, None) for one in found]
            columns[key] = [_number(one.get("value")) for one in found]
            columns[f"{key}_lo"] = [_number(lo) for lo, _ in ends]
            columns[f"{key}_hi"] = [_number(hi) for _, hi in ends]
        columns["payment"] = [_number(line["payment"]) for line in lines]
        return Columns(columns)

    @property
    def price(self) -> Columns | None:
        """One row per agent: the fair rule beside plain averaging, if they were compared."""
        found = self.document["price"]
        if found is None:
            return None
        lines = found["agents"]
        columns: dict[str, Any] = {"name": [line["name"] for line in lines]}
        columns |= _measured("plain", [line["plain"] for line in lines])
        columns |= _measured("fair", [line["fair"] for line in lines])
        return Columns(columns | _gain("fair", [line["gain"] for line in lines]))

    @property
    def what_if(self) -> list[Columns]:
        """One table per question, one row per agent."""
        return [_what_if(question) for question in self.document["what_if"]]

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Stay {self.verdict}: {self.sentence}>"

    def _repr_html_(self) -> str:
        shown = ["name", "shared_loss", "alone_loss", "alone_gain", "best_group", "best_loss"]
        columns = self.agents
        rows = zip(*(columns[key] for key in shown), strict=True)
        return _html.paragraph(self.sentence) + _html.table(shown, rows)


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _measured(world: str, found: list[dict[str, Any] | None]) -> dict[str, list[float]]:
    return {
        f"{world}_{key}": [_number((line or {}).get(key)) for line in found]
        for key in ("loss", "quality")
    }


def _gain(world: str, found: list[dict[str, Any] | None]) -> dict[str, list[float]]:
    keys = {"gain": "mean", "gain_lo": "lo", "gain_hi": "hi"}
    return {
        f"{world}_{name}": [_number((line or {}).get(key)) for line in found]
        for name, key in keys.items()
    }


def _what_if(question: dict[str, Any]) -> Columns:
    lines = question["lines"]
    columns: dict[str, Any] = {
        "question": [question["question"]] * len(lines),
        "name": [line["name"] for line in lines],
        "about": [line["about"] for line in lines],
    }
    for moment in ("before", "after"):
        columns |= _measured(moment, [line[moment] for line in lines])
    return Columns(columns | _gain("after", [line["gain"] for line in lines]))
