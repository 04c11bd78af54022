"""What a reader needs to judge a timing: the machine, its load, versions, the environment."""

import os
import platform
import re
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def describe() -> str:
    """CPU model, cores, Python, and the load before anything ran."""
    info = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*: (.*)", info.read_text()) if info.exists() else []
    cpu = names[0] if names else platform.processor()
    load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    return f"{cpu}, {os.cpu_count()} cores, load {load}; Python {platform.python_version()}"


def versions(packages: set[str], file: str) -> dict[str, str]:
    """Installed versions, or the end of the program with a hint, before any time is spent."""
    found, missing = {}, []
    for package in sorted(packages):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            missing.append(package)
    if missing:
        names = ", ".join(f"`{name}`" for name in missing)
        sys.exit(f"not installed: {names}\nhint: pip install -r {file}, or leave peers out with --only")
    return found


def thread_limits(threads: int) -> dict[str, str]:
    """Every library's own name for the number of threads."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return dict.fromkeys(names, str(threads))


def quiet(home: Path) -> dict[str, str]:
    """No GPU, and nothing that talks to the network or writes into the user's home."""
    return {
        "CUDA_VISIBLE_DEVICES": "",
        "PFL_PYTORCH_DEVICE": "cpu",
        "FLWR_HOME": str(home),
        "FLWR_TELEMETRY_ENABLED": "0",
        "FLWR_DISABLE_UPDATE_CHECK": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    }
