"""Each contract finds the algorithm that breaks it alone."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.grid import N_ROUNDS, Grid
from quadrepro.core.learners.learner import Algorithm, Entry
from quadrepro.core.learners.registry import ALGORITHMS
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.errors import ConfigError
from quadrepro.plugins import contracts

CALLS = itertools.count()


@dataclass(frozen=True)
class Correlations(Algorithm):
    """Votes with the correlations of the voters, times the number of rounds."""

    hyperparameters = (N_ROUNDS,)

    @property
    def merges_voters(self) -> bool:
        return False

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        rounds = np.array(grid.axis("n_rounds"), dtype=np.float64)
        return self.of(problem)[:, None, :] * rounds[:, None]

    def of(self, problem: VotingProblem) -> FloatArray:
        return problem.correlations()


class Mixed(Correlations):
    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        return super()._paths(problem, grid) / len(grid)


class Uncounted(Correlations):
    def of(self, problem: VotingProblem) -> FloatArray:
        mean = (problem.H * problem.y[:, None]).mean(axis=0)
        return np.tile(mean, (problem.n_samples, 1))


class FirstExample(Correlations):
    def of(self, problem: VotingProblem) -> FloatArray:
        return np.tile(problem.H[0] * problem.y[0], (problem.n_samples, 1))


class Merging(Correlations):
    @property
    def merges_voters(self) -> bool:
        return True


class Restless(Correlations):
    def of(self, problem: VotingProblem) -> FloatArray:
        return super().of(problem) + 1e-12 * next(CALLS)


class Infinite(Correlations):
    def of(self, problem: VotingProblem) -> FloatArray:
        return super().of(problem) * np.inf


class Lenient(Correlations):
    def check(self, grid: Grid) -> None:
        pass


class Unsendable(Correlations):
    def __reduce__(self) -> Any:
        return Correlations, ()


def broken_by(monkeypatch: pytest.MonkeyPatch, made: type[Algorithm]) -> set[str]:
    entry = Entry(made, "Mine", "a paper", grid={"n_rounds": [1, 10]})
    monkeypatch.setitem(ALGORITHMS.places, "mine", entry)
    found = set()
    for contract in contracts.OF_ALGORITHMS[:-1]:
        try:
            contract("mine")
        except (AssertionError, FloatingPointError, ConfigError):
            found.add(contract.__name__)
    return found


def test_an_algorithm_of_two_lines_keeps_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    assert broken_by(monkeypatch, Correlations) == set()


@pytest.mark.parametrize(
    ("made", "contract"),
    [
        (Infinite, contracts.every_candidate_has_its_weights),
        (Mixed, contracts.a_candidate_alone_is_the_same),
        (Uncounted, contracts.samples_are_repeated_examples),
        (FirstExample, contracts.the_order_of_examples_does_not_matter),
        (Merging, contracts.merging_voters_changes_nothing),
        (Lenient, contracts.unknown_and_invalid_values_are_refused),
        (Unsendable, contracts.a_worker_gets_the_same),
        (Restless, contracts.the_same_bytes_twice),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_breaks_a_contract_is_found(
    monkeypatch: pytest.MonkeyPatch, made: type[Algorithm], contract: Any
) -> None:
    assert contract.__name__ in broken_by(monkeypatch, made)


def test_another_process_must_know_the_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ALGORITHMS.places, "mine", ALGORITHMS["adaboost"])
    with pytest.raises(AssertionError, match="unknown algorithm 'mine'"):
        contracts.the_same_bytes_in_another_process("mine")


def test_an_algorithm_needs_default_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ALGORITHMS.places, "mine", Entry(Correlations, "Mine", "a paper"))
    with pytest.raises(AssertionError, match="the entry has no grid for n_rounds"):
        contracts.every_candidate_has_its_weights("mine")
