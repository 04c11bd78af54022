"""Round 0 of secure sums: who takes part, and with which keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flwr.app import ArrayRecord, ConfigRecord, Message, MessageType, RecordDict
from flwr.serverapp import Grid

from corefed._federation.header import header
from corefed._federation.history import Round
from corefed._federation.terms import Terms, resolve_ceilings, resolve_weights
from corefed.flower.census import census
from corefed.flower.protocol import ASK, PUBLIC, ROUND, RULE, SUM_KEY
from corefed.flower.reply import GoneError, ReplyError, check_error
from corefed.flower.steadiness import Steadiness
from corefed.flower.steady import Steady
from corefed.flower.sum_book import SumBook
from corefed.secure.streams import KEY_BYTES

if TYPE_CHECKING:
    from corefed.flower.strategy import RuleStrategy


def begin_secure(run: RuleStrategy, grid: Grid, arrays: ArrayRecord, rounds: int) -> SumBook:
    """Learn who takes part, or continue with the folder."""
    opened, restored = run.opened(grid, arrays, rounds)
    if restored is None:
        keys = _ask_keys(run, run.terms.names if opened else run.expected)
        if not opened:
            _agree(run, list(keys))
        book = SumBook.begin(run.history, keys)
        run._write(Round(0, run.model), {})
    else:
        run._restore(restored)
        book = SumBook.resume(run.history, run.done)
    run.begun = True
    return book


def _ask_keys(run: RuleStrategy, known: list[str] | None) -> dict[str, bytes]:
    config = ConfigRecord({ASK: SUM_KEY, ROUND: 0, RULE: run.rule})

    def ask(nodes: list[int]) -> list[Message]:
        return [Message(RecordDict({"config": config}), node, MessageType.TRAIN) for node in nodes]

    told = run.min_agents, run.timeout, run.gather, ask, read_key, "which keys they have"
    run.roster, found = census(run.grid, run.exchange, known, *told)
    return {name: found[name] for name in run.roster.names or []}


def read_key(reply: Message) -> bytes:
    """The public key of a reply in round 0."""
    try:
        check_error(reply)
    except GoneError:
        raise
    except ReplyError as why:
        # An app that does not know the question takes it for one to train.
        raise ReplyError(f"{why} (does it have `secure_sums` among its mods?)") from why
    key = reply.content.config_records.get(PUBLIC, ConfigRecord()).get(PUBLIC)
    if not (isinstance(key, bytes) and len(key) == KEY_BYTES):
        raise ReplyError("it sent no key: its app needs `secure_sums` among its mods")
    return key


def _agree(run: RuleStrategy, names: list[str]) -> None:
    """Fix weights and ceilings, which are public, and start the folder."""
    unknown = [0] * len(names)
    # Numbers of rows stay with the agents, so that a mean by samples is nobody's here.
    average = "equal" if run.average == "samples" else run.average
    run.terms = Terms(
        names=names,
        samples=unknown,
        held_out=unknown,
        weights=resolve_weights(run.weights, names, unknown, "weights"),
        average=resolve_weights(average, names, unknown, "average"),
        ceilings=resolve_ceilings(run.ceilings, names, [1.0] * len(names)),
    )
    steadiness = Steadiness(corrects=False, searches=run.search == "on")
    told = header(
        "Flower",
        run.name,
        run.rule,
        run.seed,
        run.rounds or 0,
        run.model,
        run.terms,
        run.tolerance,
        steadiness.header(),
    )
    run.history.create(told, run._spec())
    run.steady = Steady(run, steadiness)
