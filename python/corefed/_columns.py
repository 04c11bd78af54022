"""Records as columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from corefed import _html

#: Rows that a notebook shows of a long table.
_SHOWN = 10


class Columns(Mapping[str, Any]):
    """Columns of equal length by name: arrays of numbers, lists of anything else."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns = dict(columns)

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """How many columns there are."""
        return len(self._columns)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(next(iter(self._columns.values()), []))

    def to_pandas(self) -> Any:
        """Give a DataFrame."""
        import pandas as pd

        return pd.DataFrame(self._columns)

    def to_dict(self) -> dict[str, Any]:
        """Give the columns."""
        return dict(self._columns)

    def __repr__(self) -> str:
        return f"<{self.rows} rows of {', '.join(self._columns)}>"

    def _repr_html_(self) -> str:
        last = slice(max(0, self.rows - _SHOWN), self.rows)
        rows = zip(*(column[last] for column in self._columns.values()), strict=True)
        said = f"{self.rows} rows" + (f", the last {_SHOWN}:" if self.rows > _SHOWN else "")
        return _html.paragraph(said) + _html.table(list(self._columns), rows)
