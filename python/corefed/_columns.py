"""Records as columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corefed import _html

#: Rows that a notebook shows of a long table.
_SHOWN = 10


class Columns(dict[str, Any]):
    """Columns of equal length by name: arrays of numbers, lists of anything else.

    A dictionary, so that ``pandas.DataFrame`` and ``polars.DataFrame`` take it as a table.
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        super().__init__(columns)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(next(iter(self.values()), []))

    def to_pandas(self) -> Any:
        """Give a DataFrame."""
        import pandas as pd

        return pd.DataFrame(self)

    def to_dict(self) -> dict[str, Any]:
        """Give the columns."""
        return dict(self)

    def __repr__(self) -> str:
        return f"<{self.rows} rows of {', '.join(self)}>"

    def _repr_html_(self) -> str:
        last = slice(max(0, self.rows - _SHOWN), self.rows)
        rows = zip(*(column[last] for column in self.values()), strict=True)
        said = f"{self.rows} rows" + (f", the last {_SHOWN}:" if self.rows > _SHOWN else "")
        return _html.paragraph(said) + _html.table(list(self), rows)
