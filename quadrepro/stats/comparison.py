"""Two methods compared by one test, and many methods compared pair by pair.

A `Comparison` holds a test's whole answer: the better method if there is one, the difference with
its interval, and the p-value. Tables, diagrams, claims and sentences show it and decide nothing of
their own. p-values are adjusted for their number by Holm's method, and each interval has the level
at which Holm's method tests its pair: it excludes "no difference" exactly if the adjusted p-value
is at most the level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, pairwise
from math import exp, inf, isnan, log1p, nan
from typing import Any, NamedTuple

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.stats import ranks
from quadrepro.stats.base import LEVEL, Result, differences, numbers, order, orders
from quadrepro.stats.means import Mean, check_rope
from quadrepro.stats.ranks import Effect, FriedmanTest

WILCOXON = "Wilcoxon's signed-rank test"
CORRECTED_T = "corrected resampled t-test"

MIN_SPLITS = 3
"""Minimum number of splits for a test: with two, chance alone decides."""

TINY = 1e-300
"""Lower bound of errors whose logarithm is taken."""


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Two methods, compared by one test.

    Attributes
    ----------
    a, b : str
        The methods.
    winner : str or None
        The better one; None if the test finds no difference, or none that matters.
    difference : float
        A - B in the unit of the scores, or the ratio A / B.
    low, high : float
        Ends of the interval of the difference; infinite if there are too few rows for one.
    p_value, p_adjusted : float
        p-value of "no difference", alone and adjusted for the number of pairs. NaN if there are too
        few splits for a test.
    test : str
        Name of the test.
    wins, losses, ties : int
        Numbers of rows on which A is better, worse and equal.
    immaterial : bool
        Whether the whole interval is within the region of practical equivalence.
    level : float
        Level of significance.
    ratio : bool
        Whether the difference is a ratio.
    splits : float
        On splits of one data set, the number of them that would make the difference significant if
        it stayed as large; infinite above 1,000. NaN over data sets.

    Examples
    --------
    >>> errors = {"A": [0.2, 0.31, 0.15, 0.27, 0.09, 0.11], "B": [0.22, 0.35, 0.16, 0.3, 0.12, 0.2]}
    >>> comparison = compare_over_datasets(errors)["A", "B"]
    >>> comparison.winner, round(comparison.p_value, 3), comparison.wins
    ('A', 0.031, 6)
    """

    a: str
    b: str
    winner: str | None
    difference: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    test: str
    wins: int
    losses: int
    ties: int
    immaterial: bool = False
    level: float = LEVEL
    ratio: bool = False
    splits: float = nan

    @property
    def loser(self) -> str | None:
        """The worse method, if there is a winner."""
        return None if self.winner is None else self.b if self.winner == self.a else self.a

    @property
    def separates(self) -> bool:
        """Whether the test finds a difference, be it immaterial or not."""
        return self.p_adjusted <= self.level

    def swapped(self) -> Comparison:
        """Return the comparison of B with A."""
        ends = self.difference, self.high, self.low
        if self.ratio:
            difference, low, high = (1 / x if x else inf for x in ends)
        else:
            difference, low, high = (0.0 - x for x in ends)
        swapped = replace(self, a=self.b, b=self.a, wins=self.losses, losses=self.wins)
        return replace(swapped, difference=difference, low=low, high=high)


Comparisons = dict[tuple[str, str], Comparison]
"""Comparisons by pair of methods, each pair in both orders."""


def holm(p_values: Iterable[float]) -> list[float]:
    """Adjust p-values for their number by Holm's step-down method.

    Where an adjusted p-value is at most α, its hypothesis can be rejected, and the probability that
    some true hypothesis is rejected is at most α, however the tests depend on each other (Holm,
    Scandinavian Journal of Statistics 6, 1979). A NaN is a test that could not be made: it stays
    NaN and is not counted.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    return [adjusted for adjusted, _ in _holm_steps([*p_values])]


def _holm_steps(p_values: Sequence[float]) -> list[tuple[float, float]]:
    """Return each adjusted p-value with the factor by which Holm's method multiplies it."""
    steps, least = [(nan, 1.0)] * len(p_values), 0.0
    ascending = sorted((p, i) for i, p in enumerate(p_values) if not isnan(p))
    for place, (p, i) in enumerate(ascending):
        n_left = len(ascending) - place
        least = max(least, n_left * p)
        steps[i] = min(1.0, least), least / p if p else float(n_left)
    return steps


