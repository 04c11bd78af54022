"""The compiled half of the package."""

from collections.abc import Callable
from os import PathLike
from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "Applied",
    "AuditSession",
    "Fitted",
    "JudgedUtilities",
    "LinearAgent",
    "OwnAgent",
    "Rows",
    "RunWriter",
    "Server",
    "__version__",
    "audit_models",
    "audit_utilities",
    "ceiling_facts",
    "choices_of",
    "choose_text",
    "compare_spec",
    "compared_steps",
    "cross_site",
    "families",
    "family_means",
    "fit_encoding",
    "hospitals_csv",
    "learn_control_f32",
    "learn_control_f64",
    "log_slope",
    "main",
    "merge_attestation",
    "newton_step",
    "one_line",
    "public_key",
    "read_audit",
    "read_run",
    "resolve_ceilings",
    "resolve_weights",
    "resume_run",
    "rules",
    "run_edits",
    "run_spec",
    "scan_rivals",
    "search_ceiling",
    "server_defaults",
    "settle_ceilings",
    "shown_lines",
    "spec_text",
    "stay_spec",
    "steadiness",
    "step_part",
    "sweep_spec",
    "verify_document",
    "verify_files",
]
__version__: str

@final
class Applied:
    multipliers: npt.NDArray[np.float64]
    ceilings: npt.NDArray[np.float64]
    utilities: npt.NDArray[np.float64]
    velocity: npt.NDArray[np.floating[Any]]
    weights: list[tuple[int, float]]
    rejected: list[tuple[int, str]]
    floored: list[int]
    raised: list[tuple[int, float]]
    capped: list[int]
    clipped: list[int]
    warm_up: bool
    no_pull: bool

@final
class Server:
    def __new__(
        cls,
        name: str,
        knobs: dict[str, Any],
        safeguards: dict[str, Any],
        step: float,
        momentum: float,
        weights: list[float],
        average: list[float],
        ceilings: list[float],
    ) -> Server: ...
    @property
    def needs_learning_rate(self) -> bool: ...
    def apply_f32(
        self,
        params: list[Any],
        updates: list[list[Any]],
        agents: list[int],
        losses: list[float],
        learning_rate: float,
        part: float,
        state: dict[str, Any] | None,
    ) -> Applied: ...
    def apply_f64(
        self,
        params: list[Any],
        updates: list[list[Any]],
        agents: list[int],
        losses: list[float],
        learning_rate: float,
        part: float,
        state: dict[str, Any] | None,
    ) -> Applied: ...
    def mix_f32(
        self,
        controls: npt.NDArray[np.float32],
        agents: list[int],
        losses: list[float],
        state: dict[str, Any] | None,
    ) -> npt.NDArray[np.float32]: ...
    def mix_f64(
        self,
        controls: npt.NDArray[np.float64],
        agents: list[int],
        losses: list[float],
        state: dict[str, Any] | None,
    ) -> npt.NDArray[np.float64]: ...
    def choose(self, models: list[list[float]]) -> int: ...

def learn_control_f32(
    own: npt.NDArray[np.float32],
    common: npt.NDArray[np.float32],
    update: npt.NDArray[np.float32],
    steps: int,
    learning_rate: float,
    momentum: float,
) -> None: ...
def learn_control_f64(
    own: npt.NDArray[np.float64],
    common: npt.NDArray[np.float64],
    update: npt.NDArray[np.float64],
    steps: int,
    learning_rate: float,
    momentum: float,
) -> None: ...
def compared_steps(directions: int) -> list[tuple[str, float]]: ...
def steadiness(
    rule: str,
    correction: str,
    search: str,
    cohort: int,
    agents: int,
    parameters: int,
    double: bool,
    momentum: float,
) -> tuple[bool, bool]: ...
def step_part(first_step: float, number: int, rounds: int) -> float: ...
def log_slope(loss: float, ceiling: float, floor: float) -> float: ...
def ceiling_facts(text: str) -> tuple[bool, bool] | None: ...
def resolve_ceilings(
    ceilings: str | list[float], names: list[str], losses: list[float]
) -> list[float]: ...
def settle_ceilings(
    policy: str,
    family: str,
    classes: int,
    names: list[str],
    weights: list[float],
    told: list[list[float]],
) -> list[float]: ...
def resolve_weights(
    weights: str | list[float], names: list[str], samples: list[int], field: str
) -> list[float]: ...
def rules() -> list[dict[str, Any]]: ...
def server_defaults() -> dict[str, Any]: ...

