"""Which of several models: those that no group can veto."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corefed import _corefed, _html
from corefed._agents import Roster, as_floats
from corefed._certificate import Certificate
from corefed._columns import Columns
from corefed._corefed import one_line
from corefed._errors import InputError


@dataclass(frozen=True)
class Choice:
    """What to take among listed models.

    Attributes
    ----------
    chosen
        The model that is left when everybody gives up its worst in turn; several only where they
        end together.
    core
        Every model that no group can veto.
    models
        One row per model: its part of all models, who vetoes it and what they prefer.
    certificate
        The proof, which ``corefed verify`` checks against `table`.
    table
        The table of models by agents, as CSV: what the certificate speaks of.
    """

    chosen: list[str]
    core: list[str]
    models: Columns
    certificate: Certificate
    table: str

    def save(self, certificate: str | Path, table: str | Path) -> None:
        """Write the certificate and the table that it speaks of."""
        self.certificate.save(certificate)
        Path(table).write_text(self.table, encoding="utf-8", newline="")

    def __repr__(self) -> str:
        said = f"<Choice: {', '.join(self.chosen)}; {len(self.core)} models cannot be vetoed>"
        return one_line(said)

    def _repr_html_(self) -> str:
        names = list(self.models)
        rows = zip(*(self.models[name] for name in names), strict=True)
        return _html.paragraph(repr(self)) + _html.table(names, [list(row) for row in rows])


def choose(
    models: Any,
    *,
    losses: bool = False,
    weights: Any = None,
    groups: Any = None,
    seed: int | None = None,
) -> Choice:
    """Choose among models by what each agent thinks of them.

    Only the order of preference counts: there are no ceilings, the models may be of any kind, and
    there is always an answer. A group of agents vetoes a model if its share of the say and the part
    of the models that all of it prefers sum to more than one.

    Parameters
    ----------
    models
        A DataFrame (rows are models, columns are agents), a dictionary of dictionaries or vectors
        by model, the path of a CSV file whose first column is ``model``, or the folder of a
        run or a comparison (then losses are compared).
    losses
        Whether smaller is better.
    weights
        The say of each agent; equal unless told.
    groups
        The group of each model, by model or in order (of a CSV file, the name of a column): every
        group counts the same, however many models it has.
    seed
        Of a comparison from several seeds, choose among the models of this one.

    Examples
    --------
    >>> found = choose({"mine": [3, 0], "yours": [0, 3], "ours": [2, 2]})
    >>> found.chosen, found.core
    (['ours'], ['ours'])
    """
    group: str | None = None
    name = "models"
    if isinstance(models, (str, Path)):
        path = Path(models)
        name = str(path)
        if path.is_dir():
            if groups is not None:
                raise InputError("a folder has no column of groups", field="groups")
            text, _ = _corefed.choices_of(path, seed)
            losses = True
        else:
            text = _read(path)
            group = groups
    else:
        text, group = _written(models, groups)
    agents = [column for column in next(csv.reader(io.StringIO(text)))[1:] if column != group]
    roster = Roster(agents)
    say = roster.numbers(weights, "weights", 1.0)
    answer, certificate = _corefed.choose_text(name, text, group, bool(losses), say)
    document = json.loads(answer)
    lines = document["models"]
    vetoes = [line["veto"] or {"coalition": [], "better": []} for line in lines]
    return Choice(
        chosen=document["chosen"],
        core=[line["model"] for line in lines if line["veto"] is None],
        models=Columns(
            {
                "model": [line["model"] for line in lines],
                "measure": np.asarray([line["measure"] for line in lines]),
                "vetoed": np.asarray([line["veto"] is not None for line in lines]),
                "coalition": [veto["coalition"] for veto in vetoes],
                "better": [veto["better"] for veto in vetoes],
            }
        ),
        certificate=Certificate(certificate),
        table=text,
    )


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read `{path}`: {error}", field="models") from None


def _written(models: Any, groups: Any) -> tuple[str, str | None]:
    """Write a table in memory as CSV, every float as it is."""
    if isinstance(models, Mapping):
        names = list(models)
        first = next(iter(models.values()), None)
        agents = list(first) if isinstance(first, Mapping) else None
        roster = Roster(len(as_floats(first, "models")) if agents is None else agents)
        rows = [
            roster.numbers(models[name], "models")
            if isinstance(models[name], Mapping)
            else as_floats(models[name], "models").tolist()
            for name in names
        ]
    elif hasattr(models, "columns") and hasattr(models, "index"):
        names, roster = list(models.index), Roster(list(models.columns))
        rows = as_floats(models, "models").tolist()
    else:
        table = as_floats(models, "models")
        if table.ndim != 2:
            raise InputError(
                f"`models` has the shape {table.shape}; one row per model is expected",
                field="models",
            )
        names, roster = list(range(len(table))), Roster(table.shape[1])
        rows = table.tolist()
    group = None
    if groups is not None:
        group = "group"
        while group in map(str, roster.names):
            group += "_"
        ordered = [groups[name] for name in names] if isinstance(groups, Mapping) else list(groups)
        if len(ordered) != len(names):
            raise InputError(f"{len(ordered)} groups of {len(names)} models", field="groups")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["model", *map(str, roster.names), *([group] if group else [])])
    for at, (name, row) in enumerate(zip(names, rows, strict=True)):
        if len(row) != len(roster):
            raise InputError(
                f"model {name!r} has {len(row)} numbers of {len(roster)} agents", field="models"
            )
        cells = [repr(float(value)) for value in row]
        writer.writerow([name, *cells, *([ordered[at]] if group else [])])
    return out.getvalue(), group
