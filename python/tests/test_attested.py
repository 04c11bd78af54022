"""Certificates of agents that keep their rows."""

import json
from pathlib import Path

import pytest

import corefed

# Two parabolas with targets 0 and 1, signed by both.
CERTIFICATE = Path(__file__).parent / "attested.certificate.json"


def test_a_signed_certificate_is_checked_without_data():
    checked = corefed.verify(CERTIFICATE)
    assert (checked.status, checked.claim) == ("attested", "stable")
    assert "signed by left, right" in checked.checked


def test_an_agent_checks_its_own_answers(tmp_path):
    own = tmp_path / "own.csv"
    own.write_text("agent,x,y\nright,1,1\n", encoding="utf-8")
    checked = corefed.verify(CERTIFICATE, data=own)
    assert checked.status == "attested"
    assert "all 3 answers of `right` are those of its rows" in checked.checked
    own.write_text("agent,x,y\nright,1,0.5\n", encoding="utf-8")
    with pytest.raises(corefed.CertificateError, match="`right` is said to lose"):
        corefed.verify(CERTIFICATE, data=own)
    with pytest.raises(corefed.CertificateError, match="rows that agents keep"):
        corefed.verify(CERTIFICATE, [[1.0]], [1.0], ["right"])


def test_what_was_signed_cannot_be_changed():
    document = json.loads(CERTIFICATE.read_text(encoding="utf-8"))
    document["attestations"][0]["leaves"][0]["margin"] *= 2
    with pytest.raises(corefed.CertificateError, match="`left` did not sign this"):
        corefed.verify(document)
    document["attestations"] = [
        {**own, "rows": None, "signature": None} for own in document["attestations"]
    ]
    assert corefed.verify(document).status == "consistent"
