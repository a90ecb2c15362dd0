"""Runs that add a voter in each round: what they picked, from which candidates, and when."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.learners.greedy.loop import GreedyAlgorithm, Trace
from quadrepro.core.learners.grid import Grid, Stopping
from quadrepro.core.learners.learner import Part
from quadrepro.core.voters.random_stumps import RandomStumps
from quadrepro.proof.certificate import Certificate, LongArray, Rounds
from quadrepro.proof.solution import (
    ZERO,
    DrawnVote,
    ExaminedCell,
    Grid16,
    Matrix,
    MatrixVote,
    Vote,
    VoteSolution,
    drawn_problem,
)


class Round(NamedTuple):
    """A round, as the definition of an algorithm knows it."""

    t: int
    """Its number, from 1."""
    margins: LongArray
    """y F of the vote before this round, shape (n_examples,)."""
    signed: FloatArray
    """y h of the candidates, shape (n_examples, n_candidates)."""
    complements: bool
    """Whether the complement of a candidate is a candidate too."""
    pick: int
    """Column of the picked voter; -1 if the run ended before this round."""
    weight: float
    """Its signed weight."""
    vote: LongArray
    """Weights of the candidates before this round, shape (n_candidates,)."""
    total: float
    """Sum of the sizes of all weights before this round."""

    @property
    def direction(self) -> float:
        """1.0 if the voter was picked, -1.0 if its complement was."""
        return float(np.sign(self.weight))

    @property
    def picked(self) -> FloatArray:
        """Y h of the picked voter."""
        return self.signed[:, self.pick]


@dataclass(frozen=True, eq=False)
class FixedTrajectory:
    """A run over the voters of a matrix."""

    signed: FloatArray
    """y h of all voters, shape (n_examples, n_voters)."""
    picks: IntArray
    """Column of each round's voter, shape (n_taken,)."""
    weights: FloatArray
    """Its weight, shape (n_taken,)."""
    n_asked: int
    """Largest number of rounds that the run could take."""

    @property
    def n_rounds(self) -> int:
        """Number of rounds, with one more if the run ended early."""
        return min(len(self.picks) + 1, self.n_asked)

    def vote(self, n_rounds: int | None = None) -> LongArray:
        """Return the sum of the weights of every voter after some rounds, by default all."""
        found = np.zeros(self.signed.shape[1], dtype=np.longdouble)
        np.add.at(found, self.picks[:n_rounds], self.weights[:n_rounds])
        return found

    def rounds(self, wanted: Collection[int]) -> Iterator[Round]:
        """Yield the wanted rounds."""
        m, n = self.signed.shape
        margins, vote = np.zeros(m, dtype=np.longdouble), np.zeros(n, dtype=np.longdouble)
        totals = np.append(0.0, np.abs(self.weights).cumsum())
        done = 0
        for t in wanted:
            new = slice(done, t - 1)
            added = np.zeros(n, dtype=np.longdouble)
            np.add.at(added, self.picks[new], self.weights[new])
            for j in np.flatnonzero(added):
                margins += added[j] * self.signed[:, j]
            vote += added
            done = t - 1
            ended = t > len(self.picks)
            pick, weight = (-1, 0.0) if ended else (int(self.picks[t - 1]), self.weights[t - 1])
            yield Round(
                t, margins.copy(), self.signed, True, pick, weight, vote.copy(), totals[t - 1]
            )


@dataclass(frozen=True, eq=False)
class DrawnTrajectory:
    """A run over stumps that are drawn in every round."""

    draw: Callable[[], RandomStumps]
    """Returns what draws the candidates; none of its sums is used."""
    codes: IntArray
    """Training examples on the grid of the thresholds, shape (n_attributes, n_examples)."""
    y: FloatArray
    attributes: IntArray
    """Each round's stump, shape (n_rounds,)."""
    cuts: IntArray
    weights: FloatArray
    """Its signed weight, shape (n_rounds,)."""

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return len(self.weights)

    def rounds(self, wanted: Collection[int]) -> Iterator[Round]:
        """Yield the wanted rounds."""
        source, margins, wanted = self.draw(), np.zeros(len(self.y), np.longdouble), set(wanted)
        total = 0.0
        stumps = zip(self.attributes, self.cuts, self.weights.tolist(), strict=True)
        for t, (attribute, cut, weight) in enumerate(stumps, 1):
            source.begin(t)
            if t in wanted:
                above = self.codes[source.attributes] > source.cuts[:, None].astype(np.intp)
                signed = np.where(above.T, self.y[:, None], -self.y[:, None]) * source.turns
                same = (source.attributes == attribute) & (source.cuts == cut)
                if not source.complements:
                    same &= (source.turns * weight > 0) | (weight == 0.0)
                pick = int(same.argmax()) if same.any() and weight != 0.0 else -1
                turned = weight * float(source.turns[pick]) if pick >= 0 else weight
                vote = np.zeros(len(same), dtype=np.longdouble)
                yield Round(
                    t, margins.copy(), signed, source.complements, pick, turned, vote, total
                )
            margins += self.y * np.where(self.codes[attribute] > cut, weight, -weight)
            total += abs(weight)


Trajectory = FixedTrajectory | DrawnTrajectory
"""What a run added in each round."""


class RoundConditions(Protocol):
    """Checks rounds of one algorithm."""

    def check(self, seen: Round, certificate: Certificate) -> None:
        """Check a round that added a weight."""

    def check_end(self, seen: Round, certificate: Certificate) -> None:
        """Check that no candidate was left to add."""


