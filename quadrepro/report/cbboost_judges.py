"""How the claims of CB-Boost's text are judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median, pstdev, stdev

from quadrepro.config.schema import Row
from quadrepro.report.claim import UNKNOWN, Judgement
from quadrepro.report.outcomes import Outcomes
from quadrepro.stats import SignTest, sign_test

MINCQ, CQBOOST, GB, CB, ADABOOST = "mincq", "cqboost", "gb-cb-boost", "cb-boost", "adaboost"
BAGGING, FOREST, GRADIENT = "bagging", "random-forest", "gradient-boosting"
ON_CB = "mincq-on-cb-boost"
LABELS = {
    MINCQ: "MinCq",
    CQBOOST: "CqBoost",
    GB: "GB-CB-Boost",
    CB: "CB-Boost",
    ADABOOST: "AdaBoost",
    BAGGING: "bagging",
    FOREST: "random forests",
    GRADIENT: "gradient boosting",
}

PAPERS_SETS = 13
"""Data sets of the paper's Table 1."""


@dataclass(frozen=True)
class Swept(Outcomes):
    """Outcomes with the rows' places in the sweep.

    Attributes
    ----------
    points : tuple of Row
        One a row.
    """

    points: tuple[Row, ...] = ()


def competitive(outcomes: Outcomes, a: str, b: str, row: str) -> bool:
    """Whether A is as good as B on a data set: its mean is no higher, or their intervals overlap.

    The paper compares "considering the standard deviation", which is taken as the intervals of one
    standard deviation about the means.
    """
    sides = [outcomes.risks(row, c) for c in (a, b)]
    spread = sum(stdev(side) if len(side) > 1 else 0.0 for side in sides)
    return fmean(sides[0]) - fmean(sides[1]) <= spread


def _of_all_sets(text: str, count: int, n_sets: int, least: int) -> Judgement:
    """Judge a count of the paper's data sets, of which some may be missing here."""
    missing = max(0, PAPERS_SETS - n_sets)
    if count < least <= count + missing:
        return f"{text}; what is missing of {PAPERS_SETS} decides", None
    return text, count >= least


def competitive_with_both(least: int) -> Callable[[Outcomes], Judgement]:
    """Judge on how many data sets CB-Boost is competitive with MinCq and CqBoost."""

    def judge(outcomes: Outcomes) -> Judgement:
        rows = outcomes.rows
        worse = [
            row
            for row in rows
            if not all(competitive(outcomes, CB, other, row) for other in (MINCQ, CQBOOST))
        ]
        count = len(rows) - len(worse)
        text = f"{count} of {len(rows)}" + (f"; not on {', '.join(worse)}" if worse else "")
        return _of_all_sets(text, count, len(rows), least)

    return judge


def lowest_mean(column: str, least: int) -> Callable[[Outcomes], Judgement]:
    """Judge on how many data sets an algorithm has the lowest mean."""

    def judge(outcomes: Outcomes) -> Judgement:
        means = {
            row: {c: fmean(outcomes.risks(row, c)) for c in outcomes.columns}
            for row in outcomes.rows
        }
        count = sum(of_row[column] <= min(of_row.values()) + 1e-12 for of_row in means.values())
        text = f"lowest mean on {count} of {len(means)}"
        return _of_all_sets(text, count, len(means), least)

    return judge


def no_better(a: str, b: str) -> Callable[[Outcomes], Judgement]:
    """Judge whether A is not significantly better than B."""
    return _sign_test(a, b, lambda test: not (test.significant and test.wins > test.losses))


def equivalent(other: str) -> Callable[[Outcomes], Judgement]:
    """Judge whether the sign test tells CB-Boost and another algorithm apart."""
    return _sign_test(CB, other, lambda test: not test.significant)


def _sign_test(
    a: str, b: str, holds: Callable[[SignTest], bool]
) -> Callable[[Outcomes], Judgement]:
    def judge(outcomes: Outcomes) -> Judgement:
        # Means of equal counts may differ in their last bits.
        sides = [
            [round(fmean(outcomes.risks(row, c)), 12) for row in outcomes.rows] for c in (a, b)
        ]
        test = sign_test(*sides)
        text = f"{test.wins} wins, {test.losses} losses, {test.ties} ties, p = {test.p_value:.3f}"
        return text, holds(test)

    return judge


def _seconds(outcomes: Outcomes, row: str, column: str) -> float:
    return median(record.seconds for record in outcomes.cell(row, column))


def faster(fast: Sequence[str], slow: Sequence[str]) -> Callable[[Outcomes], Judgement]:
    """Judge whether each of the fast ones takes less time than any slow one at every point."""

    def judge(outcomes: Outcomes) -> Judgement:
        ratios = [
            min(_seconds(outcomes, row, c) for c in slow)
            / max(_seconds(outcomes, row, c) for c in fast)
            for row in outcomes.rows
        ]
        count = sum(ratio > 1 for ratio in ratios)
        text = (
            f"faster at {count} of {len(ratios)} points; {min(ratios):.3g} to {max(ratios):.3g} "
            f"times as fast, median {median(ratios):.3g}"
        )
        return text, count == len(ratios)

    return judge


