"""What makes any client app tell how its agent fares: one line in the app."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flwr.app import (
    ArrayRecord,
    ConfigRecord,
    Context,
    Message,
    MetricRecord,
    MetricRecordValues,
    RecordDict,
)

from corefed._errors import InputError
from corefed.flower.protocol import (
    ABOUT,
    ACCURACY,
    AGENT,
    ASK,
    CORRECTS,
    DRIFT,
    EXAMPLES,
    LOSS,
    LOSSES,
    SAMPLES,
    WHO,
)

#: The loss at a model, or a mapping with ``loss``, ``num-examples`` and perhaps ``accuracy``.
Measure = float | Mapping[str, float]
#: Computes it on the training rows of the agent.
LossFn = Callable[[ArrayRecord, Context], Measure]
#: Names the agent behind a node.
NameFn = Callable[[Context], str]
Handler = Callable[[Message, Context], Message]


def agent_name(context: Context) -> str:
    """Give the name of the agent behind a node.

    It is ``agent`` of the node's configuration, or ``agent-N`` for partition ``N``. A name under
    which the node's key is registered at the SuperLink overrules it there.
    """
    config = context.node_config
    if "agent" in config:
        return str(config["agent"])
    if "partition-id" in config:
        return f"agent-{config['partition-id']}"
    raise InputError(
        "the node has neither `agent` nor `partition-id` in its configuration",
        field="node-config",
        hint="start it with `--node-config 'agent=\"Aachen\"'` or `--node-config 'partition-id=0'`",
    )


def report_loss(
    loss: LossFn, *, corrects: bool = False, agent: NameFn = agent_name
) -> Callable[[Message, Context, Handler], Message]:
    """Make a client app report its loss at every model it receives, before it trains.

    Parameters
    ----------
    loss
        Called with the received arrays and the context. Gives the mean loss over the rows that the
        agent trains on, or a mapping with ``loss``, ``num-examples`` and perhaps ``accuracy``.
    corrects
        Whether the app's training uses :class:`Correction`.
    agent
        Called with the context; names the agent. Give one where names are neither in the node's
        configuration nor ``agent-N``.

    Examples
    --------
    >>> from flwr.clientapp import ClientApp
    >>> def training_loss(arrays, context):
    ...     return {"loss": 0.7, "num-examples": 120}
    >>> app = ClientApp(mods=[report_loss(training_loss)])
    """

    def mod(message: Message, context: Context, call_next: Handler) -> Message:
        asked, name = asked_for(message), agent(context)
        about = ConfigRecord({AGENT: name, CORRECTS: corrects})
        if asked == WHO:
            return Message(RecordDict({ABOUT: about}), reply_to=message)
        if asked == LOSSES:
            records = message.content.array_records.items()
            answer = RecordDict({ABOUT: about})
            for key, arrays in records:
                answer[key] = MetricRecord(_measured(loss, arrays, context, name))
            return Message(answer, reply_to=message)
        if asked is not None:
            # Another mod's question, which may come with other arrays than a model.
            return call_next(message, context)
        # Before the app is called: it may train in place.
        measured = _measured(loss, received(message), context, name)
        reply = call_next(message, context)
        if reply.has_error():
            return reply
        own = list(reply.content.metric_records.values())
        metrics = own[0] if own else MetricRecord()
        for key, value in measured.items():
            if key != EXAMPLES or key not in metrics:
                metrics[key] = value
        if not own:
            reply.content["metrics"] = metrics
        reply.content[ABOUT] = about
        return reply

    return mod


def asked_for(message: Message) -> str | None:
    """What a message asks for besides the app's own answer."""
    for config in message.content.config_records.values():
        if ASK in config:
            return str(config[ASK])
    return None


def received(message: Message) -> ArrayRecord:
    """The model that a message brings."""
    found = message.content.array_records.items()
    records = [record for key, record in found if key != DRIFT]
    if len(records) != 1:
        raise InputError(
            f"the message has {len(records)} ArrayRecords; expected one, the model", field="message"
        )
    return records[0]


def _measured(
    loss: LossFn, arrays: ArrayRecord, context: Context, agent: str
) -> dict[str, MetricRecordValues]:
    """The metrics of one model, under the names that the server knows."""
    found = loss(arrays, context)
    if not isinstance(found, Mapping):
        found = {"loss": found}
    if "loss" not in found:
        raise InputError(
            f"`report_loss` was given a function whose answer has no `loss`, only {sorted(found)}",
            agent=agent,
            field="loss",
        )
    measured: dict[str, MetricRecordValues] = {LOSS: float(found["loss"])}
    if EXAMPLES in found:
        measured[SAMPLES] = measured[EXAMPLES] = int(found[EXAMPLES])
    if "accuracy" in found:
        measured[ACCURACY] = float(found["accuracy"])
    return measured
