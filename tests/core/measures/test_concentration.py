from __future__ import annotations

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.measure import DELTA, Trained
from tests.core.measures.votes import measured

REPEATS = 4000


def votes_with(wrong: FloatArray) -> Trained:
    """Return a candidate for each row, which errs on these test examples."""
    scores = 1.0 - 2 * wrong
    return Trained(np.ones(1), np.ones(wrong.shape[1]), scores[:, :1], scores)


def counted(n: int) -> tuple[FloatArray, Trained]:
    """Return the errors of votes with 0, 1, ..., n of n test examples wrong, and the votes."""
    return np.arange(n + 1) / n, votes_with(np.tri(n + 1, n, -1))


@pytest.mark.parametrize("bound", ["hoeffding", "empirical_bernstein", "bernstein"])
def test_a_bound_holds_as_often_as_it_promises(bound: str) -> None:
    for risk, n in ((0.02, 5), (0.3, 5), (0.9, 5), (0.02, 60), (0.3, 60), (0.9, 60)):
        wrong = np.random.default_rng(1).random((REPEATS, n)) < risk
        found = measured(f"test_{bound}_bound", votes_with(wrong))
        # Three standard errors of the simulation.
        slack = 3 * (DELTA * (1 - DELTA) / REPEATS) ** 0.5
        assert (found >= risk).mean() >= 1 - DELTA - slack


@pytest.mark.parametrize("n", [2, 40, 1000])
def test_the_bounds_are_the_theorems_formulas(n: int) -> None:
    error, votes = counted(n)
    hoeffding = error + np.sqrt(np.log(20) / (2 * n))
    assert measured("test_hoeffding_bound", votes) == pytest.approx(hoeffding)
    variance = error * (1 - error) * n / (n - 1)
    spread = np.sqrt(2 * variance * np.log(40) / n) + 7 * np.log(40) / (3 * (n - 1))
    assert measured("test_empirical_bernstein_bound", votes) == pytest.approx(error + spread)


@pytest.mark.parametrize("n", [1, 40, 1000])
def test_bernsteins_bound_is_the_largest_risk_that_the_theorem_allows(n: int) -> None:
    error, votes = counted(n)
    p = measured("test_bernstein_bound", votes)
    risk, t = np.linspace(0, 1, 2001)[:, None], np.log(20)
    allowed = risk <= error + np.sqrt(2 * risk * (1 - risk) * t / n) + t / (3 * n)
    assert ((allowed == (risk <= p)).mean(axis=0) >= 1 - 2 / len(risk)).all()
    assert ((error <= p) & (p <= 1)).all()
    inside = p[p < 1]
    right = error[p < 1] + np.sqrt(2 * inside * (1 - inside) * t / n) + t / (3 * n)
    assert inside == pytest.approx(right)


def test_one_test_example_has_no_sample_variance() -> None:
    with pytest.raises(ValueError, match="at least 2 test examples, not 1"):
        measured("test_empirical_bernstein_bound", counted(1)[1])
