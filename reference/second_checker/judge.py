"""The checker: a document and its data in, accepted or refused out."""

import functools
import json
import math
import struct
from dataclasses import dataclass
from pathlib import Path

from .cells import read_cells
from .claim import check_intervals, check_statements, check_utility, check_verdict
from .document import read_document
from .evidence import check_evidence
from .federation import Federation, Setting, digest
from .refusal import Refused, Room, require
from .tables import check_table
from .witness import check_improvement, check_witness


@dataclass(frozen=True)
class Verdict:
    """What the checker says.

    `room` is the narrowest of the proven inequalities, relative to its sides: where it is tiny, a
    checker in double precision may refuse. `miss` is by how much a refused one fails, after `proven`
    others held.
    """

    accepted: bool
    reason: str
    room: float = math.inf
    miss: float = 0.0
    proven: int = 0


def judge(document_text, data_path):
    """Whether a certificate is proven on the data."""
    room = Room()
    try:
        certificate = read_document(document_text)
        check(room, certificate, Path(data_path).read_bytes())
    except Refused as refusal:
        return Verdict(False, str(refusal), miss=refusal.miss, proven=room.proven)
    return Verdict(True, "verified", room.narrowest, proven=room.proven)


def check(room, certificate, raw):
    claim, agents, subject = (certificate[k] for k in ("claim", "agents", "subject"))
    check_intervals(claim)
    check_statements(agents)
    require(certificate["digests"]["data"] == digest(raw), "the data are others")
    if subject["kind"] == "table":
        check_table(room, certificate, read_cells(raw))
        return
    check_verdict(claim)
    numbers = subject["parameters"]
    bits = struct.pack(f"<{len(numbers)}d", *numbers)
    require(certificate["digests"]["parameters"] == digest(bits), "the parameters are others")
    setting = settle(raw, subject, agents)
    for agent, exact in zip(agents, setting.now, strict=True):
        check_utility(room, agent, exact)
    check_witness(room, setting, claim, certificate["witness"])
    check_improvement(room, setting, claim, certificate["improvement"])
    check_evidence(room, setting, claim, certificate["evidence"], certificate["assumptions"])


def settle(raw, subject, agents):
    """The agents of the document on the rows of the data."""
    without = {k: v for k, v in subject.items() if k not in ("parameters", "radius")}
    federation = encoded(raw, json.dumps(without))
    stated = [(agent["name"], agent["samples"]) for agent in agents]
    found = [(rows.name, len(rows.targets)) for rows in federation.agents]
    require(stated == found, "the agents are others than those of the data")
    return Setting(federation, subject, agents)


@functools.lru_cache(maxsize=8)
def encoded(raw, subject):
    """A federation is encoded once, however many documents speak of it."""
    return Federation(raw, json.loads(subject))
