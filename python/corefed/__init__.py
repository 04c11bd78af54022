"""Federated learning that no coalition wants to leave."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corefed._aggregate import aggregate, log_slope
    from corefed._audit import audit, kappa
    from corefed._ceiling import CeilingSearch, ceiling
    from corefed._certificate import Certificate
    from corefed._certify import certify
    from corefed._checked import Checked, verify
    from corefed._choose import Choice, choose
    from corefed._columns import Columns
    from corefed._corefed import __version__
    from corefed._cross_site import audit_cross_site
    from corefed._errors import (
        AgentsWarning,
        BallWarning,
        CertificateError,
        CohortError,
        CorefedError,
        EditedWarning,
        InfeasibleError,
        InputError,
        RunError,
    )
    from corefed._example import hospitals_csv
    from corefed._models import ModelAudits, audit_models
    from corefed._rules import Knob, RuleInfo, rules
    from corefed._run import Run, load, resume, run
    from corefed._server import Server
    from corefed._server_state import Aggregated, ServerState
    from corefed._several import Comparison, Sweep, compare, sweep
    from corefed._stay import Stay, stay
    from corefed._verdict import Interval, Verdict
    from corefed.estimators import CoreClassifier, CorePoissonRegressor, CoreRegressor

__all__ = [
    "AgentsWarning",
    "Aggregated",
    "BallWarning",
    "CeilingSearch",
    "Certificate",
    "CertificateError",
    "Checked",
    "Choice",
    "CohortError",
    "Columns",
    "Comparison",
    "CoreClassifier",
    "CorePoissonRegressor",
    "CoreRegressor",
    "CorefedError",
    "EditedWarning",
    "InfeasibleError",
    "InputError",
    "Interval",
    "Knob",
    "ModelAudits",
    "RuleInfo",
    "Run",
    "RunError",
    "Server",
    "ServerState",
    "Stay",
    "Sweep",
    "Verdict",
    "__version__",
    "aggregate",
    "audit",
    "audit_cross_site",
    "audit_models",
    "ceiling",
    "certify",
    "choose",
    "compare",
    "hospitals_csv",
    "kappa",
    "load",
    "log_slope",
    "resume",
    "rules",
    "run",
    "stay",
    "sweep",
    "verify",
]

# Where names live. They are imported when they are asked for: NumPy takes a tenth of a second, and
# scikit-learn longer than all the rest.
_HOMES = {
    "_aggregate": ["aggregate", "log_slope"],
    "_audit": ["audit", "kappa"],
    "_ceiling": ["CeilingSearch", "ceiling"],
    "_certificate": ["Certificate"],
    "_certify": ["certify"],
    "_checked": ["Checked", "verify"],
    "_choose": ["Choice", "choose"],
    "_columns": ["Columns"],
    "_corefed": ["__version__"],
    "_cross_site": ["audit_cross_site"],
    "_errors": [
        "AgentsWarning",
        "BallWarning",
        "CertificateError",
        "CohortError",
        "CorefedError",
        "EditedWarning",
        "InfeasibleError",
        "InputError",
        "RunError",
    ],
    "_example": ["hospitals_csv"],
    "_models": ["ModelAudits", "audit_models"],
    "_rules": ["Knob", "RuleInfo", "rules"],
    "_run": ["Run", "load", "resume", "run"],
    "_server": ["Server"],
    "_server_state": ["Aggregated", "ServerState"],
    "_several": ["Comparison", "Sweep", "compare", "sweep"],
    "_stay": ["Stay", "stay"],
    "_verdict": ["Interval", "Verdict"],
    "estimators": ["CoreClassifier", "CorePoissonRegressor", "CoreRegressor"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a name, once."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'corefed' has no attribute {name!r}")
    value = getattr(import_module(f"corefed.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Name the lazy ones, too."""
    return sorted(__all__)
