"""The claims of the lecture on AdaBoost and of QuadBoost's theory: inequalities, on our cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from math import isclose
from typing import Any, NamedTuple

from quadrepro.config.loading import Experiment
from quadrepro.learners.registry import ALGORITHMS
from quadrepro.measures.bounds.checks import ROUNDING
from quadrepro.measures.bounds.hedge import experts_rounds
from quadrepro.report.claim import UNKNOWN, Claim, Judgement, own_table
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import Table

ADABOOST, HEDGE, QUADBOOST = "adaboost", "hedge", "quadboost"
VARIANTS = (QUADBOOST, "quadboost-l1", "quadboost-l2", "quadboost-linf")
INTERVALS = ("interval_3", "interval_60")
"""Example 24.1 with three points, and with sixty."""

EDGE = 1 / 6
"""γ of Example 24.1."""

LEMMA_1 = ("quadboost_lemma1_p2", "quadboost_lemma1_pinf")
ADABOOST_BOUNDS = ("train_error", "adaboost_product_bound", "adaboost_exponential_bound")


class Compared(NamedTuple):
    """Two measures of one candidate of which the first is claimed to be no higher."""

    place: str
    lower: float
    upper: float


def _compared(outcomes: Outcomes, column: str, lower: str, upper: str) -> Iterator[Compared]:
    """Yield the two measures of every candidate that has a solution."""
    for row in outcomes.rows:
        rounds = outcomes.values_along(row, column, "n_rounds") or ()
        for record in outcomes.cell(row, column):
            pairs = zip(record.measures[lower], record.measures[upper], strict=True)
            for i, (low, high) in enumerate(pairs):
                after = f", T = {rounds[i]:g}" if rounds else ""
                if low == low and high == high:
                    yield Compared(f"{row}, {ALGORITHMS[column].label}{after}", low, high)


def _counted(found: list[Compared]) -> Judgement:
    # Both sides of a bound may be far below 1e-9, so that what is allowed goes with their size.
    above = [
        f
        for f in found
        if f.lower > f.upper and not isclose(f.lower, f.upper, rel_tol=ROUNDING, abs_tol=1e-15)
    ]
    text = f"{len(found) - len(above)} of {len(found)} inequalities"
    if above:
        text += f"; not {above[0].lower:.6g} ≤ {above[0].upper:.6g} ({above[0].place})"
    return (text, not above) if found else UNKNOWN


def _in_order(column: str, *measures: str) -> Callable[[Outcomes], Judgement]:
    """Judge whether each measure is at most the next, at every candidate of every row."""

    def judge(outcomes: Outcomes) -> Judgement:
        return _counted(
            [
                compared
                for lower, upper in pairwise(measures)
                for compared in _compared(outcomes, column, lower, upper)
            ]
        )

    return judge


def _after(outcomes: Outcomes, row: str, n_rounds: int) -> list[float]:
    """Return AdaBoost's training error after a number of rounds, one a split."""
    rounds = outcomes.values_along(row, ADABOOST, "n_rounds") or ()
    errors = (record.measures["train_error"] for record in outcomes.cell(row, ADABOOST))
    return [of_split[rounds.index(n_rounds)] for of_split in errors if n_rounds in rounds]


def _no_better_stump(outcomes: Outcomes) -> Judgement:
    errors = _after(outcomes, INTERVALS[0], 1)
    if not errors:
        return UNKNOWN
    return f"least error {min(errors):.4f}", min(errors) >= 1 / 3 - ROUNDING


def _three_are_exact(outcomes: Outcomes) -> Judgement:
    found = {row: _after(outcomes, row, 3) for row in INTERVALS}
    if not all(found.values()):
        return UNKNOWN
    text = ", ".join(f"{max(errors):.4f} on {row}" for row, errors in found.items())
    return f"AdaBoost's error after 3 rounds {text}", not any(map(any, found.values()))


def _weak_learner(outcomes: Outcomes) -> Judgement:
    edges = {
        row: min(record.measures["weak_edge"][0] for record in outcomes.cell(row, HEDGE))
        for row in INTERVALS
    }
    text = ", ".join(f"γ = {edge:.4f} on {row}" for row, edge in edges.items())
    return text, min(edges.values()) >= EDGE - ROUNDING


def _right_in_time(outcomes: Outcomes) -> Judgement:
    """Judge whether no example is wrong from the lecture's number of rounds on."""
    texts: list[str] = []
    words: list[bool | None] = []
    for row in outcomes.rows:
        rounds = outcomes.values_along(row, HEDGE, "n_rounds")
        if rounds is None:
            return "no one curve along n_rounds", None
        for record in outcomes.cell(row, HEDGE):
            edge = record.measures["weak_edge"][0]
            if edge <= ROUNDING:
                continue
            needed = experts_rounds(min(edge, 0.5), record.n_test)
            errors = list(zip(rounds, record.measures["train_error"], strict=True))
            first = next((f"at {n:g}" for n, error in errors if error == 0), "never")
            after = [error for n, error in errors if n >= needed]
            beyond = "" if after else ", beyond the rounds here"
            texts.append(f"{row} T = {needed}{beyond}, first without error {first}")
            words.append(not any(after) if after else None)
    if not words:
        return "no row has an edge", None
    holds = False if False in words else None if None in words else True
    return "; ".join(dict.fromkeys(texts)), holds


