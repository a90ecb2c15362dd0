"""The C-bound of a vote and two bounds on its risk, from margins (CB-Boost, Bauvin et al. 2020).

A margin is y F(x) for a vote F whose weights add up to 1 in size. Each function takes the margins
of one vote, or of many with one column per vote.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.concentration import DELTA, check_delta
from quadrepro.core.measures.measure import Measure, Trained

RHOS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Margins ρ of which the measured margin bound takes the best."""

ROUNDING = 1e-9
"""Share by which a margin above ρ counts as ρ."""


def c_bound(margins: FloatArray) -> FloatArray:
    """Return the C-bound 1 - μ₁²/μ₂ of votes (Definitions 6 and 7).

    μ₁ and μ₂ are the first two moments of the margins. If μ₁ > 0, the C-bound is at least the
    share of margins at or below zero (Corollary 1).

    Parameters
    ----------
    margins : ndarray of shape (n_examples,) or (n_examples, n_candidates)
        Margins; their scale does not matter.

    Returns
    -------
    ndarray of shape () or (n_candidates,)
        The C-bound; 1 if μ₁ is not positive, as for the empty vote.

    Examples
    --------
    >>> import numpy as np
    >>> float(c_bound(np.array([0.5, 0.5, -0.5, 0.5])))
    0.75
    """
    _check(margins, np.inf)
    return _ratio(margins.mean(axis=0), np.square(margins).mean(axis=0))


def pac_bayes_bound(margins: FloatArray, weights: FloatArray, delta: float = DELTA) -> FloatArray:
    """Return the PAC-Bayesian bound on the risk of votes (Theorem 2).

    It holds with probability 1 - δ. The prior is uniform over the voters and their complements,
    2 n_voters directions in all. The posterior is the share of each weight in the total, on the
    voter if the weight is positive and else on its complement.

    Parameters
    ----------
    margins : ndarray of shape (n_examples,) or (n_examples, n_candidates)
        Margins on the training examples, in [-1, 1].
    weights : ndarray of shape (n_voters,) or (n_candidates, n_voters)
        Signed voter weights, of any scale.
    delta : float, default 0.05
        Probability of failure, in (0, 1).

    Returns
    -------
    ndarray of shape () or (n_candidates,)
        The bound, in [0, 1]; 1 for the empty vote.
    """
    _check(margins, 1.0, delta)
    if weights.shape[:-1] != margins.shape[1:]:
        raise ValueError(
            f"{margins.shape[1:]} votes have margins and {weights.shape[:-1]} have weights: "
            "each column of margins needs a row of weights"
        )
    m, n_directions = len(margins), 2 * weights.shape[-1]
    sizes = np.abs(weights)
    totals = sizes.sum(axis=-1, keepdims=True)
    posterior = sizes / np.where(totals > 0, totals, 1.0)
    # q ln q is 0 at 0.
    terms = posterior * np.log(np.where(posterior > 0, posterior, 1.0) * n_directions)
    divergence = terms.sum(axis=-1)
    confidence = np.log(2 * np.sqrt(m) / (delta / 2))
    first = margins.mean(axis=0) - np.sqrt(2 / m * (divergence + confidence))
    second = np.square(margins).mean(axis=0) + np.sqrt(2 / m * (2 * divergence + confidence))
    return _ratio(first, np.minimum(second, 1.0))


def margin_bound(
    margins: FloatArray, n_voters: int, rhos: Sequence[float], delta: float = DELTA
) -> FloatArray:
    """Return the margin bound of Cortes et al. (2014), with which section 4.3 compares.

    R̂_ρ + (4/ρ) √(2 ln n/m) + (2/ρ) √(ln n/m) + √(⌈(4/ρ²) ln(ρ²m/ln n)⌉ ln n/m + ln(2/δ)/(2m))

    R̂_ρ is the share of margins at or below ρ, and n = 2 n_voters counts complements. The theorem
    is for one ρ fixed beforehand. To hold for the best of several it would need δ divided by their
    number, which is left out here: the number is for comparison.

    Parameters
    ----------
    margins : ndarray of shape (n_examples,) or (n_examples, n_candidates)
        Margins on the training examples, in [-1, 1].
    n_voters : int
        Number of voters, complements not counted.
    rhos : sequence of float
        Values of ρ, in (0, 1]; the smallest bound is returned.
    delta : float, default 0.05
        Probability of failure for one ρ, in (0, 1).

    Returns
    -------
    ndarray of shape () or (n_candidates,)
        The bound. Above 1 it says nothing about the risk, but still shows how far away it is.
    """
    _check(margins, 1.0, delta)
    if n_voters < 1:
        raise ValueError(f"the bound needs n_voters >= 1, not {n_voters}")
    if not rhos or not all(0 < rho <= 1 for rho in rhos):
        raise ValueError(f"rhos must be values in (0, 1], not {list(rhos)}")
    m, share = len(margins), np.log(2 * n_voters) / len(margins)
    bounds = []
    for rho in rhos:
        # If ρ² m < ln n, the bound is far above 1 already.
        blocks = max(np.ceil(4 / rho**2 * np.log(rho**2 / share)), 0.0)
        complexity = (4 * np.sqrt(2 * share) + 2 * np.sqrt(share)) / rho
        spread = np.sqrt(blocks * share + np.log(2 / delta) / (2 * m))
        # A vote in which all voters agree has margin 1, in whatever order its weights are added.
        bounds.append((margins <= rho * (1 + ROUNDING)).mean(axis=0) + complexity + spread)
    return np.asarray(np.min(bounds, axis=0))


def measured_c_bound(trained: Trained) -> FloatArray:
    """Return the C-bound on the training examples."""
    return c_bound(trained.margins)


def measured_test_c_bound(trained: Trained) -> FloatArray:
    """Return the C-bound on the test examples."""
    return c_bound(trained.test_margins)


def measured_pac_bayes(trained: Trained) -> FloatArray:
    """Return the PAC-Bayesian bound."""
    return pac_bayes_bound(trained.margins, trained.votes)


def measured_margin_bound(trained: Trained) -> FloatArray:
    """Return the margin bound at its best ρ."""
    return margin_bound(trained.margins, trained.votes.shape[1], RHOS)


def _ratio(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return 1 - first²/second, and 1 if `first` is not positive."""
    positive = first > 0
    return np.asarray(1 - np.where(positive, first**2 / np.where(positive, second, 1.0), 0.0))


def _check(margins: FloatArray, largest: float, delta: float = DELTA) -> None:
    if not len(margins):
        raise ValueError("there are no margins: a bound needs one example or more")
    # Votes whose weights add up to 1 leave the range by rounding.
    if not (np.isfinite(margins) & (np.abs(margins) <= largest * (1 + 1e-9))).all():
        kind = "finite" if largest == np.inf else f"in [-{largest:g}, {largest:g}]"
        raise ValueError(f"margins must be {kind}")
    check_delta(delta)


C_BOUND = Measure("C-bound", measured_c_bound)
TEST_C_BOUND = Measure("C-bound on test examples", measured_test_c_bound)
CBBOOST_PAC_BAYES = Measure("PAC-Bayesian bound", measured_pac_bayes, needs="voters")
CORTES_MARGIN_BOUND = Measure("margin bound", measured_margin_bound, needs="voters", version=2)
