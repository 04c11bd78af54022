"""CSV files as rows of text cells, and cells as numbers."""

import csv
from dataclasses import dataclass
from fractions import Fraction

from .refusal import Refused, require
from .writing import NUMBER, form, records, unpacked, with_point

# Solvers square numbers, and square those: the data layer accepts none beyond this.
LARGEST = 1e50
LARGEST_EXPONENT = 400
MOST_DIGITS = 1200


@dataclass(frozen=True)
class Cells:
    """Trimmed cells under distinct names."""

    columns: list
    rows: list

    def column(self, name):
        require(name in self.columns, f"the data have no column `{name}`")
        index = self.columns.index(name)
        return [row[index] for row in self.rows]


def read_cells(raw, told=None):
    """The bytes of a file as cells; blank lines and a byte order mark do not count."""
    raw = unpacked(raw)
    try:
        content = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused("the data are not UTF-8") from error
    try:
        separator, decimal_comma = form(raw, told or {})
        lines = list(records(content, separator))
    except csv.Error as error:
        raise Refused(f"the data are not CSV: {error}") from error
    require(len(lines) >= 2, "the data have no rows")
    columns, *rows = lines
    require("" not in columns, "a column has no name")
    require(len(set(columns)) == len(columns), "two columns have one name")
    require(all(len(row) == len(columns) for row in rows), "a row is longer or shorter than the header")
    if decimal_comma:
        rows = [[with_point(cell) for cell in row] for row in rows]
    return Cells(columns, rows)


WORDS = ("", "?", ".", "-", "na", "n/a", "#n/a", "nan", "null", "none")


def is_missing(cell):
    """Whether a cell that should be a number holds a word for none."""
    return cell.lower() in WORDS


def quantity(cell):
    """The double nearest to a decimal, or None where the cell is not a number within the limit."""
    value = float(cell) if NUMBER.fullmatch(cell) else None
    return value if value is not None and abs(value) <= LARGEST else None


def decimal(cell):
    """A decimal without rounding."""
    require(NUMBER.fullmatch(cell), f"`{cell}` is not a decimal number")
    mantissa, _, exponent = cell.lower().partition("e")
    require(abs(int(exponent or 0)) <= LARGEST_EXPONENT, f"the exponent of `{cell}` is too large")
    require(sum(c.isdigit() for c in mantissa) <= MOST_DIGITS, "a number has too many digits")
    return Fraction(cell)
