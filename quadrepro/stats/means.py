"""Means with their errors: Student's t, for splits that overlap, and equivalence."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from quadrepro.base.types import FloatArray
from quadrepro.stats.base import LEVEL, PValueResult, Result, Values, differences, order

ALL_SPLITS = 1e6
"""A number of splits that is practically infinite."""

MOST_SPLITS = 1000
"""Number of splits above which it does not matter how many there are."""


@dataclass(frozen=True, repr=False)
class Posterior(Result):
    """Result of the Bayesian tests: three probabilities that add up to 1.

    They are that A has the lower risk by more than the rope, that the two differ by no more than
    it, and that B has the lower risk by more than it.
    """

    better: float
    same: float
    worse: float


@dataclass(frozen=True, repr=False)
class Mean(Result):
    """A mean, or a difference of means, with Student's distribution about it.

    The standard error is exactly 0 if all values are equal.

    Examples
    --------
    >>> mean = Mean.from_values([-0.03, -0.02, -0.01, -0.04])
    >>> mean
    Mean(value=-0.025, error=0.00645497, df=3)
    >>> round(mean.p_value(), 4), round(mean.p_below(), 4)
    (0.0305, 0.0152)
    """

    value: float
    error: float
    df: float

    @classmethod
    def from_values(cls, values: Values, test_share: float = 0.0, least_sd: float = 0.0) -> Mean:
        """Return the mean of values, one per split.

        Splits that each test a share of the examples are not independent: the variance of their
        mean is s² (1/n + n_test/n_train) (Nadeau and Bengio 2003). With a share of 0 it is s²/n.
        The standard deviation s is at least `least_sd`.
        """
        if not 0 <= test_share < 1:
            raise ValueError(f"a share of test examples is at least 0 and below 1: {test_share:g}")
        sample = [*values]
        n = len(sample)
        if n < 2:
            raise ValueError(f"a mean with an error needs at least two values, not {n}")
        d = differences(sample, [0] * n, digits=14)
        alike = (d == d[0]).all()
        variance = max(0.0 if alike else float(d.var(ddof=1)), least_sd**2)
        mean = float(d[0] if alike else d.mean())
        return cls(mean, sqrt(variance * (1 / n + test_share / (1 - test_share))), n - 1)

    def p_value(self) -> float:
        """Return the two-sided p-value of "the mean is 0"."""
        return float(p_values(self.value, self.error, self.df))

    def p_above(self, limit: float = 0.0) -> float:
        """Return the p-value of "the mean is at most the limit"."""
        # scipy takes half a second to import.
        from scipy.special import stdtr

        if self.error == 0:
            return float(order(self.value, limit) <= 0)
        return float(stdtr(self.df, (limit - self.value) / self.error))

    def p_below(self, limit: float = 0.0) -> float:
        """Return the p-value of "the mean is at least the limit"."""
        return Mean(-self.value, self.error, self.df).p_above(-limit)

    def reach(self, level: float = LEVEL, power: float = 0.5) -> float:
        """Return the effect that a one-sided test finds with a power; by default, with 1/2."""
        from scipy.special import stdtrit

        return float(stdtrit(self.df, 1 - level) + stdtrit(self.df, power)) * self.error

    def splits_to_show(self, test_share: float, level: float = LEVEL) -> float:
        """Return the number of splits that make a mean this large significant.

        The splits behind the mean each test this share of the examples. It is infinite beyond
        `MOST_SPLITS`: all splits share one data set, whose part of the error stays.
        """
        from scipy.special import stdtrit

        shared, counts = test_share / (1 - test_share), range(2, MOST_SPLITS + 1)

        def significant(count: int) -> bool:
            error = self.error * sqrt((1 / count + shared) / (1 / (self.df + 1) + shared))
            return bool(-stdtrit(count - 1, level / 2) * error <= abs(self.value))

        least = bisect_left(counts, True, key=significant)
        return float(counts[least]) if self.value and least < len(counts) else inf

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Return the ends of the interval that leaves out the mean with probability `level`."""
        reach = self.reach(level / 2)
        return self.value - reach, self.value + reach

    def posterior(self, rope: float = 0.0) -> Posterior:
        """Return the probability that the mean is below, within and above the rope."""
        check_rope(rope)
        if self.error == 0 and order(abs(self.value), rope) <= 0:
            return Posterior(0.0, 1.0, 0.0) if rope else Posterior(0.5, 0.0, 0.5)
        better, worse = self.p_above(-rope), self.p_below(rope)
        return Posterior(better, max(0.0, 1 - better - worse) if rope else 0.0, worse)


