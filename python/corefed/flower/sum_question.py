"""A question whose answers are only ever seen as a sum: how it is written, and read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from flwr.app import ArrayRecord, ConfigRecord, Message, RecordDict

from corefed._errors import InputError
from corefed.flower.protocol import ASK, OPEN, ROUND, SEAL, SECURE
from corefed.secure import Agreement

#: Train and send a weighed update; measure models; compare them; send a weighed gradient.
Kind = Literal["train", "measure", "compare", "gradient"]
KINDS: tuple[Kind, ...] = ("train", "measure", "compare", "gradient")


@dataclass(frozen=True)
class SumQuestion:
    """One question, the same for everybody in the cohort to the last byte."""

    kind: Kind
    agreement: Agreement
    #: Models by the name of their record.
    models: Mapping[str, ArrayRecord]
    config: ConfigRecord
    #: Digests of the models.
    digests: list[str]

    def sealing(self) -> RecordDict:
        """The request for sealed messages."""
        config = ConfigRecord({**self.config, ASK: SEAL})
        return RecordDict({**self.models, "config": config, SECURE: self._record()})

    def opening(self) -> RecordDict:
        """The request for seeds, once all messages are there."""
        return RecordDict({"config": ConfigRecord({ASK: OPEN}), SECURE: self._record()})

    def _record(self) -> ConfigRecord:
        told = self.agreement
        keys = {name: key.hex() for name, key in told.keys.items()}
        return ConfigRecord(
            {
                "session": told.session,
                "ticket": told.ticket,
                "keys": json.dumps(keys),
                "cohort": list(told.cohort),
                "terms": json.dumps(told.terms, allow_nan=False),
                "question": told.question,
                "limit": told.limit,
                "kind": self.kind,
            }
        )


def question_digest(kind: Kind, config: Mapping[str, Any], models: Mapping[str, str]) -> str:
    """Digest of a question: what it asks, of which models by digest, under which configuration."""
    told = {key: repr(value) for key, value in config.items() if key != ASK}
    text = json.dumps([kind, told, models], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def model_digests(models: Mapping[str, ArrayRecord]) -> dict[str, str]:
    """Digests of models by the name of their record."""
    return {name: _digest(model) for name, model in models.items()}


def _digest(model: ArrayRecord) -> str:
    """Digest of a model: names, types, shapes and bytes of its parts."""
    whole = hashlib.sha256()
    for name, part in model.items():
        head = json.dumps([name, part.dtype, list(part.shape), len(part.data)])
        whole.update(head.encode())
        whole.update(part.data)
    return whole.hexdigest()


def read_question(message: Message) -> SumQuestion:
    """What an agent was asked; the digest is its own, not what the server says it is."""
    content = message.content
    if SECURE not in content.config_records:
        raise InputError(f"the request has no record `{SECURE}`", field=SECURE)
    told = content.config_records[SECURE]
    config = next((c for c in content.config_records.values() if ASK in c), ConfigRecord())
    models = dict(content.array_records.items())
    digests = model_digests(models)
    try:
        kind = next(known for known in KINDS if known == told["kind"])
        keys = json.loads(str(told["keys"]))
        cohort = told["cohort"]
        agreement = Agreement(
            session=str(told["session"]),
            ticket=int(str(told["ticket"])),
            keys={str(name): bytes.fromhex(key) for name, key in keys.items()},
            cohort=[str(name) for name in cohort] if isinstance(cohort, list) else [],
            terms=json.loads(str(told["terms"])),
            question=(
                str(told["question"])
                if config.get(ASK) == OPEN
                else question_digest(kind, config, digests)
            ),
            limit=float(str(told["limit"])),
        )
    except (
        KeyError,
        StopIteration,
        TypeError,
        ValueError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as why:
        if isinstance(why, InputError):
            raise
        raise InputError(f"the request for a sum cannot be read: {why!r}", field=SECURE) from why
    return SumQuestion(kind, agreement, models, config, list(digests.values()))


def round_of(question: SumQuestion) -> int:
    """The round that a question belongs to."""
    number = question.config.get(ROUND)
    if not isinstance(number, int) or number < 0:
        raise InputError(f"the request says round {number!r}", field=ROUND)
    return number
