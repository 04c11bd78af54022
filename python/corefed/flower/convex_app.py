"""A whole client app around a convex model of the user's own: one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flwr.app import ArrayRecord, ConfigRecord, Context, Message, RecordDict
from flwr.clientapp import ClientApp

from corefed._errors import InputError
from corefed.flower.client import NameFn, agent_name, report_loss
from corefed.flower.convex import ConvexClient
from corefed.flower.oracle import answer_audits
from corefed.flower.protocol import RULE


def convex_app(
    own: ConvexClient | Callable[[Context], ConvexClient],
    *,
    budget: float | None = None,
    keep: str | Path | None = None,
    agent: NameFn = agent_name,
) -> ClientApp:
    """Make a client app of a convex model: it trains, answers exact audits and signs.

    It answers :class:`Newton` with derivatives, and other strategies with one step against its
    gradient, of the length ``lr`` of the request; ``Exact(train=True)`` needs neither.

    Parameters
    ----------
    own
        The agent's :class:`ConvexClient`, or a function that gives it for a context.
    budget, keep, agent
        As in :func:`answer_audits`.

    Examples
    --------
    >>> parabola = lambda theta: (float(theta @ theta) / 2, theta)
    >>> app = convex_app(ConvexClient(parabola, parameters=3, samples=1, keep="north.corefed"))
    """

    def client(context: Context) -> ConvexClient:
        return own if isinstance(own, ConvexClient) else own(context)

    def loss(arrays: ArrayRecord, context: Context) -> dict[str, float]:
        return client(context).loss(arrays)

    answering = answer_audits(client, budget=budget, keep=keep, agent=agent)
    app = ClientApp(mods=[report_loss(loss, agent=agent), answering])

    @app.train()
    def train(message: Message, context: Context) -> Message:
        config = next(iter(message.content.config_records.values()))
        (arrays,) = message.content.array_records.values()
        if config.get(RULE) == "newton":
            answer = client(context).derivatives(arrays)
        else:
            answer = client(context).step(arrays, _rate(config))
        return Message(RecordDict({"arrays": answer}), reply_to=message)

    @app.evaluate()
    def evaluate(message: Message, context: Context) -> Message:
        return Message(RecordDict({"config": ConfigRecord()}), reply_to=message)

    return app


def _rate(config: ConfigRecord) -> float:
    rate = config.get("lr")
    if not isinstance(rate, int | float) or rate <= 0:
        raise InputError(
            "the request has no learning rate `lr`",
            field="learning_rate",
            hint="pass `learning_rate=` to the strategy, or train by `Exact(train=True)`",
        )
    return float(rate)
