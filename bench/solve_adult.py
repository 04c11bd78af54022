"""How long the log-welfare optimum of Adult takes: corefed, SciPy and CVXPY, in one run.

Prints Markdown: minima over interleaved repetitions, ratios of those minima, and how far the
optima differ. Only solving is timed; reading and encoding are not, on either side.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import cvxpy as cp
import numpy as np
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "reference"))

from adult import adult_csv  # noqa: E402
from model import encode  # noqa: E402
from welfare import LogWelfare, lbfgs, newton  # noqa: E402

GRADIENT = 1e-8


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with adult/adult.data")
    parser.add_argument("--corefed", default=os.environ.get("COREFED", ROOT / "target/release/corefed"))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--l2", type=float, nargs="+", default=[1e-3, 1e-5])
    parser.add_argument("--ceiling", type=float, default=3.0)
    parser.add_argument("--radius", type=float, default=20.0)
    parser.add_argument("--small", type=int, default=2000, help="rows for CVXPY")
    return parser.parse_args()


def corefed(args, path, l2, threads):
    """Seconds inside the solver, and the answer."""
    terms = ["--ceiling", args.ceiling, "--radius", args.radius, "--l2", l2]
    columns = ["--agent", "agent", "--target", "income", "--model", "logistic"]
    command = [args.corefed, "solve", path, *columns, *terms, "--json", "--timing"]
    command += ["--threads", threads]
    done = subprocess.run([str(a) for a in command], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        sys.exit(done.stderr)
    return float(re.search(r"solve ([\d.]+) s", done.stderr)[1]), json.loads(done.stdout)


def timed(solve):
    begin = perf_counter()
    result = solve()
    return perf_counter() - begin, result


def first_order(objective, theta, radius):
    """Log-welfare, norm of its gradient, and the Frank-Wolfe gap."""
    value, gradient = objective(theta)
    norm = np.linalg.norm(gradient)
    return -value, norm, radius * norm + gradient @ theta


def compare(args, path, l2, threads):
    """One table: everybody on all rows."""
    federation = encode(path, "agent", "income", "logistic", l2=l2)
    terms = federation, [args.ceiling] * len(federation.names), np.ones(len(federation.names))
    dense, sparse = LogWelfare(*terms), LogWelfare(*terms, matrix=csr_matrix)
    solvers = {}
    for name, objective in (("dense", dense), ("CSR", sparse)):
        for memory in (10, 30):
            solvers[f"SciPy L-BFGS-B, {name}, {memory} pairs"] = (
                objective,
                lambda o=objective, m=memory: lbfgs(o, m, GRADIENT),
            )
    solvers["Newton in NumPy, dense"] = dense, lambda: newton(dense, GRADIENT)
    best, calls, found, ours = dict.fromkeys(solvers, np.inf), {}, {}, np.inf
    with threadpool_limits(threads):
        for _ in range(args.repeat):
            seconds, answer = corefed(args, path, l2, threads)
            ours = min(ours, seconds)
            for name, (objective, solve) in solvers.items():
                objective.evaluations = 0
                seconds, found[name] = timed(solve)
                best[name], calls[name] = min(best[name], seconds), objective.evaluations
    where = "on the sphere" if answer["ball"]["active"] else "interior"
    print(f"\n### l2 = {l2:g}, {threads} thread(s)\n")
    print(f"{sum(dense.sizes)} rows, {dense.dim} columns, agents of {dense.sizes.tolist()} rows,")
    print(f"optimum {where} (norm {answer['ball']['norm']:.2f} of {args.radius:g}).\n")
    print("| solver | seconds | ratio | evaluations | gradient norm | Frank-Wolfe gap | welfare - ours |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    theta = np.array(answer["predictor"]["parameters"])
    _, norm, gap = first_order(dense, theta, args.radius)
    steps = f"{answer['iterations']} Newton steps"
    print(f"| corefed | {ours:.4f} | 1 | {steps} | {norm:.1e} | {answer['gap']:.1e} | |")
    for name, theta in found.items():
        value, norm, gap = first_order(dense, theta, args.radius)
        behind = value - answer["log_welfare"]
        row = f"| {name} | {best[name]:.4f} | {best[name] / ours:.1f} | {calls[name]} "
        print(f"{row}| {norm:.1e} | {gap:.1e} | {behind:+.1e} |")
    return {"corefed": ours, **best}


def summary(l2, tables):
    """Everybody at its own best number of threads: what a ratio should be quoted from."""
    best = {name: min(table[name] for table in tables) for name in tables[0]}
    ours = best.pop("corefed")
    print(f"\n### l2 = {l2:g}, everybody at its best number of threads\n")
    print("| solver | seconds | ratio |\n|---|---:|---:|")
    print(f"| corefed | {ours:.4f} | 1 |")
    for kind in ("SciPy L-BFGS-B, dense", "SciPy L-BFGS-B, CSR", "Newton in NumPy, dense"):
        seconds = min(best[name] for name in best if name.startswith(kind))
        print(f"| {kind} | {seconds:.4f} | {seconds / ours:.1f} |")


def against_cvxpy(args, path, l2):
    """A second table: an interior-point solver on fewer rows."""
    federation = encode(path, "agent", "income", "logistic", l2=l2)
    n = len(federation.names)
    theta, utilities = cp.Variable(federation.dim), cp.Variable(n)
    # The optimum is interior, and without the ball Clarabel is more reliable.
    constraints = []
    for i, (x, y) in enumerate(zip(federation.inputs, federation.targets, strict=True)):
        loss = cp.sum(cp.logistic(cp.multiply(1 - 2 * y, x @ theta))) / len(y)
        loss += l2 / 2 * cp.sum_squares(theta)
        constraints.append(loss <= args.ceiling - utilities[i])
    whole = inner = ours = np.inf
    for _ in range(args.repeat):
        seconds, answer = corefed(args, path, l2, 1)
        ours = min(ours, seconds)
        problem = cp.Problem(cp.Maximize(cp.sum(cp.log(utilities))), constraints)
        try:
            seconds, _ = timed(lambda p=problem: p.solve(solver=cp.CLARABEL))
        except cp.SolverError as error:
            print(f"\nCVXPY with Clarabel, {args.small} rows, l2 = {l2:g}: {error}")
            return
        whole, inner = min(whole, seconds), min(inner, problem.solver_stats.solve_time)
    print(f"\n### The first {args.small} rows, l2 = {l2:g}, 1 thread\n")
    print("| solver | seconds | ratio | welfare - ours |\n|---|---:|---:|---:|")
    print(f"| corefed, {answer['iterations']} Newton steps, gap {answer['gap']:.1e} | {ours:.4f} | 1 | |")
    behind = problem.value - answer["log_welfare"]
    for name, seconds in (("Clarabel alone", inner), ("CVXPY with Clarabel", whole)):
        print(f"| {name} | {seconds:.4f} | {seconds / ours:.1f} | {behind:+.1e} |")


def machine():
    """CPU model, cores and versions, for the record."""
    info = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*: (.*)", info.read_text()) if info.exists() else []
    cpu = names[0] if names else platform.processor()
    packages = ", ".join(f"{p} {version(p)}" for p in ("numpy", "scipy", "cvxpy", "clarabel"))
    load = f"load {os.getloadavg()[0]:.1f} before the run"
    return f"{cpu}, {os.cpu_count()} cores, {load}; Python {platform.python_version()}, {packages}"


def main():
    args = arguments()
    said = subprocess.run([str(args.corefed), "--version"], capture_output=True, text=True, check=True)
    print(f"## Log-welfare optimum of Adult\n\n{machine()}, {said.stdout.strip()}.")
    print(f"Ceiling {args.ceiling:g}, radius {args.radius:g}, three agents by schooling (no seed:")
    print(f"nothing is random); minima of {args.repeat} interleaved repetitions; SciPy stops at a")
    print(f"gradient whose largest entry is {GRADIENT:g}, and everybody starts from zero.")
    with tempfile.TemporaryDirectory() as folder:
        path = adult_csv(args.data, Path(folder) / "adult.csv")
        for l2 in args.l2:
            summary(l2, [compare(args, path, l2, threads) for threads in args.threads])
        small = adult_csv(args.data, Path(folder) / "small.csv", args.small)
        against_cvxpy(args, small, args.l2[0])


if __name__ == "__main__":
    main()
