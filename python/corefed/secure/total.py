"""What a server does with sealed messages: it adds them, and takes away the seals."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from corefed._errors import InputError
from corefed.secure.agreement import Agreement
from corefed.secure.ring import Numbers, Words
from corefed.secure.streams import add_stream, seal_key


def total(agreement: Agreement, sealed: Mapping[str, Words], seeds: Mapping[str, bytes]) -> Numbers:
    """The sum over the cohort. Nothing about a part of it can be computed from the messages."""
    for what, found in (("message", sealed), ("seed", seeds)):
        missing = [name for name in agreement.cohort if name not in found]
        if missing:
            raise InputError(f"agent `{missing[0]}` sent no {what}", agent=missing[0], field=what)
    added: Words = np.zeros_like(sealed[agreement.cohort[0]])
    context = agreement.context()
    for name in agreement.cohort:
        if sealed[name].shape != added.shape:
            raise InputError(
                f"agent `{name}` sent {sealed[name].size} numbers; expected {added.size}",
                agent=name,
                field="message",
            )
        added += sealed[name]
        add_stream(added, seal_key(seeds[name], context), subtract=True)
    return agreement.ring().decode(added)
