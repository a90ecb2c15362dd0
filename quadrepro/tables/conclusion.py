"""The sentence that sums up an own comparison: the best, what is not told apart, and the rest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

from quadrepro.core.learners.registry import BASELINE
from quadrepro.engine.outcomes import Outcomes
from quadrepro.stats import COVERAGE, LEVEL, holm, mean_ranks, p_text, wilcoxon_test
from quadrepro.tables.kinds.base import Context, headline
from quadrepro.tables.notes import listed, own_rows_note
from quadrepro.tables.ranked import Splits, compare_splits, splits_of
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
    losses = {c: outcomes.mean_loss(row, c) or 0.0 for c in columns}
    best, *others = sorted(columns, key=losses.__getitem__)
    head = f"Best by {outcomes.label}: {context.titles[best]} ({_mean(outcomes, best)})."
    splits = splits_of(outcomes)
    if outcomes.repeats < LEAST_SPLITS or not splits:
        few = {1: "One split cannot"}.get(outcomes.repeats, f"{outcomes.repeats} splits cannot")
        return f"{head} {few} tell any method apart from it."
    pairs = compare_splits(splits[0], rope=0.0)
    texts = {}
    for c in others:
        of = pairs[c, best]
        behind = f"{_difference(outcomes, of.mean_difference)} behind"
        texts[c] = f"{context.titles[c]} ({behind}, {_interval(outcomes, of.low, of.high)})"
    apart = [c for c in others if pairs[c, best].p_holm <= LEVEL]
    return (
        f"{head}{_against_baseline(context, outcomes, best, splits[0])}{_rest(texts, apart)} By "
        f"corrected resampled t-tests over {outcomes.repeats} splits, {HOLM}; the intervals hold "
        "for all pairs together."
    )


def _against_baseline(context: Context[Any], outcomes: Outcomes, best: str, splits: Splits) -> str:
    """Return whether the best method is better than the baseline."""
    [row] = outcomes.rows
    if BASELINE not in outcomes.columns or not outcomes.complete(row, BASELINE):
        return ""
    two = Splits(
        {BASELINE: outcomes.losses(row, BASELINE), best: splits.risks[best]}, splits.test_share
    )
    of = compare_splits(two, rope=0.0)[BASELINE, best]
    ahead = f"{_difference(outcomes, of.mean_difference)}, {_interval(outcomes, of.low, of.high)}"
    title = context.titles[BASELINE]
    if of.p_value > LEVEL or of.mean_difference < 0:
        return f" No method is shown to be better than {title} (difference {ahead})."
    return f" It is better than {title} by {ahead}."


def _over_datasets(context: Context[Any], outcomes: Outcomes, columns: Sequence[str]) -> str:
    """Return the conclusion from ranks over data sets."""
    n = len(outcomes.rows)
    losses = {c: [outcomes.mean_loss(row, c) or 0.0 for row in outcomes.rows] for c in columns}
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
    rows = outcomes.rows
    if BASELINE in outcomes.columns and all(outcomes.complete(row, BASELINE) for row in rows):
        simple = [outcomes.mean_loss(row, BASELINE) or 0.0 for row in rows]
        better = sum(x < y for x, y in zip(losses[best], simple, strict=True))
        test = wilcoxon_test(losses[best], simple)
        found += (
            f" It is better than {context.titles[BASELINE]} on {better} of them "
            f"({p_text(test.p_value)})."
        )
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
    mean = fmean(outcomes.mean(row, column) or 0.0 for row in outcomes.rows)
    return f"{mean:.3f}" if outcomes.counted(outcomes.rows[0]) else f"{mean:.4g}"


def _difference(outcomes: Outcomes, number: float) -> str:
    return _short(outcomes, number) + " points" * outcomes.counted(outcomes.rows[0])


def _interval(outcomes: Outcomes, low: float, high: float) -> str:
    return f"{COVERAGE:.0%} interval {_short(outcomes, low)} to {_short(outcomes, high)}"


def _short(outcomes: Outcomes, number: float) -> str:
    counted = outcomes.counted(outcomes.rows[0])
    # Adding 0 takes the sign from what rounds to 0.
    text = f"{round(100 * number, 1) + 0:.1f}" if counted else f"{number:.2g}"
    return text.replace("-", "−")
