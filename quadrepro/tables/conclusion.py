"""The sentence that sums up a run: the best method of a comparison, or the verdict on a paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from quadrepro.base.text import few
from quadrepro.config.config import Experiment
from quadrepro.core.learners.registry import BASELINE
from quadrepro.engine.outcomes import Outcomes
from quadrepro.stats import (
    LEVEL,
    MIN_SPLITS,
    Comparisons,
    friedman_test,
    p_text,
    too_few_rows,
)
from quadrepro.tables.kinds import Context, Made, headline
from quadrepro.tables.kinds.claims import WORDS
from quadrepro.tables.kinds.comparisons import compared
from quadrepro.tables.kinds.ranking import scale_of
from quadrepro.tables.ranking import Scale, behind, within
from quadrepro.tables.verdicts import score_sentence


def conclusion(context: Context[Any], outcomes: Outcomes) -> str:
    """Return the best algorithm, those that are not significantly different, and the worse ones.

    It has at most 400 characters. There is none for the config of a paper, and where fewer than two
    algorithms have all results.
    """
    outcomes = headline(context, outcomes).tested()
    order = _order(context, outcomes)
    if not order:
        return ""
    pairs, scale = compared(context, outcomes), scale_of(outcomes)
    against = compared(context, outcomes, BASELINE) if BASELINE in outcomes.columns else {}
    return within(
        lambda most, short: _sentence(
            context, outcomes, scale, order, (pairs, against), most, short
        )
    )


def best_column(context: Context[Any], outcomes: Outcomes) -> str:
    """Return the algorithm that the conclusion calls the best; empty without a conclusion."""
    return next(iter(_order(context, headline(context, outcomes).tested())), "")


def _order(context: Context[Any], outcomes: Outcomes) -> list[str]:
    """Return the algorithms that have all results, the best one first; none without a best one."""
    if context.config.paper or not outcomes.rows:
        return []
    losses = {c: x for c, x in outcomes.mean_losses().items() if c in outcomes.compared}
    if len(losses) < 2:
        return []
    if len(outcomes.rows) > 1:
        ranks = friedman_test([*zip(*losses.values(), strict=True)]).mean_ranks
    else:
        ranks = tuple(map(fmean, losses.values()))
    return [c for _, c in sorted(zip(ranks, losses, strict=True), key=lambda pair: pair[0])]


def _sentence(
    context: Context[Any],
    outcomes: Outcomes,
    scale: Scale,
    order: Sequence[str],
    comparisons: tuple[Comparisons, Comparisons],
    most: int,
    short: Callable[[str], str],
) -> str:
    (pairs, against), titles = comparisons, {c: short(t) for c, t in context.titles.items()}
    best, *others = order
    several, n = len(outcomes.rows) > 1, len(outcomes.rows) if len(outcomes.rows) > 1 else 0
    over = f" over {n} data sets" * several
    text = f"Best by {outcomes.label}{over}: {titles[best]}"
    if not (several and scale.ratio):
        means = [outcomes.mean(row, best) or 0.0 for row in outcomes.rows]
        text += f" ({scale.score(fmean(means))})"
    text += "."
    if not several and (outcomes.repeats < MIN_SPLITS or not pairs):
        return f"{text} {_too_few(outcomes.repeats)}{_left_out(context, order, most, short)}"
    if c := against.get((best, BASELINE)):
        verb = "It is" if c.winner == best else "It is not shown to be"
        detail = p_text(c.p_adjusted) if several else ""
        if not several:
            ahead = behind(against[BASELINE, best], scale)
            detail = f"by {ahead}" if c.winner == best else f"difference {ahead}"
        text += f" {verb} better than {titles[BASELINE]} ({detail})."

    def names(columns: Sequence[str]) -> str:
        texts = []
        for column in columns:
            detail = p_text(pairs[column, best].p_adjusted)
            if not several:
                detail = f"worse by {behind(pairs[column, best], scale)}"
            texts.append(f"{titles[column]} ({detail})")
        return few(texts, most, "; ")

    worse = [c for c in others if pairs[c, best].winner == best]
    better = [c for c in others if pairs[c, best].winner == c]
    near = [c for c in others if c not in (*worse, *better)]
    text += f" Better than it by the test: {names(better)}." if better else ""
    text += f" Not significantly different from it: {names(near)}." if near else ""
    text += f" Worse: {names(worse)}." if worse else ""
    first = next(iter(pairs.values()))
    text += f" By {first.test} with Holm's correction (p ≤ {LEVEL:g})"
    if several and too_few_rows(pairs, n):
        text += f"; {n} data sets are too few for that"
    return f"{text}.{_left_out(context, order, most, short)}"


def _too_few(repeats: int) -> str:
    splits = "One split is" if repeats == 1 else f"{repeats} splits are"
    return f"{splits} too few to test differences."


def _left_out(
    context: Context[Any], order: Sequence[str], most: int, short: Callable[[str], str]
) -> str:
    names = [short(context.titles[c]) for c in context.compared if c not in order]
    return f" Not compared, since results are missing: {few(names, most)}." if names else ""


def paper_conclusion(experiment: Experiment, every: Mapping[str, Made]) -> str:
    """Return the verdict of a paper's run: numbers inside our intervals, and words on claims."""
    verdicts = [made.verdicts for made in every.values() if made.verdicts]
    sentences = [score_sentence(v.printed, v.score) for v in verdicts if v.judged]
    repeats = experiment.config.repeats
    if any(v.entries for v in verdicts) and not sentences and repeats < MIN_SPLITS:
        splits = "One split" if repeats == 1 else f"{repeats} splits"
        sentences = [f"{splits} cannot judge a printed number: give --repeats 30."]
    if "claims" in every:
        rows = every["claims"].table.data_rows
        words = [str(row[3]) for row in rows if row[1] == "false"]
        counts = ", ".join(f"{w} {words.count(w)}" for w in WORDS if w in words)
        sentences += [f"Claims: {counts}."] if counts else []
    return " ".join(sentences)
