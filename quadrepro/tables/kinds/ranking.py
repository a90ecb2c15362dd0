"""Algorithms ranked over data sets, or over the splits of one: a table and a figure."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from quadrepro.base.models import Model
from quadrepro.core.learners.registry import BASELINE
from quadrepro.engine.outcomes import Outcomes
from quadrepro.stats import LEVEL, Ranking, rank_methods
from quadrepro.stats.ranking import fault_of_size
from quadrepro.tables.figure import draw_critical_difference
from quadrepro.tables.kinds.base import Context, TableKind, closing_notes
from quadrepro.tables.kinds.deviations import share_of_tests
from quadrepro.tables.ranked import (
    Splits,
    compare_splits,
    mean_ranks,
    no_ranking,
    ranking_table,
    splits_table,
)
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

    Columns that lack a result in a row are left out of it.

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
            whole = (c for c in outcomes.compared if outcomes.complete(title, c))
            losses = {c: outcomes.losses(title, c) for c in whole}
            found.append(Splits(title, losses, share))
    return found


def _only_splits(context: Context[Any], outcomes: Outcomes) -> Splits | None:
    """Return the splits of the only row if methods can be ranked over them."""
    splits = splits_of(context, outcomes) if len(outcomes.rows) == 1 else []
    return splits[0] if splits and 1 < len(splits[0].risks) == len(outcomes.compared) else None


class RankingKind(TableKind[Options]):
    """Mean ranks of the algorithms over the data sets, or over the splits of a single one."""

    key, option = "ranking", Options
    meaning = (
        "Mean ranks with the critical difference, and posteriors of every pair: `true`, or options."
    )

    def check(self, context: Context[Options]) -> None:
        """Refuse a config with too little, or too much, to rank."""
        config = context.config
        n_methods = len([name for name in context.titles if name != BASELINE])
        n_rows = len(config.rows) if len(config.rows) > 1 else config.repeats
        if fault := fault_of_size(n_methods, n_rows):
            raise context.error(fault)

    def table(self, context: Context[Options], outcomes: Outcomes) -> Table:
        """Return the table of all pairs of algorithms."""
        all_rows, outcomes = outcomes.rows, outcomes.tested()
        title = f"{context.config.title}: ranking{outcomes.by_metric}"
        if splits := _only_splits(context, outcomes):
            table = splits_table(
                title,
                splits,
                context.titles,
                context.option.rope,
                higher_is_better=outcomes.greater_is_better,
                quantity=outcomes.label,
            )
        elif ranking := ranking_of(context, outcomes):
            table = ranking_table(
                title,
                ranking,
                context.titles,
                splits_of(context, outcomes),
                higher_is_better=outcomes.greater_is_better,
                quantity=outcomes.label,
            )
        else:
            return no_ranking(title, "There is no ranking while cells are missing.")
        notes = [*table.notes, *closing_notes(context, outcomes)]
        if left_out := outcomes.left_out(all_rows):
            notes.append(left_out)
        return replace(table, notes=tuple(notes))

    def draw(self, context: Context[Options], outcomes: Outcomes, folder: Path) -> None:
        """Draw the critical-difference diagram."""
        outcomes = outcomes.tested()
        if splits := _only_splits(context, outcomes):
            ranks, pairs = mean_ranks(splits), compare_splits(splits, context.option.rope)
            names = list(ranks)
            draw_critical_difference(
                folder,
                self.name,
                [context.titles[name] for name in names],
                list(ranks.values()),
                math.inf,
                lambda i, j: pairs[names[i], names[j]].p_holm > LEVEL,
            )
            return
        ranking = ranking_of(context, outcomes)
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
        ranked, where = f"{len(outcomes.rows)} data sets", f"mean {value} in a row"
        bars = "whose mean ranks differ by less than the critical difference (CD) of Nemenyi's test"
        if len(outcomes.rows) == 1:
            ranked, where = f"{outcomes.repeats} splits", f"{value} on a split"
            bars = (
                "that the corrected resampled t-test does not tell apart, adjusted for all pairs "
                "by Holm's method"
            )
        return (
            f"{context.config.title}: mean ranks of {len(outcomes.compared)} algorithms over "
            f"{ranked}. The algorithm with the {extreme} {where} has rank 1; ties share their "
            "ranks. Beside each name stands its mean rank, the best ones on the left. Thick bars "
            f"join algorithms {bars}."
        )


RANKING = RankingKind()