@final
class JudgedUtilities:
    status: Literal["stable", "blocked", "improvable", "undecided"]
    kappa: tuple[float, float]
    everybody: tuple[float, float]
    headroom: float | None
    rival: int | None
    coalition: list[int]
    gains: list[tuple[int, float]]
    obstacle: str | None
    assumptions: list[tuple[str, str, str]]
    kappas: npt.NDArray[np.float64]
    factors: npt.NDArray[np.float64]
    mean_gains: npt.NDArray[np.float64]

def audit_utilities(
    incumbent: npt.NDArray[np.float64],
    rivals: npt.NDArray[np.float64],
    weights: list[float],
    ceilings: list[float] | None,
    tolerance: float,
    exact: bool,
) -> JudgedUtilities: ...
def scan_rivals(
    incumbent: npt.NDArray[np.float64],
    rivals: npt.NDArray[np.float64],
    weights: list[float],
) -> npt.NDArray[np.float64]: ...

@final
class Fitted:
    parameters: npt.NDArray[np.float64]
    losses: list[float]
    utilities: list[float]
    ceilings: list[float]
    log_welfare: float
    gap: float
    iterations: int
    converged: bool
    norm: float

@final
class Rows:
    def __new__(
        cls,
        x: npt.NDArray[np.float64],
        y: npt.NDArray[np.float64],
        owners: npt.NDArray[np.int64],
        naming: dict[str, Any],
        weights: list[float] | None = None,
        exposure: list[float] | None = None,
    ) -> Rows: ...
    digest: str
    def solve(self, terms: dict[str, Any], rule: str) -> Fitted: ...
    def certify(
        self, parameters: list[float], terms: dict[str, Any], tolerance: float, time_limit: float
    ) -> tuple[str, str]: ...
    def verify(self, certificate: str) -> tuple[list[str], list[str]]: ...

def verify_document(certificate: str) -> tuple[str, list[str], list[str]]: ...
def verify_files(
    certificate: str, files: list[PathLike[str]]
) -> tuple[str, list[str], list[str]]: ...
def run_spec(
    wanted: str | tuple[str, str],
    settings: list[tuple[str, str]],
    out: PathLike[str] | None,
    data_dir: PathLike[str] | None,
    on_event: Callable[[str], object],
) -> tuple[str, bool]: ...
def resume_run(
    path: str | PathLike[str],
    data_dir: PathLike[str] | None,
    changed_spec: bool,
    on_event: Callable[[str], object],
) -> tuple[str, bool]: ...
def stay_spec(
    wanted: str | tuple[str, str],
    settings: list[tuple[str, str]],
    asked: dict[str, Any],
    data_dir: PathLike[str] | None,
    on_event: Callable[[str], object],
) -> tuple[str, str]: ...
def search_ceiling(
    wanted: str | tuple[str, str],
    settings: list[tuple[str, str]],
    policy: str | None,
    precision: float,
    data_dir: PathLike[str] | None,
    on_event: Callable[[str], object],
) -> str | None: ...
def audit_models(
    rows: dict[str, Any],
    models: list[tuple[str, npt.NDArray[np.float64]]],
    terms: dict[str, Any],
) -> tuple[list[list[float]], list[float], list[str], str]: ...
def compare_spec(
    wanted: str | tuple[str, str],
    settings: list[tuple[str, str]],
    asked: dict[str, Any],
    out: tuple[PathLike[str] | None, bool],
    data_dir: PathLike[str] | None,
    on_event: Callable[[str], object],
) -> tuple[PathLike[str], str | None]: ...
def sweep_spec(
    wanted: str | tuple[str, str],
    settings: list[tuple[str, str]],
    field: str,
    values: list[str],
    jobs: int | None,
    out: tuple[PathLike[str] | None, bool],
    data_dir: PathLike[str] | None,
    on_event: Callable[[str], object],
) -> tuple[PathLike[str], str | None]: ...
def one_line(text: str) -> str: ...
def shown_lines(text: str) -> str: ...
def run_edits(path: str | PathLike[str]) -> list[str]: ...
def read_audit(path: str | PathLike[str]) -> str: ...
def spec_text(json: str) -> str: ...
def main(arguments: list[str]) -> int: ...
def merge_attestation(certificate: str, attestation: str) -> str: ...
def public_key(path: str, secret: list[int], salt: list[int]) -> str: ...
def read_run(path: str | PathLike[str]) -> dict[str, Any]: ...

