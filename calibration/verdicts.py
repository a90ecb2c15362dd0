"""Verdicts on printed numbers: one by one, and on a table as a whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.random import Generator
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from calibration.learners import problem
from calibration.worlds import Judgement, Outcome, World, about, at_least, at_most
from quadrepro.base.types import FloatArray
from quadrepro.papers.printed import MeanOf
from quadrepro.stats import LEVEL, Moments
from quadrepro.tables.verdicts import Verdict, Verdicts, like_print, of_further_splits, of_two_means

Population = Callable[[Generator, int, bool], FloatArray]
"""Draws numbers of splits, of another learner if the last argument is true."""


def normal(rng: Generator, size: int, other: bool) -> FloatArray:
    """Return risks around 0.3, or RMSEs: four deviations apart."""
    return 0.3 + 0.03 * (rng.normal(size=size) + 4 * other)


def skewed(rng: Generator, size: int, other: bool) -> FloatArray:
    """Return log-normal numbers, of which the largest is a multiple of the others."""
    return np.asarray(np.exp(0.5 * rng.normal(size=size) + 2 * other))


def heavy(rng: Generator, size: int, other: bool) -> FloatArray:
    """Return numbers with long tails."""
    return 10 + long_tails(rng, size) + 7 * other


def long_tails(rng: Generator, size: int) -> FloatArray:
    """Return numbers with Student's distribution of three degrees of freedom."""
    return rng.standard_t(3, size)


def binomial(rng: Generator, size: int, other: bool, n_test: int, risk: float) -> FloatArray:
    """Return risks on fresh test examples, of which others have 0.2 more."""
    return rng.binomial(n_test, risk + 0.2 * other, size) / n_test


def one_split(
    rng: Generator,
    dishonest: bool,
    *,
    repeats: int,
    population: Population,
    digits: int = 3,
    n_test: int | None = None,
) -> Outcome:
    """Return whether the number of one split is outside."""
    ours = population(rng, repeats, False)
    printed = f"{population(rng, 1, dishonest)[0]:.{digits}f}"
    entry = Verdict("row", "column", "risk", printed, n_test=n_test)
    return of_further_splits(entry, list(ours)).word == "outside"


def two_means(
    rng: Generator,
    dishonest: bool,
    *,
    repeats: int,
    splits: int,
    scale: float = 1.0,
    tails: Callable[[Generator, int], FloatArray] = Generator.standard_normal,
) -> Outcome:
    """Return whether the mean of several splits is outside, printed with its deviation."""
    ours = 30 + 3 * tails(rng, repeats)
    theirs = 30 + 3 * scale * tails(rng, splits) + 3 * dishonest
    mean, sd = f"{theirs.mean():.2f}", f"{theirs.std(ddof=1):.2f}"
    entry = Verdict("row", "column", "error in percent", mean)
    printed = Moments(float(mean), float(sd), splits)
    return of_two_means(entry, list(ours), printed).word == "outside"


def mean_alone(
    rng: Generator,
    dishonest: bool,
    *,
    repeats: int,
    splits: int,
    population: Population = normal,
) -> Outcome:
    """Return whether the mean of several splits is outside, printed without a deviation."""
    ours = population(rng, repeats, False)
    mean = population(rng, splits, False).mean() + 0.03 * dishonest
    entry = Verdict("row", "column", "risk", f"{mean:.4f}", further=splits)
    return of_further_splits(entry, list(ours)).word == "outside"


N_FOLDS, REPETITIONS = 10, 4
"""Number of cross-validations of each data set, each with its own folds."""


@cache
def cross_validations(seed: int) -> FloatArray:
    """Return the risks of a tree on every fold of a data set, shape (REPETITIONS, N_FOLDS)."""
    X, y = problem(np.random.default_rng(seed), 60, (0.8,))
    found = np.empty((REPETITIONS, N_FOLDS))
    for i in range(REPETITIONS):
        parts = KFold(N_FOLDS, shuffle=True, random_state=i).split(X)
        for j, (train, test) in enumerate(parts):
            tree = DecisionTreeClassifier(max_depth=2).fit(X[train], y[train])
            found[i, j] = np.mean(tree.predict(X[test]) != y[test])
    return found


def cross_validation(rng: Generator, dishonest: bool) -> tuple[Outcome, ...]:
    """Return whether the mean of one cross-validation is outside, given means or folds of ours."""
    found = cross_validations(int(rng.integers(2**31)))
    printed = f"{found[0].mean() + 0.05 * dishonest:.3f}"
    words = []
    for ours in (found[1:], found[1:2]):
        units, further, _ = like_print(ours.ravel().tolist(), MeanOf(cv=N_FOLDS), N_FOLDS)
        entry = Verdict("row", "column", "risk", printed, further=further)
        words.append(of_further_splits(entry, units).word)
    return words[0] == "outside", words[1] == "outside"


CHANCE = re.compile(r"by chance with p (?:= |< )(\d\.\d+)")

ROWS, COLUMNS = 5, 4


