from __future__ import annotations

import numpy as np
import pytest

from quadrepro.core.learners.programs.mincq import MinCq
from quadrepro.core.learners.programs.program import feasible, infeasible, mu_limit
from quadrepro.core.voters.reduction import reduce_problem


@pytest.mark.parametrize("largest", [0.3, 1 / 3, 1e-3])
def test_the_largest_mean_margin_itself_is_feasible_rounding_included(largest: float) -> None:
    assert feasible(largest, largest)
    assert feasible(np.nextafter(largest, 1.0), largest)
    assert feasible(largest / 2, largest)
    assert not feasible(largest * (1 + 1e-9), largest)


@pytest.mark.parametrize(
    ("largest", "shown"), [(0.37599, "0.375"), (0.5, "0.5"), (0.0123499, "0.0123"), (1.0, "1")]
)
def test_the_limit_is_rounded_down_to_three_digits(largest: float, shown: str) -> None:
    assert mu_limit(np.array([largest])) == f"mu can be at most {shown}"


def test_the_limit_of_several_samples_is_the_smallest_and_says_so() -> None:
    said = mu_limit(np.array([0.5, 0.25, 0.3]))
    assert said == "mu can be at most 0.25 on the smallest of these samples"


def test_without_a_voter_that_is_right_more_or_less_often_no_mean_margin_is_feasible() -> None:
    assert "no mu above 0 is feasible" in mu_limit(np.array([0.2, 0.0]))


def test_the_error_names_the_mean_margin_and_the_limit_of_the_algorithm() -> None:
    problem = reduce_problem(np.array([[1.0, 1.0], [1.0, -1.0]]), np.ones(2), merge_voters=False)
    error = infeasible(MinCq(), 0.75, problem)
    assert str(error) == "no vote has a mean margin of mu = 0.75: mu can be at most 0.5"
