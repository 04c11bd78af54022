"""Flower strategies over the rules of CoreFed, with records, resume and audits."""

from __future__ import annotations

try:
    import flwr as _flwr  # noqa: F401
except ImportError as missing:
    raise ImportError("corefed.flower needs Flower: pip install 'corefed[flower]'") from missing

from corefed.flower.client import agent_name, report_loss
from corefed.flower.convex import ConvexClient
from corefed.flower.convex_app import convex_app
from corefed.flower.correction import Correction
from corefed.flower.exact import Exact
from corefed.flower.linear import LinearClient
from corefed.flower.newton import Newton
from corefed.flower.oracle import answer_audits
from corefed.flower.own_history import own_report
from corefed.flower.private import Privacy
from corefed.flower.private_client import private_answers
from corefed.flower.rounds import start
from corefed.flower.rules import *  # noqa: F403
from corefed.flower.rules import __all__ as _rules
from corefed.flower.sealing import secure_sums
from corefed.flower.secure import Secure
from corefed.flower.strategy import RuleStrategy

__all__ = [
    *_rules,
    "ConvexClient",
    "Correction",
    "Exact",
    "LinearClient",
    "Newton",
    "Privacy",
    "RuleStrategy",
    "Secure",
    "agent_name",
    "answer_audits",
    "convex_app",
    "own_report",
    "private_answers",
    "report_loss",
    "secure_sums",
    "start",
]