class _Tested(NamedTuple):
    """The test of a pair on losses, before it is adjusted: negative differences favour A."""

    p_value: float
    sign: float
    """Negative if the test statistic favours A."""
    effect: Callable[[float], Effect]
    """Returns the difference with its interval of a level."""
    splits: Callable[[float], float] = lambda level: nan
    """Returns the number of splits that show the difference at a level."""


def _adjusted(
    losses: Mapping[str, FloatArray],
    tests: Mapping[tuple[str, str], _Tested],
    test: str,
    level: float,
    rope: float,
    negative: bool,
    ratio: bool = False,
) -> Comparisons:
    """Return the comparisons by one test, adjusted for the number of pairs.

    They are of losses, or of scores that are `negative` losses; a `ratio` is of logarithms.
    """
    results: Comparisons = {}
    steps = _holm_steps([tested.p_value for tested in tests.values()])
    for ((a, b), tested), (p_adjusted, factor) in zip(tests.items(), steps, strict=True):
        effect = tested.effect(level / factor)
        difference, low, high = effect.estimate, effect.low, effect.high
        sign = tested.sign if p_adjusted <= level else 0.0
        # Ties make a rank test and its interval disagree at 0: the test decides.
        if sign < 0:
            difference, high = min(difference, 0.0), min(high, 0.0)
        elif sign > 0:
            difference, low = max(difference, 0.0), max(low, 0.0)
        else:
            low, high = min(low, 0.0), max(high, 0.0)
        immaterial = rope > 0 and -rope <= low <= high <= rope
        winner = None if immaterial or not sign else a if sign < 0 else b
        if negative:
            difference, low, high = -difference, -high, -low
        ends = difference + 0.0, low + 0.0, high + 0.0
        if ratio:
            difference, low, high = (exp(x) if x < 700 else inf for x in ends)
            ends = difference, low, high
        rows = ranks.sign_test(losses[a], losses[b])
        results[a, b] = Comparison(
            *(a, b, winner, *ends, tested.p_value, p_adjusted, test),
            *(rows.wins, rows.losses, rows.ties, immaterial, level, ratio),
            splits=tested.splits(level / factor),
        )
    return results | {(b, a): comparison.swapped() for (a, b), comparison in results.items()}


def _pairs(methods: Iterable[str], control: str | None) -> list[tuple[str, str]]:
    """Return all pairs of methods, or the pairs of each other method with a control."""
    if control is None:
        return [*combinations(methods, 2)]
    return [(method, control) for method in methods if method != control]


def _logarithms(x: FloatArray, y: FloatArray, sign: float) -> tuple[FloatArray, FloatArray]:
    """Return logarithms of losses, equal where two losses tie: near 1 they are close to 0."""
    a, b = (sign * np.log(np.maximum(np.abs(losses), TINY)) for losses in (x, y))
    return a, np.where(orders(x, y) == 0, a, b)


def _losses(
    scores: Mapping[str, Sequence[float]], greater_is_better: bool
) -> dict[str, FloatArray]:
    sign = -1.0 if greater_is_better else 1.0
    return {name: sign * numbers(values) for name, values in scores.items()}


def compare_over_datasets(
    scores: Mapping[str, Sequence[float]],
    *,
    greater_is_better: bool = False,
    ratio: bool = False,
    rope: float = 0.0,
    level: float = LEVEL,
    control: str | None = None,
) -> Comparisons:
    """Compare methods over data sets by Wilcoxon's signed-rank test with Holm's correction.

    The difference is the shift of Hodges and Lehmann, which belongs to the test, as does the
    interval.

    Parameters
    ----------
    scores : mapping of str to sequence of float
        Scores of each method, one per data set and in the same order.
    greater_is_better : bool, default False
        Whether the highest score is the best.
    ratio : bool, default False
        Compare ratios of scores in place of differences, for errors in the units of different
        targets. The difference is then A / B.
    rope : float, default 0.0
        Largest difference that does not matter; with `ratio`, 0.01 for 1%.
    level : float, default 0.05
        Level of significance.
    control : str, optional
        Compare the others with this method alone, and adjust for that number of pairs.

    Returns
    -------
    dict of (str, str) to Comparison
        Every pair in both orders.
    """
    check_rope(rope)
    losses = _losses(scores, greater_is_better)
    # Ratios are of the sizes of scores, such as scikit-learn's negative errors.
    by_size = ratio and greater_is_better and any((x < 0).any() for x in losses.values())
    tests: dict[tuple[str, str], _Tested] = {}
    for a, b in _pairs(scores, control):
        x, y = losses[a], losses[b]
        if ratio:
            x, y = _logarithms(x, y, -1.0 if by_size else 1.0)
        test = ranks.wilcoxon_test(x, y)
        favours_b = test.other_rank_sum - test.rank_sum
        tests[a, b] = _Tested(test.p_value, favours_b, partial(ranks.hodges_lehmann, x, y))
    negative = by_size or (greater_is_better and not ratio)
    rope = log1p(rope) if ratio else rope
    return _adjusted(losses, tests, WILCOXON, level, rope, negative, ratio)


