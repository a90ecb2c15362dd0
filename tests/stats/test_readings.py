from __future__ import annotations

import math

import numpy as np
import pytest

from quadrepro.stats import log_probability_of_deviations, log_probability_of_means, score_readings

ROWS = ("a", "b", "c", "d")
OFFSETS = (0.0, 0.5, -0.8, 1.2, 0.2)
"""What each of five protocols adds to the errors in percent; the first is the base."""


def splits(rng: np.random.Generator, protocol: int, row: int) -> np.ndarray:
    """Draw the errors of two algorithms on 20 shared splits."""
    common = rng.normal(10 + 2 * row + OFFSETS[protocol], 0.7, 20)
    return common[:, None] + rng.normal(0, 0.3, (20, 2))


def log_probabilities(true: int, seed: int) -> list[dict[str, float]]:
    """Return the log-probability of what one protocol prints under each of the five."""
    rng = np.random.default_rng(seed)
    found: list[dict[str, float]] = [{} for _ in OFFSETS]
    for i, row in enumerate(ROWS):
        paper = splits(rng, true, i)
        mean, sd = paper.mean(axis=0).round(2), paper.std(axis=0, ddof=1).round(2)
        for protocol, of_protocol in enumerate(found):
            ours = splits(rng, protocol, i)
            of_protocol[row] = log_probability_of_means(ours, mean, 0.005, 20)
            of_protocol[row] += log_probability_of_deviations(ours, sd, 0.005, 20)
    return found


@pytest.mark.parametrize("true", [1, 2, 3])
def test_the_protocol_that_made_the_print_is_found_among_five(true: int) -> None:
    base, *others = log_probabilities(true, seed=true)
    scores = score_readings(base, {str(i): rows for i, rows in enumerate(others, start=1)})
    best = max(scores, key=lambda name: scores[name].log_bayes_factor)
    assert best == str(true)
    assert scores[best].supported
    assert scores[best].posterior > 0.9


def test_a_reading_is_seldom_supported_if_the_base_made_the_print() -> None:
    supported = 0
    for seed in range(20):
        base, *others = log_probabilities(0, seed)
        scores = score_readings(base, {str(i): rows for i, rows in enumerate(others)})
        supported += any(score.supported for score in scores.values())
    # Three standard errors of 20 draws with probability 0.05.
    assert supported <= 20 * 0.05 + 3 * (20 * 0.05 * 0.95) ** 0.5


def test_factors_and_posteriors_are_those_of_equal_priors() -> None:
    base = {"a": -3.0, "b": -5.0}
    scores = score_readings(base, {"one": {"a": -2.0}, "two": {"a": -4.0, "b": -3.5}})
    weights = np.exp([0.0, 1.0, 0.5])
    assert [s.rows for s in scores.values()] == [1, 2]
    assert [s.log_bayes_factor for s in scores.values()] == pytest.approx([1.0, 0.5])
    assert [s.posterior for s in scores.values()] == pytest.approx(list(weights[1:] / sum(weights)))


def test_the_number_of_readings_tried_is_paid_for() -> None:
    base = {"a": 0.0}
    just = {"a": math.log(20 * 10)}
    [enough] = score_readings(base, {"one": just}, tried=10).values()
    [short] = score_readings(base, {"one": just}, tried=11).values()
    assert enough.corrected == pytest.approx(math.log(20))
    assert (enough.log_bayes_factor, short.supported) == (short.log_bayes_factor, False)
    [more] = score_readings(base, {"one": {"a": just["a"] + 1e-9}}, tried=10).values()
    assert more.supported


def test_enormous_factors_are_no_overflow() -> None:
    scores = score_readings({"a": -5000.0}, {"one": {"a": -1.0}, "two": {"a": -9000.0}})
    assert scores["one"].posterior == 1
    assert scores["two"].posterior == 0


def test_a_reading_without_rows_says_what_the_base_says() -> None:
    [score] = score_readings({"a": -1.0}, {"one": {}}).values()
    assert (score.rows, score.log_bayes_factor, score.posterior) == (0, 0.0, 0.5)


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(ValueError, match="one has a row that the base has not: b"):
        score_readings({"a": -1.0}, {"one": {"b": -1.0}})
    with pytest.raises(ValueError, match="2 readings are given, and only 1 were tried"):
        score_readings({}, {"one": {}, "two": {}}, tried=1)
