"""Which of several readings of a paper's protocol its printed numbers speak for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from quadrepro.stats.result import LEVEL, Result


@dataclass(frozen=True, repr=False)
class ReadingScore(Result):
    """What the printed numbers say of one reading; see `score_readings`.

    Attributes
    ----------
    rows : int
        Number of rows that count.
    log_bayes_factor : float
        Log-probability of the printed numbers under the reading, minus that under the base.
    corrected : float
        The same minus the logarithm of the number of readings tried.
    posterior : float
        Probability of the reading, if one of those tried or the base is true and all are equally
        probable beforehand.
    supported : bool
        Whether the printed numbers speak for the reading at level `LEVEL`, however many were tried.
    """

    rows: int
    log_bayes_factor: float
    corrected: float
    posterior: float

    @property
    def supported(self) -> bool:
        """Whether `corrected` is at least -log(`LEVEL`)."""
        return self.corrected >= -math.log(LEVEL)


def score_readings(
    base: Mapping[str, float],
    readings: Mapping[str, Mapping[str, float]],
    tried: int | None = None,
) -> dict[str, ReadingScore]:
    """Compare readings of a protocol with the base reading by their likelihoods.

    A reading is compared with the base on the rows that it applies to. On all others it says the
    same as the base, so that readings of different rows can be compared.

    If the base were true, a Bayes factor in favour of a given reading would be at least k/0.05 with
    a probability of at most 0.05/k (Markov's inequality, as a Bayes factor then has expectation 1).
    With k readings tried, the largest of them is that large with a probability of at most 0.05.
    This is why log k is subtracted, and what is left must reach log 20 to count: it is Bonferroni's
    correction. It is exact for probabilities that are known; those of `log_probability_of_means`
    and its like are estimated from some splits, which makes the level of 0.05 an approximate one.

    Parameters
    ----------
    base : mapping of str to float
        Log-probability of the printed numbers of each row under the base reading.
    readings : mapping of str to mapping of str to float
        The same for each reading, on the rows that it applies to.
    tried : int, optional
        The number k of readings that were tried, by default those in `readings`. One that was tried
        and dropped counts.

    Returns
    -------
    dict of str to ReadingScore
        One per reading, in the order of `readings`.

    Raises
    ------
    ValueError
        If a reading has a row that the base has not, or fewer were tried than are given.

    Examples
    --------
    >>> from quadrepro.stats import score_readings
    >>> base = {"ringnorm": -60.0, "twonorm": -9.0}
    >>> readings = {"400 rows": {"ringnorm": -8.0}, "tanh": {"ringnorm": -61.0, "twonorm": -8.5}}
    >>> scores = score_readings(base, readings)
    >>> scores["400 rows"]
    ReadingScore(rows=1, log_bayes_factor=52, corrected=51.3069, posterior=1)
    >>> scores["400 rows"].supported, scores["tanh"].supported
    (True, False)
    """
    for name, rows in readings.items():
        if unknown := [row for row in rows if row not in base]:
            raise ValueError(f"{name} has a row that the base has not: {unknown[0]}")
    count = len(readings) if tried is None else tried
    if count < len(readings):
        raise ValueError(f"{len(readings)} readings are given, and only {count} were tried")
    factors = {
        name: math.fsum(value - base[row] for row, value in rows.items())
        for name, rows in readings.items()
    }
    # The largest is taken out, so that no exponential overflows; the base has factor 0.
    top = max((0.0, *factors.values()))
    total = math.fsum(math.exp(x - top) for x in (0.0, *factors.values()))
    return {
        name: ReadingScore(
            len(readings[name]), factor, factor - math.log(count), math.exp(factor - top) / total
        )
        for name, factor in factors.items()
    }
