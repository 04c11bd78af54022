"""What a strategy is told: its keywords, checked, and what is the same in every message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from flwr.app import ArrayRecord, ConfigRecord, Message, RecordDict
from flwr.serverapp.strategy import Strategy

from corefed._errors import InputError
from corefed._federation.explosion import LOSS_FACTOR, check_factor
from corefed._federation.guards import Guards
from corefed._federation.measured import Measured
from corefed._federation.order import in_order
from corefed._federation.settings import settings_text
from corefed._federation.terms import Ceilings, Weights
from corefed._rules import DEFAULTS, RULES
from corefed.flower.logged import log
from corefed.flower.private import Privacy, check_privacy
from corefed.flower.protocol import LOSS, ROUND
from corefed.flower.reply import read_measures
from corefed.flower.secure import Secure, check_secure
from corefed.secure import FEWEST


class Told(Strategy):
    """The keywords of every strategy, checked, and what is the same in every message."""

    rule: str

    def __init__(
        self,
        *,
        ceilings: Ceilings,
        settings: Mapping[str, Any],
        agents: Iterable[str] | None = None,
        weights: Weights = "equal",
        average: Weights = "samples",
        fraction_train: float = 1.0,
        evaluate_every: int = 1,
        min_agents: int = 2,
        min_replies: int = 2,
        on_too_few: Literal["skip", "fail"] = "skip",
        learning_rate: float | None = None,
        clip: float | None = None,
        share_cap: float | None = 3.0,
        norm_cap: float | None = 5.0,
        ceiling_spread: float | None = 3.0,
        rows_spread: float | None = 10.0,
        server_step: float = DEFAULTS["server_step"],
        server_momentum: float = DEFAULTS["server_momentum"],
        correction: Literal["auto", "control", "none"] = "auto",
        search: Literal["on", "off"] = "off",
        first_step: float = 1.0,
        loss_factor: float | None = LOSS_FACTOR,
        secure: bool | Secure = False,
        privacy: Privacy | None = None,
        seed: int = 0,
        run: str | Path | None = None,
        name: str | None = None,
        changed_spec: bool = False,
        tolerance: float = 1e-2,
        timeout: float = 300.0,
        gather: float | None = None,
        loss_key: str = LOSS,
        held_out_keys: tuple[str, str] = ("eval_loss", "eval_acc"),
        arrayrecord_key: str = "arrays",
        configrecord_key: str = "config",
    ) -> None:
        if on_too_few not in ("skip", "fail"):
            raise InputError(
                f"`on_too_few` is {on_too_few!r}; expected 'skip' or 'fail'", field="on_too_few"
            )
        if not 0.0 < fraction_train <= 1.0:
            raise InputError(
                f"`fraction_train` is {fraction_train}; expected (0, 1]", field="fraction_train"
            )
        if learning_rate is None and RULES[self.rule].needs_learning_rate:
            raise InputError(
                f"{RULES[self.rule].title}'s step depends on the learning rate of local training",
                field="learning_rate",
                hint="pass `learning_rate=`",
            )
        if not 0.0 < first_step <= 1.0:
            raise InputError(f"`first_step` is {first_step}; expected (0, 1]", field="first_step")
        check_factor(loss_factor)
        self.loss_factor = loss_factor
        self.ceilings, self.weights, self.average = ceilings, weights, average
        self.correction, self.search, self.first_step = correction, search, first_step
        self.guards = Guards(norm_cap, ceiling_spread, rows_spread, log)
        self.settings = dict(settings) | {
            "clip": clip,
            "share_cap": share_cap,
            "server_step": server_step,
            "server_momentum": server_momentum,
        }
        self.expected = None if agents is None else in_order(agents)
        self.fraction_train, self.evaluate_every = fraction_train, evaluate_every
        self.min_agents, self.min_replies, self.on_too_few = min_agents, min_replies, on_too_few
        self.learning_rate, self.seed, self.tolerance = learning_rate, seed, tolerance
        self.timeout, self.gather = timeout, gather
        self.loss_key, self.held_out_keys = loss_key, held_out_keys
        self.arrayrecord_key, self.configrecord_key = arrayrecord_key, configrecord_key
        self.name = name or (Path(run).name if run is not None else self.rule)
        self.folder, self.changed_spec = run, changed_spec
        #: Settings of secure sums, where the server sees nothing else.
        self.secure = Secure() if secure is True else secure or None
        if self.secure is not None:
            check_secure(self, self.secure)
            # Nobody can compare agents with one another.
            self.guards = Guards(None, None, None, log)
            self.settings["share_cap"] = None
            self.min_agents = max(FEWEST, min_agents)
            self.min_replies = max(FEWEST, min_replies)
        #: What is promised about every agent, where anything is.
        self.privacy = privacy
        if privacy is not None:
            check_privacy(self, privacy)
            # The median of lengths is known from updates without noise.
            self.guards = Guards(None, ceiling_spread, rows_spread, log)
            self.correction, self.settings["clip"] = "none", privacy.clip
        #: What every training is told besides.
        self.train_config = ConfigRecord()

    def _spec(self) -> str:
        chosen = {
            "rule": self.rule,
            "agents": self.expected or [],
            "seed": self.seed,
            "ceilings": self.ceilings,
            "weights": self.weights,
            "average": self.average,
            "fraction_train": self.fraction_train,
            "evaluate_every": self.evaluate_every,
            "min_replies": self.min_replies,
            "on_too_few": self.on_too_few,
            "learning_rate": self.learning_rate,
            "correction": self.correction,
            "search": self.search,
            "first_step": self.first_step,
            "loss_factor": self.loss_factor,
            "train_config": dict(self.train_config),
            **self.guards.settings(),
            **self.settings,
        }
        if self.secure is not None:
            chosen["secure"] = self.secure.settings()
        if self.privacy is not None:
            chosen["privacy"] = self.privacy.settings()
        return settings_text(chosen, "flower")

    def _read_measures(self, reply: Message) -> Measured:
        return read_measures(reply, self.loss_key, self.held_out_keys)

    def _message(self, node: int, arrays: ArrayRecord, config: ConfigRecord, kind: str) -> Message:
        content = RecordDict({self.arrayrecord_key: arrays, self.configrecord_key: config})
        return Message(content, node, kind, group_id=str(config[ROUND]))
