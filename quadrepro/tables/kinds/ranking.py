"""Algorithms ranked over data sets: a table of all pairs, and the critical-difference diagram."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import ConfigDict, Field, model_validator

from quadrepro.base.models import Model
from quadrepro.engine.outcomes import Outcomes
from quadrepro.stats import fault_of_size, rank_methods
from quadrepro.tables.critical_difference import draw_critical_difference
from quadrepro.tables.kinds.base import Context, Kind, Made, closing_notes, headline
from quadrepro.tables.notes import own_rows_note
from quadrepro.tables.ranked import ranking_table
from quadrepro.tables.table import Table


class Options(Model):
    """Options of the ranking; ``true`` stands for the defaults."""

    model_config = ConfigDict(json_schema_extra={"type": ["object", "boolean"]})

    rope: float = Field(
        0.01,
        ge=0,
        allow_inf_nan=False,
        description="Largest difference of errors that does not matter, for the posteriors.",
    )

    @model_validator(mode="before")
    @classmethod
    def _true(cls, data: Any) -> Any:
        return {} if data is True else data


def _check(context: Context[Options]) -> None:
    """Refuse a config with too little, or too much, to rank."""
    n_rows = len(context.config.own_rows)
    if not n_rows:
        raise context.error(own_rows_note(context.config))
    if n_rows == 1 and len(context.compared) > 1:
        raise context.error("ranking is over data sets; comparisons tests the splits of one")
    if fault := fault_of_size(len(context.compared), n_rows):
        raise context.error(fault)


def _make(context: Context[Options], outcomes: Outcomes) -> Made:
    """Make the table and the diagram."""
    tested = headline(context, outcomes).tested()
    title = f"{context.config.title}: ranking{tested.by_metric}"
    losses, compared = tested.mean_losses(), tested.compared
    if min(len(tested.rows), len(compared)) < 2 or not losses.keys() >= {*compared}:
        reason = "Ranking takes two algorithms without missing cells on two data sets."
        return Made(Table(title, ("",), (), (reason,), ("method",), ()))
    # Metrics have units of their own, so no difference is known to be too small to matter.
    rope = context.option.rope if tested.metric is None else 0.0
    ranking = rank_methods({c: losses[c] for c in compared}, rope)
    table = ranking_table(
        title,
        ranking,
        context.titles,
        higher_is_better=tested.greater_is_better,
        quantity=tested.label,
    )
    notes = (*closing_notes(context, tested), *filter(None, [own_rows_note(context.config)]))
    titles = [context.titles[name] for name in ranking.methods]
    draw = partial(draw_critical_difference, ranking=ranking, titles=titles)
    return Made(replace(table, notes=(*table.notes, *notes)), draw)


RANKING = Kind(
    "ranking",
    Options,
    "Mean ranks with the critical difference, and posteriors of every pair: `true`, or options.",
    _make,
    _check,
)
