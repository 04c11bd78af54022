"""Runs: the engine and its folders, from Python."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from corefed import _corefed, _html
from corefed._asked_spec import asked_spec
from corefed._certificate import Certificate
from corefed._columns import Columns
from corefed._errors import CertificateError, EditedWarning, RunError
from corefed._plot import plot_run
from corefed._progress import Listener, listener
from corefed._reading import LARGEST_SPEC, reading, text_of
from corefed._verdict import Verdict
from corefed._verdict_document import from_audit

if TYPE_CHECKING:
    from corefed._stay import Stay


def run(
    spec: str | Path | Mapping[str, Any] = "hospitals",
    *,
    out: str | Path | None = None,
    data_dir: str | Path | None = None,
    progress: bool | Listener = True,
    **overrides: Any,
) -> Run:
    """Run a spec: solve it exactly, or train it by rounds, and audit what comes out.

    Ctrl-C ends a training after the round under way; :func:`resume` continues from there.

    Parameters
    ----------
    spec
        A preset, a file ending in ``.toml``, a table such as ``rows.csv`` (its columns are then
        keys: ``agent="hospital", target="disease"``), or the spec itself as a dictionary.
    out
        Folder to write; it must not exist. The next free ``runs/NAME`` unless told.
    data_dir
        Folder of downloaded data sets; ``COREFED_DATA``, else the user's cache, unless told. The
        run's folder does not remember it.
    progress
        Whether to show a bar (of tqdm, where it is installed), or a function that is called with
        every event: a dictionary with ``event`` and the columns of a round's record.
    **overrides
        Keys of the spec, with two underscores for a dot: ``train__rounds=20``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     out = f"{folder}/run"
    ...     done = run("hospitals-rounds", train__rounds=3, out=out, progress=False)
    ...     done.rounds["round"]
    array([0, 1, 2, 3])
    """
    wanted, settings = asked_spec(spec, overrides)
    path, data = _path(out), _path(data_dir)
    return _watched(progress, lambda tell: _corefed.run_spec(wanted, settings, path, data, tell))


def resume(
    run_dir: str | Path,
    *,
    data_dir: str | Path | None = None,
    changed_spec: bool = False,
    progress: bool | Listener = True,
) -> Run:
    """Continue a training from its newest checkpoint, to the same bits.

    Parameters
    ----------
    run_dir
        The folder of the run.
    data_dir
        As for :func:`run`.
    changed_spec
        Whether to continue although ``spec.toml`` was changed; its summary and report then say so.
    progress
        As for :func:`run`.
    """
    path, data = Path(run_dir), _path(data_dir)
    return _watched(progress, lambda tell: _corefed.resume_run(path, data, changed_spec, tell))


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)


def load(run_dir: str | Path) -> Run:
    """Read the folder of a run, while it runs or afterwards.

    Warns (:class:`EditedWarning`) where records, settings or documents are not what the run wrote.

    Parameters
    ----------
    run_dir
        The folder of the run.
    """
    path = Path(run_dir)
    if not (path / "spec.toml").exists():
        raise RunError(
            f"`{path}` is not a run folder",
            field="run_dir",
            hint="a run folder has a `spec.toml`; was it written by `corefed run`?",
        )
    for edit in _corefed.run_edits(path):
        warnings.warn(edit, EditedWarning, stacklevel=2)
    return Run(path)


class Run:
    """The folder of a run.

    A training has rounds, agents and one model; an exact run has one predictor per rule.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def spec(self) -> dict[str, Any]:
        """Everything the run depends on."""
        import tomllib

        path = self.path / "spec.toml"
        with reading(path):
            return tomllib.loads(text_of(path, LARGEST_SPEC))

    @cached_property
    def _records(self) -> dict[str, Any]:
        return _corefed.read_run(self.path)

    @property
    def header(self) -> dict[str, Any]:
        """What the run is: rule or rules, seed, data, agents with weights and ceilings."""
        header: dict[str, Any] = json.loads(self._records["header"])
        return header

    @property
    def rounds(self) -> Columns:
        """One row per round; empty for an exact run."""
        return Columns(self._records["rounds"])

    @property
    def agents(self) -> Columns:
        """One row per agent and round; of an exact run, one per rule and agent."""
        if self.rules:
            return _by_rule(self.rules)
        return Columns(self._records["agents"])

    @property
    def model(self) -> dict[str, np.ndarray[Any, Any]]:
        """The newest model: arrays by name; empty for an exact run."""
        return dict(self._records["model"])

    @cached_property
    def rules(self) -> dict[str, dict[str, Any]]:
        """Predictor and audit of each rule of an exact run, in the order of its tables."""
        ending = ".predictor.json"
        files = {file.name.removesuffix(ending): file for file in self.path.glob(f"*{ending}")}
        return {name: _audit(files[name]) for name in self.header.get("rules", ()) if name in files}

    @property
    def audit(self) -> dict[str, Any] | None:
        """The audit of the model, or of the core predictor; ``None`` before the end."""
        file = self.path / "audit.json"
        return _audit(file) if file.exists() else self.rules.get("core")

    @property
    def certificate(self) -> Certificate | None:
        """The certificate of the model, or of the core predictor, if there is one."""
        for name in ("certificate.json", "core.certificate.json"):
            if (self.path / name).exists():
                with reading(self.path / name):
                    found = Certificate.load(self.path / name)
                    if found.status == "unknown":
                        raise CertificateError("it claims nothing", field="certificate")
                    return found
        return None

    @property
    def verdict(self) -> Verdict | None:
        """Whether anybody would leave; ``None`` before the end."""
        found = self.audit
        if found is None:
            return None
        with reading(self.path / "audit.json"):
            return from_audit(found, certificate=self.certificate)

    def stay(self, **asked: Any) -> Stay:
        """Ask whether the run's model is worth staying for, on rows that nobody trained on.

        Every group trains by the settings of the run, on the run's data.

        Parameters
        ----------
        **asked
            Keywords of :func:`corefed.stay`.
        """
        from corefed._stay import stay

        return stay(self.path / "spec.toml", **asked)

    def plot(self, ax: Any = None) -> Any:
        """Draw the agents' utilities: over the rounds of a training, by rule of an exact run.

        Parameters
        ----------
        ax
            Axes of matplotlib to draw on; new ones unless told, for which matplotlib is needed.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        return plot_run(self, ax)

    def __repr__(self) -> str:
        said = "not finished" if self.audit is None else str(self.verdict)
        return _corefed.one_line(f"<Run {self.path}: {said}>")

    def _repr_html_(self) -> str:
        verdict = self.verdict
        shown = "" if verdict is None else verdict._repr_html_()
        return _html.paragraph(repr(self)) + shown


def _by_rule(rules: Mapping[str, Mapping[str, Any]]) -> Columns:
    """What every rule gives every agent."""
    lines = [(rule, agent) for rule, found in rules.items() for agent in found["agents"]]
    columns: dict[str, Any] = {
        "rule": [rule for rule, _ in lines],
        "agent": [agent["name"] for _, agent in lines],
        "samples": np.array([_told(rule, agent, "samples") for rule, agent in lines]),
    }
    for name in ("weight", "ceiling", "loss", "utility"):
        columns[name] = np.array([float(_told(rule, agent, name)) for rule, agent in lines])
    alone = [agent.get("alone") for _, agent in lines]
    columns["alone"] = np.array([np.nan if n is None else float(n) for n in alone])
    return Columns(columns)


def _told(rule: str, agent: Mapping[str, Any], name: str) -> Any:
    """What an audit of an exact run says of everybody; other audits may leave it out."""
    if (value := agent.get(name)) is None:
        raise RunError(
            f"`{_corefed.one_line(rule)}.predictor.json` does not say the {name} of agent "
            f"`{_corefed.one_line(agent['name'])}`",
            hint="the file was edited after it was written: run the spec again",
        )
    return value


def _audit(file: Path) -> dict[str, Any]:
    """Read an audit, checked as the engine checks it."""
    found: dict[str, Any] = json.loads(_corefed.read_audit(file))
    return found


def _watched(progress: bool | Listener, work: Callable[[Callable[[str], None]], Any]) -> Run:
    """Do some work under the eyes of a listener."""
    listen = listener(progress)
    begun: list[str] = []

    def tell(line: str) -> None:
        event = json.loads(line)
        begun.extend([event["folder"]] if event["event"] == "start" else [])
        listen(event)

    try:
        folder, _stopped = work(tell)
    except KeyboardInterrupt as stopped:
        if begun:
            stopped.add_note(f"continue with corefed.resume({begun[-1]!r})")
        raise
    return load(folder)
