"""An agent with a network of its own making."""

import torch
from flwr.app import ArrayRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from task import Net, fit, measure, new_net, split

from corefed.flower import Correction, report_loss

torch.set_num_threads(1)


def loaded(arrays: ArrayRecord) -> Net:
    net = new_net(0)
    net.load_state_dict(arrays.to_torch_state_dict())
    return net


def training_loss(arrays: ArrayRecord, context: Context) -> dict[str, float]:
    rows, _ = split(int(context.node_config["partition-id"]))
    loss, accuracy = measure(loaded(arrays), rows)
    return {"loss": loss, "accuracy": accuracy, "num-examples": len(rows)}


# The one line that CoreFed needs; below, only the three that say `correction` are not an ordinary
# app of Flower's.
app = ClientApp(mods=[report_loss(training_loss, corrects=True)])


@app.train()
def train(message: Message, context: Context) -> Message:
    config, partition = message.content["config"], int(context.node_config["partition-id"])
    rows, _ = split(partition)
    net = loaded(message.content["arrays"])
    correction = Correction(message)
    seed = 1000 * int(config["server-round"]) + partition
    optimiser = fit(
        net,
        rows,
        int(config["local-epochs"]),
        float(config["lr"]),
        seed,
        correction,
    )
    content = {
        "arrays": ArrayRecord(net.state_dict()),
        "metrics": MetricRecord({"num-examples": len(rows)}),
        **correction.answer(optimiser),
    }
    return Message(RecordDict(content), reply_to=message)


@app.evaluate()
def evaluate(message: Message, context: Context) -> Message:
    _, aside = split(int(context.node_config["partition-id"]))
    loss, accuracy = measure(loaded(message.content["arrays"]), aside)
    metrics = MetricRecord({"eval_loss": loss, "eval_acc": accuracy, "num-examples": len(aside)})
    return Message(RecordDict({"metrics": metrics}), reply_to=message)
