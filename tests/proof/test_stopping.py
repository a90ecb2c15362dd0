from __future__ import annotations

import numpy as np
import pytest

from quadrepro.core.learners.grid import Stopping
from quadrepro.core.learners.learner import Part
from quadrepro.proof.certificate import Certificate
from quadrepro.proof.greedy import GreedySolution, HeldOut
from quadrepro.proof.solution import DrawnVote, Grid16
from tests.proof.solved import solved


class Given(HeldOut):
    """Held-out examples with given errors."""

    found: list[int]

    def errors(self, vote: DrawnVote) -> list[int]:
        return self.found


def faults(errors: list[int], stopping: Stopping, last: float = 1.0) -> list[str]:
    part = Part(np.zeros((1, 1)), np.ones(1))
    held_out, certificate = Given(part, stopping), Certificate()
    object.__setattr__(held_out, "found", errors)
    n = len(errors)
    weights = np.append(np.ones(n - 1), last)
    stumps = np.zeros(n, dtype=np.intp), np.zeros(n, dtype=np.intp), weights
    held_out.check(DrawnVote(Grid16(np.zeros(1), np.ones(1)), *stumps), certificate)
    return certificate.faults


BEST = Stopping(patience=3)
LAST = Stopping(patience=3, take="last")
LAG = Stopping(lag=2, take="last")
EARLIER, NONE = ["an earlier round ends the run"], ["the last round ends no run"]


@pytest.mark.parametrize(
    ("errors", "stopping", "expected"),
    [
        ([5, 4, 3], BEST, []),
        ([5, 3, 3], BEST, ["an earlier round has as few errors on the held-out examples"]),
        ([5, 4, 6, 6, 6], LAST, []),
        ([5, 4, 6, 6], LAST, NONE),
        ([5, 4, 6, 6, 6, 6], LAST, EARLIER),
        ([5, 4, 4, 4], LAG, []),
        ([5, 4, 4, 3], LAG, NONE),
        ([5, 4, 5, 3, 5], LAG, EARLIER),
        ([5, 4, 3], Stopping(lag=2, take="last", max_rounds=3), []),
    ],
)
def test_the_round_is_that_of_the_rule(
    errors: list[int], stopping: Stopping, expected: list[str]
) -> None:
    assert faults(errors, stopping) == expected


@pytest.mark.parametrize("last", [0.0, 10.0])
def test_a_round_without_a_weight_and_one_that_decides_end_a_run(last: float) -> None:
    assert faults([5, 4, 3], LAG, last) == []


def test_errors_are_those_of_the_votes_so_far() -> None:
    solution = solved("adaboost, lagged")
    assert isinstance(solution, GreedySolution)
    held_out, vote = solution.held_out, solution.vote
    assert held_out is not None
    assert isinstance(vote, DrawnVote)
    for t, errors in enumerate(held_out.errors(vote), 1):
        part = DrawnVote(vote.grid, vote.attributes[:t], vote.cuts[:t], vote.weights[:t])
        positive = part.sums(held_out.part.X) > 1e-12 * part.total
        assert errors == (positive != (held_out.part.y > 0)).sum()