def whole_table(
    rng: Generator,
    dishonest: bool,
    *,
    repeats: int,
    further: int = 1,
    n_test: int | None = None,
) -> tuple[Outcome, ...]:
    """Return what is said of a table whose columns share their splits."""
    found = []
    for row in range(ROWS):
        moved = rng.normal(size=(repeats + further, COLUMNS))
        moved += rng.normal(size=(repeats + further, 1))
        numbers = 0.2 + 0.03 * moved
        numbers[repeats:] += 0.08 * dishonest * (np.arange(COLUMNS) == 0)
        if n_test is not None:
            numbers = rng.binomial(n_test, np.clip(numbers, 0, 1)) / n_test
        for column in range(COLUMNS):
            ours = list(numbers[:repeats, column])
            text = f"{numbers[repeats:, column].mean():.3f}"
            place = f"row {row}", f"column {column}"
            entry = Verdict(*place, "risk", text, n_test=n_test, further=further)
            found.append((of_further_splits(entry, ours), ours))
    verdicts = Verdicts.of("table", found)
    misses = verdicts.misses
    chances = [float(p) for text in verdicts.statement({}) for p in CHANCE.findall(text)]
    return (
        len(verdicts.outside) / (ROWS * COLUMNS),
        misses.p_more <= LEVEL,
        misses.p_fewer <= LEVEL,
        misses.low <= misses.outside <= misses.high,
        bool(verdicts.surely_off),
        any(p <= LEVEL for p in chances),
    )


ONE, WELCH = "outside, one split", "outside, mean ± deviation"
ALONE, FOLDS = "outside, mean alone", "outside, cross-validation"


def _one(setting: str, other: str, exact: bool, **options: Any) -> World:
    stated = about(LEVEL) if exact else at_most(LEVEL)
    draw = partial(one_split, **options)
    return World(setting, (Judgement(ONE, stated, other),), draw)


def _binomial(repeats: int, n_test: int, digits: int, risk: float) -> World:
    setting = f"risk {risk:g} on {n_test} test examples, {digits} digits, {repeats} repeats"
    return _one(
        setting,
        "0.2 higher",
        False,
        repeats=repeats,
        population=partial(binomial, n_test=n_test, risk=risk),
        digits=digits,
        n_test=n_test,
    )


def _table(setting: str, *, quick: bool = False, **options: Any) -> World:
    numbers = at_most(LEVEL) if "n_test" in options else about(LEVEL)
    judgements = (
        Judgement("outside, numbers of a table", numbers),
        Judgement("table, p of as many or more ≤ 0.05", at_most(LEVEL), "a column off"),
        Judgement("table, p of as few or fewer ≤ 0.05", at_most(LEVEL)),
        Judgement("table, number outside in its 95% range", at_least(1 - LEVEL)),
        Judgement("table, off even if all are counted", at_most(LEVEL), "a column off"),
        Judgement("table, outside in one row or column, p ≤ 0.05", at_most(LEVEL), "a column off"),
    )
    return World(setting, judgements, partial(whole_table, **options), 500, quick)


WORLDS = (
    *(
        _one(f"normal, {n} repeats", "4 sd off", True, repeats=n, population=normal)
        for n in (2, 3, 4, 5, 10, 30, 100)
    ),
    *(
        _binomial(repeats, n_test, digits, risk)
        for n_test, digits, risk in ((50, 2, 0.1), (50, 3, 0.02), (200, 3, 0.1), (500, 3, 0.1))
        for repeats in (3, 10, 30)
    ),
    *(
        _one(f"log-normal, {n} repeats", "e² times as large", True, repeats=n, population=skewed)
        for n in (3, 10, 30, 100)
    ),
    _one("Student's t (3), 10 repeats", "7 off", True, repeats=10, population=heavy),
    *(
        World(
            f"{repeats} repeats, {splits} splits{words}",
            (Judgement(WELCH, about(LEVEL), "3 points off"),),
            partial(two_means, repeats=repeats, splits=splits, **options),
        )
        for repeats, splits, words, options in (
            (3, 10, "", {}),
            (5, 10, "", {}),
            (10, 10, "", {}),
            (30, 20, "", {}),
            (100, 10, "", {}),
            (30, 10, ", theirs a third as wide", {"scale": 1 / 3}),
            (10, 100, ", theirs three times as wide", {"scale": 3.0}),
            (10, 30, ", Student's t (3)", {"tails": long_tails}),
        )
    ),
    *(
        World(
            f"{repeats} repeats, mean of {splits} splits",
            (Judgement(ALONE, about(LEVEL), "1 sd off"),),
            partial(mean_alone, repeats=repeats, splits=splits),
        )
        for repeats, splits in ((3, 10), (10, 10), (30, 100), (100, 20))
    ),
    World(
        f"tree, {N_FOLDS} folds",
        (
            Judgement(f"{FOLDS}, {REPETITIONS - 1} of ours", about(LEVEL), "5 points off"),
            Judgement(
                f"{FOLDS}, the folds of one of ours",
                at_most(LEVEL),
                "5 points off",
                "the data are the same, and folds vary more than other divisions into folds do",
            ),
        ),
        cross_validation,
        500,
    ),
    _table("normal, 10 repeats", repeats=10, quick=True),
    _table("normal, 30 repeats", repeats=30),
    _table("risks on 100 examples, 3 repeats", repeats=3, n_test=100, quick=True),
    _table("risks on 100 examples, 4 repeats", repeats=4, n_test=100),
    _table("risks on 100 examples, 20 repeats", repeats=20, n_test=100),
    _table("means of 10 splits, 30 repeats", repeats=30, further=10, quick=True),
)
"""All worlds of verdicts."""
