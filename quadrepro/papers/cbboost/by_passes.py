"""Algorithms with the costs that the paper states: passes over examples, generic solvers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.learners.greedy import adaboost, cbboost
from quadrepro.core.learners.greedy.adaboost import AdaBoost, ExampleWeights
from quadrepro.core.learners.greedy.cbboost import NO_MARGIN, CBBoost, CBoundState, GBCBBoost
from quadrepro.core.learners.greedy.loop import Step
from quadrepro.core.learners.learner import Algorithm, Entry
from quadrepro.core.voters.reduction import GramProblem, VotingProblem
from quadrepro.core.voters.source import FixedVoters


def sums_over_examples(values: FloatArray, numbers: FloatArray) -> FloatArray:
    """Return Σ_i a_i v_ij for every column j, in the order of the examples."""
    return np.asarray((values * numbers[:, None]).sum(axis=0))


class Plain(Algorithm):
    """An algorithm that is given all examples and voters, equal or not."""

    def reduced(
        self, H: FloatArray, y: FloatArray, samples: FloatArray | None = None
    ) -> VotingProblem:
        """Return the problem as it is."""
        counts = np.ones((1, len(y))) if samples is None else samples
        n_voters = H.shape[1]
        return VotingProblem(np.ascontiguousarray(H), y, counts, np.arange(n_voters), n_voters)


def examples_of(problem: GramProblem) -> VotingProblem:
    """Return a problem that has examples; TypeError if it is only their moments."""
    if not isinstance(problem, VotingProblem):
        raise TypeError("a pass needs the examples, not their moments")
    return problem


class PassState(CBoundState):
    """Margins of the voters, and their agreements with the vote, from the vote on every example.

    Parameters
    ----------
    problem : VotingProblem
        Voters with values in [-1, 1].
    sample_of : ndarray of shape (n_trajectories,)
        The sample that each trajectory trains on.
    """

    def __init__(self, problem: VotingProblem, sample_of: IntArray) -> None:
        self._H, counts = problem.H, problem.counts[sample_of]
        self._shares = counts / counts.sum(axis=1)[:, None]
        margins = self._passes(self._H, problem.y * self._shares)
        self._signs = np.where(np.abs(margins) > NO_MARGIN, np.sign(margins), 0.0)
        self.margins, self.eta = margins * self._signs, None
        if not (np.abs(self._H) == 1.0).all():
            eta = self._passes(np.square(self._H), self._shares)
            self.eta = np.where(eta > 0, eta, 1.0)
        self.weights, self.agreements = np.zeros((2, *margins.shape))
        self.vote_margin = [0.0] * len(margins)
        self.vote_norm = [0.0] * len(margins)
        self._votes = np.zeros((len(margins), len(problem.y)))
        self._y = problem.y
        self._allocate()

    @staticmethod
    def _passes(values: FloatArray, numbers: FloatArray) -> FloatArray:
        return np.stack([sums_over_examples(values, row) for row in numbers])

    def advance(self, step: Step) -> None:
        """Add the voters to the votes, and compare the votes with all voters."""
        self._votes += step.weights[:, None] * self._H[:, step.picks].T
        weighted = self._votes * self._shares
        self.vote_margin = np.add.accumulate(weighted * self._y, axis=1)[:, -1].tolist()
        self.vote_norm = np.add.accumulate(weighted * self._votes, axis=1)[:, -1].tolist()
        self.agreements = self._passes(self._H, weighted) * self._signs

    def keep(self, rows: BoolArray) -> None:
        """Keep only the trajectories in `rows`."""
        self.margins, self.agreements = self.margins[rows], self.agreements[rows]
        self.vote_margin = np.array(self.vote_margin)[rows].tolist()
        self.vote_norm = np.array(self.vote_norm)[rows].tolist()
        self.weights, self._signs = self.weights[rows], self._signs[rows]
        self.eta = None if self.eta is None else self.eta[rows]
        self._votes, self._shares = self._votes[rows], self._shares[rows]
        self._allocate()


@dataclass(frozen=True)
class CBBoostByPasses(Plain, CBBoost):
    """CB-Boost, with the agreements of all voters summed up in every round."""

    uses_gram = False

    def state(self, problem: GramProblem, sample_of: IntArray) -> PassState:
        """Return the state of the empty vote."""
        return PassState(examples_of(problem), sample_of)


@dataclass(frozen=True)
class GBCBBoostByPasses(Plain, GBCBBoost):
    """GB-CB-Boost, with the agreements of all voters summed up in every round."""

    uses_gram = False

    def state(self, problem: GramProblem, sample_of: IntArray) -> PassState:
        """Return the state of the empty vote."""
        return PassState(examples_of(problem), sample_of)


class PassedVoters(FixedVoters):
    """The voters of a matrix, summed up in numpy."""

    @property
    def groups(self) -> None:  # type: ignore[override]
        """Nothing for compiled loops."""

    def sums(self, units: FloatArray, out: FloatArray) -> None:
        """Pass over all examples for each row of weights."""
        for row, sums in zip(units, out, strict=True):
            sums[:] = sums_over_examples(self._right, row)


@dataclass(frozen=True)
class AdaBoostByPasses(Plain, AdaBoost):
    """AdaBoost, with the edges of all voters summed up in every round."""

    kernels = ()  # type: ignore[assignment]

    def state(self, problem: GramProblem, sample_of: IntArray) -> ExampleWeights:
        """Return the initial example weights over the voters of a problem."""
        found = examples_of(problem)
        return self.weights(PassedVoters(found.H, found.y), found.counts[sample_of])


GB_CB_BOOST = Entry(
    GBCBBoostByPasses,
    "GB-CB-Boost by passes",
    "Bauvin et al. 2020, figure 1",
    cbboost.GB_CB_BOOST.grid,
)

CB_BOOST = Entry(
    CBBoostByPasses,
    "CB-Boost by passes",
    "Bauvin et al. 2020, figure 1",
    cbboost.CB_BOOST.grid,
)

ADABOOST = Entry(
    AdaBoostByPasses,
    "AdaBoost by passes",
    "Bauvin et al. 2020, figure 1",
    adaboost.ADABOOST.grid,
)
