"""The command that pip installs: the same as the native one, in this process."""

from __future__ import annotations

import signal
import sys

from corefed import _corefed


def main() -> int:
    """Run ``corefed`` with this process's arguments."""
    # The command handles Ctrl-C itself where it can, and dies of it elsewhere.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _corefed.main(["corefed", *sys.argv[1:]])
