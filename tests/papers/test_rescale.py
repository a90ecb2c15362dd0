from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from quadrepro.base.types import FloatArray
from quadrepro.core.training.grid import Grid
from quadrepro.engine.records import Record
from quadrepro.papers.claims.evidence import Ours
from quadrepro.papers.paper import load_paper
from quadrepro.papers.rescale.claims import falls_with_examples, truncation_helps
from tests.papers.measured import columns_of, evidence_of, judged, load, ours, outcomes_of, rows_of


def test_table_1_is_judged_with_noise_and_shows_the_numbers_without() -> None:
    experiment = load("rescale-table1")
    rows, columns = rows_of(experiment), columns_of(experiment)

    def record(row: str, column: str, split: int) -> Record:
        rmse = 5.0 - columns.index(column) + (-1) ** split / 10
        noiseless = 9.0 if (row, column) == (rows[0], "rsboosting") else rmse
        return Record("k", "ok", n_test=10, rmse=rmse, measures={"rmse_noiseless": [noiseless]})

    everywhere, ranks = ours(judged(experiment, outcomes_of(rows, columns, 2, record)))
    assert everywhere[1] == "supported"
    assert "; against targets without noise: RSboosting in 7, RTboosting in 8" in everywhere[0]
    assert "; against targets without noise: best in 0, second in 8 of 8 rows" in ranks[0]


def first_step(own: list[float], others: list[float]) -> tuple[str, str]:
    """Return the judgement on a step with these slopes along its stump and the best other one."""
    experiment = load("rescale-figure1")
    measures = {"correlation_in_vote": own, "correlation_of_others": others}
    outcomes = outcomes_of(
        rows_of(experiment),
        columns_of(experiment),
        2,
        lambda row, column, split: Record("k", "ok", 1, 10, measures=measures),
        lambda column: Grid.from_values({"alpha_max": [0.25, 0.5, 0.75, 1.0]}),
    )
    [judgement] = ours(judged(experiment, outcomes))
    return judgement


@pytest.mark.parametrize(
    ("own", "others", "text", "word"),
    [
        ([0.6, 0.4, 0.2, 0.0], [0.3, 0.4, 0.4, 0.4], "θ0 = 0.50 of θ1 = 1.00", "supported"),
        ([0.4, 0.2, 0.0, 0.0], [0.1, 0.1, 0.2, 0.2], "θ0 = 0.75 of θ1 = 0.75", "refuted"),
        ([0.6, 0.4, 0.2, 0.1], [0.0, 0.0, 0.0, 0.0], "θ0 = 0.25 of θ1 = 1.00", "refuted"),
    ],
)
def test_a_step_goes_too_far_if_another_stump_is_as_steep_before_its_end(
    own: list[float], others: list[float], text: str, word: str
) -> None:
    assert first_step(own, others) == (f"wisconsin: {text}; spambase: {text}", word)


EXAMPLES = [100, 200, 400]
ROUNDS = [2, 3, 3]


def losses_with(power: float, truncated: float = 0.0, spread: float = 0.01) -> Ours:
    """Return evidence on m examples whose loss after the rounds of its row is 0.2 + m^power."""

    def record(row: str, column: str, split: int) -> Record:
        i = int(row)
        at_rounds = 0.2 + EXAMPLES[i] ** power * (1 + spread * (split - 2))
        curve = [9.0, 9.0, 9.0]
        curve[ROUNDS[i] - 1] = at_rounds
        shift = truncated * (1 + spread * split)
        return Record(
            "k", "ok", 0, 1000, measures={"plain": curve, "cut": [x + shift for x in curve]}
        )

    grid = Grid.from_values({"n_rounds": [1, 2, 3]})
    return evidence_of(outcomes_of(("0", "1", "2"), ("a",), 5, record, lambda column: grid))


@pytest.mark.parametrize(
    ("power", "word"), [(-0.6, "supported"), (-0.4, "refuted"), (0.1, "refuted")]
)
def test_the_excess_falls_as_fast_as_claimed_if_its_slope_is_steep_enough(
    power: float, word: str
) -> None:
    evidence = losses_with(power)
    keys = {"rounds": ROUNDS, "examples": EXAMPLES, "least": 0.2, "at_most": -0.5}
    text, found = falls_with_examples(evidence, "a", "plain", **keys)
    assert text.startswith(f"slope {power:.2f} [")
    assert found == word


@pytest.mark.parametrize(("shift", "word"), [(-0.01, "supported"), (0.01, "refuted")])
def test_truncation_helps_if_no_row_has_a_larger_loss_with_it(shift: float, word: str) -> None:
    judgement = truncation_helps(losses_with(-0.5, shift), "a", "plain", "cut", ROUNDS)
    assert judgement.word == word
    assert f"1: {shift * 1.02:+.4f} [" in judgement.text


def least_risk(loss: str, n: int = 100) -> float:
    """Return the least risk of sums of a function of x1 and one of x2, on the orange data.

    They are even and equal by symmetry, and constant on n parts of |x|.
    """
    edges, parts = np.linspace(0, 4.6, n + 1), (np.arange(16) + 0.5) / 16
    fine = (edges[:-1, None] + parts * edges[1]).ravel()
    within = norm.pdf(fine).reshape(n, 16)
    within /= within.sum(axis=1, keepdims=True)
    squares = fine[:, None] ** 2 + fine**2
    ring = ((squares >= 4.5) & (squares <= 8)).reshape(n, 16, n, 16)
    mass = 2 * np.diff(norm.cdf([*edges[:-1], np.inf]))
    inner = np.outer(mass, mass) / 2
    outer = inner * np.einsum("iajb,ia,jb->ij", ring, within, within)
    outer /= 2 * outer.sum()

    def risk(s: FloatArray) -> tuple[float, FloatArray]:
        f = s[:, None] + s
        if loss == "exponential":
            terms = inner * np.exp(f), outer * np.exp(-f)
            slope = terms[0] - terms[1]
        else:
            terms = inner * np.logaddexp(0, f), outer * np.logaddexp(0, -f)
            slope = inner / (1 + np.exp(-f)) - outer / (1 + np.exp(f))
        return float(np.sum(terms)), slope.sum(axis=0) + slope.sum(axis=1)

    found = minimize(risk, np.zeros(n), jac=True, method="L-BFGS-B", bounds=[(-40, 40)] * n)
    return float(found.fun)


@pytest.mark.parametrize(("loss", "place"), [("logistic", 0), ("exponential", 2)])
def test_the_least_risk_is_that_of_sums_of_functions_of_one_input(loss: str, place: int) -> None:
    claim = load_paper("rescale").group("rates").claims[place]
    assert claim.settings["least"] == pytest.approx(least_risk(loss), abs=0.002)
