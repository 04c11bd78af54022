"""A table and a page of an agent's own rounds: `python -m corefed.flower.own_page KEEP`."""

from __future__ import annotations

import sys

from corefed._corefed import one_line
from corefed._errors import InputError
from corefed.flower.own_history import own_report


def main(arguments: list[str]) -> int:
    """Exit code 0 with the names of what was written, 1 with the reason why nothing was."""
    if len(arguments) != 1:
        print("usage: python -m corefed.flower.own_page KEEP", file=sys.stderr)
        return 2
    try:
        for made in own_report(arguments[0]):
            print(one_line(f"written: {made}"))
    except InputError as why:
        print(why, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
