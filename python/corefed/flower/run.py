"""A run of a federation: who takes part, on which terms, and what is kept between rounds."""

from __future__ import annotations

from collections.abc import Mapping
from logging import INFO
from math import ceil
from typing import TYPE_CHECKING, Any, Unpack

from flwr.app import ArrayRecord, ConfigRecord, Message, MessageType, MetricRecord
from flwr.serverapp import Grid

from corefed._errors import InputError
from corefed._federation.header import header
from corefed._federation.history import History, Restored, Round
from corefed._federation.ledger import Ledger
from corefed._federation.measured import Measured
from corefed._federation.model import Model, Parts
from corefed._federation.terms import Ceilings, Terms, resolve_weights
from corefed._server import Server
from corefed._server_state import ServerState
from corefed.flower.ceilings import agreed_ceilings
from corefed.flower.census import census
from corefed.flower.common import Common, check_keywords
from corefed.flower.cycle import Cycle
from corefed.flower.exchange import Exchange
from corefed.flower.explosion import Explosion
from corefed.flower.known_keys import KnownKeys
from corefed.flower.logged import log
from corefed.flower.model import model_of, record_of
from corefed.flower.private import TOLD, CentralNoise, spent
from corefed.flower.protocol import CEILING, FLOOR, INDEX, ROUND, RULE
from corefed.flower.roster import Roster
from corefed.flower.steadiness import Steadiness, settle
from corefed.flower.steady import Steady
from corefed.flower.strangers import Strangers
from corefed.flower.told import Told

if TYPE_CHECKING:
    from corefed.flower.secure_rounds import SecureRounds


#: What the summary says of a run whose server saw sums.
_SUMS = "Secure sums: the server saw sums over agents and no answer of one (sums.jsonl)."