def detectable_difference(
    n_test: float, test_share: float, n_splits: int, disagreement: float, level: float = LEVEL
) -> tuple[float, float]:
    """Return the differences in risk that splits of one data set show in half of all runs.

    Two methods disagree on a share of the rows, at least that by which their risks differ. With the
    first difference the corrected t-test on the splits was significant in 53% to 77% of simulated
    runs, and below the second in less than half of them with any number of splits. The first is
    infinite if not even a difference of 1 is significant.

    Parameters
    ----------
    n_test : float
        Number of test examples of a split.
    test_share : float
        Share of the examples that is tested in a split.
    n_splits : int
        Number of splits.
    disagreement : float
        Share of the examples on which one method is right and the other wrong.
    level : float, default 0.05
        Level of significance.
    """
    shared = test_share / (1 - test_share)
    # Methods that make the same errors in all splits vary less, by the share that is tested.
    errors = sqrt((1 / n_splits + shared) / n_test), sqrt(shared * (1 - test_share) / n_test)
    means = map(Mean, (0.0, 0.0), errors, (n_splits - 1, ALL_SPLITS))
    reach, least = (mean.reach(level / 2) for mean in means)
    root = sqrt(disagreement)
    at_these, at_any = (min(1.0, max(x * root, x**2)) for x in (reach, least))
    # If the difference is 1 in all splits, the test still counts on one example more or less.
    largest = Mean.from_values([1.0] * n_splits, test_share, 1 / n_test)
    return at_these if largest.p_value() <= level else inf, at_any


def p_values(
    values: ArrayLike, errors: ArrayLike, df: float, rounding: ArrayLike = 0.0
) -> FloatArray:
    """Return two-sided p-values of "the mean is 0", or anything within the rounding."""
    from scipy.special import stdtr

    distance, error = np.maximum(np.abs(values) - rounding, 0.0), np.asarray(errors)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(error == 0, distance == 0, 2 * stdtr(df, -distance / error)))


def check_rope(rope: float) -> None:
    """Validate the half-width of the region of practical equivalence."""
    if not 0 <= rope < inf:
        raise ValueError(f"the half-width of the rope cannot be {rope:g}")


@dataclass(frozen=True, repr=False)
class TTest(PValueResult):
    """Result of `paired_t_test` and `corrected_t_test`.

    The interval covers the true difference A - B with probability `COVERAGE`. The two-sided p-value
    is for "the means are equal"; without any variation it is 1 for equal means and otherwise 0.
    """

    mean_difference: float
    low: float
    high: float
    p_value: float


def paired_t_test(a: Values, b: Values) -> TTest:
    """Compare the mean errors of two algorithms on the same splits.

    The two-sided paired t-test of Table 1 of Empirical Bernstein Boosting. The splits of one data
    set overlap, so the errors are not independent and the p-value is too small; the paper uses the
    test all the same.

    Parameters
    ----------
    a, b : iterable of float
        Errors of A and of B, one per split and in the same order; two splits or more.

    Examples
    --------
    >>> paired_t_test([0.21, 0.18, 0.25, 0.20], [0.24, 0.20, 0.26, 0.24])
    TTest(mean_difference=-0.025, low=-0.0455426, high=-0.0044574, p_value=0.0304663)
    """
    # P-values far below the level feel the twelfth digit.
    return _t_test(Mean.from_values(differences(a, b, digits=14)))


