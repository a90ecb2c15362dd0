"""Voters and votes that are given, and small problems with many ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.holdout import Holdout, HoldoutStumps
from quadrepro.core.learners.reweighting import VoterSums, WeightBoosting, WeightedExamples
from quadrepro.core.learners.rounds import Trace
from quadrepro.core.training.contract import Algorithm, DrawnProblem, Part, Rng, TrainingData
from quadrepro.core.training.fitted import FittedVotes
from quadrepro.core.training.grid import Grid, Hyperparameter
from quadrepro.core.voters.coded import VoterMatrix
from quadrepro.core.voters.drawn import RandomStumps, coded
from quadrepro.core.voters.reduction import VotingProblem

Problem = tuple[FloatArray, FloatArray]

signs = st.sampled_from([-1.0, 1.0])
small_labels = arrays(np.float64, 9, elements=signs)
small_problems = st.tuples(arrays(np.float64, (9, 5), elements=signs), small_labels)


def samples_of(n_examples: int, n_samples: int = 2) -> st.SearchStrategy[FloatArray]:
    """Draw the copies of each example in some samples, none of which is empty."""
    copies = st.sampled_from([0.0, 1.0, 3.0])
    return arrays(np.float64, (n_samples, n_examples), elements=copies).filter(
        lambda samples: bool((samples.sum(axis=1) > 0).all())
    )


small_samples = samples_of(9)


def make_problem(m: int = 60, n: int = 12, *, seed: int = 0, real: bool = False) -> Problem:
    """Return a voter matrix and noisy labels."""
    rng = np.random.default_rng(seed)
    H = rng.uniform(-1, 1, (m, n)) if real else rng.choice([-1.0, 1.0], (m, n))
    score = H[:, : max(1, n // 2)].sum(axis=1) + rng.normal(0, 1.5, m)
    return H, np.where(score > 0, 1.0, -1.0)


@dataclass(frozen=True)
class Given:
    """The columns of X are the voters."""

    learn: ClassVar[bool] = False

    def outputs(self, train: Part, X_new: FloatArray, rng: Rng) -> tuple[VoterMatrix, VoterMatrix]:
        return VoterMatrix(train.X), VoterMatrix(X_new)


def votes(
    algorithm: Algorithm, H: FloatArray, y: FloatArray, grids: Sequence[Grid], H_test: FloatArray
) -> FittedVotes:
    """Return fitted votes over the columns of H."""
    test = Part(H_test, np.zeros(len(H_test)))
    data = TrainingData(Part(H, y), test, None, Given(), lambda name: np.random.default_rng(0))
    return FittedVotes(algorithm, data, grids)


@dataclass(frozen=True)
class Limited(Algorithm):
    """Gives every voter one weight, which has no solution above 2, or on one sample above 1."""

    hyperparameters: ClassVar[tuple[Hyperparameter, ...]] = (
        Hyperparameter("weight", "any", "small", "weight of every voter"),
    )

    def limit(self, problem: VotingProblem) -> str:
        return f"weight must be at most 1 for {len(problem.counts)} samples"

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = np.array(grid.axis("weight"), dtype=np.float64)
        found = np.tile(values, (len(problem.counts), 1))
        found[:, values > 2] = np.nan
        found[0, values > 1] = np.nan
        return np.repeat(found[:, :, None], problem.n_voters, axis=2)


def weights(*values: float) -> Grid:
    return Grid.from_values({"weight": values})


ONE_VOTER = np.array([[1.0], [-1.0], [1.0], [-1.0]])
FOLD = np.array([0, 0, 1, 1])


class Round(NamedTuple):
    """The picks of a round, the changes of their weights, and the runs that end with it."""

    picks: IntArray
    changes: FloatArray
    last: BoolArray


class FixedVoters:
    """The voters of a matrix in place of drawn stumps, the same in every round.

    Attributes
    ----------
    seen : list of ndarray of shape (n_runs, n_examples)
        The weights of all copies of each example in every round, as whole numbers.
    """

    redraws = False

    def __init__(self, H: FloatArray, y: FloatArray, complements: bool = True) -> None:
        self.H, self.y, self.complements = H, y, complements
        self.n_voters = H.shape[1]
        self.attributes, self.turns = np.arange(self.n_voters), np.ones(self.n_voters, np.int64)
        self.cuts = np.zeros(self.n_voters, np.uint16)
        self.seen: list[IntArray] = []

    @property
    def codes(self) -> IntArray:
        return (self.H.T > 0).astype(np.uint16)

    def begin(self, t: int) -> None:
        pass

    def sums(self, units: IntArray) -> IntArray:
        return np.asarray(units @ self.H.astype(np.int64))


class Turning(FixedVoters):
    """Five voters of small edges: the first example is right for 5000 rounds, then mostly wrong."""

    def __init__(self) -> None:
        super().__init__(self.outputs(1), np.ones(6))

    @staticmethod
    def outputs(t: int) -> FloatArray:
        first = np.ones(5) if t <= 5000 else np.array([-1.0, -1.0, -1.0, -1.0, 1.0])
        return np.vstack([first, 1.0 - 2.0 * (np.eye(5) + np.eye(5)[[1, 2, 3, 4, 0]])])

    def begin(self, t: int) -> None:
        self.H = self.outputs(t)


def boosted(
    algorithm: WeightBoosting,
    voters: FixedVoters,
    n_rounds: int,
    values: Sequence[float] = (np.nan,),
    copies: FloatArray | None = None,
) -> list[Round]:
    """Return the first rounds of some runs, by default on every example once."""
    if copies is None:
        copies = np.ones((len(values), len(voters.y)))
    runs = [
        algorithm.begin(WeightedExamples.equal(voters.y, c), value)
        for c, value in zip(copies, values, strict=True)
    ]
    rounds = []
    for t in range(1, n_rounds + 1):
        voters.begin(t)
        taken, seen = [], []
        for run in runs:
            units = np.empty((algorithm.n_powers, len(voters.y)), np.int64)
            totals = np.array(algorithm.write_powers(run, units))
            seen.append(np.abs(units[0]))
            sums = VoterSums(voters.sums(units), totals, run.examples, voters.complements)
            taken.append(algorithm.take_round(run, t, sums, voters))
        voters.seen.append(np.array(seen))
        rounds.append(Round(*map(np.array, zip(*taken, strict=True))))
    return rounds


def plain_run(
    algorithm: WeightBoosting, problem: VotingProblem, sample: int, value: float, n_rounds: int
) -> Trace:
    """Return the rounds over a matrix on a sample, as `run` does."""
    voters, picks, changes = FixedVoters(problem.H, problem.y), [], []
    rounds = boosted(algorithm, voters, n_rounds, [value], problem.counts[[sample]])
    for [pick], [change], [last] in rounds:
        if change:  # the last round may add nothing
            picks.append(pick)
            changes.append(change)
        if last:
            break
    return np.array(picks, dtype=np.intp), np.array(changes)


def least_error(H: FloatArray, y: FloatArray, w: list[Fraction]) -> tuple[int, Fraction]:
    """Return the first voter of least error, as it is or turned round, and its exact edge."""
    right = (H.T * y).astype(int).astype(object)
    edges = right @ np.array(w) / sum(w)
    j = int(np.abs(edges).argmax())
    return j, Fraction(edges[j])


def drawn_problem(seed: int, patience: int = 12, **options: Any) -> DrawnProblem:
    """Return 60 + 60 noisy examples of a rule over three attributes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 3))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=120) > 0, 1.0, -1.0)
    train, valid = coded(X[:60], X[:60]), coded(X[60:], X[:60])
    rule = HoldoutStumps(**{"per_round": 20, **options})
    return DrawnProblem(
        lambda: RandomStumps(train, np.random.default_rng(seed), rule),
        *(train, y[:60], valid, y[60:]),
        Holdout(patience=patience, max_rounds=200),
    )
