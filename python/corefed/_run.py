"""Runs: the engine and its folders, from Python."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from corefed import _corefed, _html
from corefed._certificate import Certificate
from corefed._columns import Columns
from corefed._errors import RunError
from corefed._progress import Listener, listener
from corefed._verdict import Interval, Verdict


def run(
    spec: str | Path | Mapping[str, Any] = "hospitals",
    *,
    out: str | Path | None = None,
    progress: bool | Listener = True,
    **overrides: Any,
) -> Run:
    """Run a spec: solve it exactly, or train it by rounds, and audit what comes out.

    Ctrl-C ends a training after the round under way; :func:`resume` goes on from there.

    Parameters
    ----------
    spec
        A preset, a file ending in ``.toml``, or the spec itself as a dictionary.
    out
        Folder to write; it must not exist. The next free ``runs/NAME`` unless told.
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
    words = ["--json"]
    if out is not None:
        words += ["--out", str(out)]
    for key, value in overrides.items():
        words += ["--set", f"{key.replace('__', '.')}={_setting(value)}"]
    if not isinstance(spec, Mapping):
        return _call(["corefed", "run", str(spec), *words], progress)
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{spec.get('name', 'run')}.toml"
        path.write_text(_toml(spec), encoding="utf-8")
        return _call(["corefed", "run", str(path), *words], progress)


def resume(run_dir: str | Path, *, progress: bool | Listener = True) -> Run:
    """Continue a training from its newest checkpoint, to the same bits.

    Parameters
    ----------
    run_dir
        The folder of the run.
    progress
        As for :func:`run`.
    """
    return _call(["corefed", "run", "--resume", str(run_dir), "--json"], progress)


def load(run_dir: str | Path) -> Run:
    """Read the folder of a run, while it goes on or afterwards.

    Parameters
    ----------
    run_dir
        The folder of the run.
    """
    path = Path(run_dir)
    if not (path / "spec.toml").exists():
        raise RunError(
            f"`{path}` is no run",
            field="run_dir",
            hint="a run folder has a `spec.toml`; was it written by `corefed run`?",
        )
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

        return tomllib.loads((self.path / "spec.toml").read_text(encoding="utf-8"))

    @cached_property
    def _records(self) -> dict[str, Any]:
        if (self.path / "run.json").exists():
            return _corefed.read_run(self.path)
        return {"header": "{}", "rounds": {}, "agents": {}, "model": {}}

    @property
    def header(self) -> dict[str, Any]:
        """What the run is: rule, seed, agents; empty for an exact run."""
        header: dict[str, Any] = json.loads(self._records["header"])
        return header

    @property
    def rounds(self) -> Columns:
        """One row per round; empty for an exact run."""
        return Columns(self._records["rounds"])

    @property
    def agents(self) -> Columns:
        """One row per agent and round; empty for an exact run."""
        return Columns(self._records["agents"])

    @property
    def model(self) -> dict[str, np.ndarray[Any, Any]]:
        """The newest model: arrays by name; empty for an exact run."""
        return dict(self._records["model"])

    @cached_property
    def rules(self) -> dict[str, dict[str, Any]]:
        """Predictor and audit of each rule of an exact run."""
        files = sorted(self.path.glob("*.predictor.json"))
        return {
            file.name.removesuffix(".predictor.json"): json.loads(file.read_text("utf-8"))
            for file in files
        }

    @property
    def audit(self) -> dict[str, Any] | None:
        """The audit of the model, or of the core predictor; ``None`` before the end."""
        file = self.path / "audit.json"
        if file.exists():
            found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            return found
        return self.rules.get("core")

    @property
    def certificate(self) -> Certificate | None:
        """The certificate of the model, or of the core predictor, if there is one."""
        for name in ("certificate.json", "core.certificate.json"):
            if (self.path / name).exists():
                return Certificate.load(self.path / name)
        return None

    @property
    def verdict(self) -> Verdict | None:
        """Whether anybody would leave; ``None`` before the end."""
        found = self.audit
        return None if found is None else _verdict(found, self.certificate)

    def __repr__(self) -> str:
        said = "not finished" if self.audit is None else str(self.verdict)
        return f"<Run {self.path}: {said}>"

    def _repr_html_(self) -> str:
        verdict = self.verdict
        shown = "" if verdict is None else verdict._repr_html_()
        return _html.paragraph(repr(self)) + shown