def corrected_t_test(a: Values, b: Values, test_share: float) -> TTest:
    """Compare the mean errors of two methods on overlapping splits of one data set.

    Splits share examples, so the variance of the mean is larger than for independent values,
    s²/n. The test of Nadeau and Bengio ("Inference for the generalization error", Machine Learning
    52, 2003) takes s² (1/n + n_test/n_train) in its place. That is approximate: in simulations of
    equal methods it was significant for 0.5% to 6% of pairs, and the paired t-test for 5% to 70%.

    Parameters
    ----------
    a, b : iterable of float
        Errors of A and of B, one per split and in the same order; two splits or more.
    test_share : float
        Share of the examples that is tested in a split, n_test / (n_train + n_test): 0.5 for
        halves, 0.1 for tenfold cross-validation. With 0 it is the paired t-test.

    Examples
    --------
    >>> corrected_t_test([0.21, 0.18, 0.25, 0.20], [0.24, 0.20, 0.26, 0.24], test_share=0.5)
    TTest(mean_difference=-0.025, low=-0.0709347, high=0.0209347, p_value=0.18169)
    """
    return _t_test(Mean.from_values(differences(a, b), test_share))


def _t_test(mean: Mean) -> TTest:
    return TTest(mean.value, *mean.interval(), mean.p_value())


def bayesian_correlated_t(a: Values, b: Values, test_share: float, rope: float = 0.0) -> Posterior:
    """Compare two methods on resamples of one data set by the Bayesian correlated t-test.

    With an uninformative prior and a correlation of `test_share` between resamples, the mean
    difference has Student's distribution, with the variance of `corrected_t_test` (Corani and
    Benavoli, Machine Learning 100, 2015). If all differences are equal, one probability is 1.

    Parameters
    ----------
    a, b : iterable of float
        Risks of A and of B, one per split and in the same order; two splits or more.
    test_share : float
        Share of the examples that is tested in a split, as in `corrected_t_test`.
    rope : float, default 0.0
        Half-width of the region of practical equivalence, in the unit of the risks.

    Examples
    --------
    >>> ours, theirs = [0.21, 0.18, 0.25, 0.20], [0.24, 0.20, 0.26, 0.24]
    >>> bayesian_correlated_t(ours, theirs, test_share=0.5, rope=0.01)
    Posterior(better=0.812452, same=0.140669, worse=0.0468796)
    """
    return Mean.from_values(differences(a, b), test_share).posterior(rope)


@dataclass(frozen=True, repr=False)
class EquivalenceTest(TTest):
    """Result of `equivalence_test`, which is significant if the methods are equivalent.

    The interval has probability 1 - 2 `LEVEL`, and the p-value is the larger one of "the mean
    difference is at least the margin", on either side.
    """

    margin: float

    @property
    def different(self) -> bool:
        """Whether the whole interval lies outside the margin."""
        return self.low > self.margin or self.high < -self.margin


def equivalence_test(a: Values, b: Values, margin: float) -> EquivalenceTest:
    """Test whether the mean difference of two methods is smaller than a margin.

    The two one-sided paired t-tests of Schuirmann (Journal of Pharmacokinetics and Biopharmaceutics
    15, 1987). A test of difference that finds nothing is not evidence of equivalence; this test is
    significant only if there is some. If it is not, and `different` does not hold either, the data
    do not decide.

    Its level of 0.05 holds for differences that are normal, or symmetric with longer tails. For
    skewed ones whose mean is just the margin it was significant, in 40,000 simulated samples each,
    with a probability of 0.08 (14 pairs) or 0.07 (30) at a skewness of 1, and of 0.12 or 0.10 at a
    skewness of 2, if the long tail points away from zero; of 0.03 and 0.02 if it points to zero.

    Parameters
    ----------
    a, b : iterable of float
        Risks of A and of B, one per data set and in the same order; two or more.
    margin : float
        The largest difference that does not matter, above 0, in the unit of the risks.

    Examples
    --------
    >>> test = equivalence_test([0.21, 0.18, 0.25, 0.20], [0.22, 0.18, 0.24, 0.21], margin=0.02)
    >>> round(test.low, 3), round(test.high, 3), round(test.p_value, 3)
    (-0.014, 0.009, 0.018)
    """
    if not 0 < margin < inf:
        raise ValueError(f"the margin must be above 0, not {margin:g}")
    mean = Mean.from_values(differences(a, b))
    p_value = max(mean.p_above(-margin), mean.p_below(margin))
    return EquivalenceTest(mean.value, *mean.interval(2 * LEVEL), p_value, margin)
