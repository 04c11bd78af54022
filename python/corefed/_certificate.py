"""Certificates: documents that others can check."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corefed import _html
from corefed._corefed import one_line
from corefed._errors import CertificateError
from corefed._reading import LARGEST_DOCUMENT, text_of


class Certificate:
    """A claim about a predictor with the evidence for it, as ``corefed verify`` reads it.

    Parameters
    ----------
    document
        The document, as text or as the dictionary that its JSON holds.
    """

    def __init__(self, document: str | Mapping[str, Any]) -> None:
        if isinstance(document, str):
            try:
                document = json.loads(document)
            except (json.JSONDecodeError, RecursionError) as error:
                raise CertificateError(
                    f"the certificate is not JSON: {error}", field="certificate"
                ) from None
        if not isinstance(document, Mapping):
            raise CertificateError("a certificate is a JSON object", field="certificate")
        self._document = dict(document)

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a file."""
        try:
            text = text_of(Path(path), LARGEST_DOCUMENT)
        except (OSError, ValueError) as error:
            raise CertificateError(
                f"cannot read the certificate: {error}", field="certificate"
            ) from None
        return cls(text)

    @property
    def status(self) -> str:
        """What it claims: ``stable``, ``blocked``, ``improvable`` or ``undecided``."""
        return str(self._document.get("claim", {}).get("verdict", "unknown"))

    @property
    def digest(self) -> str:
        """The SHA-256 of the data it speaks of."""
        return str(self._document.get("digests", {}).get("data", ""))

    def to_dict(self) -> dict[str, Any]:
        """Give the document."""
        return dict(self._document)

    def to_json(self) -> str:
        """Give the document as text; every float survives."""
        return json.dumps(self._document, indent=2, ensure_ascii=False) + "\n"

    def save(self, path: str | Path) -> None:
        """Write a file that ``corefed verify`` reads."""
        Path(path).write_text(self.to_json(), encoding="utf-8")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and self._document == other._document

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return one_line(f"<Certificate: {self.status}, data {self.digest[:12]}>")

    def _repr_html_(self) -> str:
        agents = self._document.get("agents", [])
        fields = ["name", "samples", "weight", "ceiling", "utility"]
        rows = [[agent.get(field, "") for field in fields] for agent in agents]
        return _html.paragraph(repr(self)) + _html.table(fields, rows)
