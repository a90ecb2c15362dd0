"""Algorithms ranked over data sets, or over the splits of one: a table, a figure and a sentence.

The sentence sums up a comparison: the best, what is not told apart from it, and the rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from pydantic import ConfigDict, Field, model_validator

from quadrepro.base.models import Model
from quadrepro.core.learners.registry import BASELINE
from quadrepro.engine.outcomes import Outcomes
from quadrepro.stats import (
    COVERAGE,
    LEVEL,
    Ranking,
    fault_of_size,
    holm,
    mean_ranks,
    rank_methods,
    rounded_p,
    wilcoxon_test,
)
from quadrepro.tables.figure import draw_critical_difference
from quadrepro.tables.kinds.base import Context, TableKind, closing_notes
from quadrepro.tables.notes import listed, own_rows_note
from quadrepro.tables.ranked import (
    ComparedSplits,
    Splits,
    compare_splits,
    no_ranking,
    ranking_table,
)
from quadrepro.tables.table import Table, TableEntry

SPLITS_HEADER = (
    *("method", "against", "mean rank", "mean rank against"),
    *("mean difference", "low", "high", "better", "same", "worse"),
    *("corrected t p", "corrected t p Holm"),
)


class Options(Model):
    """What a config says of the ranking; ``true`` stands for the defaults."""

    model_config = ConfigDict(json_schema_extra={"type": ["object", "boolean"]})

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


def splits_of(outcomes: Outcomes) -> list[Splits]:
    """Return the losses on single splits, without rows that test all examples or have no result.

    Columns that lack a result in a row are left out of it.

    There are none with a single split.
    """
    if outcomes.repeats < 2:
        return []
    found = []
    for title in outcomes.rows:
        share = outcomes.test_shares.get(title, 1.0)
        if share < 1:
            whole = (c for c in outcomes.compared if outcomes.complete(title, c))
            losses = {c: outcomes.losses(title, c) for c in whole}
            found.append(Splits(title, losses, share))
    return found


class RankedSplits(NamedTuple):
    """Algorithms on the splits of a single data set."""

    ranks: dict[str, float]  # mean ranks, the best first
    pairs: dict[tuple[str, str], ComparedSplits]


def rank_splits(context: Context[Options], outcomes: Outcomes) -> RankedSplits | None:
    """Return the ranking over splits, or None if there are several rows or a cell is missing."""
    splits = splits_of(outcomes) if len(outcomes.rows) == 1 else []
    if not splits or not 1 < len(splits[0].risks) == len(outcomes.compared):
        return None
    [of] = splits
    return RankedSplits(mean_ranks(of.risks), compare_splits(of, context.option.rope))


def _splits_table(
    title: str, found: RankedSplits, context: Context[Options], outcomes: Outcomes
) -> Table:
    rope, titles = context.option.rope, context.titles
    body, data = [], []
    for a, b in combinations(found.ranks, 2):
        pair, ranks = found.pairs[a, b], (found.ranks[a], found.ranks[b])
        low, high = sorted((outcomes.sign * pair.low, outcomes.sign * pair.high))
        mean, post = outcomes.sign * pair.mean_difference, pair.posterior
        chances = (post.better, post.same, post.worse)
        entries = (
            TableEntry(f"{ranks[0]:.2f}, {ranks[1]:.2f}"),
            TableEntry(rounded_p(pair.p_holm), mark="*" if pair.p_holm <= LEVEL else ""),
            TableEntry(f"{mean:+.2g} [{low:+.2g}, {high:+.2g}]"),
            TableEntry(" / ".join(f"{chance:.2f}" for chance in chances)),
        )
        body.append((f"{titles[a]} – {titles[b]}", entries))
        data.append((a, b, *ranks, mean, low, high, *chances, pair.p_value, pair.p_holm))
    order = ", ".join(f"{titles[name]} {rank:.2f}" for name, rank in found.ranks.items())
    notes = (
        f"Mean ranks over {outcomes.repeats} splits, 1 for the best: {order}. Splits share "
        "examples, so that tests of ranks would find too much.",
        f"\\* p ≤ {LEVEL:g}: corrected resampled t-test, adjusted for all pairs by Holm's method.",
        f"Difference: mean {outcomes.label} of the first less that of the second, with an interval "
        f"of {COVERAGE:.0%} for all pairs together.",
        f"Probability that the first is better by more than {rope:g}, differs by no more than "
        "that, or is worse, by the Bayesian correlated t-test.",
    )
    header = ("", "mean ranks", "corrected t, Holm", "difference", "better / same / worse")
    return Table(title, header, tuple(body), notes, SPLITS_HEADER, tuple(data))


class RankingKind(TableKind[Options]):
    """Mean ranks of the algorithms over the data sets, or over the splits of a single one."""

    key, option = "ranking", Options
    sums_up = True
    meaning = (
        "Mean ranks with the critical difference, and posteriors of every pair: `true`, or options."
    )

    def check(self, context: Context[Options]) -> None:
        """Refuse a config with too little, or too much, to rank."""
        n_rows = len(context.config.own_rows)
        if not n_rows:
            raise context.error(own_rows_note(context.config))
        n_ranked = n_rows if n_rows > 1 else context.config.repeats
        if fault := fault_of_size(len(context.compared), n_ranked):
            raise context.error(fault)

    def table(self, context: Context[Options], outcomes: Outcomes) -> Table:
        """Return the table of all pairs of algorithms."""
        left_out, outcomes = outcomes.left_out(), outcomes.tested()
        title = f"{context.config.title}: ranking{outcomes.by_metric}"
        if found := rank_splits(context, outcomes):
            table = _splits_table(title, found, context, outcomes)
        elif ranking := ranking_of(context, outcomes):
            table = ranking_table(
                title,
                ranking,
                context.titles,
                splits_of(outcomes),
                higher_is_better=outcomes.greater_is_better,
                quantity=outcomes.label,
            )
        else:
            return no_ranking(title, "Ranking takes two algorithms without missing cells.")
        notes = (
            *table.notes,
            *closing_notes(context, outcomes),
            left_out,
            own_rows_note(context.config),
        )
        return replace(table, notes=tuple(filter(None, notes)))

    def draw(self, context: Context[Options], outcomes: Outcomes, folder: Path) -> None:
        """Draw the critical-difference diagram."""
        outcomes = outcomes.tested()
        if found := rank_splits(context, outcomes):
            names, ranks, pairs = [*found.ranks], [*found.ranks.values()], found.pairs
            titles = [context.titles[name] for name in names]

            def same(i: int, j: int) -> bool:
                return pairs[names[i], names[j]].p_holm > LEVEL

            draw_critical_difference(folder, self.name, titles, ranks, math.inf, same)
            return
        ranking = ranking_of(context, outcomes)
        if ranking is None:
            draw_critical_difference(folder, self.name, (), (), 0.0)
            return
        titles = [context.titles[name] for name in ranking.methods]
        draw_critical_difference(
            folder, self.name, titles, ranking.mean_ranks, ranking.critical_difference
        )


RANKING = RankingKind()


HOLM = f"adjusted for all pairs by Holm's method (p ≤ {LEVEL:g})"


def conclusion(context: Context[Any], outcomes: Outcomes) -> str:
    """Return which algorithm is best, which are not told apart from it, and which are worse.

    There is none for the config of a paper, which says what it compares, and where fewer than two
    algorithms have all results.
    """
    config, outcomes = context.config, outcomes.tested()
    if config.paper or not outcomes.rows:
        return ""
    columns = [
        c for c in outcomes.compared if all(outcomes.complete(row, c) for row in outcomes.rows)
    ]
    if len(columns) < 2:
        return ""
    over = _over_datasets if len(outcomes.rows) > 1 else _on_splits
    return f"{over(context, outcomes, columns)} {own_rows_note(context.config)}".rstrip()


def _on_splits(context: Context[Any], outcomes: Outcomes, columns: Sequence[str]) -> str:
    """Return the conclusion from the splits of a single data set."""
    [row] = outcomes.rows
    losses = {c: outcomes.mean_loss(row, c) or 0 for c in outcomes.columns}
    best, *others = sorted(columns, key=losses.__getitem__)
    head = f"Best by {outcomes.label}: {context.titles[best]} ({_mean(outcomes, best)})."
    if BASELINE in losses and outcomes.complete(row, BASELINE) and losses[BASELINE] <= losses[best]:
        head += f" {context.titles[BASELINE]} is as good without any attribute."
    splits = splits_of(outcomes)
    if not splits:
        return f"{head} Without several test sets, no other algorithm is told apart from it."
    pairs = compare_splits(splits[0], rope=0.0)

    def short(number: float) -> str:
        # Adding 0 takes the sign from what rounds to 0.
        text = f"{round(100 * number, 1) + 0:.1f}" if outcomes.counted(row) else f"{number:.2g}"
        return text.replace("-", "−")

    points = " points" if outcomes.counted(row) else ""
    texts = {}
    for c in others:
        found = pairs[c, best]
        interval = f"{COVERAGE:.0%} interval {short(found.low)} to {short(found.high)}"
        behind = f"{short(found.mean_difference)}{points} behind"
        texts[c] = f"{context.titles[c]} ({behind}, {interval})"
    apart = [c for c in others if pairs[c, best].p_holm <= LEVEL]
    return (
        f"{head}{_rest(texts, apart)} By corrected resampled t-tests over {outcomes.repeats} "
        f"splits, {HOLM}; the intervals hold for all pairs together."
    )


def _over_datasets(context: Context[Any], outcomes: Outcomes, columns: Sequence[str]) -> str:
    """Return the conclusion from ranks over data sets."""
    n = len(outcomes.rows)
    losses = {c: [outcomes.mean_loss(row, c) or 0 for row in outcomes.rows] for c in columns}
    ranks = mean_ranks(losses)
    best, *others = ranks
    pairs = list(combinations(columns, 2))
    tests = {pair: wilcoxon_test(losses[pair[0]], losses[pair[1]]) for pair in pairs}
    adjusted = holm(test.p_value for test in tests.values())
    told = {frozenset(pair) for pair, p in zip(pairs, adjusted, strict=True) if p <= LEVEL}
    # A mean over numbers of different targets has no meaning.
    alike = outcomes.metric is not None or all(map(outcomes.counted, outcomes.rows))
    texts = {}
    for c in (best, *others):
        mean = f", mean {outcomes.label} {_mean(outcomes, c)}" if alike else ""
        texts[c] = f"{context.titles[c]} (mean rank {ranks[c]:.2f}{mean})"
    apart = [c for c in others if {c, best} in told]
    found = f"Best by {outcomes.label} over {n} data sets: {texts.pop(best)}."
    found += f"{_rest(texts, apart)} By Wilcoxon's signed-rank tests, {HOLM}."
    if len(pairs) * 2 ** (1 - n) > LEVEL:
        found += f" {n} data sets are too few for them to tell any pair apart."
    return found


def _rest(texts: dict[str, str], apart: Sequence[str]) -> str:
    """Return which of the others are not told apart from the best, and which are worse."""
    near, far = ([texts[c] for c in texts if (c in apart) == is_far] for is_far in (False, True))
    return (f" Not told apart from it: {listed(near)}." if near else "") + (
        f" Worse: {listed(far)}." if far else ""
    )


def _mean(outcomes: Outcomes, column: str) -> str:
    mean = fmean(float(outcomes.mean(row, column) or 0) for row in outcomes.rows)
    return f"{mean:.3f}" if outcomes.counted(outcomes.rows[0]) else f"{mean:.4g}"
