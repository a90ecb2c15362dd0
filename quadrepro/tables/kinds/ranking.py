"""Algorithms ranked over data sets: a table of methods, and the diagram of mean ranks."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import ConfigDict, Field, model_validator

from quadrepro.base.models import Model
from quadrepro.engine.outcomes import Outcomes
from quadrepro.stats import LEVEL, rank_methods
from quadrepro.tables.kinds import (
    Context,
    Kind,
    Made,
    closing_notes,
    compares_ratios,
    own_rows_notes,
)
from quadrepro.tables.ranking import Scale, draw_ranks, methods_table, nemenyi_note
from quadrepro.tables.table import Table


class RankingOptions(Model):
    """Options of the ranking; ``true`` means the defaults."""

    model_config = ConfigDict(json_schema_extra={"type": ["object", "boolean"]})

    rope: float = Field(
        0.0,
        ge=0,
        allow_inf_nan=False,
        description="Largest difference that does not matter; a ratio for RMSEs, 0.01 for 1%.",
    )
    nemenyi: bool = Field(False, description="Add Nemenyi's critical difference of mean ranks.")

    @model_validator(mode="before")
    @classmethod
    def _true(cls, data: Any) -> Any:
        return {} if data is True else data


def scale_of(outcomes: Outcomes, rows: str = "data sets") -> Scale:
    """Return how the values of outcomes are shown."""
    percent = outcomes.metric is None and all(map(outcomes.counted, outcomes.rows))
    ratio = len(outcomes.rows) > 1 and compares_ratios(outcomes)
    return Scale(outcomes.label, outcomes.greater_is_better, percent, ratio, rows)


def _check(context: Context[RankingOptions]) -> None:
    """Refuse a config with too little to rank."""
    n_rows = len(context.config.own_rows)
    if not n_rows:
        raise context.error(own_rows_notes(context.config)[0])
    if n_rows == 1 and len(context.compared) > 1:
        raise context.error("ranking is over data sets; comparisons tests the splits of one")
    if len(context.compared) < 2:
        raise context.error("a ranking needs at least two methods on at least two data sets")


def _make(context: Context[RankingOptions], outcomes: Outcomes) -> Made:
    """Make the table and the diagram."""
    tested, option = context.headline(outcomes).tested(), context.option
    title = f"{context.config.title}: ranking{tested.by_metric}"
    losses, compared = tested.mean_losses(), tested.compared
    if min(len(tested.rows), len(compared)) < 2 or not losses.keys() >= {*compared}:
        reason = "Ranking takes two algorithms without missing cells on two data sets."
        return Made(Table(title, ("",), (), (reason,), ("method",), ()))
    scores = {c: [tested.sign * loss for loss in losses[c]] for c in compared}
    scale, higher = scale_of(tested), tested.greater_is_better
    ranking = rank_methods(scores, greater_is_better=higher, ratio=scale.ratio, rope=option.rope)
    table = methods_table(title, ranking, context.titles, scale)
    notes = (*closing_notes(context, tested), *own_rows_notes(context.config))
    if option.nemenyi:
        notes = (nemenyi_note(ranking, LEVEL), *notes)
    draw = partial(draw_ranks, ranking=ranking, titles=context.titles, nemenyi=option.nemenyi)
    return Made(replace(table, notes=(*table.notes, *notes)), draw)


RANKING = Kind(
    RankingOptions,
    _make,
    _check,
    "Mean ranks with tests against the best, and a diagram of ranks: `true`, or options.",
)