def check_rounds(
    trajectory: Trajectory, conditions: RoundConditions, rounds: Rounds, certificate: Certificate
) -> None:
    """Check some rounds of a run."""
    for seen in trajectory.rounds(rounds.among(trajectory.n_rounds)):
        certificate.n_rounds += 1
        if seen.pick >= 0:
            # What is not finite is a fault.
            with np.errstate(all="ignore"):
                conditions.check(seen, certificate)
        elif seen.weight != 0.0:
            certificate.require(False, f"round {seen.t}: the pick is not a candidate")
        else:
            conditions.check_end(seen, certificate)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The examples by which the number of rounds was chosen."""

    part: Part
    stopping: Stopping
    """When a run ends, and which of its rounds is taken."""

    def check(self, vote: DrawnVote, certificate: Certificate) -> None:
        """Check that the rounds of a vote are those that its errors call for.

        Of a run of which the best round is taken, the later rounds are not known.
        """
        errors, rule = self.errors(vote), self.stopping
        if not errors:
            return
        if rule.take == "best":
            certificate.require(
                min(errors[:-1], default=errors[-1] + 1) > errors[-1],
                "an earlier round has as few errors on the held-out examples",
            )
            return
        ends = [self._ends(errors, t) for t in range(len(errors))]
        certificate.require(not any(ends[:-1]), "an earlier round ends the run")
        # A voter without error, or none with an edge, ends a run too.
        others = np.abs(vote.weights[:-1]).sum()
        by_rule = vote.weights[-1] == 0 or abs(vote.weights[-1]) > others
        certificate.require(
            ends[-1] or by_rule or len(errors) == rule.max_rounds, "the last round ends no run"
        )

    def errors(self, vote: DrawnVote) -> list[int]:
        """Return the number of errors after each round."""
        sums, total = np.zeros(len(self.part.y), dtype=np.longdouble), np.longdouble(0.0)
        codes, positive, found = vote.grid.codes(self.part.X), self.part.y > 0, []
        for attribute, cut, weight in zip(vote.attributes, vote.cuts, vote.weights, strict=True):
            sums += np.where(codes[attribute] > cut, weight, -weight)
            total += abs(weight)
            found.append(int(((sums > ZERO * total) != positive).sum()))
        return found

    def _ends(self, errors: list[int], t: int) -> bool:
        rule = self.stopping
        if rule.lag is not None:
            return t >= rule.lag and errors[t] >= errors[t - rule.lag]
        return t - int(np.argmin(errors[: t + 1])) >= rule.patience


@dataclass(frozen=True, eq=False)
class GreedySolution(VoteSolution):
    """A vote with the rounds that made it; every algorithm has its `conditions`."""

    learner: GreedyAlgorithm[Any]
    value: float
    """The hyper-parameter other than the number of rounds; NaN if there is none."""
    run: Trajectory
    voters: Matrix | Grid16
    held_out: HeldOut | None = None
    """What chose the number of rounds, if stumps are drawn."""

    @classmethod
    def of(
        cls, learner: GreedyAlgorithm[Any], cell: ExaminedCell, grid: Grid | None = None
    ) -> Self:
        """Run an algorithm for the one candidate of a grid, by default the chosen one."""
        grid = cell.alone if grid is None else grid
        value = float(learner.values(grid)[0])
        if cell.drawn is None:
            voters, H = cell.matrix
            run = fixed_run(learner, H, cell.data.train.y, grid)
            return cls(cell.chosen, learner, cell, value, run, voters)
        assert cell.data.valid is not None
        problem, on_grid = drawn_problem(cell.data, cell.drawn)
        held = learner.hold_out(problem, grid)
        found = held.vote(0)
        stumps = found.attributes, found.cuts.astype(np.intp), found.weights
        codes = problem.train.astype(np.intp)
        drawn = DrawnTrajectory(problem.source, codes, problem.y_train, *stumps)
        held_out = HeldOut(cell.data.valid, cell.drawn.stopping)
        return cls(held.candidates[0], learner, cell, value, drawn, on_grid, held_out)

    @property
    def vote(self) -> Vote:
        """The vote, added up over the rounds."""
        run, voters = self.run, self.voters
        if isinstance(run, FixedTrajectory):
            assert not isinstance(voters, Grid16)
            return MatrixVote(voters, run.vote())
        assert isinstance(voters, Grid16)
        return DrawnVote(voters, run.attributes, run.cuts, run.weights)

    @property
    def conditions(self) -> RoundConditions:
        """The conditions that check the rounds."""
        raise NotImplementedError

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Check rounds by the definition of the algorithm."""
        check_rounds(self.run, self.conditions, rounds, certificate)
        if self.held_out is not None and isinstance(vote := self.vote, DrawnVote):
            self.held_out.check(vote, certificate)


def fixed_run(
    learner: GreedyAlgorithm[Any], H: FloatArray, y: FloatArray, grid: Grid
) -> FixedTrajectory:
    """Run an algorithm over a voter matrix for the one candidate of a grid."""
    problem, trace, n_rounds = learner.reduced(H, y), Trace(), learner.rounds(grid)[-1]
    learner.run(problem, learner.values(grid), n_rounds, [trace])
    picks = problem.representatives[np.array(trace.picks, dtype=np.intp)]
    return FixedTrajectory(H * y[:, None], picks, np.array(trace.weights), n_rounds)
