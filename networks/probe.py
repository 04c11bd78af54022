"""Asks the example `probe` of corefed-nn."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("COREFED_PROBE", str(ROOT / "target/release/examples/probe"))


def ask(net, layers, shape, images, labels, **settings):
    """The answer for a `nn.Sequential`, images NCHW and labels. Tensors of the answer are arrays by name."""
    question = {
        "input": shape,
        "classes": int(layers[-1].split()[1]),
        "layers": layers,
        "smoothing": None,
        "tensors": [
            {"name": name, "shape": list(tensor.shape), "data": tensor.flatten().tolist()}
            for name, tensor in net.state_dict().items()
        ],
        "pixels": images.permute(0, 2, 3, 1).flatten().tolist(),
        "labels": labels.tolist(),
        "batch": len(labels),
        "steps": 0,
        "lr": 0.0,
        "momentum": 0.0,
        "weight_decay": 0.0,
        "save": None,
    } | settings
    done = subprocess.run([PROGRAM], input=json.dumps(question) + "\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    for key in ("gradient", "hessian_times_tensors", "tensors"):
        if answer[key] is not None:
            answer[key] = {t["name"]: np.array(t["data"], np.float32).reshape(t["shape"]) for t in answer[key]}
    return answer


def assert_close(found, expected, tolerance, what):
    """Within a share of the largest number."""
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    assert found.shape == expected.shape, f"{what}: {found.shape} {expected.shape}"
    error = np.abs(found - expected).max() / (np.abs(expected).max() + 1e-6)
    assert error < tolerance, f"{what}: {error:.1e}"