def _theorem_1(bound: str) -> Callable[[Outcomes], Judgement]:
    def judge(outcomes: Outcomes) -> Judgement:
        found = [
            compared
            for column in VARIANTS
            for compared in _compared(outcomes, column, "test_error", bound)
        ]
        text, holds = _counted(found)
        if found:
            least = min(found, key=lambda compared: compared.upper)
            text += f"; smallest bound {least.upper:.4f}, test error {least.lower:.4f} there"
            text += f" ({least.place}); the bound is below 1 in {sum(f.upper < 1 for f in found)}"
        return text, holds

    return judge


def _lemma_1(outcomes: Outcomes) -> Judgement:
    ratios = [
        ratio
        for row in outcomes.rows
        for record in outcomes.cell(row, QUADBOOST)
        for measure in LEMMA_1
        for ratio in record.measures[measure]
        if ratio == ratio
    ]
    if not ratios:
        return UNKNOWN
    text = f"{min(ratios):.6f} to {max(ratios):.6f} over {len(ratios)} votes"
    return text, all(abs(ratio - 1) <= ROUNDING for ratio in ratios)


def _below_massart(outcomes: Outcomes) -> Judgement:
    _, holds = _in_order(QUADBOOST, "rademacher_complexity", "massart")(outcomes)
    texts = []
    for row in outcomes.rows:
        measures = outcomes.cell(row, QUADBOOST)[0].measures
        found, bound = measures["rademacher_complexity"][0], measures["massart"][0]
        texts.append(f"{found:.4f} ≤ {bound:.4f} on {row}")
    return ", ".join(texts), holds


THEORY_CLAIMS: dict[str, tuple[Claim[Any], ...]] = {
    "lecture": (
        Claim(
            "No stump is below error 1/3 on the three points (Example 24.1)",
            (ADABOOST,),
            _no_better_stump,
            measures=("train_error",),
            rows=INTERVALS[:1],
        ),
        Claim(
            "The vote of three stumps is exact on the interval",
            (ADABOOST,),
            _three_are_exact,
            measures=("train_error",),
            rows=INTERVALS,
        ),
        Claim(
            "Some stump errs on at most 1/3 of any weighting of the interval: γ = 1/6",
            (HEDGE,),
            _weak_learner,
            measures=("weak_edge",),
            rows=INTERVALS,
        ),
        Claim(
            "AdaBoost's training error ≤ Π 2 sqrt(ε(1-ε)) ≤ exp(-2γ²T) at every round (Theorem "
            "24.2)",
            (ADABOOST,),
            _in_order(ADABOOST, *ADABOOST_BOUNDS),
            measures=ADABOOST_BOUNDS,
        ),
        Claim(
            "The experts' vote is right on all examples after T > 4 ln(m)/γ² rounds",
            (HEDGE,),
            _right_in_time,
            measures=("train_error", "weak_edge"),
        ),
        Claim(
            "QuadBoost's quadratic risk is at most 1 - Tγ² at every round",
            (QUADBOOST,),
            _in_order(QUADBOOST, "quadratic_risk", "quadboost_quadratic_bound"),
            measures=("quadratic_risk", "quadboost_quadratic_bound"),
        ),
        Claim(
            "QuadBoost's training error is at most its quadratic risk at every round",
            (QUADBOOST,),
            _in_order(QUADBOOST, "train_error", "quadratic_risk"),
            measures=("train_error", "quadratic_risk"),
        ),
    ),
    "quadboost-theory": (
        *(
            Claim(
                f"Theorem 1 holds on the test examples, p = {p}",
                VARIANTS,
                _theorem_1(measure),
                measures=("test_error", measure),
            )
            for p, measure in (
                ("1", "quadboost_theorem1_p1"),
                ("2", "quadboost_theorem1_p2"),
                ("∞", "quadboost_theorem1_pinf"),
            )
        ),
        Claim(
            "Lemma 1: R(C_p^n) over n^(1-1/p) R(H) is 1, p = 2, ∞",
            (QUADBOOST,),
            _lemma_1,
            measures=LEMMA_1,
        ),
        Claim(
            "The stumps' Rademacher complexity is at most Massart's bound",
            (QUADBOOST,),
            _below_massart,
            measures=("rademacher_complexity", "massart"),
        ),
    ),
}

_ALLOWED = f"For rounding {ROUNDING:g} of each number is allowed."
NOTES = {
    "lecture": (
        _ALLOWED,
        "γ: the least of the rounds so far; for the experts the edge that some stump has on every "
        "weighting of a row's examples. Rows without such an edge are left out there, and all have "
        "the same rate.",
    ),
    "quadboost-theory": (
        f"An inequality a vote. {_ALLOWED}",
        "The theorem speaks of the risk, of which the test error is an estimate.",
    ),
}


def theory_table(experiment: Experiment, outcomes: Outcomes) -> Table:
    """Return the claims of the lecture or of QuadBoost's theory, judged on our cells."""
    name = experiment.config.tables["claims"]
    return own_table(experiment, THEORY_CLAIMS[name], outcomes, NOTES[name])