@final
class RunWriter:
    @staticmethod
    def create(path: str, header: str, spec: str) -> RunWriter: ...
    @staticmethod
    def open(path: str) -> RunWriter: ...
    @property
    def header(self) -> str: ...
    @property
    def spec(self) -> str: ...
    @property
    def made_by(self) -> str | None: ...
    def restore(
        self, changed: tuple[str, list[tuple[str, str | None, str | None]]] | None = None
    ) -> tuple[int, dict[str, npt.NDArray[np.floating[Any]]], str, list[str]] | None: ...
    def append(self, facts: str) -> str: ...
    def checkpoint(self, number: int, tensors: dict[str, Any], state: str) -> None: ...
    def finish(self, number: int, tensors: dict[str, Any], state: str) -> None: ...
    def save_model(self, tensors: dict[str, Any]) -> None: ...
    def audit(
        self,
        losses: list[float],
        rivals: list[tuple[str, list[float]]],
        left_out: str | None,
    ) -> str: ...
    def unjudged(self, rounds: int) -> None: ...
    def attested(self, certificate: str, ended: str, answered: str) -> str: ...
    def remove(self, name: str) -> None: ...
    def write(self, name: str, text: str) -> None: ...

@final
class LinearAgent:
    def __new__(cls, path: str, encoding: str, family: str, l2: float) -> LinearAgent: ...
    @property
    def dim(self) -> int: ...
    @property
    def samples(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...
    def evaluate(self, params: npt.NDArray[np.float64]) -> tuple[float, float | None]: ...
    def steps(self, epochs: int, batch: int) -> int: ...
    def train(
        self, params: npt.NDArray[np.float64], local: dict[str, Any]
    ) -> npt.NDArray[np.float64]: ...
    def derivatives(
        self, params: npt.NDArray[np.float64]
    ) -> tuple[float, npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
    @property
    def cells(self) -> int: ...
    def answer(
        self, question: dict[str, Any]
    ) -> tuple[
        npt.NDArray[np.float64],
        npt.NDArray[np.float64],
        npt.NDArray[np.float64],
        npt.NDArray[np.float64] | None,
        str,
        int,
    ]: ...
    def declare(self, policy: str, radius: float) -> list[float]: ...
    def attest(self, certificate: str, key: str) -> str: ...

@final
class OwnAgent:
    def __new__(
        cls,
        model: str,
        evaluate: Callable[[npt.NDArray[np.float64]], tuple[float, npt.NDArray[np.float64]]],
        hessian: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]],
        dim: int,
        l2: float,
        samples: int,
        cells: int,
    ) -> OwnAgent: ...
    def answer(
        self, question: dict[str, Any]
    ) -> tuple[
        npt.NDArray[np.float64],
        npt.NDArray[np.float64],
        npt.NDArray[np.float64],
        npt.NDArray[np.float64] | None,
        str,
        int,
    ]: ...
    def declare(self, policy: str, radius: float) -> list[float]: ...
    def attest(self, certificate: str, key: str, data: bytes) -> str: ...

@final
class AuditSession:
    def __new__(cls, setup: str) -> AuditSession: ...
    def next(self) -> tuple[int, npt.NDArray[np.float64]] | None: ...
    def missing(self) -> list[int]: ...
    def asked(self, agent: int) -> tuple[list[int], list[int], bool]: ...
    def receive(self, agent: int, answers: dict[str, Any]) -> str: ...
    def replay(self, agent: int, answers: str) -> None: ...
    def refuse(self, agent: int) -> None: ...
    def outcome(self) -> str: ...
    def certificate(self, keys: list[str | None]) -> str: ...

def choices_of(folder: str | PathLike[str], seed: int | None) -> tuple[str, bool]: ...
def choose_text(
    file: str, csv: str, group: str | None, losses: bool, weights: list[float]
) -> tuple[str, str]: ...
def cross_site(
    file: PathLike[str], metric: str | None, losses: bool
) -> tuple[str, list[str], list[str], list[list[float]]]: ...
def families() -> list[dict[str, Any]]: ...
def family_means(family: str, margins: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
def fit_encoding(
    path: str,
    agent: str,
    target: str,
    family: str,
    l2: float,
    raw: bool,
    exposure: str | None = None,
) -> str: ...
def hospitals_csv(seed: int) -> str: ...
def newton_step(
    params: npt.NDArray[np.float64],
    losses: list[float],
    gradients: npt.NDArray[np.float64],
    hessians: npt.NDArray[np.float64],
    weights: list[float],
    ceilings: list[float],
    floor: float,
    radius: float,
    trial: tuple[Any, Any, tuple[float, float, float]] | None,
) -> tuple[npt.NDArray[np.float64], list[float], list[int], tuple[Any, Any, Any] | None]: ...
