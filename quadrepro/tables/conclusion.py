"""The sentence that sums up a run: the best method of a comparison, or the verdict on a paper."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from math import inf, isnan
from statistics import fmean
from typing import Any

from quadrepro import stats
from quadrepro.base.text import few
from quadrepro.config.config import Experiment
from quadrepro.core.problems import RowSource
from quadrepro.core.training.algorithms import BASELINE
from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.claims.claim import WORDS
from quadrepro.stats import LEVEL, MIN_SPLITS, Comparison, p_text
from quadrepro.tables.judge import score_sentence
from quadrepro.tables.kinds import Context, Made
from quadrepro.tables.kinds.comparisons import compared, scale_of
from quadrepro.tables.methods import LONGEST, Scale, behind, within

DISAGREEMENT = 0.1
"""Share of the rows on which two algorithms are taken to disagree, before a run tells."""


def conclusion(context: Context[Any], outcomes: Outcomes) -> str:
    """Return the best algorithm, those that are not significantly different, and the worse ones.

    The best mean is named in any case; better and worse need a test, on one data set of at least
    three splits. It has at most 400 characters. There is none for the config of a paper.
    """
    outcomes = context.headline(outcomes).tested()
    if context.config.paper or not outcomes.rows:
        return ""
    return within(partial(_sentence, context, outcomes), context.titles)


def best_column(context: Context[Any], outcomes: Outcomes) -> str:
    """Return the one algorithm that the conclusion calls the best, or an empty text."""
    losses = _losses(context.headline(outcomes).tested())
    if context.config.paper or len(losses) < 2:
        return ""
    best, second = [*losses][:2]
    return best if stats.order(losses[best], losses[second]) else ""


def _losses(outcomes: Outcomes) -> dict[str, float]:
    """Return the mean rank over data sets, or the mean loss on one, of each algorithm in order.

    Only algorithms with all results have one.
    """
    if not outcomes.rows:
        return {}
    losses = {c: x for c, x in outcomes.mean_losses().items() if c in outcomes.compared}
    if len(outcomes.rows) > 1 and len(losses) > 1:
        ranks = stats.friedman_test([*zip(*losses.values(), strict=True)]).mean_ranks
    else:
        ranks = tuple(map(fmean, losses.values()))
    return dict(sorted(zip(losses, ranks, strict=True), key=lambda pair: pair[1]))


def _sentence(
    context: Context[Any], outcomes: Outcomes, most: int, titles: Mapping[str, str]
) -> str:
    losses, pairs = _losses(outcomes), compared(context, outcomes)
    against = compared(context, outcomes, BASELINE)
    missing = defaultdict[str, list[str]](list)
    for column in context.compared:
        if column not in losses:
            missing[outcomes.lacking(column)].append(titles[column])
    reasons = (f" Not compared, since {why}: {few(names, most)}." for why, names in missing.items())
    left_out = "".join(reasons)
    if len(losses) < 2:
        return f"No comparison, which needs two methods with all results.{left_out}"
    best, *others = losses
    scale, n, repeats = scale_of(outcomes), len(outcomes.rows), outcomes.repeats
    if n == 1:
        repeats = len(outcomes.values(outcomes.rows[0], best))
    ties = [column for column in losses if not stats.order(losses[column], losses[best])]
    text = f"Best by {outcomes.label}{f' over {n} data sets' * (n > 1)}"
    reference = "it" if len(ties) == 1 else titles[best]
    if len(ties) > 1:
        text += f", {len(ties)} methods of equal mean{' rank' * (n > 1)}"
    text += f": {few([titles[column] for column in ties], most)}"
    if not (scale.ratio or (n > 1 and len(ties) > 1)):
        text += f" ({scale.score(fmean(outcomes.mean(row, best) or 0.0 for row in outcomes.rows))})"
    if n == 1 and (repeats < MIN_SPLITS or not pairs):
        verb = "is" if repeats == 1 else "are"
        base = outcomes.mean(outcomes.rows[0], BASELINE) if BASELINE in outcomes.columns else None
        if base is not None and stats.order(losses[best], outcomes.sign * base) >= 0:
            text += f", not better than {titles[BASELINE]}"
        return f"{text}. {_splits(repeats)} {verb} too few to test differences.{left_out}"
    text += "."
    if c := against.get((best, BASELINE)):
        detail = p_text(c.p_adjusted)
        if n == 1:
            start = "by" if c.winner == best else "difference"
            detail = f"{start} {behind(against[BASELINE, best], scale)}"
        verdicts = {best: "is better", BASELINE: "is worse"}
        verdict = verdicts.get(c.winner or "", "is not shown to be better")
        subject = "It" if len(ties) == 1 else reference
        text += f" {subject} {verdict} than {titles[BASELINE]} ({detail})."
    groups: dict[str, list[str]] = {
        f"Better than {reference} by the test": [],
        f"Not significantly different from {reference}": [],
        "Worse": [],
    }
    better, near, worse = groups.values()
    near_pairs = [pairs[column, best] for column in others if not pairs[column, best].winner]
    for column in others:
        c = pairs[column, best]
        by = "equal mean" if column in ties else f"worse by {behind(c, scale)}"
        detail = p_text(c.p_adjusted) if n > 1 else by
        group = worse if c.winner == best else better if c.winner == column else near
        group.append(f"{titles[column]} ({detail})")
    for start, names in groups.items():
        text += f" {start}: {few(names, most, '; ')}." if names else ""
    first = next(iter(pairs.values()))
    text += f" By {first.test} with Holm's correction (p ≤ {LEVEL:g})"
    if n > 1 and stats.too_few_rows(pairs, n):
        n_pairs = len(pairs) // 2
        text += f"; {n} data sets are too few for {n_pairs} pair{'s' * (n_pairs > 1)}"
    text = f"{text}.{left_out}"
    if all(_is_perfect(outcomes, row, [*losses]) for row in outcomes.rows):
        text += " No error at all is rarely real: does an attribute tell the target?"
    if not context.config.protocol.split.draws_more:
        return text
    longer = text + _more_splits(near_pairs, titles)
    return longer if len(longer) <= LONGEST else text


def _is_perfect(outcomes: Outcomes, row: str, order: Sequence[str]) -> bool:
    """Return whether the first algorithm predicts all rows rightly, or numbers but for rounding."""
    errors = [fmean(r.value for r in outcomes.cell(row, c) if r.ok) for c in order]
    return errors[0] <= 1e-9 * max(errors)


def _more_splits(pairs: Sequence[Comparison], titles: Mapping[str, str]) -> str:
    """Return the number of splits that would show the clearest of some differences."""
    c = min(pairs, key=lambda pair: pair.splits, default=None)
    if c is None or isnan(c.splits):
        return ""
    if c.splits == inf:
        return " More splits of these rows would not show differences as small as these."
    return f" About {c.splits:.0f} splits would show the difference from {titles[c.a]} if it stays."


def planned(experiment: Experiment, sources: Mapping[str, RowSource]) -> str:
    """Return the difference that the splits of one data set would show; empty for other configs."""
    config, [(row, source), *others] = experiment.config, sources.items()
    n_test, n_columns = source.sizes[-1], len(experiment.algorithms)
    share = source.test_share(n_test)
    if others or config.paper or experiment.tasks[row] == "regression" or share == 1:
        return ""
    if config.repeats < MIN_SPLITS or n_columns < 2:
        return ""
    level = LEVEL / (n_columns * (n_columns - 1) / 2)
    differences = stats.detectable_difference(n_test, share, config.repeats, DISAGREEMENT, level)
    splits, disagreement = _splits(config.repeats), max(DISAGREEMENT, differences[0])
    if disagreement == inf:
        return f"{splits} are too few, or test too few rows, to show any difference in risk."
    detected, least = Scale(percent=True).texts(*differences)
    return (
        f"If two algorithms disagree on {100 * disagreement:.3g}% of the rows, {splits}"
        f" show a difference in risk of {detected} percentage points in half of all runs or more;"
        f" one below {least} is shown in fewer, however many splits there are."
    )


def _splits(repeats: int) -> str:
    return "One split" if repeats == 1 else f"{repeats} splits"


def paper_conclusion(experiment: Experiment, every: Mapping[str, Made]) -> str:
    """Return the verdict of a paper's run: numbers inside our intervals, and words on claims."""
    verdicts = [made.verdicts for made in every.values()]
    sentences = [score_sentence(v.score) for v in verdicts if v.judged]
    repeats = experiment.config.repeats
    if any(v.entries for v in verdicts) and not sentences and repeats < MIN_SPLITS:
        sentences = [f"{_splits(repeats)} cannot judge a printed number: give --repeats 30."]
    if "claims" in every:
        rows = every["claims"].table.data_rows
        counts = counts_text(Counter(str(row[3]) for row in rows if row[1] == "false"))
        sentences += [f"Claims: {counts}."] if counts else []
    return " ".join(sentences)


def counts_text(counts: Counter[str]) -> str:
    """Return the number of claims by judgement, such as ``supported 1, undecided 2``."""
    return ", ".join(f"{word} {counts[word]}" for word in WORDS if counts[word])
