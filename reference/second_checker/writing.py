"""How a file writes a table: packed or not, what separates cells, and what decimals."""

import csv
import gzip
import io
import re
import zlib
from itertools import islice

from .refusal import Refused, require

BLANK = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    chr(c) for c in range(0x2000, 0x200B)
)
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
COMMA_NUMBER = re.compile(r"(-?)([0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+(?=,))(?:(,)([0-9]*))?")
MARKS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
SAMPLE = 1 << 16
LINES = 50
MOST_UNPACKED = 1 << 30

csv.field_size_limit(2**31 - 1)


def unpacked(raw):
    """The text of a file, which may be packed with gzip."""
    require(not raw.startswith(b"\x28\xb5\x2f\xfd"), "the data are packed with zstd: unpack them first")
    if raw.startswith(b"\x1f\x8b"):
        try:
            raw = gzip.GzipFile(fileobj=io.BytesIO(raw)).read(MOST_UNPACKED + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise Refused(f"the data are not gzip: {error}") from error
        require(len(raw) <= MOST_UNPACKED, "the data are larger than a packed file may be")
    return raw.removeprefix(b"\xef\xbb\xbf")


def records(text, separator):
    """Lines of trimmed cells; blank lines do not count."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    return ([cell.strip(BLANK) for cell in line] for line in reader if line)


def form(raw, told):
    """The separator, and whether commas separate decimals: as told, else as the first lines suggest."""
    sample = raw[:SAMPLE].decode("utf-8", errors="replace")
    found = []
    for mark in [told["separator"]] if told.get("separator") else ["comma", "semicolon", "tab"]:
        lines = list(islice(records(sample, MARKS[mark]), LINES + 1))
        if len(raw) >= SAMPLE and len(lines) <= LINES:
            # The sample may end within a line.
            lines = lines[:-1]
        if lines and len(lines[0]) > 1:
            even = all(len(line) == len(lines[0]) for line in lines)
            found.append((even, mark == "comma", len(lines[0]), len(found), mark, lines))
    mark, lines = max(found)[4:] if found else (told.get("separator") or "comma", [])
    if told.get("decimal"):
        return MARKS[mark], told["decimal"] == "comma"
    cells = [cell for line in lines[1:] for cell in line]
    commas = any("," in cell and with_point(cell) != cell for cell in cells)
    points = any("." in cell and NUMBER.fullmatch(cell) and with_point(cell) == cell for cell in cells)
    return MARKS[mark], mark != "comma" and commas and not points


def with_point(cell):
    """`1.234,5` as `1234.5`; what is not such a number stays."""
    found = COMMA_NUMBER.fullmatch(cell)
    if not found:
        return cell
    sign, whole, comma, decimals = found.groups()
    return sign + whole.replace(".", "") + (f".{decimals}" if comma else "")
