"""The sentence that sums up an own comparison: the best, what is not told apart, and the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from statistics import fmean
from typing import Any

from quadrepro.core.learners.registry import BASELINE
from quadrepro.engine.outcomes import Outcomes
from quadrepro.stats import COVERAGE, LEVEL, holm, mean_ranks, p_text, wilcoxon_test
from quadrepro.tables.kinds.base import Context, headline
from quadrepro.tables.notes import listed, own_rows_note
from quadrepro.tables.ranked import ComparedSplits, compare_splits, splits_of
from quadrepro.tables.verdicts import LEAST_SPLITS

HOLM = f"adjusted for all pairs by Holm's method (p ≤ {LEVEL:g})"


def conclusion(context: Context[Any], outcomes: Outcomes) -> str:
    """Return which algorithm is best, which are not told apart from it, and which are worse.

    There is none for the config of a paper, which says what it compares, and where fewer than two
    algorithms have all results.
    """
    outcomes = headline(context, outcomes).tested()
    if context.config.paper or not outcomes.rows:
        return ""
    columns = [c for c in outcomes.mean_losses() if c != BASELINE]
    if len(columns) < 2:
        return ""
    over = _over_datasets if len(outcomes.rows) > 1 else _on_splits
    left_out = [context.titles[c] for c in context.compared if c not in columns]
    found = over(context, outcomes, columns)
    if left_out:
        found += f" Not compared, since results are missing: {listed(left_out)}."
    return f"{found} {own_rows_note(context.config)}".rstrip()


def _on_splits(context: Context[Any], outcomes: Outcomes, columns: Sequence[str]) -> str:
    """Return the conclusion from the splits of a single data set."""
    [row], titles, losses = outcomes.rows, context.titles, outcomes.mean_losses()
    best, *others = sorted(columns, key=lambda column: losses[column])
    head = f"Best by {outcomes.label}: {titles[best]} ({_mean(outcomes, best)})."
    splits = splits_of(outcomes)
    if outcomes.repeats < LEAST_SPLITS or splits is None:
        few = {1: "One split cannot"}.get(outcomes.repeats, f"{outcomes.repeats} splits cannot")
        return f"{head} {few} tell any method apart from it."
    if BASELINE in losses:
        two = {BASELINE: outcomes.losses(row, BASELINE), best: splits.risks[best]}
        of = compare_splits(replace(splits, risks=two))[BASELINE, best]
        ahead = _difference(outcomes, of)
        head += (
            f" No method is shown to be better than {titles[BASELINE]} (difference {ahead})."
            if of.p_value > LEVEL or of.mean_difference < 0
            else f" It is better than {titles[BASELINE]} by {ahead}."
        )
    pairs = compare_splits(splits)
    texts = {c: f"{titles[c]} ({_difference(outcomes, pairs[c, best], ' behind')})" for c in others}
    apart = [c for c in others if pairs[c, best].p_holm <= LEVEL]
    return (
        f"{head}{_rest(texts, apart)} By corrected resampled t-tests over {outcomes.repeats} "
        f"splits, {HOLM}; the intervals hold for all pairs together."
    )


def _over_datasets(context: Context[Any], outcomes: Outcomes, columns: Sequence[str]) -> str:
    """Return the conclusion from ranks over data sets."""
    n, titles, losses = len(outcomes.rows), context.titles, outcomes.mean_losses()
    ranks = mean_ranks({c: losses[c] for c in columns})
    best, *others = ranks
    tests = {pair: wilcoxon_test(*(losses[c] for c in pair)) for pair in combinations(columns, 2)}
    adjusted = holm(test.p_value for test in tests.values())
    told = [{*pair} for pair, p in zip(tests, adjusted, strict=True) if p <= LEVEL]
    # A mean over numbers of different targets has no meaning.
    alike = outcomes.metric is not None or all(map(outcomes.counted, outcomes.rows))
    texts = {}
    for c in (best, *others):
        mean = f", mean {outcomes.label} {_mean(outcomes, c)}" if alike else ""
        texts[c] = f"{titles[c]} (mean rank {ranks[c]:.2f}{mean})"
    found = f"Best by {outcomes.label} over {n} data sets: {texts.pop(best)}."
    if BASELINE in losses:
        better = sum(x < y for x, y in zip(losses[best], losses[BASELINE], strict=True))
        p = p_text(wilcoxon_test(losses[best], losses[BASELINE]).p_value)
        found += f" It is better than {titles[BASELINE]} on {better} of them ({p})."
    apart = [c for c in others if {c, best} in told]
    found += f"{_rest(texts, apart)} By Wilcoxon's signed-rank tests, {HOLM}."
    if len(tests) * 2 ** (1 - n) > LEVEL:
        found += f" {n} data sets are too few for them to tell any pair apart."
    return found


def _rest(texts: dict[str, str], apart: Sequence[str]) -> str:
    """Return which of the others are not told apart from the best, and which are worse."""
    near, far = ([texts[c] for c in texts if (c in apart) == is_far] for is_far in (False, True))
    return (f" Not told apart from it: {listed(near)}." if near else "") + (
        f" Worse: {listed(far)}." if far else ""
    )


def _mean(outcomes: Outcomes, column: str) -> str:
    mean = fmean(outcomes.mean(row, column) or 0.0 for row in outcomes.rows)
    return f"{mean:.3f}" if outcomes.counted(outcomes.rows[0]) else f"{mean:.4g}"


def _difference(outcomes: Outcomes, of: ComparedSplits, behind: str = "") -> str:
    """Return a mean difference with its interval; that of errors in percent points."""
    counted = outcomes.counted(outcomes.rows[0])
    mean, low, high = (
        # Adding 0 takes the sign from what rounds to 0.
        (f"{round(100 * x, 1) + 0:.1f}" if counted else f"{x + 0:.2g}").replace("-", "−")
        for x in (of.mean_difference, of.low, of.high)
    )
    points = " points" * counted
    return f"{mean}{points}{behind}, {COVERAGE:.0%} interval {low} to {high}"
