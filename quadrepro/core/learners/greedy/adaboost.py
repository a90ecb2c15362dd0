"""AdaBoost: example weights, the pick and its weight, and the hold-out over drawn stumps."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core import compiling
from quadrepro.core import elementary_old as elementary
from quadrepro.core.learners.greedy.loop import (
    GreedyAlgorithm,
    Leap,
    Rule,
    State,
    Step,
    Watcher,
    boost,
    some,
)
from quadrepro.core.learners.grid import N_ROUNDS, Grid, Stopping
from quadrepro.core.learners.learner import DrawnProblem, Entry, StoppedRuns
from quadrepro.core.voters.random_stumps import Codes, RandomStumps, StumpVote
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.source import ZERO_VOTE, FixedVoters, VoterSource


@dataclass
class _Round:
    """The stumps that the live trajectories of a round picked."""

    live: IntArray
    attributes: IntArray
    cuts: Codes
    weights: FloatArray


@dataclass(eq=False)
class ValidationWatcher(Watcher[State]):
    """Counts validation errors after each round, and ends a trajectory as its rule says.

    A vote of zero is negative, as in `quadrepro.core.learners.learner.positive_votes`.

    Parameters
    ----------
    source : RandomStumps
        The stumps of the current round.
    codes : ndarray of uint16, shape (n_attributes, n_validation)
        Validation examples, coded like the training examples of the source.
    y : ndarray of shape (n_validation,)
        Labels, -1 or +1.
    n_trajectories : int
        Number of trajectories.
    stopping : Stopping
        When a trajectory ends, and which of its rounds is taken.

    Attributes
    ----------
    best_errors, last_errors : ndarray of int, shape (n_trajectories,)
        Fewest validation errors so far, and those of the last round.
    best_round, last_round : ndarray of int, shape (n_trajectories,)
        The first round with the fewest errors, and the last round.
    """

    source: RandomStumps
    codes: Codes
    y: FloatArray
    n_trajectories: int
    stopping: Stopping

    def __post_init__(self) -> None:
        self.best_errors = np.full(self.n_trajectories, len(self.y) + 1)
        self.last_errors = self.best_errors.copy()
        self.best_round = np.zeros(self.n_trajectories, dtype=np.intp)
        self.last_round = np.zeros(self.n_trajectories, dtype=np.intp)
        self._rounds: list[_Round] = []
        self._sums = np.zeros((self.n_trajectories, len(self.y)))
        self._totals = np.zeros(self.n_trajectories)
        self._positive = self.y > 0
        # The errors of the last `lag` rounds, each in place of those `lag` rounds before.
        self._before = np.tile(self.best_errors, (self.stopping.lag or 0, 1))

    @property
    def taken(self) -> tuple[IntArray, IntArray]:
        """The round to take of each trajectory, and its errors."""
        if self.stopping.take == "last":
            return self.last_round, self.last_errors
        return self.best_round, self.best_errors

    def after(self, t: int, live: IntArray, step: Step, state: State) -> BoolArray | None:
        """Count the errors of round `t`; return the trajectories that end."""
        self._count(t, live, step)
        if self.stopping.lag is None:
            stale = t - self.best_round[live] >= self.stopping.patience
        else:
            before = self._before[t % self.stopping.lag]
            stale = self.last_errors[live] >= before[live]
            before[live] = self.last_errors[live]
        return stale if stale.any() else None

    def retire(self, rows: IntArray, step: Step, votes: FloatArray) -> None:
        """Count the errors of a last round."""
        self._count(int(self.last_round.max()) + 1, rows, step)

    def vote(self, trajectory: int, n_rounds: int) -> StumpVote:
        """Return the vote of a trajectory after a number of rounds."""
        places = [(picked, np.flatnonzero(picked.live == trajectory)) for picked in self._rounds]
        taken = [(picked, at[0]) for picked, at in places if at.size][:n_rounds]
        return StumpVote(
            np.array([picked.attributes[i] for picked, i in taken], dtype=np.intp),
            np.array([picked.cuts[i] for picked, i in taken], dtype=np.uint16),
            np.array([picked.weights[i] for picked, i in taken], dtype=np.float64),
        )

    def _count(self, t: int, live: IntArray, step: Step) -> None:
        attributes = self.source.attributes[step.picks]
        cuts = self.source.cuts[step.picks]
        weights = step.weights * self.source.turns[step.picks]
        self._rounds.append(_Round(live, attributes, cuts, weights))
        errors = self._add(live, attributes, cuts, weights)
        self.last_round[live], self.last_errors[live] = t, errors
        better = errors < self.best_errors[live]
        if np.count_nonzero(better):
            rows = live[better]
            self.best_errors[rows], self.best_round[rows] = errors[better], t

    def _add(
        self, live: IntArray, attributes: IntArray, cuts: Codes, weights: FloatArray
    ) -> IntArray:
        """Add the stumps of a round to the votes, and return the errors of these."""
        sums, totals = self._sums, self._totals
        if loops := compiling.beside("quadrepro.core.voters.random_stumps"):
            errors, stumps = np.empty_like(live), (attributes, cuts, weights)
            loops.count(self.codes, self._positive, *stumps, live, ZERO_VOTE, sums, totals, errors)
            return errors
        above = self.codes[attributes] > cuts[:, None]
        sums[live] += np.where(above, weights[:, None], -weights[:, None])
        totals[live] += np.abs(weights)
        positive = sums[live] > ZERO_VOTE * totals[live, None]
        return np.asarray((positive != self._positive).sum(axis=1))


UNITS = 2.0**48
"""The weights of a trajectory add up to this, and are rounded to whole numbers to be summed.

