"""Checks of certificates, on arrays or on files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corefed import _corefed, _html
from corefed._certificate import Certificate
from corefed._data import read
from corefed._errors import CertificateError
from corefed._families import family_named
from corefed._owners import apart, chosen


@dataclass(frozen=True)
class Checked:
    """What a check of a certificate covered.

    Attributes
    ----------
    status
        ``verified`` on the data, ``attested`` or ``partly attested`` by agents that keep their
        rows, or only ``consistent`` with itself.
    claim
        What the certificate claims, now confirmed as far as `checked` says.
    checked, not_checked
        In words.
    """

    status: str
    claim: str
    checked: list[str]
    not_checked: list[str]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "status": self.status,
            "claim": self.claim,
            "checked": self.checked,
            "not_checked": self.not_checked,
        }

    def to_pandas(self) -> Any:
        """Give one row per statement as a DataFrame."""
        import pandas as pd

        said = [(what, True) for what in self.checked]
        said += [(what, False) for what in self.not_checked]
        return pd.DataFrame(said, columns=["statement", "checked"])

    def _repr_html_(self) -> str:
        rows = [("checked", what) for what in self.checked]
        rows += [("not checked", what) for what in self.not_checked]
        return _html.paragraph(f"{self.status}: the certificate says {self.claim}") + _html.table(
            ["", "statement"], rows
        )


def verify(
    certificate: Certificate | Mapping[str, Any] | str | Path,
    X: Any = None,
    y: Any = None,
    agents: Any = None,
    *,
    sample_weight: Any = None,
    exposure: Any = None,
    groups: Any = None,
    data: str | Path | Sequence[str | Path] | None = None,
) -> Checked:
    """Check a certificate.

    The checker shares with the solver how documents and data are read, and no other code.

    Parameters
    ----------
    certificate
        A certificate, its dictionary, or the file that holds it.
    X, y, agents, sample_weight, exposure
        The arrays it was issued for.
    groups
        Another name for `agents`.
    data
        In place of arrays, the file (or files) it was issued for; where agents keep their rows, one
        agent's own.

    Raises
    ------
    CertificateError
        If it does not hold, with the reason.
    """
    document = _certificate(certificate)
    text = document.to_json()
    if data is not None:
        return _on_files(document, data)
    if X is None:
        return _checked(document, *_corefed.verify_document(text))
    subject = document.to_dict().get("subject", {})
    if "attestations" in document.to_dict():
        raise CertificateError(
            "the certificate is about rows that agents keep",
            hint="pass one agent's own file as `data`, or nothing to check who signed",
        )
    if "encoding" not in subject:
        raise CertificateError(
            "the certificate speaks of a table of utilities", hint="pass its file as `data`"
        )
    encoding = subject["encoding"]
    features = [f["column"] for f in encoding["features"] if f.get("kind") == "numeric"]
    classes = None
    if family_named(subject["family"]).is_class:
        classes = np.unique(np.asarray(y))
        if [str(label) for label in classes] != encoding["classes"]:
            raise CertificateError(
                f"y has the classes {classes.tolist()}, the certificate {encoding['classes']}",
                field="y",
            )
    X, owners = apart(X, chosen(agents, groups, needed=True))
    rows = read(
        X,
        y,
        owners,
        subject["family"],
        intercept=len(features) < len(encoding["features"]),
        classes=classes,
        features=features,
        sample_weight=sample_weight,
        exposure=exposure,
    )
    return _checked(document, "verified", *rows.rows.verify(text))


def _certificate(given: Any) -> Certificate:
    if isinstance(given, Certificate):
        return given
    if isinstance(given, Mapping) or (isinstance(given, str) and given.lstrip().startswith("{")):
        return Certificate(given)
    return Certificate.load(given)


def _checked(
    document: Certificate, status: str, checked: list[str], not_checked: list[str]
) -> Checked:
    return Checked(status, document.status, checked, not_checked)


def _on_files(document: Certificate, data: Any) -> Checked:
    files = [data] if isinstance(data, (str, Path)) else list(data)
    found = _corefed.verify_files(document.to_json(), [Path(file) for file in files])
    return _checked(document, *found)
