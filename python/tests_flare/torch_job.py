"""Two sites, a module of PyTorch, two rounds."""

import argparse
from pathlib import Path

import torch
from nvflare.recipe.sim_env import SimEnv
from torch_model import Net

from corefed.flare import CoreFedAggregator
from corefed.flare.torch import CoreFedRecipe

parser = argparse.ArgumentParser()
parser.add_argument("--out")
out = parser.parse_args().out
torch.manual_seed(0)
recipe = CoreFedRecipe(
    CoreFedAggregator(ceilings="initial:1.5", run="corefed"),
    name="torch",
    model=Net(),
    min_clients=2,
    num_rounds=2,
    train_script=str(Path(__file__).parent / "torch_client.py"),
)
recipe.add_server_config({"server": {"task_request_interval": 0.1}})
recipe.execute(SimEnv(clients=["north", "southern"], workspace_root=out))
