"""A second checker of certificates, written from `docs/certificate.md` and from nothing else.

Exact where the first one encloses in doubles, and slow where that one is fast: what they have in
common is the page.
"""

from .judge import Verdict, judge

__all__ = ["Verdict", "judge"]
