from __future__ import annotations

from copy import deepcopy
from math import nan

import pytest

from quadrepro.core.training.grid import Grid
from quadrepro.engine.records import Record
from quadrepro.papers.claims.evidence import NO_VALUES, Ours
from quadrepro.papers.quadboost.claims import lower_over_rows, smaller_votes
from tests.papers.measured import (
    Cells,
    Judged,
    contradicted,
    evidence_of,
    judge_measures,
    outcomes_of,
    unknown,
)

ROUNDS = {name: [1, 2, 3, 4] for name in ("quadboost", "quadboost-l2", "quadboost-linf")}


def theory() -> Cells:
    bounds = {f"quadboost_theorem1_p{p}": [0.9, 1.0, 1.1, 1.2] for p in ("1", "2", "inf")}
    cells: Cells = {}
    for row in ("titanic", "tictactoe", "monks"):
        for column in ("quadboost", "quadboost-l1", "quadboost-l2", "quadboost-linf"):
            cells[row, column] = {"test_error": [0.2, 0.25, 0.3, 0.35], **deepcopy(bounds)}
        l1 = cells[row, "quadboost-l1"]
        cells[row, "quadboost-l1"] = {name: values[1:2] for name, values in l1.items()}
    return cells


def judge(cells: Cells, lost: tuple[str, str] | None = None) -> Judged:
    return judge_measures("quadboost-theory", cells, ROUNDS, lost=lost)


def test_quadboosts_theory_is_supported_where_every_inequality_holds() -> None:
    least = "39 of 39 inequalities; smallest bound 0.9000, test error 0.2000 there (titanic, "
    theorem = (f"{least}QuadBoost, T = 1); the bound is below 1 in 9", "supported")
    assert judge(theory()) == [theorem, theorem, theorem]


@pytest.mark.parametrize(
    ("column", "measure", "value", "against", "text"),
    [
        ("quadboost-l1", "quadboost_theorem1_p1", 0.2, 0, "38 of 39 inequalities; not 0.25 ≤ 0.2"),
        ("quadboost-l1", "quadboost_theorem1_p1", 0.2, 0, "QuadBoost-L1); smallest bound 0.2000"),
        ("quadboost-linf", "quadboost_theorem1_p2", 0.1, 1, "(monks, QuadBoost-L∞, T = 1)"),
        ("quadboost-l2", "quadboost_theorem1_pinf", 0.1, 2, "not 0.2 ≤ 0.1 (monks, QuadBoost-L2"),
    ],
)
def test_one_vote_is_enough_against_the_theorem(
    column: str, measure: str, value: float, against: int, text: str
) -> None:
    cells = theory()
    cells["monks", column][measure][0] = value
    judgements = judge(cells)
    assert contradicted(judgements) == [against]
    assert judgements[against][1] == "refuted"
    assert text in judgements[against][0]


def test_the_theorem_is_undecided_without_one_of_the_variants() -> None:
    assert unknown(judge(theory(), lost=("monks", "quadboost-l1"))) == [0, 1, 2]


def test_votes_without_solutions_are_no_evidence() -> None:
    cells = theory()
    for cell in cells.values():
        cell["quadboost_theorem1_p1"] = [nan] * len(cell["quadboost_theorem1_p1"])
    assert judge(cells)[0] == (NO_VALUES, "undecided")


def curves(mine: list[float], other: list[float], n_rows: int = 5) -> Ours:
    """Return evidence in which every row's curves are these, shifted from row to row."""
    rows = [f"r{i}" for i in range(n_rows)]

    def record(row: str, column: str, split: int) -> Record:
        shift = 0.001 * rows.index(row) * (1 + (column == "other"))
        curve = mine if column == "mine" else other
        return Record("k", "ok", 0, 100, measures={"train_error": [x + shift for x in curve]})

    grid = Grid.from_values({"n_rounds": [1, 10]})
    return evidence_of(outcomes_of(rows, ("mine", "other"), 2, record, lambda column: grid))


@pytest.mark.parametrize(
    ("mine", "other", "word"),
    [
        ([0.3, 0.1], [0.3, 0.2], "supported"),
        # A lower end does not make up for a higher start.
        ([0.5, 0.1], [0.3, 0.2], "refuted"),
        ([0.3, 0.105], [0.3, 0.102], "agrees"),
        ([0.3, 0.107], [0.3, 0.102], "disagrees"),
    ],
)
def test_curves_are_compared_by_their_means_over_the_rows(
    mine: list[float], other: list[float], word: str
) -> None:
    assert lower_over_rows(curves(mine, other), "train_error", "mine", "other").word == word


def sizes(*splits: list[float]) -> Ours:
    """Return evidence on the sizes of votes at λ = 1, 0.1 and 0.01."""

    def record(row: str, column: str, split: int) -> Record:
        return Record("k", "ok", 0, 100, measures={"distinct_voters_in_vote": splits[split]})

    grid = Grid.from_values({"lam": [1, 0.1, 0.01]})
    return evidence_of(outcomes_of(("r1",), ("l1",), len(splits), record, lambda column: grid))


@pytest.mark.parametrize(
    ("splits", "text", "word"),
    [
        (([1, 4, 9], [1, 5, 9.5], [1, 6, 10]), "not larger in 2 of 2", "supported"),
        (([1, 1, 9], [1, 1, 10]), "not larger in 2 of 2", "agrees"),
        # The mean size counts, and not that of one split.
        (([1, 4, 3], [1, 5, 9]), "not larger in 2 of 2", "agrees"),
        (([1, 4, 3], [1, 5, 5]), "not larger in 1 of 2", "disagrees"),
        (([1, 9, 4], [1, 9.5, 5], [1, 10, 6]), "not larger in 1 of 2", "refuted"),
    ],
)
def test_votes_grow_as_lambda_falls_on_the_mean_over_the_splits(
    splits: list[list[float]], text: str, word: str
) -> None:
    judgement = smaller_votes(sizes(*splits), "l1")
    assert judgement.text.startswith(f"{text} pairs of neighbouring λ")
    assert judgement.word == word