Sums of whole numbers below 2^53 are exact in double precision in any order, so picks do not depend
on the BLAS, the processor or the other trajectories in the batch.
"""

TIE = 2.0**10
"""Voters whose sums differ by at most this much tie, and the one of lowest index is picked.

Rounding changes a sum over m examples by up to m/2, so the tolerance is m if that is larger.
"""

LARGEST_STEP = 40.0
"""No round has a weight as large: artanh of the largest edge below 1 is 19."""

NO_EDGE = 1e-10
"""An edge of at most this counts as none: the weighted error is 1/2."""


DEEP, LIFT = 2.0**-300, 2.0**512
"""A weight below the first is kept times the second, as often as it takes.

Weights thus never come near the smallest number, where they would stick and lose digits. A product
with a power of two is exact. Nothing that is kept in this way is large enough to enter a sum.
"""

MOST_COPIES = 2.0**24
"""Whole copies of an example are counted up to this sum; the weight of one stays large enough."""

LIFT_EVERY = 256
"""Rounds after which weights are lifted; AdaBoost halves a weight at most once in a round."""


class ExampleWeights(State):
    """Weights of the examples, which change in every round.

    Parameters
    ----------
    source : VoterSource
        The candidates of each round.
    copies : ndarray of shape (n_trajectories, n_examples)
        How often the sample of each trajectory contains each example.

    Attributes
    ----------
    example_weights : ndarray of shape (n_trajectories, n_examples)
        Weight w of one copy of each example; 0 if the sample lacks it, or if w is as small as
        `DEEP`. Summed over all copies they are `UNITS`. Copies count only in sums, so that merging
        equal examples changes no bit.
    """

    absorbs: ClassVar[bool] = True
    """Whether a fraction of a copy is an example with so much less weight from the start on."""

    def __init__(self, source: VoterSource, copies: FloatArray) -> None:
        self._source = source
        sizes = copies.sum(axis=1, keepdims=True)
        self.example_weights = np.where(copies > 0, UNITS / sizes, 0.0)
        whole = bool((copies == np.rint(copies)).all()) and sizes.max() <= MOST_COPIES
        if self.absorbs and not whole:
            self._lifted *= copies
            copies = np.where(copies > 0, 1.0, 0.0)
        self._sample = copies
        self._copies = copies if ((copies != 0) & (copies != 1)).any() else None
        self._fractions = not whole
        self.weights = np.zeros((len(copies), source.n_voters if source.fixed else 0))
        self._edges = np.zeros(len(copies))
        self._ones = np.ones(source.n_examples)
        self._tie = max(TIE, source.n_examples)
        self._allocate()

    @property
    def example_weights(self) -> FloatArray:
        """Weight of one copy of each example."""
        return np.where(self._lifts > 0, 0.0, self._lifted) if self._deep else self._lifted

    @example_weights.setter
    def example_weights(self, weights: FloatArray) -> None:
        self._lifted, self._deep = weights, False
        self._lifts = np.zeros(weights.shape, dtype=np.intp)

    def _allocate(self) -> None:
        rows, n_voters = len(self._lifted), self._source.n_voters
        self._units = np.empty_like(self._lifted)
        self._n_absent = int(np.count_nonzero(self._sample == 0))
        self._sums = np.empty((rows, n_voters))
        self._sizes = np.empty((rows, n_voters))
        self._offsets = np.arange(rows) * n_voters

    def begin(self, t: int) -> None:
        """Prepare the candidates of round `t`."""
        super().begin(t)
        self._source.begin(t)

    def decisive(self, edges: FloatArray) -> FloatArray:
        """Return weights that outweigh the vote so far, with the signs of the edges."""
        return np.sign(edges) * (1.0 if self.round == 1 else LARGEST_STEP * self.round)

    def step_to(self, picks: IntArray, tanhs: FloatArray) -> Step:
        """Return the step with weights α, given tanh α.

        If tanh α is 1 or -1, the voter has no error and the run ends with a weight that outweighs
        all others. If it is at most `NO_EDGE`, the round adds no weight, and ends the run unless
        the next one has other candidates.

        Parameters
        ----------
        picks : ndarray of int, shape (n_trajectories,)
            The picked voters.
        tanhs : ndarray of shape (n_trajectories,)
            tanh α, by which `advance` changes the example weights; negative for a complement. Set
            to 0 where no weight is added.
        """
        # For this few floats plain Python is faster than two reductions.
        if all(NO_EDGE < abs(tanh) < 1.0 for tanh in tanhs.tolist()):
            return Step(picks, np.array(elementary.artanh_each(tanhs.tolist())), None)
        sizes = np.abs(tanhs)
        idle, decided = sizes <= NO_EDGE, sizes >= 1.0
        tanhs[idle] = 0.0
        steps = elementary.artanh(np.where(decided, 0.0, tanhs))
        last = decided | self.without_prospect(idle)
        return Step(picks, np.where(decided, self.decisive(tanhs), steps), some(last))

    def without_prospect(self, idle: BoolArray) -> BoolArray:
        """Return which trajectories a round that adds no weight ends, given where it adds none."""
        return np.zeros_like(idle) if self._source.redraws else idle

    def strongest(self) -> tuple[IntArray, FloatArray]:
        """Return the voter of least weighted error among voters and complements, and its edge.

        Returns
        -------
        picks : ndarray of int, shape (n_trajectories,)
            The voters.
        edges : ndarray of shape (n_trajectories,)
            1 - 2ε for a voter of weighted error ε; negative if the complement is picked.
        """
        self._count(self.example_weights, self._units)
        self._source.sums(self._units, self._sums)
        if self._source.complements:
            np.abs(self._sums, out=self._sizes)
        else:
            np.copyto(self._sizes, self._sums)
        least = self._sizes.max(axis=1, keepdims=True) - self._tie
        picks = (self._sizes >= least).argmax(axis=1)
        totals = self._units @ self._ones
        self._edges = self._sums.reshape(-1)[self._offsets + picks] / totals
        if not self._source.complements:
            np.maximum(self._edges, 0.0, out=self._edges)
        return picks, self._edges

    def _count(self, numbers: FloatArray, out: FloatArray) -> None:
        """Write whole numbers for all copies of each example, given numbers for one of them."""
        if self._copies is None:
            np.rint(numbers, out=out)
        elif self._fractions:
            np.rint(np.multiply(numbers, self._copies, out=out), out=out)
        else:
            np.multiply(np.rint(numbers, out=out), self._copies, out=out)

    def advance(self, step: Step) -> None:
        """Multiply by exp(-α y h) / (2 sqrt(ε(1-ε))), which is 1 / (1 + edge y h)."""
        factors = self._units
        self._source.signs(step.picks, factors)
        factors *= self._edges[:, None]
        factors += 1.0
        self._lifted /= factors
        self._lift()

    def _lift(self, every: int = LIFT_EVERY) -> None:
        """Keep small weights away from the smallest number; look for more in some rounds only."""
        if self._deep:
            back = (self._lifts > 0) & (self._lifted >= DEEP * LIFT)
            if back.any():
                self._lifted[back] /= LIFT
                self._lifts[back] -= 1
                self._deep = bool(self._lifts.any())
        if self._deep or self.round % every == 0:
            small = self._lifted < DEEP
            if np.count_nonzero(small) > self._n_absent:
                small &= self._sample > 0
                self._lifted[small] *= LIFT
                self._lifts[small] += 1
                self._deep = True

    def boost_rounds(self, t: int, n_rounds: int) -> Leap | None:
        """Take AdaBoost's rounds from `t` on in a compiled loop; None if there is none."""
        loops = compiling.beside(__name__)
        groups = self._source.groups if loops else None
        if groups is None:
            return None
        leap = Leap.over(len(self._lifted), n_rounds)
        loops.take_rounds(
            groups.digits,
            groups.words,
            groups.voters,
            groups.chains,
            groups.y,
            self._sample,
            self._lifted,
            self._lifts,
            self.weights,
            float(self._tie),
            t,
            *leap,
        )
        self._deep = bool(self._lifts.any())
        return leap

    def keep(self, rows: BoolArray) -> None:
        """Keep only the trajectories in `rows`."""
        self._lifted, self._lifts = self._lifted[rows], self._lifts[rows]
        self._sample = self._sample[rows]
        self._copies = None if self._copies is None else self._copies[rows]
        self.weights = self.weights[rows]
        self._edges = self._edges[rows]
        self._allocate()