def _curve(outcomes: Outcomes, column: str, measure: str) -> list[float]:
    """Return the mean over the repeats of a measure along the rounds."""
    (row,) = outcomes.rows
    of_repeats = [record.measures[measure] for record in outcomes.cell(row, column)]
    return [fmean(values) for values in zip(*of_repeats, strict=True)]


def slower_at_first(outcomes: Outcomes) -> Judgement:
    """Judge whether CB-Boost's training error falls last, over rounds 10 to 50."""
    first = slice(9, 50)
    means = {c: fmean(_curve(outcomes, c, "train_error")[first]) for c in (CB, ADABOOST, CQBOOST)}
    text = ", ".join(f"{LABELS[c]} {100 * mean:.2f}%" for c, mean in means.items())
    text = f"mean training error over rounds 10 to 50: {text}"
    return text, means[CB] > max(means[ADABOOST], means[CQBOOST])


def best_on_test(outcomes: Outcomes) -> Judgement:
    """Judge whether CB-Boost ends with the lowest test error."""
    means = {c: _curve(outcomes, c, "test_error")[-1] for c in outcomes.columns}
    text = ", ".join(f"{LABELS[c]} {100 * mean:.2f}%" for c, mean in means.items())
    return f"test error at the end: {text}", means[CB] <= min(means.values())


def better_than_mincq_from(voter: int) -> Callable[[Outcomes], Judgement]:
    """Judge whether CB-Boost and CqBoost stay below MinCq's test error from a voter on."""

    def judge(outcomes: Outcomes) -> Judgement:
        (level,) = _curve(outcomes, MINCQ, "test_error")
        worst = {c: max(_curve(outcomes, c, "test_error")[voter - 1 :]) for c in (CB, CQBOOST)}
        text = ", ".join(f"{LABELS[c]} at most {100 * v:.2f}%" for c, v in worst.items())
        return f"{text}; MinCq {100 * level:.2f}%", max(worst.values()) <= level

    return judge


def as_sparse(outcomes: Outcomes) -> Judgement:
    """Judge whether CB-Boost and GB-CB-Boost end with as many voters, within one deviation."""
    (row,) = outcomes.rows
    counts = {
        c: [record.measures["voters"][-1] for record in outcomes.cell(row, c)] for c in (CB, GB)
    }
    text = ", ".join(f"{LABELS[c]} {fmean(n):.1f} ± {pstdev(n):.1f}" for c, n in counts.items())
    gap = abs(fmean(counts[CB]) - fmean(counts[GB]))
    return f"voters at the end: {text}", gap <= sum(pstdev(n) for n in counts.values())


def robust(outcomes: Swept) -> Judgement:
    """Judge whether CB-Boost loses at most 2.5 points, ionosphere's first levels aside."""
    rows = outcomes.points
    levels = list(dict.fromkeys(row.value for row in rows))
    exempt = {("ionosphere", level) for level in levels[:4]}
    gaps = {
        row.entry.title: 100
        * (
            fmean(outcomes.risks(row.entry.title, CB))
            - fmean(outcomes.risks(row.entry.title, ADABOOST))
        )
        for row in rows
        if (row.of, row.value) not in exempt
    }
    worst = max(gaps, key=gaps.__getitem__)
    above = sum(gap > 2.5 for gap in gaps.values())
    text = f"at most {gaps[worst]:.2f} points ({worst}); above 2.5 in {above} of {len(gaps)}"
    return text, above == 0


def frequently_worse(other: str) -> Callable[[Outcomes], Judgement]:
    """Judge whether an algorithm is worse than CB-Boost on most splits."""

    def judge(outcomes: Outcomes) -> Judgement:
        pairs = [
            (mine, theirs)
            for row in outcomes.rows
            for mine, theirs in zip(
                outcomes.risks(row, CB), outcomes.risks(row, other), strict=True
            )
        ]
        above = sum(theirs > mine for mine, theirs in pairs)
        return f"on {above} of {len(pairs)} splits", 2 * above > len(pairs)

    return judge


def lower_c_bound(outcomes: Outcomes) -> Judgement:
    """Judge whether MinCq on CB-Boost's voters never has the higher C-bound."""
    gaps = _gaps(outcomes, "c_bound")
    if not gaps:
        return UNKNOWN
    text = f"by {min(gaps):.4f} to {max(gaps):.4f}, {gaps[-1]:.4f} at the end"
    return text, all(gap >= -1e-9 for gap in gaps) and max(gaps) > 0


def small_gap(measure: str, rounds: int, points: float) -> Callable[[Outcomes], Judgement]:
    """Judge whether a measure of the two differs by few points on average."""

    def judge(outcomes: Outcomes) -> Judgement:
        gaps = [100 * abs(gap) for gap in _gaps(outcomes, measure, rounds)]
        if not gaps:
            return UNKNOWN
        text = f"mean difference {fmean(gaps):.2f} points, largest {max(gaps):.2f}"
        return text, fmean(gaps) <= points

    return judge


def _gaps(outcomes: Outcomes, measure: str, rounds: int | None = None) -> list[float]:
    """Return by how much CB-Boost exceeds MinCq on its voters, where that has a solution."""
    sides = (_curve(outcomes, c, measure)[:rounds] for c in (CB, ON_CB))
    return [mine - theirs for mine, theirs in zip(*sides, strict=True) if theirs == theirs]
