"""Runs that add a voter in each round: what they picked, and from which candidates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.voters.random_stumps import RandomStumps
from quadrepro.proof.certificate import Certificate, LongArray, Rounds


class Round(NamedTuple):
    """A round, as the definition of an algorithm knows it.

    Attributes
    ----------
    t : int
        Its number, from 1.
    margins : ndarray of longdouble of shape (n_examples,)
        y F of the vote before this round.
    signed : ndarray of shape (n_examples, n_candidates)
        y h of the candidates.
    complements : bool
        Whether the complement of a candidate is a candidate too.
    pick : int
        Column of the picked voter; -1 if the run ended before this round.
    weight : float
        Its signed weight.
    vote : ndarray of longdouble of shape (n_candidates,)
        Weights of the candidates before this round.
    total : float
        Sum of the sizes of all weights before this round.
    """

    t: int
    margins: LongArray
    signed: FloatArray
    complements: bool
    pick: int
    weight: float
    vote: LongArray
    total: float

    @property
    def direction(self) -> float:
        """1.0 if the voter was picked, -1.0 if its complement was."""
        return float(np.sign(self.weight))

    @property
    def picked(self) -> FloatArray:
        """Y h of the picked voter."""
        return self.signed[:, self.pick]


class Trajectory(ABC):
    """What a run added in each round."""

    weights: FloatArray
    complements: bool = True

    def rounds(self, wanted: Collection[int]) -> Iterator[Round]:
        """Yield the wanted rounds, which increase; one more if the run ended before it."""
        raise NotImplementedError

    @property
    @abstractmethod
    def n_rounds(self) -> int:
        """Number of rounds, with one more if the run ended early without a weight."""


@dataclass(frozen=True, eq=False)
class FixedTrajectory(Trajectory):
    """A run over the voters of a matrix.

    Attributes
    ----------
    signed : ndarray of shape (n_examples, n_voters)
        y h of all voters.
    picks : ndarray of int of shape (n_taken,)
        Column of each round's voter.
    weights : ndarray of shape (n_taken,)
        Its weight.
    n_asked : int
        Largest number of rounds that the run could take.
    """

    signed: FloatArray
    picks: IntArray
    weights: FloatArray
    n_asked: int

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
class DrawnTrajectory(Trajectory):
    """A run over stumps that are drawn in every round.

    Attributes
    ----------
    draw : callable
        Returns what draws the candidates; none of its sums is used.
    codes : ndarray of int of shape (n_attributes, n_examples)
        Training examples on the grid of the thresholds.
    y : ndarray of shape (n_examples,)
        Labels.
    attributes, cuts : ndarray of int of shape (n_rounds,)
        Each round's stump.
    weights : ndarray of shape (n_rounds,)
        Its signed weight.
    """

    draw: Callable[[], RandomStumps]
    codes: IntArray
    y: FloatArray
    attributes: IntArray
    cuts: IntArray
    weights: FloatArray

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


class StepRule(Protocol):
    """Checks rounds of one algorithm."""

    def check(self, seen: Round, certificate: Certificate) -> None:
        """Check a round that added a weight."""

    def check_end(self, seen: Round, certificate: Certificate) -> None:
        """Check that no candidate was left to add."""


def check_rounds(
    trajectory: Trajectory, rule: StepRule, rounds: Rounds, certificate: Certificate
) -> None:
    """Check some rounds of a run."""
    for seen in trajectory.rounds(rounds.among(trajectory.n_rounds)):
        certificate.n_rounds += 1
        if seen.pick >= 0:
            # What is not finite is a fault.
            with np.errstate(all="ignore"):
                rule.check(seen, certificate)
        elif seen.weight != 0.0:
            certificate.require(False, f"round {seen.t}: the pick is not a candidate")
        else:
            rule.check_end(seen, certificate)