def compare_on_splits(
    scores: Mapping[str, Sequence[float]],
    test_share: float,
    *,
    resolution: float | None = None,
    greater_is_better: bool = False,
    rope: float = 0.0,
    level: float = LEVEL,
    control: str | None = None,
) -> Comparisons:
    """Compare methods on splits of one data set by corrected t-tests with Holm's correction.

    Splits share examples, which the test corrects (`corrected_t_test`). Differences that do not
    vary prove nothing: their standard deviation is taken to be at least `resolution` or, if that is
    not known, their size. With fewer than three splits nothing is tested.

    Parameters
    ----------
    scores : mapping of str to sequence of float
        Scores of each method, one per split and in the same order.
    test_share : float
        Share of the examples that is tested in a split.
    resolution : float, optional
        Smallest possible difference of two scores: 1 / n_test for shares of errors. By default, the
        smallest difference between two of the scores.
    greater_is_better, rope, level, control
        As in `compare_over_datasets`.

    Returns
    -------
    dict of (str, str) to Comparison
        Every pair in both orders.

    Examples
    --------
    Two folds that differ by the same amount prove nothing:

    >>> folds = {"A": [0.10, 0.20], "B": [0.15, 0.25]}
    >>> compare_on_splits(folds, 0.5)["A", "B"].winner is None
    True
    """
    check_rope(rope)
    losses = _losses(scores, greater_is_better)
    tests: dict[tuple[str, str], _Tested] = {}
    step = step_of_scores(losses.values()) if resolution is None else resolution
    for a, b in _pairs(scores, control):
        d = differences(losses[a], losses[b])
        size = abs(float(d[0])) if resolution is None and (d == d[0]).all() else 0.0
        mean = Mean.from_values(d, test_share, max(step, size))
        enough = len(losses[a]) >= MIN_SPLITS
        p_value = mean.p_value() if enough else nan
        effect = partial(_mean_effect, mean, enough)
        splits = partial(mean.splits_to_show, test_share)
        tests[a, b] = _Tested(p_value, mean.value, effect, splits)
    return _adjusted(losses, tests, CORRECTED_T, level, rope, greater_is_better)


def _mean_effect(mean: Mean, enough: bool, level: float) -> Effect:
    return Effect(mean.value, *(mean.interval(level) if enough else (-inf, inf)))


@dataclass(frozen=True, repr=False)
class RankedMethod(Result):
    """One method of a `Ranking`.

    Attributes
    ----------
    name : str
        The method.
    mean_rank, mean_score : float
        Means over the rows; rank 1 is the best, and equal scores share their mean rank.
    in_best_group : bool
        Whether it has the best mean rank, or none that has it is significantly better.
    """

    name: str
    mean_rank: float
    mean_score: float
    in_best_group: bool


@dataclass(frozen=True, repr=False)
class Ranking(Result):
    """Result of `rank_methods`.

    Attributes
    ----------
    methods : tuple of RankedMethod
        The methods, the best mean rank first.
    n_rows : int
        Number of data sets or splits.
    friedman : FriedmanTest
        Test of no difference among all methods; the ranks are in the order of `methods`.
    pairs : dict of (str, str) to Comparison
        Comparison of every pair in both orders, or of all methods with the control.
    control : str or None
        The method with which the others are compared.
    """

    methods: tuple[RankedMethod, ...]
    n_rows: int
    friedman: FriedmanTest
    pairs: Comparisons
    control: str | None = None

    @property
    def reference(self) -> str:
        """The method that the others are compared with: the control, or the best."""
        return self.control or self.methods[0].name

    @property
    def alike(self) -> list[str]:
        """The first method, and those that do not differ significantly from it."""
        best, *others = (method.name for method in self.methods)
        pairs = [(name, self.pairs.get((best, name))) for name in others]
        return [best, *(name for name, c in pairs if c is not None and c.winner is None)]

    @property
    def ordered_pairs(self) -> list[Comparison]:
        """Each pair once, the method with the better mean rank first."""
        names = [method.name for method in self.methods]
        return [self.pairs[pair] for pair in combinations(names, 2) if pair in self.pairs]

    @property
    def too_few(self) -> bool:
        """Whether there are too few rows for the test to separate any pair."""
        return too_few_rows(self.pairs, self.n_rows)

    def cliques(self) -> list[tuple[int, ...]]:
        """Return the groups of methods within which the test separates no pair, by their places.

        Together they hold every pair that is not separated.

        Examples
        --------
        >>> rank_methods({"A": [1, 1, 1], "B": [2, 2, 2], "C": [3, 1, 3]}).cliques()
        [(0, 1, 2)]
        """
        names = [method.name for method in self.methods]
        pairs, get = combinations(enumerate(names), 2), self.pairs.get
        linked = {(i, j) for (i, a), (j, b) in pairs if (c := get((a, b))) and not c.separates}
        groups: list[tuple[int, ...]] = []
        for i, j in sorted(linked):
            if any(i in group and j in group for group in groups):
                continue
            group = {i, j}
            for k in range(len(names)):
                if all((min(k, m), max(k, m)) in linked for m in group - {k}):
                    group.add(k)
            groups.append(tuple(sorted(group)))
        return groups


