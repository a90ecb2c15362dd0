"""Algorithms ranked over the data sets, beyond the tests of the papers: a table and a figure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from quadrepro.base.models import Model
from quadrepro.engine.outcomes import Outcomes
from quadrepro.stats import Ranking, rank_methods
from quadrepro.stats.ranking import fault_of_size
from quadrepro.tables.figure import draw_critical_difference
from quadrepro.tables.kinds.base import Context, TableKind, closing_notes
from quadrepro.tables.kinds.deviations import share_of_tests
from quadrepro.tables.ranked import Splits, no_ranking, ranking_table
from quadrepro.tables.table import Table


class Options(Model):
    """What a config says of the ranking; ``true`` stands for the defaults."""

    forms = (Literal[True],)

    rope: float = Field(default=0.01, ge=0, allow_inf_nan=False)
    """Half-width of the region of practical equivalence: risks that differ by no more are the same.
    """

    @model_validator(mode="before")
    @classmethod
    def _true(cls, data: Any) -> Any:
        return {} if data is True else data


def ranking_of(context: Context[Options], outcomes: Outcomes) -> Ranking | None:
    """Return the ranking by mean value, or None if a cell is missing or one row is left."""
    rows = outcomes.rows
    losses = {c: [outcomes.mean_loss(row, c) for row in rows] for c in outcomes.compared}
    known = {c: [loss for loss in of if loss is not None] for c, of in losses.items()}
    if min(len(rows), len(known)) < 2 or any(len(of) < len(rows) for of in known.values()):
        return None
    return rank_methods(known, context.option.rope)


def splits_of(context: Context[Any], outcomes: Outcomes) -> list[Splits]:
    """Return the losses on single splits, without rows that test all examples or have no result.

    There are none with a single split.
    """
    if outcomes.repeats < 2:
        return []
    found = []
    for row in context.config.rows:
        title = row.entry.title
        if title not in outcomes.rows:
            continue
        sizes = (r.n_test for c in outcomes.columns for r in outcomes.cell(title, c) if r.ok)
        if not (n_test := next(sizes, 0)):
            continue
        protocol = row.entry.changed(context.config.protocol)
        share = share_of_tests(protocol, n_test, outcomes.repeats, row.entry.name)
        if share < 1:
            losses = {c: outcomes.losses(title, c) for c in outcomes.compared}
            found.append(Splits(title, losses, share))
    return found


class RankingKind(TableKind[Options]):
    """Mean ranks of the algorithms over the data sets."""

    key, option = "ranking", Options
    meaning = (
        "Mean ranks with the critical difference, and posteriors of every pair: `true`, or options."
    )

    def check(self, context: Context[Options]) -> None:
        """Refuse a config with too little, or too much, to rank."""
        if fault := fault_of_size(len(context.titles), len(context.config.rows)):
            raise context.error(fault)

    def table(self, context: Context[Options], outcomes: Outcomes) -> Table:
        """Return the table of all pairs of algorithms."""
        all_rows, outcomes = outcomes.rows, outcomes.tested()
        title = f"{context.config.title}: ranking{outcomes.by_metric}"
        ranking = ranking_of(context, outcomes)
        if ranking is None:
            return no_ranking(title, "There is no ranking while cells are missing.")
        table = ranking_table(
            title,
            ranking,
            context.titles,
            splits_of(context, outcomes),
            higher_is_better=outcomes.greater_is_better,
            quantity=outcomes.label,
        )
        notes = [*table.notes, *closing_notes(context, outcomes)]
        if left_out := outcomes.left_out(all_rows):
            notes.append(left_out)
        return replace(table, notes=tuple(notes))

    def draw(self, context: Context[Options], outcomes: Outcomes, folder: Path) -> None:
        """Draw the critical-difference diagram."""
        ranking = ranking_of(context, outcomes.tested())
        if ranking is None:
            draw_critical_difference(folder, self.name, (), (), 0.0)
            return
        titles = [context.titles[name] for name in ranking.methods]
        draw_critical_difference(
            folder, self.name, titles, ranking.mean_ranks, ranking.critical_difference
        )

    def caption(self, context: Context[Options], outcomes: Outcomes) -> str:
        """Return what the figure shows."""
        extreme = "highest" if outcomes.greater_is_better else "lowest"
        value = "error" if outcomes.metric is None else outcomes.label
        return (
            f"{context.config.title}: mean ranks of {len(outcomes.compared)} algorithms over "
            f"{len(outcomes.rows)} data sets. The algorithm with the {extreme} mean {value} in a "
            "row has rank 1; ties share their ranks. Beside each name stands its mean rank, the "
            "best ones on the left. Thick bars join algorithms whose mean ranks differ by less "
            "than the critical difference (CD) of Nemenyi's test."
        )


RANKING = RankingKind()
