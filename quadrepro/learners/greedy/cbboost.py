"""CB-Boost and GB-CB-Boost: greedy descent on the C-bound (Bauvin et al. 2020, section 3).

The two algorithms differ only in the score of a voter; see `cbound_state` for the quantities.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.learners.base import N_ROUNDS
from quadrepro.learners.greedy.algorithm import GreedyAlgorithm
from quadrepro.learners.greedy.cbound_state import CBoundState
from quadrepro.learners.greedy.loop import Rule, Step
from quadrepro.learners.grid import Grid
from quadrepro.voters.reduction import GramProblem, VotingProblem


@dataclass(frozen=True)
class CBoundRule(Rule[CBoundState]):
    """Start with the voter of largest margin, then step to the voter of largest score.

    Attributes
    ----------
    allow_repeats : bool
        Whether a voter may be picked again.
    """

    allow_repeats: bool

    @abstractmethod
    def scores(self, state: CBoundState) -> FloatArray:
        """Return the score of every voter: positive if it is admissible, else 0."""

    def step(self, state: CBoundState) -> Step:
        """Pick a voter and the weight that minimises the C-bound."""
        if state.round == 1:
            return state.start()
        return state.step_to_best(self.scores(state))


@dataclass(frozen=True)
class CBBoostRule(CBoundRule):
    """Pick the voter whose step leads to the smallest C-bound (Algorithm 1).

    Attributes
    ----------
    reweight : bool, default False
        Whether the weight of a voter is set anew.
    """

    reweight: bool = False

    def scores(self, state: CBoundState) -> FloatArray:
        """Return the decrease of the C-bound along each voter."""
        return state.changes() if self.reweight else state.decreases(self.allow_repeats)


class GBCBBoostRule(CBoundRule):
    """Pick the voter of steepest descent, argmax Σ r_i h(x_i) (Appendix B).

    The negative gradient is r_i = (2/m) S₁ (y_i S₂ - S₁ F_i)/S₂² with S₁ = Σ y F and S₂ = Σ F², so
    that Σ r_i h(x_i) is the slope γν/γ_F - τ times 2γ_F²/ν².
    """

    def scores(self, state: CBoundState) -> FloatArray:
        """Return the slope of the C-bound along each voter."""
        return state.slopes(self.allow_repeats)


@dataclass(frozen=True)
class CBoundBoosting(GreedyAlgorithm[CBoundState]):
    """Greedy descent on the C-bound; the only hyper-parameter is the number of rounds.

    The weights of every candidate are divided by the sum of their absolute values.
    """

    hyperparameters = (N_ROUNDS,)
    uses_gram = True

    def state(self, problem: GramProblem, sample_of: IntArray) -> CBoundState:
        """Return the state of the empty vote."""
        return CBoundState(problem, sample_of)

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        return normalised(super()._paths(problem, grid))


@dataclass(frozen=True)
class CBBoost(CBoundBoosting):
    """CB-Boost (Algorithm 1).

    The paper can be read in three ways where a voter k is picked that is in the vote already.

    - Its weights add up, which is what the authors' code does: a step is taken from the vote F to
      F + α h with α > 0. This is the default.
    - Its weight is set anew (`reweight`): in section 3.1, F_k is the vote without voter k, and the
      C-bound of F_k + α h is minimised over α ≥ 0. Along a voter both find the same minimum; but
      now a weight can also be lowered, down to 0, which leaves the voter out.
    - There is no such voter (`allow_repeats` is False): in section 3.3, every round gives a weight
      to one more voter.

    Attributes
    ----------
    allow_repeats : bool, default True
        Whether a voter may be picked again.
    reweight : bool, default False
        Whether the weight of a voter that is picked again is set anew, instead of added to.

    Raises
    ------
    ValueError
        If weights are set anew but no voter may be picked again.
    """

    allow_repeats: bool = True
    reweight: bool = False

    def __post_init__(self) -> None:
        if self.reweight and not self.allow_repeats:
            raise ValueError("reweight sets weights anew: allow_repeats must be true")

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged: only if a voter can be picked again.

        Equal voters have exactly equal scores, so the first of them is picked every time. If a
        voter can be picked only once, the second one takes its place.
        """
        return self.allow_repeats

    def rule(self, values: FloatArray) -> CBBoostRule:
        """Return the rule, which has no hyper-parameter."""
        return CBBoostRule(self.allow_repeats, self.reweight)


@dataclass(frozen=True)
class GBCBBoost(CBoundBoosting):
    """GB-CB-Boost (Appendix B); each voter is picked at most once."""

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged: no, after the first one the second can be picked."""
        return False

    def rule(self, values: FloatArray) -> GBCBBoostRule:
        """Return the rule, which has no hyper-parameter."""
        return GBCBBoostRule(allow_repeats=False)


def normalised(weights: FloatArray) -> FloatArray:
    """Divide votes by the sum of their absolute weights; an empty vote stays empty.

    Parameters
    ----------
    weights : ndarray of shape (..., n_voters)
        Signed voter weights.

    Returns
    -------
    ndarray of shape (..., n_voters)
        Weights whose absolute values add up to 1.
    """
    # Added one by one, so that voters without weight do not change the last bits of the sum.
    totals = np.cumsum(np.abs(weights), axis=-1)[..., -1:]
    return np.asarray(weights / np.where(totals > 0, totals, 1.0))