def rank_methods(
    scores: Mapping[str, Sequence[float]],
    *,
    greater_is_better: bool = False,
    test_share: float | None = None,
    resolution: float | None = None,
    ratio: bool = False,
    rope: float = 0.0,
    level: float = LEVEL,
    control: str | None = None,
) -> Ranking:
    """Rank methods by their scores, and compare them by one test.

    Parameters
    ----------
    scores : mapping of str to sequence of float
        Scores of each method, one per row and in the same order.
    greater_is_better : bool, default False
        Whether the highest score is the best.
    test_share : float, optional
        The rows are splits of one data set, and each tests this share of its examples. By default
        they are data sets.
    resolution : float, optional
        As in `compare_on_splits`.
    ratio, rope, level, control
        As in `compare_over_datasets`.

    Raises
    ------
    ValueError
        With fewer than two methods or rows, or an unknown control.

    Examples
    --------
    >>> errors = {"A": [0.20, 0.31, 0.15, 0.27], "B": [0.22, 0.35, 0.14, 0.30]}
    >>> ranking = rank_methods(errors)
    >>> [(method.name, method.mean_rank) for method in ranking.methods]
    [('A', 1.25), ('B', 1.75)]
    """
    n_rows = min(map(len, scores.values()), default=0)
    if len(scores) < 2 or n_rows < 2:
        raise ValueError("a ranking needs at least two methods on at least two data sets")
    if control is not None and control not in scores:
        raise ValueError(f"unknown control {control!r}")
    losses = _losses(scores, greater_is_better)
    friedman = ranks.friedman_test([*zip(*losses.values(), strict=True)])
    rank_of = dict(zip(scores, friedman.mean_ranks, strict=True))
    names = sorted(scores, key=rank_of.__getitem__)
    friedman = replace(friedman, mean_ranks=tuple(rank_of[name] for name in names))
    ordered = {name: scores[name] for name in names}
    shared: dict[str, Any] = {"rope": rope, "level": level, "control": control}
    shared["greater_is_better"] = greater_is_better
    if test_share is None:
        pairs = compare_over_datasets(ordered, ratio=ratio, **shared)
    else:
        pairs = compare_on_splits(ordered, test_share, resolution=resolution, **shared)
    best = [name for name in names if not order(rank_of[name], rank_of[names[0]])]
    methods = []
    for name, mean_rank in zip(names, friedman.mean_ranks, strict=True):
        winners = {pairs[first, name].winner for first in best if (first, name) in pairs}
        in_group = name in best or (winners != set() and winners <= {None, name})
        methods.append(RankedMethod(name, mean_rank, float(numbers(scores[name]).mean()), in_group))
    return Ranking(tuple(methods), n_rows, friedman, pairs, control)


def too_few_rows(pairs: Comparisons, n_rows: int) -> bool:
    """Return whether there are too few rows for the test to separate any pair.

    Examples
    --------
    >>> too_few_rows(compare_over_datasets({"A": [1, 1, 1], "B": [2, 2, 2]}), 3)
    True
    """
    first = next(iter(pairs.values()))
    if first.test == WILCOXON:
        return len(pairs) / 2 * 2.0 ** (1 - n_rows) > first.level
    return n_rows < MIN_SPLITS


def step_of_scores(columns: Iterable[Iterable[float]]) -> float:
    """Return the smallest difference between two scores, 0 if all are equal.

    Two shares of errors on test sets of one size differ by whole examples.

    Examples
    --------
    >>> round(step_of_scores([[0.10, 0.30], [0.20, 0.30], [0.15, 0.40]]), 2)
    0.05
    """
    scores = sorted(score for column in columns for score in column)
    return float(min((y - x for x, y in pairwise(scores) if order(x, y)), default=0.0))