class FederatedRun(Told):
    """What a strategy keeps; those built on it say what it does with it."""

    def __init__(
        self, *, ceilings: Ceilings, settings: Mapping[str, Any], **common: Unpack[Common]
    ) -> None:
        check_keywords(type(self).__name__, common)
        super().__init__(ceilings=ceilings, settings=settings, **common)
        self.history = History(self.folder, log)
        self.rounds: int | None = None
        #: Known once the federation is.
        self.terms: Terms
        self.steady: Steady
        self.model: Model
        self.begun = False
        self.state: ServerState | None = None
        self.measured: dict[str, Measured] = {}
        #: Whether another strategy is around this one.
        self.wrapped = False
        #: Seconds for an exchange.
        self.patience = self.timeout
        self.done = 0
        #: Whether the next round waits for everybody, as the first one did.
        self.gathers = False
        #: Noise and budget, once a run that has them has begun.
        self.private: CentralNoise | None = None
        #: Keys that agents are registered with, once a run has begun.
        self.known_keys: KnownKeys
        #: Nodes that are connected and not of the federation.
        self.strangers: Strangers
        #: What agents say that they have spent, where they noise their own answers.
        self.told_spent: Ledger
        #: Once a run of secure sums has begun.
        self.sums: SecureRounds | None = None
        #: Names a training that jumps between two models.
        self.cycle = Cycle(self)
        #: Ends a training whose losses grow beyond all measure.
        self.explosion = Explosion(self)
        self._round: Round | None = None
        self._asked: list[Message] = []

    def begin(
        self,
        grid: Grid,
        arrays: ArrayRecord,
        rounds: int | None,
        config: ConfigRecord | None = None,
    ) -> tuple[int, ArrayRecord]:
        """Learn who takes part, or continue with the folder; gives the last round and its model."""
        if self.secure is not None:
            raise InputError(
                "secure sums are not for a strategy around this one, which would see nothing",
                field="secure",
                hint="call `start` of the strategy itself",
            )
        if self.privacy is not None and (self.wrapped or rounds is None):
            raise InputError(
                "a strategy around this one would see updates without noise", field="privacy"
            )
        opened, restored = self.opened(grid, arrays, rounds)
        if self.privacy is not None:
            self.private = CentralNoise(self.privacy, self.rule, self.rounds or 0, self.history)
        self.told_spent = Ledger(self.history, TOLD)
        if restored is None:
            known = self.terms.names if opened else self.expected
            self._first(arrays, config or ConfigRecord(), known, agreed=opened)
        else:
            self._restore(restored)
        self.explosion.begin()
        self.begun = True
        return self.done, record_of(self.model)

    def opened(
        self, grid: Grid, arrays: ArrayRecord, rounds: int | None
    ) -> tuple[bool, Restored | None]:
        """Take what a run begins with; says whether there is a folder, and where it resumes."""
        self.grid, self.exchange, self.rounds = grid, Exchange(grid), rounds
        self.model = model_of(arrays)
        if not self.model.floats:
            raise InputError("the model has no floating-point parts", field="initial_arrays")
        exists = self.history.exists
        restored = self._reopen() if exists else None
        self.known_keys, self.strangers = KnownKeys(self.history), Strangers(self.history)
        return exists, restored

    def _first(
        self, arrays: ArrayRecord, config: ConfigRecord, known: list[str] | None, *, agreed: bool
    ) -> None:
        """Round zero: everybody's loss at the first model."""

        def ask(nodes: list[int]) -> list[Message]:
            own = ConfigRecord({**config, ROUND: 0, RULE: self.rule})
            return [self._message(node, arrays, own, MessageType.EVALUATE) for node in nodes]

        self.roster, found = census(
            self.grid,
            self.exchange,
            known,
            self.min_agents,
            self.timeout,
            self.gather,
            ask,
            self._read_measures,
        )
        if not agreed:
            self._agree(found)
        self._build_server()
        self.measured = found
        self._write(Round(0, self.model), found)

    def _agree(self, found: dict[str, Measured]) -> None:
        """Fix weights and ceilings, and start the folder."""
        names = list(self.roster.names or [])
        samples = [found[name].samples or 0 for name in names]
        losses = [found[name].loss for name in names]
        counted = self.guards.row_counts(names, samples, self.weights, self.average)
        weights = resolve_weights(self.weights, names, counted, "weights")
        self.terms = Terms(
            names=names,
            samples=samples,
            held_out=[0] * len(names),
            weights=weights,
            average=resolve_weights(self.average, names, counted, "average"),
            ceilings=agreed_ceilings(self, names, losses, weights),
            replaced=self.guards.replaced,
        )
        if self.rounds is None and self.history.path is not None:
            raise InputError(
                "a run folder says how many rounds are planned: a wrapper's `start` does not tell",
                field="run",
                hint="call `corefed.flower.start(wrapper, grid, ...)`, not `wrapper.start(...)`",
            )
        steadiness = settle(self, {name: found[name].corrects for name in names})
        told = header(
            "Flower",
            self.name,
            self.rule,
            self.seed,
            self.rounds or 0,
            self.model,
            self.terms,
            self.tolerance,
            steadiness.header(),
        )
        self.history.create(told, self._spec())
        self.steady = Steady(self, steadiness)

    def _reopen(self) -> Restored | None:
        known, restored = self.history.open(self._spec(), changed_spec=self.changed_spec)
        self.terms = Terms.of_header(known)
        steadiness = Steadiness.of_header(known["steadiness"])
        steadiness.check(wrapped=self.wrapped)
        self.steady = Steady(self, steadiness)
        return restored

    def _restore(self, restored: Restored) -> None:
        """Continue after a checkpoint."""
        self.roster = Roster(self.terms.names)
        # A new server knows nobody yet, and nodes come back one by one.
        self.gathers = True
        self._build_server()
        self.model = self.model.restored(restored.tensors, "model.")
        self._load(restored)
        self.done = restored.round
        self.measured = self.history.measured(restored.round)
        log(INFO, "in progress after round %d of `%s`", restored.round, self.history.path)

    def _build_server(self) -> None:
        terms = self.terms
        self.server = Server(
            self.rule,
            agents=terms.names,
            weights=terms.weights,
            samples=terms.average,
            ceilings=terms.ceilings,
            **self.settings,
        )

    def _tensors(self) -> Parts:
        kept = self.model.tensors("model.")
        if self.state is not None:
            kept |= {f"server.{name}": array for name, array in self.state.to_dict().items()}
        return kept | self.steady.tensors()

    def _state(self) -> dict[str, Any]:
        stepped = self.state is not None
        told = {"rule": self.rule, "stepped": stepped, **self.steady.state()}
        return told if self.private is None else told | {"squares": self.private.squares()}

    def _load(self, restored: Restored) -> None:
        self.steady.load(restored)
        if self.private is not None:
            self.private.remember(restored.state.get("squares", 0.0))
        if restored.state["stepped"]:
            names = ("multipliers", "ceilings", "velocity", "utilities")
            self.state = ServerState.from_dict({n: restored.tensors[f"server.{n}"] for n in names})

    def cohort_size(self) -> int:
        """How many agents train in a round."""
        agents = len(self.terms.names)
        return min(agents, max(self.min_replies, ceil(self.fraction_train * agents)))

    def finish(self) -> None:
        """Write the model, what is known of its stability, and the last checkpoint."""
        self.history.notes = [_SUMS] if self.secure is not None else spent(self)
        for note in self.history.notes:
            log(INFO, "%s", note)
        self.history.save_model(self.model)
        everybody = all(name in self.measured for name in self.terms.names)
        if everybody and self.history.path is not None and self._is_due(self.done):
            self.history.audit([self.measured[name].loss for name in self.terms.names], [])
        elif not self.history.judged:
            self.history.unjudged(self.done)
        self.history.finish(self.done, self._tensors(), self._state())

    def _write(self, current: Round, found: dict[str, Measured]) -> MetricRecord | None:
        self.model = current.after or current.before
        self.steady.close(current, found)
        record = self.history.append(current.facts(found))
        self.cycle.note(current.number, found)
        self.done = current.number
        self.history.checkpoint(self.done, self._tensors(), self._state())
        self._round = None
        told = (
            "loss",
            "accuracy",
            "log_welfare",
            "kappa",
            "headroom",
            "utility_min",
            "utility_max",
        )
        numbers = {key: record.get(key) for key in told}
        kept = MetricRecord()
        for key, value in numbers.items():
            if isinstance(value, int | float):
                kept[key] = float(value)
        return kept if kept else None

    def _config(self, config: ConfigRecord, number: int, name: str) -> ConfigRecord:
        at = self.terms.index(name)
        own = {**config, ROUND: number, RULE: self.rule, INDEX: at, "seed": self.seed}
        own[CEILING] = self.terms.ceilings[at]
        if "floor" in self.settings:
            own[FLOOR] = self.settings["floor"]
        if self.learning_rate is not None:
            own["lr"] = self.learning_rate
        return ConfigRecord(own)

    def _is_due(self, number: int) -> bool:
        every = self.evaluate_every
        return every > 0 and (number % every == 0 or number == self.rounds)
