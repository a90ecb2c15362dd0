"""Methods ranked over data sets, and compared on the splits of one: the numbers and their table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from quadrepro.engine.outcomes import Outcomes
from quadrepro.stats import (
    COVERAGE,
    LEVEL,
    N_DRAWS,
    SEED,
    Effect,
    Mean,
    Ranking,
    differences,
    holm,
    p_text,
    rounded_p,
)
from quadrepro.tables.table import MISSING, Table, Value, entry

HEADER = ("", "mean ranks", "Nemenyi", "ranks, Holm", "Wilcoxon, Holm", "shift")

DATA_HEADER = (
    *("method", "against", "mean rank", "mean rank against"),
    *("nemenyi p", "rank p", "rank p Holm", "wilcoxon p", "wilcoxon p Holm"),
    *("shift", "shift low", "shift high", "better", "same", "worse", "friedman p"),
)

SPLITS_HEADER = ("mean difference", "corrected t p", "corrected t p Holm")
"""What follows where the rows are splits of one data set."""


@dataclass(frozen=True)
class Splits:
    """Losses of all methods on splits of one data set."""

    risks: Mapping[str, Sequence[float]]
    """Losses of each method, one per split and in the same order."""
    test_share: float
    """Share of the examples that is tested in a split."""


def splits_of(outcomes: Outcomes) -> Splits | None:
    """Return the losses on the splits of the only row, of all columns that have a result in each.

    There are none with a single split, or if a split tests all examples.
    """
    [row] = outcomes.rows
    share = outcomes.test_shares.get(row, 1.0)
    if outcomes.repeats < 2 or share == 1:
        return None
    whole = (c for c in outcomes.compared if outcomes.complete(row, c))
    return Splits({c: outcomes.losses(row, c) for c in whole}, share)


@dataclass(frozen=True)
class ComparedSplits:
    """Two methods on splits of one data set."""

    mean_difference: float
    """Of the corrected resampled t-test."""
    low: float
    high: float
    """Ends of an interval that holds for all pairs together (Bonferroni)."""
    p_value: float
    p_holm: float
    """Adjusted for all pairs."""
    better: float
    """Probability that the first is better."""


def compare_splits(splits: Splits) -> dict[tuple[str, str], ComparedSplits]:
    """Return the comparison of every pair of methods on splits of one data set, in both orders."""
    pairs = list(combinations(splits.risks, 2))
    apart = (differences(splits.risks[a], splits.risks[b]) for a, b in pairs)
    means = [Mean.of(values, splits.test_share) for values in apart]
    found = {}
    for (a, b), mean, p in zip(pairs, means, holm(m.p_value() for m in means), strict=True):
        for names, of in (((a, b), mean), ((b, a), replace(mean, value=-mean.value))):
            ends, better = of.interval(LEVEL / len(pairs)), of.posterior().better
            found[names] = ComparedSplits(of.value, *ends, of.p_value(), p, better)
    return found


def ranking_table(
    title: str,
    ranking: Ranking,
    titles: Mapping[str, str],
    *,
    splits: Splits | None = None,
    higher_is_better: bool = False,
    quantity: str = "",
    rows: str = "data sets",
) -> Table:
    """Return the table of a ranking; with `splits`, its rows are splits of one data set."""
    sign = -1.0 if higher_is_better else 1.0
    quantity = quantity or ("score" if higher_is_better else "risk")
    compared = {} if splits is None else compare_splits(splits)
    ranks = dict(zip(ranking.methods, ranking.mean_ranks, strict=True))
    body, data = [], []
    for pair in ranking.pairs:
        post = pair.posterior
        low, high = sorted(sign * end + 0.0 for end in (pair.shift.low, pair.shift.high))
        shift = Effect(sign * pair.shift.estimate + 0.0, low, high)
        chances = (post.better, post.same, post.worse)
        p_values = [pair.nemenyi_p, pair.rank_p_holm, pair.wilcoxon_p_holm]
        entries = [
            f"{ranks[pair.a]:.2f}, {ranks[pair.b]:.2f}",
            *map(_starred, p_values),
            _interval(shift),
            " / ".join(f"{p:.2f}" for p in (chances if ranking.rope else chances[::2])),
        ]
        numbers: list[Value] = [
            *(pair.a, pair.b, ranks[pair.a], ranks[pair.b]),
            *(pair.nemenyi_p, pair.rank_p, pair.rank_p_holm),
            *(pair.wilcoxon_p, pair.wilcoxon_p_holm),
            *(shift.estimate, shift.low, shift.high),
            *(*chances, ranking.friedman.p_value),
        ]
        if of := compared.get((pair.a, pair.b)):
            entries.append(_starred(of.p_holm))
            numbers += [sign * of.mean_difference, of.p_value, of.p_holm]
        body.append((f"{titles[pair.a]} – {titles[pair.b]}", tuple(entries)))
        data.append(tuple(numbers))
    probabilities = "better / same / worse" if ranking.rope else "better / worse"
    direction = f"The {'higher' if higher_is_better else 'lower'} the {quantity}, the better."
    notes = [f"{direction} {_mean_ranks(ranking, titles, rows)}", _notes(ranking, quantity)]
    if splits is not None:
        notes.append(
            "Corrected t: p-value of the corrected resampled t-test, adjusted by Holm's method. "
            "The rows are resamples that share examples. The other tests take them as independent "
            "and find too much."
        )
    return Table(
        title,
        (*HEADER, probabilities, *(["corrected t"] if compared else [])),
        tuple(body),
        tuple(notes),
        (*DATA_HEADER, *(SPLITS_HEADER if compared else ())),
        tuple(data),
    )


def _starred(p_value: float) -> str:
    return entry(rounded_p(p_value), mark="*" if p_value <= LEVEL else "")


def _interval(effect: Effect) -> str:
    ends = (effect.estimate, effect.low, effect.high)
    estimate, low, high = (f"{value:+.2g}" if value else "0" for value in ends)
    return f"{estimate} [{MISSING}]" if math.isinf(effect.low) else f"{estimate} [{low}, {high}]"


def _mean_ranks(ranking: Ranking, titles: Mapping[str, str], rows: str) -> str:
    """Return the mean ranks and the tests of all methods together."""
    friedman = ranking.friedman
    ranks = zip(ranking.methods, ranking.mean_ranks, strict=True)
    listed = ", ".join(f"{titles[name]} {rank:.2f}" for name, rank in ranks)
    # It is infinite if all rows rank the methods alike.
    f = "∞" if math.isinf(friedman.f_statistic) else f"{friedman.f_statistic:.2f}"
    return (
        f"Mean ranks over {ranking.n_datasets} {rows}, 1 for the best: {listed}. Friedman's test "
        f"of no difference: χ² = {friedman.statistic:.2f}, {p_text(friedman.p_value)}; as F by "
        f"Iman and Davenport: {f}, {p_text(friedman.f_p_value)}."
    )


def _notes(ranking: Ranking, quantity: str) -> str:
    rope, critical = ranking.rope, ranking.critical_difference
    within = f" by more than {rope:g}, differs by no more than that," if rope else ""
    return (
        f"\\* p ≤ {LEVEL:g}. Nemenyi: mean ranks that are {critical:.2f} or more apart differ "
        "significantly. Ranks: tests of rank differences. Wilcoxon: signed-rank tests (ties by "
        f"Pratt's rule). Shift: {quantity} of the first less that of the second, by Hodges and "
        f"Lehmann, with an interval of {100 * COVERAGE:g}%. Last: the probability that the first "
        f"is better{within} or is worse, by the Bayesian signed-rank test ({N_DRAWS:,} draws with "
        f"seed {SEED})."
    )
