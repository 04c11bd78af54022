"""What a certificate says of cells before they are encoded: words for holes, dates, rows left out."""

import re
from datetime import date

from .cells import Cells, is_missing, quantity
from .refusal import require

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
DATE = re.compile(
    r"(?:(?P<y>\d{4})(?P<s>[-/])(?P<m>\d\d?)(?P=s)(?P<d>\d\d?)|(?P<d2>\d\d?)\.(?P<m2>\d\d?)\.(?P<y2>\d{4}))"
    r"(?:[T ](?P<H>\d\d?):(?P<M>\d\d?)(?::(?P<S>\d+(?:\.\d*)?))?Z*)?",
    re.ASCII,
)


def take(cells, encoding, family):
    """The cells that the encoding speaks of."""
    intake = encoding["intake"] or {"na": None, "dates": None, "rows": None}
    cells = blanked(cells, intake["na"] or [])
    for column in intake["dates"] or []:
        cells = dated(cells, column["column"], column["becomes"] == "parts")
    rows = intake["rows"] or "all"
    if rows == "all":
        return cells
    classes = set(encoding["classes"])
    no_class = {"", "?", "na", "n/a", "#n/a", "nan", "null"}

    def unlabelled(cell):
        if family in ("linear", "poisson"):
            return is_missing(cell)
        return cell.lower() in no_class and cell not in classes

    holes = [(encoding["target_column"], unlabelled)]
    if rows == "complete":
        for name in dict.fromkeys(f["column"] for f in encoding["features"] if "column" in f):
            levels = {f["level"] for f in encoding["features"] if f.get("column") == name and "level" in f}
            holes.append((name, lambda cell, levels=levels: is_missing(cell) and cell not in levels))
        if encoding["exposure_column"] is not None:
            holes.append((encoding["exposure_column"], is_missing))
    drop = [False] * len(cells.rows)
    for name, is_hole in holes:
        drop = [gone or is_hole(cell) for gone, cell in zip(drop, cells.column(name), strict=True)]
    kept = [row for row, gone in zip(cells.rows, drop, strict=True) if not gone]
    require(kept, "every row has a hole")
    return Cells(cells.columns, kept)


def blanked(cells, words):
    if not words:
        return cells
    numbers = {quantity(word) for word in words} - {None}
    own = lambda cell: cell in words or quantity(cell) in numbers  # noqa: E731
    return Cells(cells.columns, [["" if own(cell) else cell for cell in row] for row in cells.rows])


def dated(cells, name, parts):
    """Days since 1970 in place of dates, and behind all columns their parts."""
    column = cells.column(name)
    index = cells.columns.index(name)
    read = [None if is_missing(cell) else moment(cell) for cell in column]
    columns = cells.columns + [f"{name}.{part}" for part in ("month", "weekday", "hour") if parts]
    rows = []
    for row, when in zip(cells.rows, read, strict=True):
        row = list(row)
        row[index] = "" if when is None else repr(when[0])
        rows.append(row + (list(when[1:]) if when else [""] * 3) if parts else row)
    return Cells(columns, rows)


def moment(cell):
    found = DATE.fullmatch(cell)
    require(found, f"`{cell}` is not a date")
    part = found.groupdict()
    year, month, day = (int(part[k] or part[k + "2"]) for k in "ymd")
    try:
        when = date(year, month, day)
    except ValueError:
        require(False, f"`{cell}` is not a date")
    days, hour = when.toordinal() - date(1970, 1, 1).toordinal(), ""
    if part["H"] is not None:
        clock = (int(part["H"]), int(part["M"]), float(part["S"] or 0))
        require(clock[0] < 24 and clock[1] < 60 and clock[2] < 61, f"`{cell}` is not a time")
        seconds = float(clock[0] * 3600 + clock[1] * 60) + clock[2]
        days, hour = days + seconds / 86400.0, f"{int(seconds // 3600):02}h"
    return float(days), MONTHS[month - 1], WEEKDAYS[when.weekday()], hour

