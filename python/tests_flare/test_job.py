"""The job that a recipe makes, and a job that fails."""

import json

import numpy as np
import pytest
from nvflare.apis.signal import Signal
from nvflare.app_common.workflows.fedavg import FedAvg
from nvflare.client.config import TransferType
from simulated import EXAMPLE

import corefed
from corefed.flare import CoreFedAggregator, CoreFedController, CoreFedRecipe

TOLD = {
    "rule": "qffl",
    "ceilings": {"north": 2.0, "south": 3.0},
    "sites": ["north", "south"],
    "weights": "samples",
    "average": "equal",
    "settings": {"q": 0.5, "server_momentum": 0.25},
    "learning_rate": 0.1,
    "share_cap": None,
    "norm_cap": 4.0,
    "ceiling_spread": None,
    "rows_spread": 20.0,
    "loss_factor": 50.0,
    "min_replies": 1,
    "on_too_few": "fail",
    "run": "corefed",
    "title": "both",
    "tolerance": 0.05,
    "last_timeout": 1200,
}
JOB = {
    "model": np.zeros(2),
    "min_clients": 2,
    "num_rounds": 3,
    "train_script": str(EXAMPLE / "client.py"),
}


def exported(folder):
    CoreFedRecipe(CoreFedAggregator(**TOLD), name="job", **JOB).export(str(folder))
    return folder / "job"


def test_a_job_says_everything_that_the_aggregator_was_told(tmp_path):
    job = exported(tmp_path)
    config = json.loads((job / "app/config/config_fed_server.json").read_text())
    workflow = config["workflows"][0]
    assert workflow["path"] == "corefed.flare.controller.CoreFedController"
    written = workflow["args"]["aggregator"]
    assert written["path"] == "corefed.flare.aggregator.CoreFedAggregator"
    assert written["args"] == TOLD
    again = CoreFedAggregator(**written["args"])
    assert {name: getattr(again, name) for name in TOLD} == TOLD


def test_the_workflow_waits_for_the_last_losses_as_long_as_the_aggregator_says(monkeypatch):
    waited = []
    monkeypatch.setattr(FedAvg, "run", lambda self: None)
    aggregator = CoreFedAggregator(**TOLD | {"last_timeout": 17})
    monkeypatch.setattr(CoreFedAggregator, "model", {"w": np.zeros(2)})
    controller = CoreFedController(num_clients=2, num_rounds=1, aggregator=aggregator)
    controller.abort_signal = Signal()
    controller.send_model_and_wait = lambda timeout, **_: waited.append(timeout) or []
    controller.run()
    assert waited == [17]
    with pytest.raises(corefed.InputError, match="`last_timeout` is 0"):
        CoreFedAggregator(**TOLD | {"last_timeout": 0})


def test_a_job_carries_the_script_and_no_copy_of_the_package(tmp_path):
    job = exported(tmp_path)
    scripts = [path.relative_to(job) for path in job.rglob("*.py")]
    assert [path.name for path in scripts] == ["client.py"]
    client = json.loads((job / "app/config/config_fed_client.json").read_text())
    assert "DIFF" in json.dumps(client)


@pytest.mark.parametrize(
    "decided",
    [{"params_transfer_type": TransferType.FULL}, {"aggregation_weights": {"north": 1.0}}],
)
def test_keywords_that_the_rule_decides_are_refused(decided):
    with pytest.raises(corefed.InputError, match="is not for this recipe"):
        CoreFedRecipe(CoreFedAggregator(ceilings=1.0), **JOB, **decided)


def test_a_job_whose_sites_report_no_loss_fails_and_says_why(jobs):
    ended = jobs["silent"].result()
    assert ended.code != 0
    assert "the result of site `north` is refused: it sent no metric `loss_before`" in ended.said
    assert "the federation cannot begin" in ended.said
    assert "corefed.flare.report" in ended.said
    assert not list(ended.out.rglob("run.json"))


def test_a_module_of_pytorch_trains(jobs):
    ended = jobs["torch"].result()
    assert ended.code == 0, ended.said[-5000:]
    run = corefed.load(ended.out / "torch/server/simulate_job/corefed")
    assert run.audit["scope"] is not None
    assert [agent["name"] for agent in run.audit["agents"]] == ["north", "southern"]
    assert len(run.rounds["round"]) == 3
    # Numbers of steps are not moved by a rule.
    assert "normal.num_batches_tracked" not in run.model
    assert run.model["normal.running_mean"].dtype == np.float32
    losses = [agent["loss"] for agent in run.audit["agents"]]
    first = [agent["ceiling"] / 1.5 for agent in run.header["agents"]]
    assert sum(losses) < sum(first)
