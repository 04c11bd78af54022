"""A rule of CoreFed as an aggregator of FLARE."""

from __future__ import annotations

from collections.abc import Mapping
from logging import ERROR, WARNING
from typing import Any, Literal

from nvflare.apis.event_type import EventType
from nvflare.apis.fl_context import FLContext
from nvflare.app_common.abstract.fl_model import FLModel, ParamsType
from nvflare.app_common.aggregators.model_aggregator import ModelAggregator
from nvflare.app_common.app_event_type import AppEventType

from corefed._errors import CorefedError, InputError
from corefed._federation.explosion import LOSS_FACTOR
from corefed._federation.guards import Guards
from corefed._federation.logged import log
from corefed._federation.measured import Measured
from corefed._federation.model import Parts
from corefed._federation.terms import Ceilings, Weights
from corefed._rules import RULES
from corefed.flare.events import evaluated_model, run_folder, sent_to, speaker, validations
from corefed.flare.protocol import LOSS
from corefed.flare.reply import Reply, read_measures, read_training
from corefed.flare.rounds import Rounds, Sent
from corefed.flare.told import check_told, known_ceilings


class CoreFedAggregator(ModelAggregator):  # type: ignore[misc]
    """One step of a rule per round, over what sites report, with guards and a run folder.

    Parameters
    ----------
    rule
        The name of a rule that combines updates; :func:`corefed.rules` lists them.
    ceilings
        The loss at which a site gets nothing: one for all, a dictionary by site, or
        ``"initial:F"`` for F times each site's loss at the first model (once without ``:F``).
    sites
        Names of the sites. All of them must answer in the first round, and nobody else takes part.
        Without it, those that answer in the first round are the federation.
    weights
        The say of each site: ``equal``, ``samples`` or a dictionary.
    average
        Weights of rules that only average, and of warm-ups: the same choices.
    settings
        Further keywords of :class:`corefed.Server`: knobs of the rule such as ``q``, ``floor``,
        ``clip``, ``server_step``, ``server_momentum``.
    learning_rate
        Of local training, where the rule needs it.
    share_cap, norm_cap, ceiling_spread, rows_spread
        Guards against what one site alone can do; ``None`` switches one off. No share of a step
        exceeds `share_cap` times the site's fair one, under rules that go by reported losses. No
        update counts with more than `norm_cap` times the median length of the cohort's. Ceilings of
        ``"initial:F"`` go by first losses within `ceiling_spread` times their median. Where weights
        go by samples, no site counts with more than `rows_spread` times their median.
    loss_factor
        A median loss this many times the first one is an explosion, and ends the job; ``None``:
        never.
    min_replies, on_too_few
        How many usable results a round needs, and whether a round with fewer is left out
        (``skip``) or ends the job (``fail``).
    run, title
        Folder to write, and its name for people. A relative path lies in the job's own folder on
        the server, and comes with its results.
    tolerance
        Gains up to this part do not count in the audit.
    last_timeout
        Seconds to wait for the losses with the last model, in the workflow of the recipe. With
        sites that take longer there is no audit.
    """

    def __init__(
        self,
        rule: str = "corefed",
        *,
        ceilings: Ceilings,
        sites: list[str] | None = None,
        weights: Weights = "equal",
        average: Weights = "samples",
        settings: dict[str, Any] | None = None,
        learning_rate: float | None = None,
        share_cap: float | None = 3.0,
        norm_cap: float | None = 5.0,
        ceiling_spread: float | None = 3.0,
        rows_spread: float | None = 10.0,
        loss_factor: float | None = LOSS_FACTOR,
        min_replies: int = 2,
        on_too_few: Literal["skip", "fail"] = "skip",
        run: str | None = None,
        title: str | None = None,
        tolerance: float = 1e-2,
        last_timeout: int = 600,
    ) -> None:
        super().__init__()
        # FLARE writes a job by the attributes that are called as arguments are.
        self.rule, self.ceilings, self.sites = rule, ceilings, sites
        self.weights, self.average, self.settings = weights, average, settings
        self.learning_rate, self.share_cap = learning_rate, share_cap
        self.norm_cap, self.ceiling_spread, self.rows_spread = norm_cap, ceiling_spread, rows_spread
        self.loss_factor = loss_factor
        self.min_replies, self.on_too_few = min_replies, on_too_few
        self.run, self.title, self.tolerance = run, title, tolerance
        self.last_timeout = last_timeout
        check_told(self)
        self.guards = Guards(norm_cap, ceiling_spread, rows_spread)
        #: Sent along with models, where sites train by them.
        in_training = RULES[rule].ceilings == "training"
        self._told_ceilings = known_ceilings(self) if in_training else {}
        self._rounds = Rounds(self, None)
        self._sent: Sent | None = None
        self._replies: dict[str, Reply] = {}
        self._refused: dict[str, str] = {}

    @property
    def names(self) -> list[str]:
        """The sites of the federation, once it is known who takes part."""
        terms = self._rounds.terms
        return [] if terms is None else terms.names

    @property
    def model(self) -> Parts | None:
        """The model after the last round, by its parts."""
        last = self._rounds.last
        return None if last is None else last.parts

    def handle_event(self, event_type: str, fl_ctx: FLContext) -> None:
        """Hear what is sent to whom, what everybody loses with whose model, and the end."""
        super().handle_event(event_type, fl_ctx)
        if event_type == EventType.START_RUN:
            self._rounds = Rounds(self, run_folder(self.run, fl_ctx))
        elif event_type == AppEventType.BEFORE_TRAIN_TASK:
            self._note_sent(sent_to(fl_ctx, self._told_ceilings))
        elif event_type == AppEventType.VALIDATION_RESULT_RECEIVED:
            for site, metrics in validations(fl_ctx).items():
                self._note_validation(evaluated_model(fl_ctx), site, metrics)
        elif event_type == EventType.END_RUN:
            try:
                self._rounds.end()
            except CorefedError as why:
                log(ERROR, "the run folder is not finished: %s", why)

    def accept_model(self, model: FLModel) -> None:
        """Take a site's result, or refuse it by name; FLARE then leaves the site out."""
        site = speaker(model, self.fl_ctx)
        if self._sent is None:
            raise InputError(
                "the workflow did not say which model it sent",
                field="aggregator",
                hint="use `CoreFedRecipe`, or a workflow that fires BEFORE_TRAIN_TASK",
            )
        if site in self._replies:
            raise InputError(f"site `{site}` has answered already", agent=site)
        try:
            self._replies[site] = read_training(model, self._sent.model())
        except InputError as why:
            self._refused[site] = why.message
            told = f"the result of site `{site}` is refused: {why.message}"
            raise InputError(told, agent=site, field=why.field, hint=why.hint) from why

    def aggregate_model(self) -> FLModel:
        """Take the rule's step; in the order of sites, however their results came."""
        if self._sent is None:
            raise InputError("there is no round to aggregate", field="aggregator")
        moved, loss = self._rounds.step(self._sent, self._replies, self._refused)
        return FLModel(
            params=moved.parts,
            params_type=ParamsType.FULL,
            metrics=None if loss is None else {LOSS: loss},
        )

    def reset_stats(self) -> None:
        """Forget the results of a round."""
        self._sent, self._replies, self._refused = None, {}, {}

    def measure_last(self, answers: list[FLModel]) -> None:
        """Take what sites lose with the last model."""
        for answer in answers:
            site = speaker(answer, None)
            measured = self._measures(site, answer.metrics)
            if measured is not None:
                self._rounds.measure(site, measured)
        self._rounds.complete = True

    def _note_sent(self, sent: Sent) -> None:
        if self._sent is None or self._sent.number != sent.number:
            self._sent = sent
        else:
            self._sent.asked += sent.asked

    def _note_validation(self, model: str, site: str, metrics: Mapping[str, Any]) -> None:
        """Models of sites are rivals; those of the server are this run's own."""
        if model in self.names and (measured := self._measures(site, metrics)) is not None:
            self._rounds.compare(model, site, measured.loss)

    def _measures(self, site: str, metrics: Mapping[str, Any] | None) -> Measured | None:
        try:
            return read_measures(metrics)
        except InputError as why:
            log(WARNING, "site `%s` did not measure a model: %s", site, why.message)
            return None
