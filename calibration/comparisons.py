"""Two learners compared, on splits of one data set or over data sets, and the best of several."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from math import inf, sqrt

import numpy as np
from numpy.random import Generator

from calibration.learners import folds, problem, random_splits, risks, wrong_of_means
from calibration.worlds import Judgement, Outcome, Said, World, as_said, at_least, at_most
from quadrepro.base.types import FloatArray
from quadrepro.stats import (
    COVERAGE,
    LEVEL,
    bayesian_correlated_t,
    bayesian_signed_rank,
    chance_against_best,
    chance_of_a_star,
    corrected_t_test,
    equivalence_test,
    hodges_lehmann,
    paired_t_test,
    poisson_binomial_test,
    sign_test,
    sign_test_power,
    wilcoxon_test,
)
from quadrepro.tables.ranked import Splits, compare_splits

SURE = 0.95
"""A posterior probability that readers take for a finding."""

SHIFT, WEAKER = 0.8, 0.5
"""Distance of the classes in each attribute of a learner, and in those of a weaker one."""

Tested = Callable[[Generator, int], "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]"]
"""Returns which examples each split tests."""


def on_splits(
    rng: Generator, tested: Tested, learners: int, dishonest: bool, n: int = 100
) -> list[FloatArray]:
    """Return the risks of learners of equal expected risk, but for the first if dishonest."""
    shifts = (WEAKER if dishonest else SHIFT, *(SHIFT,) * (learners - 1))
    X, y = problem(rng, n, shifts)
    splits, size = tested(rng, n), X.shape[1] // learners
    parts = (X[:, size * i : size * (i + 1)] for i in range(learners))
    return [risks(wrong_of_means(part, y, splits), splits) for part in parts]


def two_on_splits(
    rng: Generator, dishonest: bool, *, tested: Tested, share: float
) -> tuple[Outcome, ...]:
    """Return what is said of two learners on the same splits."""
    a, b = on_splits(rng, tested, 2, dishonest)
    posterior = bayesian_correlated_t(a, b, share)
    return (
        corrected_t_test(a, b, share).significant,
        max(posterior.better, posterior.worse) >= SURE,
        paired_t_test(a, b).significant,
    )


def best_of_samples(rng: Generator, dishonest: bool, *, columns: int) -> Said:
    """Return whether a learner is found to differ from the best of equal ones, on fresh samples."""
    numbers = list(rng.normal(size=(columns, 20)))
    best = min(numbers, key=lambda of: float(of.mean()))
    found = any(paired_t_test(of, best).significant for of in numbers if of is not best)
    return Said(found, chance_against_best(columns, len(best)))


def best_of_splits(
    rng: Generator, dishonest: bool, *, tested: Tested, share: float, columns: int
) -> Outcome:
    """Return whether a learner is found to differ from the best, over splits that overlap."""
    numbers = dict(enumerate(on_splits(rng, tested, columns, dishonest)))
    best = min(numbers, key=lambda i: float(numbers[i].mean()))
    named = {str(i): list(risks) for i, risks in numbers.items()}
    pairs = compare_splits(Splits("data", named, share), rope=0.0)
    return any(of.p_holm <= LEVEL for (a, _), of in pairs.items() if a == str(best))


def starred(rng: Generator, dishonest: bool, *, columns: int, digits: int) -> Said:
    """Return whether some pair has a star, over data sets of different difficulty."""
    rows = rng.uniform(0.05, 0.4, (20, 1)) + 0.02 * rng.normal(size=(20, columns))
    rows[:, 0] -= 0.02 * dishonest
    rows = rows.round(digits)
    found = any(
        sign_test(rows[:, i], rows[:, j]).significant for i, j in combinations(range(columns), 2)
    )
    # It depends on the ties alone, and takes long.
    stated = chance_of_a_star(rows.tolist()) if rng.random() < 0.05 else None
    return Said(found, stated)


def symmetric(rng: Generator, n: int) -> FloatArray:
    """Return differences around 0 with long tails."""
    return rng.standard_t(3, n) / 100


def skewed(rng: Generator, n: int) -> FloatArray:
    """Return log-normal differences of mean 0 and deviation 0.01."""
    numbers = np.exp(rng.normal(size=n)) - np.exp(0.5)
    return np.asarray(numbers / sqrt((np.e - 1) * np.e) / 100)


def over_data_sets(
    rng: Generator, dishonest: bool, *, n: int, digits: int = 6
) -> tuple[Outcome, ...]:
    """Return what is said of two learners over data sets."""
    d = (symmetric(rng, n) - 0.01 * dishonest).round(digits)
    base = np.full(n, 0.5)
    return sign_test(base + d, base).significant, wilcoxon_test(base + d, base).significant


def power_of_signs(rng: Generator, dishonest: bool, *, n: int, share: float) -> Said:
    """Return whether the sign test finds a learner that wins with a probability."""
    wins = rng.random(n) < share
    return Said(sign_test(1 - wins, wins).significant, sign_test_power(n, share))


def equivalent(
    rng: Generator, dishonest: bool, *, n: int, differences: Callable[[Generator, int], FloatArray]
) -> Outcome:
    """Return whether learners that differ by exactly the margin, or by nothing, are equivalent."""
    d = differences(rng, n) + 0.01 * (not dishonest)
    return equivalence_test(d, np.zeros(n), 0.01).significant


def normal(rng: Generator, n: int) -> FloatArray:
    """Return normal differences of mean 0 and deviation 0.01."""
    return 0.01 * rng.normal(size=n)


def shifts(rng: Generator, dishonest: bool, *, n: int, effect: float) -> Outcome:
    """Return whether the interval covers the shift of normal differences."""
    found = hodges_lehmann(rng.normal(effect, 1, n), np.zeros(n))
    return found.low <= effect <= found.high


def signed_rank_posterior(rng: Generator, dishonest: bool, *, n: int) -> tuple[Outcome, ...]:
    """Return whether a posterior is sure of equal learners, and right where effects differ."""
    d, zero = rng.normal(-0.8 * dishonest, 1, n), np.zeros(n)
    null = bayesian_signed_rank(d, zero)
    effect = rng.normal()
    found = bayesian_signed_rank(rng.normal(effect, 1, n), zero)
    right = (found.better > found.worse) == (effect < 0)
    return max(null.better, null.worse) >= SURE, Said(right, max(found.better, found.worse))


def poisson_posterior(rng: Generator, dishonest: bool, *, n: int) -> tuple[Outcome, ...]:
    """Return the same of errors on examples, with effects drawn from the prior of the test."""
    equal = _toss(rng, np.full(n, 0.35 if dishonest else 0.5))
    null = poisson_binomial_test(*equal).probability
    wins = rng.random(n) < (share := rng.random())
    coins = rng.uniform(0, 0.5, n)
    found = poisson_binomial_test(*_toss(rng, np.where(wins, coins, 1 - coins))).probability
    right = (found > 0.5) == (share > 0.5)
    return max(null, 1 - null) >= SURE, Said(right, max(found, 1 - found))


def _toss(rng: Generator, coins: FloatArray) -> tuple[list[FloatArray], list[FloatArray]]:
    """Return which of 30 examples only A gets wrong, with a probability by data set, or only B."""
    a_wrong = [rng.random(30) < coin for coin in coins]
    return a_wrong, [~wrong for wrong in a_wrong]


def halves(rng: Generator, n: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return 30 random splits into halves."""
    return random_splits(rng, n, 30, n // 2)


def few_halves(rng: Generator, n: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return 10 random splits into halves."""
    return random_splits(rng, n, 10, n // 2)


def tenths(rng: Generator, n: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return 30 random splits of which a tenth is tested."""
    return random_splits(rng, n, 30, n // 10)


SPLITS: tuple[tuple[str, Tested, float], ...] = (
    ("30 random halves", halves, 0.5),
    ("10 random halves", few_halves, 0.5),
    ("30 splits that test a tenth", tenths, 0.1),
    ("10-fold cross-validation", folds, 0.1),
    ("10-fold cross-validation, 10 times", partial(folds, repeats=10), 0.1),
    ("2-fold cross-validation, 5 times", partial(folds, k=2, repeats=5), 0.5),
)

WORSE = "classes 0.5 instead of 0.8 sd apart"

PAIRED = "splits that share examples make it too small, as `paired_t_test` states"
SKEWED = "a t-test, whose level `equivalence_test` states for skewed differences"

WORLDS = (
    *(
        World(
            f"{name} of 100 examples",
            (
                Judgement("corrected resampled t-test, p ≤ 0.05", at_most(LEVEL), WORSE),
                Judgement("Bayesian correlated t-test, either ≥ 0.95", at_most(0.1), WORSE),
                Judgement("paired t-test, p ≤ 0.05", at_most(LEVEL), WORSE, PAIRED, (0, 1)),
            ),
            partial(two_on_splits, tested=tested, share=share),
            3000,
        )
        for name, tested, share in SPLITS
    ),
    *(
        World(
            f"{columns} equal learners, 20 independent samples",
            (Judgement("not bold, by chance", as_said()),),
            partial(best_of_samples, columns=columns),
            2000,
        )
        for columns in (3, 6)
    ),
    *(
        World(
            f"{columns} equal learners, {name}",
            (
                Judgement(
                    "not bold, or worse than the best",
                    at_most(LEVEL),
                    "one of them with classes 0.5 sd apart",
                ),
            ),
            partial(best_of_splits, tested=tested, share=share, columns=columns),
            2000,
        )
        for columns in (3, 6)
        for name, tested, share in SPLITS[:1]
    ),
    *(
        World(
            f"{columns} equal learners, 20 data sets, {digits} digits",
            (Judgement("some star, by chance", as_said(), "one learner 0.02 better"),),
            partial(starred, columns=columns, digits=digits),
            1500,
            columns == 3,
        )
        for columns, digits in ((3, 6), (5, 6), (5, 2))
    ),
    *(
        World(
            f"{n} data sets, Student's t (3), {digits} digits",
            (
                Judgement("sign test, p ≤ 0.05", at_most(LEVEL), "shift of 0.01, scale 0.01"),
                Judgement("Wilcoxon, p ≤ 0.05", at_most(LEVEL), "shift of 0.01, scale 0.01"),
            ),
            partial(over_data_sets, n=n, digits=digits),
            3000,
            n < 250,
        )
        for n, digits in ((6, 6), (10, 6), (25, 6), (25, 2), (250, 6))
    ),
    *(
        World(
            f"{n} data sets, a win with probability {share:g}",
            (Judgement("power of the sign test", as_said()),),
            partial(power_of_signs, n=n, share=share),
            3000,
        )
        for n, share in ((10, 0.8), (25, 0.6))
    ),
    *(
        World(
            f"{n} data sets, {name}",
            (
                Judgement(
                    "equivalent (TOST), at the margin",
                    at_most(LEVEL),
                    "equal learners, margin of 1 sd",
                    *(() if name == "normal" else (SKEWED, (0, 0.3))),
                ),
            ),
            partial(equivalent, n=n, differences=differences),
        )
        for n in (5, 10, 30)
        for name, differences in (
            ("normal", normal),
            ("log-normal to the margin", lambda rng, n: -skewed(rng, n)),
            ("log-normal from the margin", skewed),
        )
    ),
    *(
        World(
            f"{n} data sets, normal, effect of {effect:g} sd",
            (Judgement("interval of Hodges and Lehmann", at_least(COVERAGE)),),
            partial(shifts, n=n, effect=effect),
            3000,
        )
        for n, effect in ((5, 0.0), (5, 1.0), (10, 0.0), (10, 0.5), (10, 1.0), (30, 0.5))
    ),
    *(
        World(
            f"{n} data sets",
            (
                Judgement("Bayesian signed-rank, either ≥ 0.95", at_most(0.1), "0.8 sd better"),
                Judgement("Bayesian signed-rank, the more probable is better", as_said(above=inf)),
            ),
            partial(signed_rank_posterior, n=n),
            400,
            n == 5,
        )
        for n in (5, 10, 20)
    ),
    *(
        World(
            f"{n} data sets, 30 examples that one gets wrong",
            (
                Judgement("Poisson binomial, either ≥ 0.95", at_most(0.1), "0.35 instead of 0.5"),
                Judgement("Poisson binomial, the more probable is better", as_said(above=inf)),
            ),
            partial(poisson_posterior, n=n),
            4000,
        )
        for n in (5, 15, 30)
    ),
)
"""All worlds of comparisons."""