W = TypeVar("W", bound=ExampleWeights)


@dataclass(frozen=True)
class WeightBoosting(GreedyAlgorithm[W]):
    """A greedy algorithm with example weights, over any source of voters."""

    takes_drawn_stumps = True

    @abstractmethod
    def weights(self, source: VoterSource, copies: FloatArray) -> W:
        """Return the initial example weights.

        Parameters
        ----------
        source : VoterSource
            The candidates of each round.
        copies : ndarray of shape (n_trajectories, n_examples)
            How often the sample of each trajectory contains each example.
        """

    def state(self, problem: VotingProblem, sample_of: IntArray) -> W:
        """Return the initial example weights over the voters of a problem."""
        return self.weights(FixedVoters(problem.H, problem.y), problem.counts[sample_of])

    def hold_out(self, problem: DrawnProblem, grid: Grid) -> StoppedRuns:
        """Run all values side by side over the same drawn stumps, each until its rule ends it.

        See `Algorithm.hold_out`.
        """
        values = self.values(grid)
        source = problem.source()
        watcher = ValidationWatcher(
            source, problem.valid, problem.y_valid, len(values), problem.stopping
        )
        state = self.weights(source, np.ones((len(values), len(problem.y_train))))
        boost(self.rule(values), state, problem.stopping.max_rounds, [watcher])
        rounds, errors = watcher.taken
        pairs = zip(grid.candidates, rounds.tolist(), strict=True)
        candidates = [candidate | {N_ROUNDS.name: t} for candidate, t in pairs]
        return StoppedRuns(errors, candidates, lambda i: watcher.vote(i, int(rounds[i])))


