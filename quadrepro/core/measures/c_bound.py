"""The C-bound of a vote and two bounds on its risk (CB-Boost, Bauvin et al. 2020).

μ₁ and μ₂ are the first two moments of the margins of votes whose absolute weights add up to 1.
"""

from __future__ import annotations

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.measure import DELTA, ROUNDING, Trained, mean, measure

RHOS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Margins ρ among which the margin bound chooses the best."""


def c_bound_of(margins: FloatArray) -> FloatArray:
    """Return the C-bound 1 - μ₁²/μ₂ of votes, with one column of margins each (Definition 7).

    It is at least the share of margins at or below zero if μ₁ is positive (Corollary 1), and else
    it is 1.
    """
    return _bound(mean(margins), mean(np.square(margins)))


def _bound(first: FloatArray, second: FloatArray) -> FloatArray:
    positive = first > 0
    return np.asarray(1 - np.where(positive, first**2 / np.where(positive, second, 1.0), 0.0))


@measure("C-bound")
def c_bound(t: Trained) -> FloatArray:
    """Return the C-bound on the training examples."""
    return c_bound_of(t.margins)


@measure("C-bound on test examples")
def test_c_bound(t: Trained) -> FloatArray:
    """Return the C-bound on the test examples."""
    return c_bound_of((t.test_scores / t.totals * t.y_test).T)


@measure("Corollary 2's bound", needs="voters", every_round=True)
def cbboost_corollary2(t: Trained) -> FloatArray:
    """Return the C-bound of the second vote less the falls of Property 1 since (Corollary 2).

    A round that adds α h to the vote F lowers the C-bound by (γν - γ_F τ)² / (ν(ν - τ²)), where
    γ = mean(y h), γ_F = mean(y F), ν = mean(F²) and τ = mean(F h). Voters have values -1 and +1.
    """
    shares, F = np.abs(t.votes) / t.totals, (t.scores / t.totals)[:-1]
    # The share of the voter of a round grows, and all others shrink.
    growth = np.diff(shares, axis=0)
    picks, rounds = growth.argmax(axis=1), np.arange(len(growth))
    h = (t.voters[:, picks] * np.sign(t.votes[rounds + 1, picks])).T
    gamma, vote_gamma = mean(h * t.y, 1), mean(F * t.y, 1)
    nu, tau = mean(F**2, 1), mean(F * h, 1)
    # A run that has ended repeats its last vote, and the first vote may be empty.
    goes_on = (growth[rounds, picks] > ROUNDING) & (nu > 0)
    bends = np.where(goes_on, nu * (nu - tau**2), 1.0)
    falls = np.where(goes_on, (gamma * nu - vote_gamma * tau) ** 2 / bends, 0.0)
    bounds = c_bound(t)
    return np.concatenate([bounds[:2], bounds[1] - np.cumsum(falls[1:])])


@measure("PAC-Bayesian bound", needs="voters")
def cbboost_pac_bayes(t: Trained) -> FloatArray:
    """Return the PAC-Bayesian bound on the risk: the C-bound with bounds on μ₁ and μ₂ (Theorem 2).

    It holds with probability 1 - δ. The prior is uniform over the voters and their complements.
    The posterior is the share of each weight in the total, on the voter if the weight is positive
    and else on its complement.
    """
    margins, m, n_directions = t.margins, len(t.y), 2 * t.votes.shape[1]
    posterior = np.abs(t.votes) / t.totals
    # q ln q is 0 at 0.
    terms = posterior * np.log(np.where(posterior > 0, posterior, 1.0) * n_directions)
    divergence = terms.sum(axis=1)
    confidence = np.log(2 * np.sqrt(m) / (DELTA / 2))
    first = mean(margins) - np.sqrt(2 / m * (divergence + confidence))
    second = mean(np.square(margins)) + np.sqrt(2 / m * (2 * divergence + confidence))
    return _bound(first, np.minimum(second, 1.0))


@measure("margin bound", needs="voters")
def cortes_margin_bound(t: Trained) -> FloatArray:
    """Return the margin bound of Cortes et al. (2014) at its best ρ (section 4.3).

    R̂_ρ + (4/ρ) √(2 ln n/m) + (2/ρ) √(ln n/m) + √(⌈(4/ρ²) ln(ρ²m/ln n)⌉ ln n/m + ln(2/δ)/(2m))

    R̂_ρ is the share of margins at or below ρ, and n = 2 n_voters counts complements. The theorem
    is for one ρ fixed beforehand. To hold for the best of several it would need δ divided by their
    number, which is left out here: the number is for comparison.
    """
    margins, m, bounds = t.margins, len(t.y), []
    share = np.log(2 * t.votes.shape[1]) / m
    for rho in RHOS:
        # If ρ² m < ln n, the bound is far above 1 already.
        blocks = max(np.ceil(4 / rho**2 * np.log(rho**2 / share)), 0.0)
        complexity = (4 * np.sqrt(2 * share) + 2 * np.sqrt(share)) / rho
        spread = np.sqrt(blocks * share + np.log(2 / DELTA) / (2 * m))
        # A vote in which all voters agree has margin 1, in whatever order its weights are added.
        bounds.append(mean(margins <= rho * (1 + ROUNDING)) + complexity + spread)
    return np.asarray(np.min(bounds, axis=0))
