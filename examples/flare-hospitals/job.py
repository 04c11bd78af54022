"""Five hospitals in FLARE's simulator: training by CoreFed, cross-site evaluation, a report."""

import argparse
import csv
import json
from pathlib import Path

import numpy as np
from nvflare.recipe.sim_env import SimEnv
from nvflare.recipe.utils import add_cross_site_evaluation

from corefed import hospitals_csv
from corefed.flare import CoreFedAggregator, CoreFedRecipe

HERE = Path(__file__).parent


def write_tables(folder):
    """One table per hospital; gives their names."""
    folder.mkdir(parents=True, exist_ok=True)
    header, *rows = csv.reader(hospitals_csv().splitlines())
    names = sorted({row[0] for row in rows})
    for name in names:
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *(row for row in rows if row[0] == name)])
    return names


def job(data, sites, rule, rounds):
    """The job as FLARE runs it anywhere: here in its simulator, elsewhere over a network."""
    aggregator = CoreFedAggregator(
        rule, ceilings="initial:1.5", sites=sites, learning_rate=0.5, run="corefed"
    )
    recipe = CoreFedRecipe(
        aggregator,
        name="hospitals",
        model=np.zeros(7),
        min_clients=len(sites),
        num_rounds=rounds,
        train_script=str(HERE / "client.py"),
        train_args=str(data),
    )
    recipe.add_server_config({"server": {"task_request_interval": 0.1}})  # seconds between looks
    add_cross_site_evaluation(recipe)
    return recipe


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("flare-run"))
    parser.add_argument("--rule", default="corefed")
    parser.add_argument("--rounds", type=int, default=10)
    told = parser.parse_args()
    out = told.out.resolve()
    sites = write_tables(out / "data")
    recipe = job(out / "data", sites, told.rule, told.rounds)
    done = recipe.execute(SimEnv(clients=sites, workspace_root=str(out)))
    server = Path(done.get_result()) / "server" / "simulate_job"
    audit = json.loads((server / "corefed" / "audit.json").read_text())
    for agent in audit["agents"]:
        print(f"{agent['name']}: loss {agent['loss']:.4f}, utility {agent['utility']:.4f}")
    kappa = audit["kappa"]
    print(f"verdict: {audit['verdict']}, kappa in [{kappa['lo']:.4f}, {kappa['hi']:.4f}]")
    print(f"report: {server / 'corefed' / 'report.html'}")
    print(f"table: {server / 'cross_site_val' / 'cross_val_results.json'}")


if __name__ == "__main__":
    main()