@dataclass(frozen=True)
class AdaBoostRule(Rule[ExampleWeights]):
    """α = ½ ln((1-ε)/ε) for the voter of least weighted error ε (lecture, section 4).

    This is artanh r for the edge r = 1 - 2ε. A voter without error ends the run, with a weight that
    outweighs all others. An edge of at most `NO_EDGE` adds no weight, and ends the run unless
    the next round has other voters.
    """

    def step(self, state: ExampleWeights) -> Step:
        """Pick the voter of least weighted error."""
        return state.step_to(*state.strongest())

    def leap(self, state: ExampleWeights, t: int, n_rounds: int) -> Leap | None:
        """Take the rounds in a compiled loop."""
        return state.boost_rounds(t, n_rounds)


@dataclass(frozen=True)
class AdaBoost(WeightBoosting[ExampleWeights]):
    """AdaBoost; the only hyper-parameter is the number of rounds."""

    version = 3
    hyperparameters = (N_ROUNDS,)
    kernels = (
        "learners.greedy.adaboost_compiled",
        "voters.random_stumps_compiled",
    )

    def weights(self, source: VoterSource, copies: FloatArray) -> ExampleWeights:
        """Return the initial example weights, which are equal."""
        return ExampleWeights(source, copies)

    def rule(self, values: FloatArray) -> AdaBoostRule:
        """Return the rule, which has no hyper-parameter."""
        return AdaBoostRule()


ADABOOST = Entry(
    AdaBoost,
    "AdaBoost",
    "Freund and Schapire 1997; lecture, section 4",
    {"n_rounds": [10, 32, 100, 316, 1000]},
)