def _verdict(found: Mapping[str, Any], certificate: Certificate | None) -> Verdict:
    """The verdict of an audit as the command writes it."""
    # An audit by bounds alone leaves agents and gains to the records.
    agents = found.get("agents", [])
    nothing: dict[str, Any] = {"coalition": [], "gains": {}, "rival": None}
    deviation = nothing | (found.get("deviation") or found.get("improvement") or {})
    obstacle = found.get("obstacle")
    names = [agent["name"] for agent in agents]

    def column(field: str) -> Any:
        return np.array([_float(agent.get(field)) for agent in agents])

    headroom = found.get("headroom")
    return Verdict(
        status=found["verdict"],
        kappa=Interval(_float(found["kappa"]["lo"]), _float(found["kappa"]["hi"])),
        everybody=Interval(_float(found["everybody"]["lo"]), _float(found["everybody"]["hi"])),
        tolerance=float(found["tolerance"]),
        scope="every predictor in the ball" if certificate is not None else "every rival",
        agents=names,
        utilities=column("utility"),
        weights=column("weight"),
        ceilings=column("ceiling"),
        headroom=None if headroom is None else _float(headroom),
        coalition=list(deviation["coalition"]) if found.get("deviation") else [],
        gains={name: _float(gain) for name, gain in dict(deviation["gains"]).items()},
        rival=deviation["rival"],
        obstacle=None if obstacle is None else "; ".join(filter(None, obstacle.values())),
        assumptions=list(found.get("assumptions", [])),
        certificate=certificate,
    )


def _float(value: Any) -> float:
    return float("nan") if value is None else float(value)


def _call(words: list[str], progress: bool | Listener) -> Run:
    tell = listener(progress)
    text: list[str] = []
    folder: list[str] = []

    def on_line(line: str) -> None:
        event = _event(line)
        if event is None:
            text.append(line)
            return
        if "folder" in event:
            folder.append(event["folder"])
        tell(event)

    try:
        code = _corefed.call(words, on_line)
    except KeyboardInterrupt as stopped:
        if folder:
            stopped.add_note(f"continue with corefed.resume({folder[-1]!r})")
        raise
    if text:
        folder.append(json.loads("".join(text))["folder"])
    if not folder:
        raise RunError(f"the run ended with code {code} and wrote no folder")
    return load(folder[-1])


def _event(line: str) -> dict[str, Any] | None:
    """An event of a training; the answer of an exact run is spread over many lines."""
    if not line.startswith('{"event"'):
        return None
    event: dict[str, Any] = json.loads(line)
    return event


def _setting(value: Any) -> str:
    """A value of the spec, as a user of the command writes it."""
    if isinstance(value, (list, tuple, bool)):
        return json.dumps(value)
    return str(value)


def _toml(spec: Mapping[str, Any], prefix: str = "") -> str:
    """A spec as dotted keys; strings, numbers, truths and lists are written as in JSON."""
    lines = []
    for key, value in spec.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            lines.append(_toml(value, f"{name}."))
        elif name == "data" and Path(str(value)).suffix in (".csv", ".parquet"):
            lines.append(f"data = {json.dumps(str(Path(str(value)).resolve()))}\n")
        elif isinstance(value, Path):
            lines.append(f"{name} = {json.dumps(str(value.resolve()))}\n")
        else:
            lines.append(f"{name} = {json.dumps(value)}\n")
    return "".join(lines)
