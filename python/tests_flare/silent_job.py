"""A job that cannot begin, because no site says what it loses."""

import argparse
from pathlib import Path

import numpy as np
from nvflare.recipe.sim_env import SimEnv

from corefed.flare import CoreFedAggregator, CoreFedRecipe

parser = argparse.ArgumentParser()
parser.add_argument("--out")
out = parser.parse_args().out
recipe = CoreFedRecipe(
    CoreFedAggregator(ceilings="initial:1.5", run="corefed"),
    name="silent",
    model=np.zeros(2),
    min_clients=2,
    num_rounds=1,
    train_script=str(Path(__file__).parent / "silent_client.py"),
)
recipe.add_server_config({"server": {"task_request_interval": 0.1}})
recipe.execute(SimEnv(clients=["north", "south"], workspace_root=out))
