"""Asking for a sum: sealed messages first, then the seeds, and among fewer if somebody is away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from logging import WARNING
from typing import TYPE_CHECKING, Any

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Message

from corefed._errors import InputError
from corefed.flower.asking import ask
from corefed.flower.logged import log
from corefed.flower.protocol import SEALED, SEED
from corefed.flower.reply import ReplyError, StaleError
from corefed.flower.sum_book import SumBook
from corefed.flower.sum_question import Kind, SumQuestion, model_digests, question_digest
from corefed.secure import FEWEST, Agreement, total
from corefed.secure.ring import Numbers, Words
from corefed.secure.streams import KEY_BYTES

if TYPE_CHECKING:
    from corefed.flower.strategy import RuleStrategy

#: How often somebody is asked to open its seal.
_TRIES = 3


@dataclass(frozen=True)
class Summed:
    """A sum, over whom it is, and why others are not in it; no numbers where there is none."""

    numbers: Numbers | None
    cohort: list[str]
    absent: dict[str, ReplyError]


class Summing:
    """Asks the agents of a run for sums."""

    def __init__(self, run: RuleStrategy, book: SumBook, terms: Mapping[str, Any]) -> None:
        self._run, self._book, self._terms = run, book, terms

    def __call__(
        self,
        kind: Kind,
        models: Mapping[str, ArrayRecord],
        config: ConfigRecord,
        size: int,
        what: str,
        *,
        need: int = FEWEST,
        of: list[str] | None = None,
    ) -> Summed:
        """The sum of answers to one question, among as many as answer.

        Nobody's masks are ever opened for who is missing: the others are asked again.
        """
        left, absent = list(self._run.terms.names if of is None else of), dict[str, ReplyError]()
        while len(left) >= max(need, FEWEST):
            question = self._question(kind, models, config, left)
            sealed = self._sealed(question, size, absent, what)
            if len(sealed) < len(left):
                left = [name for name in left if name in sealed]
                if len(left) >= max(need, FEWEST):
                    log(WARNING, "%s is asked again among %s", what, ", ".join(left))
                continue
            seeds, reasons = self._seeds(question, what)
            if reasons:
                # Some have opened: only the same group can be asked about this model again.
                told = {
                    name: ReplyError(f"it did not open its seal: {why}")
                    for name, why in reasons.items()
                }
                return Summed(None, left, absent | told)
            return Summed(total(question.agreement, sealed, seeds), left, absent)
        return Summed(None, left, absent)

    def _question(
        self,
        kind: Kind,
        models: Mapping[str, ArrayRecord],
        config: ConfigRecord,
        cohort: list[str],
    ) -> SumQuestion:
        secure = self._run.secure
        assert secure is not None, "only secure runs ask for sums"
        digests = model_digests(models)
        agreement = Agreement(
            session=self._book.session,
            ticket=self._book.next_ticket(),
            keys=self._book.keys,
            cohort=cohort,
            terms=self._terms,
            question=question_digest(kind, config, digests),
            limit=secure.limit,
        )
        return SumQuestion(kind, agreement, models, config, list(digests.values()))

    def _sealed(
        self, question: SumQuestion, size: int, absent: dict[str, ReplyError], what: str
    ) -> dict[str, Words]:
        content = question.sealing()
        asked = dict.fromkeys(question.agreement.cohort, content)
        replies, reasons = ask(self._run, asked, self._run.patience, what)
        found: dict[str, Words] = {}
        for name, reply in replies.items():
            try:
                found[name] = _words(reply, size)
            except ReplyError as error:
                reasons[name] = error
        if len(reasons) == len(asked) and all(
            isinstance(why, StaleError) for why in reasons.values()
        ):
            raise InputError(
                f"agents have used ticket {question.agreement.ticket} already: the run folder is "
                "an old copy",
                field="run",
                hint="use the newest copy, or start a new run",
            )
        for name, why in reasons.items():
            log(WARNING, "%s: agent `%s` has no part in it: %s", what, name, why)
        absent |= reasons
        return found

    def _seeds(
        self, question: SumQuestion, what: str
    ) -> tuple[dict[str, bytes], dict[str, ReplyError]]:
        found: dict[str, bytes] = {}
        reasons: dict[str, ReplyError] = {}
        for _ in range(_TRIES):
            missing = [name for name in question.agreement.cohort if name not in found]
            asked = dict.fromkeys(missing, question.opening())
            replies, reasons = ask(self._run, asked, self._run.patience, f"the seals of {what}")
            for name, reply in replies.items():
                seed = reply.content.config_records.get(SEED, ConfigRecord()).get(SEED)
                if isinstance(seed, bytes) and len(seed) == KEY_BYTES:
                    found[name] = seed
                else:
                    reasons[name] = ReplyError(f"it sent no seed of {KEY_BYTES} bytes")
            if not reasons:
                break
        return found, reasons


def _words(reply: Message, size: int) -> Words:
    """The sealed numbers of a reply."""
    record = reply.content.array_records.get(SEALED)
    if record is None or SEALED not in record:
        raise ReplyError("it sent no sealed message: its app needs `secure_sums` among its mods")
    try:
        words = record[SEALED].numpy()
    except Exception as error:  # whatever the bytes of a stranger do
        raise ReplyError(f"its sealed message cannot be read: {error}") from error
    if words.dtype != np.uint64:
        raise ReplyError(f"its sealed message is of type {words.dtype}, not uint64")
    if words.shape != (size,):
        raise ReplyError(f"its sealed message has the shape {words.shape}, not {(size,)}")
    return words
