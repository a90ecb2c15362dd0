"""Claims of each paper, judged on records with given measures."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from math import nan

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from quadrepro.base.types import FloatArray
from quadrepro.core.training.grid import Grid
from quadrepro.engine.records import Record
from quadrepro.papers.claims.claim import NO_VALUES, NoSplits, Ours
from quadrepro.papers.paper import load_paper
from quadrepro.papers.quadboost import lower_over_rows, smaller_votes
from quadrepro.papers.rescale import falls_with_examples, truncation_helps
from tests.papers.measured import (
    Cells,
    Judged,
    Measures,
    columns_of,
    contradicted,
    evidence_of,
    judge_measures,
    judged,
    load,
    ours,
    outcomes_of,
    rows_of,
    unknown,
)

Make = Callable[[int, str, int], Record]
"""Returns a record by row's place, column and split."""


def judge_cbboost(config: str, make: Make, n_rounds: int = 1, level: str = "") -> Judged:
    """Return the judgements on two splits with measures along rounds, but for one algorithm."""
    experiment = load(config)
    rows = rows_of(experiment)

    def record(row: str, column: str, split: int) -> Record:
        return make(rows.index(row), column, split)

    def grid(column: str) -> Grid:
        rounds = {"n_rounds": list(range(1, n_rounds + 1))}
        return Grid.from_values(rounds if n_rounds > 1 and column != level else {})

    return ours(judged(experiment, outcomes_of(rows, columns_of(experiment), 2, record, grid)))


def counts(errors: Callable[[int, str], int]) -> Make:
    """Return records of these errors in 1000 by row's place and column, one more or less."""
    return lambda i, column, split: Record("k", "ok", errors(i, column) + (-1) ** split, 1000)


def measured(measures: dict[str, Measures], i: int, column: str, split: int) -> Record:
    # Equal splits deviate by one test example, which decides nothing here.
    return Record("k", "ok", n_test=10**6, measures=measures.get(column, {}))


def figure_2(**changed: Measures) -> Judged:
    """Return the judgements on 200 rounds with some measures other than those that hold."""
    ends = {
        "mincq": {"test_error": 0.05, "train_error": 0.04, "voters": 300.0},
        "cqboost": {"test_error": 0.04, "train_error": 0.02, "voters": 9.0},
        "gb-cb-boost": {"test_error": 0.03},
        "cb-boost": {"test_error": 0.02, "train_error": 0.03},
        "adaboost": {"test_error": 0.025, "train_error": 0.01},
    }
    curves = {
        column: {name: [end] * (1 if column == "mincq" else 200) for name, end in measures.items()}
        for column, measures in ends.items()
    }
    for column in ("gb-cb-boost", "cb-boost"):
        curves[column]["voters"] = [float(n) for n in range(1, 201)]
    for column, measures in changed.items():
        curves[column.replace("_", "-")].update(measures)
    return judge_cbboost("cbboost-figure2", partial(measured, curves), 200, level="mincq")


def test_figure_2_is_judged_on_its_rounds() -> None:
    for changed, against in (
        ({"cqboost": {"train_error": [0.01] * 9 + [0.04] * 41 + [0.01] * 150}}, [0]),
        ({"cqboost": {"train_error": [0.9] * 9 + [0.01] * 41 + [0.9] * 150}}, []),
        ({"adaboost": {"test_error": [0.9] * 199 + [0.01]}}, [1]),
        ({"cqboost": {"test_error": [0.04] * 29 + [0.06] + [0.04] * 170}}, [2]),
        ({"cqboost": {"test_error": [0.9] * 29 + [0.04] * 171}}, []),
    ):
        judgements = figure_2(**changed)[:3]
        assert contradicted(judgements) == against
        assert all(judgements[i][1] == "refuted" for i in against)


def test_sparsity_is_judged_at_equal_numbers_of_distinct_voters() -> None:
    # GB-CB-Boost takes two rounds for each voter, and has the same error at each number of them.
    falling = [0.5 - 0.001 * n for n in range(200)]
    twice = [falling[i // 2] for i in range(200)]
    counts = [1.0 + i // 2 for i in range(200)]
    same = {"test_error": twice, "voters": counts}
    text, word = figure_2(cb_boost={"test_error": falling}, gb_cb_boost=same)[3]
    assert text.startswith("mean test error over voters: CB-Boost ")
    assert " (+0 [" in text
    assert word == "undecided"
    higher = {"test_error": [x + 0.01 for x in twice], "voters": counts}
    assert figure_2(cb_boost={"test_error": falling}, gb_cb_boost=higher)[3][1] == "refuted"


def test_a_loss_of_robustness_is_named_but_for_ionospheres_first_levels() -> None:
    titles = rows_of(load("cbboost-figure3"))

    def with_loss(place: str) -> Judged:
        errors = counts(lambda i, c: 126 if (titles[i], c) == (place, "cb-boost") else 100)
        return judge_cbboost("cbboost-figure3", errors)

    for place in ("ionosphere, noise 0.2", "bupa, noise 0"):
        ((text, word),) = with_loss(place)
        start = "at most 0.00 percentage points (australian, noise 0); above 2.5 in 0 of 44"
        assert text.startswith(start)
        assert word == "supported"
    for place in ("ionosphere, noise 0.4", "MNIST 0 against 9, noise 0"):
        ((text, word),) = with_loss(place)
        assert text.startswith(f"at most 2.60 percentage points ({place}); above 2.5 in 1 of 44")
        assert word == "disagrees"


def figure_5(rounds: int = 100, **gaps: Callable[[int], float]) -> Judged:
    """Return the judgements where MinCq's curves are below CB-Boost's by some points, by round.

    The errors of the two splits are 5 points above and below the curves, for both algorithms.
    """
    below = {"c_bound": lambda t: 1.0, "train_error": lambda t: 1.0, "test_error": lambda t: 1.0}

    def record(i: int, column: str, split: int) -> Record:
        off = 0.05 * (-1) ** split
        mincq = column == "mincq-on-cb-boost"
        measures = {
            name: [
                nan if mincq and t == 2 else 0.5 + off - mincq * points(t) / 100
                for t in range(1, rounds + 1)
            ]
            for name, points in (below | gaps).items()
        }
        return Record("k", "ok", n_test=1000, measures=measures)

    return judge_cbboost("cbboost-figure5", record, rounds)


def test_figure_5s_claims_are_judged_in_their_rounds_in_both_readings() -> None:
    for measure, gaps, against in (
        ("c_bound", lambda t: -1.0 if t == 50 else 1.0, [0]),
        ("c_bound", lambda t: 0.0, [0]),
        ("train_error", lambda t: 3.0 if t <= 30 else 0.0, [1]),
        ("train_error", lambda t: 3.0 if t > 30 else 0.0, [3]),
        ("test_error", lambda t: -3.0 if t <= 80 else 0.0, [2]),
        ("test_error", lambda t: -3.0 if t > 80 else 0.0, [4]),
    ):
        assert contradicted(figure_5(**{measure: gaps})) == against


def falls(c_bound: list[float], sums: list[float]) -> Judged:
    """Return the judgements on the bounds, with these curves of CB-Boost."""
    curve = {
        "c_bound": c_bound,
        "cbboost_corollary2": sums,
        "train_error": [0.1] * len(c_bound),
        "test_error": [0.2] * len(c_bound),
        "cbboost_pac_bayes": [0.9] * len(c_bound),
    }
    columns = ("cb-boost", "gb-cb-boost", "adaboost")
    return judge_cbboost(
        "cbboost-bounds", partial(measured, dict.fromkeys(columns, curve)), len(c_bound)
    )


def test_the_c_bound_falls_by_property_1_and_stays_above_the_training_error() -> None:
    for c_bound, sums, against in (
        ([0.5, 0.4, 0.3], [0.5, 0.4, 0.3], []),
        ([0.5, 0.4, 0.4], [0.5, 0.4, 0.4], []),
        ([0.5, 0.4, 0.41], [0.5, 0.4, 0.41], [1]),
        ([0.5, 0.4, 0.3], [0.5, 0.4, 0.31], [1]),
        ([0.5, 0.4, 0.05], [0.5, 0.4, 0.05], [0, 2]),
    ):
        assert contradicted(falls(c_bound, sums)) == against


MARGIN_MOMENTS = {"adaboost": (0.3, 0.1), "ebboost": (0.28, 0.05), "abr": (0.4, 0.2)}


def test_the_claims_on_margins_compare_means_deviations_and_tails() -> None:
    def record(row: str, column: str, split: int) -> Record:
        centre, width = MARGIN_MOMENTS[column]
        margins = centre + 0.01 * split + width * np.linspace(-1, 1, 40)
        return Record("k", "ok", 10, 100, margins=margins)

    rows = tuple(f"r{i}" for i in range(6))
    evidence = Ours(rows, {}, outcomes_of(rows, tuple(MARGIN_MOMENTS), 2, record))
    claims = load_paper("ebboost").group("table1").claims[3:]
    assert [claim.judge(evidence).word for claim in claims] == ["supported"] * 5
    swapped = {"adaboost": "abr", "abr": "adaboost", "ebboost": "abr"}
    records = {(r, c, i): record(r, swapped[c], i) for r, c, i in evidence.outcomes.records}
    evidence.outcomes.records.update(records)
    words = [claim.judge(evidence).word for claim in claims]
    assert words == [*["disagrees"] * 2, *["refuted"] * 3]


EBBOOST_ROUNDS = {"adaboost": [1, 2, 3], "ebboost": [1, 2, 3]}


def bounds() -> Cells:
    return {
        (row, column): {
            "train_error": [0.3, 0.1, 0.2],
            "test_error": [0.3, 0.2, 0.1],
            "test_hoeffding_bound": [0.32, 0.22, 0.12],
            "test_bernstein_bound": [0.33, 0.21, 0.105],
            "test_empirical_bernstein_bound": [0.34, 0.22, 0.11],
            "ebboost_corollary22": [0.4, 0.5, 0.6],
            "ebboost_theorem25": [0.5, 1.0, 2.0],
            "ebboost_theorem25_exponential": [1.0, 2.0, 4.0],
        }
        for row in ("wisconsin", "spambase")
        for column in EBBOOST_ROUNDS
    }


def test_the_claims_on_bounds_are_supported_where_the_theorems_hold() -> None:
    against = "against 0.1200 at an error of 0.1000"
    assert judge_measures("ebboost-bounds", bounds(), EBBOOST_ROUNDS) == [
        (f"wisconsin: 0.1050 {against}; spambase: 0.1050 {against}", "supported"),
        (f"wisconsin: 0.1100 {against}; spambase: 0.1100 {against}", "supported"),
        *[("12 of 12 inequalities", "supported")] * 3,
        ("16 of 16 minimisers are the same", "supported"),
    ]


def test_one_number_is_enough_against_a_claim_on_bounds() -> None:
    for column, measure, values, against in (
        ("adaboost", "test_bernstein_bound", [0.1, 0.1, 0.12], 0),
        ("adaboost", "test_empirical_bernstein_bound", [0.1, 0.1, 0.13], 1),
        ("ebboost", "ebboost_corollary22", [0.29, 0.5, 0.6], 2),
        ("ebboost", "ebboost_theorem25", [0.5, 0.1, 0.6], 3),
        ("adaboost", "ebboost_theorem25_exponential", [0.5, 1, 0.05], 4),
        # Above one half the penalty falls again.
        ("ebboost", "train_error", [0.6, 0.7, 1.0], 5),
    ):
        cells = bounds()
        cells["spambase", column][measure] = values
        assert contradicted(judge_measures("ebboost-bounds", cells, EBBOOST_ROUNDS)) == [against]


ERROR_OF_TIES = "train_error_positive_ties"
PRODUCT = "adaboost_product_bound"
EXPONENTIAL = "adaboost_exponential_bound"
QUADRATIC = "quadboost_quadratic_bound"
N_EXAMPLES = {"interval_3": 3, "interval_60": 60, "wine": 178, "spambase": 4601}
EDGES = {"interval_3": 1 / 6, "interval_60": 1 / 6, "wine": 0.1, "spambase": 0.0}
# 4 ln(3) 36 = 158.2, 4 ln(60) 36 = 589.6, 4 ln(178) 100 = 2072.7.
EXPERTS = {"interval_3": 159.0, "interval_60": 590.0, "wine": 2073.0, "spambase": nan}
VC = {"interval_3": 3.0, "interval_60": 4.0, "wine": 4.0, "spambase": nan}
LECTURE_ROUNDS = {
    "adaboost": [1, 2, 3, 4],
    "hedge": [1, 200, 2000, 5000],
    "quadboost": [1, 2, 3, 4],
}


def lecture() -> Cells:
    cells: Cells = {}
    for row in N_EXAMPLES:
        cells[row, "adaboost"] = {
            ERROR_OF_TIES: [1 / 3, 1 / 3, 0, 0],
            PRODUCT: [0.9, 0.8, 0.6, 0.5],
            EXPONENTIAL: [0.95, 0.9, 0.85, 0.8],
            "adaboost_rounds": [VC[row]] * 4,
        }
        wrong = 1.0 if row == "spambase" else 0.0
        cells[row, "hedge"] = {
            ERROR_OF_TIES: [0.3, 0.2, wrong, wrong],
            "weak_edge": [EDGES[row]] * 4,
            "experts_rounds": [EXPERTS[row]] * 4,
        }
        cells[row, "quadboost"] = {
            ERROR_OF_TIES: [1 / 3, 1 / 3, 0, 0],
            "quadratic_risk": [8 / 9, 0.7, 0.3, 0.2],
            QUADRATIC: [8 / 9, 0.8, 0.7, 0.9],
        }
    for row in ("interval_3", "interval_60"):
        cells[row, "hedge"][ERROR_OF_TIES] = [1 / 3, 0, 0, 0]
    return cells


def judge_lecture(cells: Cells, lost: tuple[str, str] | None = None) -> Judged:
    return judge_measures("lecture", cells, LECTURE_ROUNDS, N_EXAMPLES, lost)


def test_the_lectures_claims_are_supported_where_every_inequality_holds() -> None:
    judgements = judge_lecture(lecture())
    first = "interval_{} T = {}, first without error at {}; ".format
    end = "wine T = {}, first without error at {}".format
    assert [text for text, _ in judgements] == [
        "least error 0.3333",
        "AdaBoost's error after 3 rounds 0.0000 on interval_3, 0.0000 on interval_60",
        "γ = 0.1667 on interval_3, γ = 0.1667 on interval_60",
        "32 of 32 inequalities",
        first(3, 3, 3) + first(60, 4, 3) + end(4, 3),
        first(3, 159, 200) + first(60, 590, 200) + end(2073, 2000),
        *["16 of 16 inequalities"] * 2,
    ]
    assert {word for _, word in judgements} == {"supported"}


def test_the_experts_are_not_judged_before_their_number_of_rounds() -> None:
    cells = lecture()
    cells["wine", "hedge"]["experts_rounds"] = [8291.0] * 4
    text, word = judge_lecture(cells)[5]
    assert text.endswith("wine T = 8291, beyond the rounds here, first without error at 2000")
    assert word == "undecided"
    cells["interval_3", "hedge"][ERROR_OF_TIES] = [0.1] * 4
    text, word = judge_lecture(cells)[5]
    assert text.startswith("interval_3 T = 159, first without error never")
    assert word == "refuted"


def test_neither_number_of_rounds_is_judged_without_an_edge() -> None:
    cells = {key: cell for key, cell in lecture().items() if key[0] == "spambase"}
    # The three claims on the intervals are left out.
    assert judge_lecture(cells)[1:3] == [("no row has an edge", "undecided")] * 2


def test_claims_on_a_round_are_undecided_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LECTURE_ROUNDS, "adaboost", [2, 4, 5, 6])
    judgements = judge_lecture(lecture())
    assert judgements[:2] == [(f"no number after round {n}", "undecided") for n in (1, 3)]
    assert not unknown(judgements)


QUADBOOST_ROUNDS = {name: [1, 2, 3, 4] for name in ("quadboost", "quadboost-l2", "quadboost-linf")}


def theory() -> Cells:
    bounds = {f"quadboost_theorem1_p{p}": [0.9, 1.0, 1.1, 1.2] for p in ("1", "2", "inf")}
    cells: Cells = {}
    for row in ("titanic", "tictactoe", "monks"):
        for column in ("quadboost", "quadboost-l1", "quadboost-l2", "quadboost-linf"):
            cells[row, column] = {"test_error": [0.2, 0.25, 0.3, 0.35], **deepcopy(bounds)}
        l1 = cells[row, "quadboost-l1"]
        cells[row, "quadboost-l1"] = {name: values[1:2] for name, values in l1.items()}
    return cells


def judge_theory(cells: Cells, lost: tuple[str, str] | None = None) -> Judged:
    return judge_measures("quadboost-theory", cells, QUADBOOST_ROUNDS, lost=lost)


def test_quadboosts_theory_is_supported_where_every_inequality_holds() -> None:
    least = "39 of 39 inequalities; smallest bound 0.9000, test error 0.2000 there (titanic, "
    theorem = (f"{least}QuadBoost, T = 1); the bound is below 1 in 9", "supported")
    assert judge_theory(theory()) == [theorem, theorem, theorem]


@pytest.mark.parametrize(
    ("column", "measure", "value", "against", "text"),
    [
        ("quadboost-l1", "quadboost_theorem1_p1", 0.2, 0, "38 of 39 inequalities; not 0.25 ≤ 0.2"),
        ("quadboost-linf", "quadboost_theorem1_p2", 0.1, 1, "(monks, QuadBoost-L∞, T = 1)"),
        ("quadboost-l2", "quadboost_theorem1_pinf", 0.1, 2, "not 0.2 ≤ 0.1 (monks, QuadBoost-L2"),
    ],
)
def test_one_vote_is_enough_against_the_theorem(
    column: str, measure: str, value: float, against: int, text: str
) -> None:
    cells = theory()
    cells["monks", column][measure][0] = value
    judgements = judge_theory(cells)
    assert contradicted(judgements) == [against]
    assert judgements[against][1] == "refuted"
    assert text in judgements[against][0]


def test_the_theorem_is_undecided_without_one_of_the_variants() -> None:
    assert unknown(judge_theory(theory(), lost=("monks", "quadboost-l1"))) == [0, 1, 2]


def test_votes_without_solutions_are_no_evidence() -> None:
    cells = theory()
    for cell in cells.values():
        cell["quadboost_theorem1_p1"] = [nan for _ in cell["quadboost_theorem1_p1"]]
    assert judge_theory(cells)[0] == (NO_VALUES, "undecided")


def shifted_curves(mine: list[float], other: list[float], n_rows: int = 5) -> Ours:
    """Return evidence in which every row's curves are these, shifted from row to row."""
    rows = [f"r{i}" for i in range(n_rows)]

    def record(row: str, column: str, split: int) -> Record:
        shift = 0.001 * rows.index(row) * (1 + (column == "other"))
        curve = mine if column == "mine" else other
        return Record("k", "ok", 0, 100, measures={"train_error": [x + shift for x in curve]})

    grid = Grid.from_values({"n_rounds": [1, 10]})
    return evidence_of(outcomes_of(rows, ("mine", "other"), 2, record, lambda column: grid))


def test_curves_are_compared_by_their_means() -> None:
    for mine, other, word in (
        ([0.3, 0.1], [0.3, 0.2], "supported"),
        # A lower end does not make up for a higher start.
        ([0.5, 0.1], [0.3, 0.2], "refuted"),
        ([0.3, 0.105], [0.3, 0.102], "agrees"),
        ([0.3, 0.107], [0.3, 0.102], "disagrees"),
    ):
        assert (
            lower_over_rows(shifted_curves(mine, other), "train_error", "mine", "other").word
            == word
        )


def sizes(*splits: list[float]) -> Ours:
    """Return evidence on the sizes of votes at λ = 1, 0.1 and 0.01."""

    def record(row: str, column: str, split: int) -> Record:
        return Record("k", "ok", 0, 100, measures={"distinct_voters_in_vote": splits[split]})

    grid = Grid.from_values({"lam": [1, 0.1, 0.01]})
    return evidence_of(outcomes_of(("r1",), ("l1",), len(splits), record, lambda column: grid))


def test_mean_votes_grow_as_lambda_falls() -> None:
    for splits, text, word in (
        (([1, 4, 9], [1, 5, 9.5], [1, 6, 10]), "not larger in 2 of 2", "supported"),
        (([1, 1, 9], [1, 1, 10]), "not larger in 2 of 2", "agrees"),
        # The mean size counts, and not that of one split.
        (([1, 4, 3], [1, 5, 9]), "not larger in 2 of 2", "agrees"),
        (([1, 4, 3], [1, 5, 5]), "not larger in 1 of 2", "disagrees"),
        (([1, 9, 4], [1, 9.5, 5], [1, 10, 6]), "not larger in 1 of 2", "refuted"),
    ):
        judgement = smaller_votes(sizes(*splits), "l1")
        assert judgement.text.startswith(f"{text} pairs of neighbouring λ")
        assert judgement.word == word


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


def test_a_step_goes_too_far_if_another_stump_is_as_steep_before_its_end() -> None:
    for own, others, text, word in (
        ([0.6, 0.4, 0.2, 0.0], [0.3, 0.4, 0.4, 0.4], "θ0 = 0.50 of θ1 = 1.00", "supported"),
        ([0.4, 0.2, 0.0, 0.0], [0.1, 0.1, 0.2, 0.2], "θ0 = 0.75 of θ1 = 0.75", "refuted"),
        ([0.6, 0.4, 0.2, 0.1], [0.0, 0.0, 0.0, 0.0], "θ0 = 0.25 of θ1 = 1.00", "refuted"),
    ):
        assert first_step(own, others) == (f"wisconsin: {text}; spambase: {text}", word)


RESCALE_EXAMPLES = [100, 200, 400]
RESCALE_ROUNDS = [2, 3, 3]


def losses_with(
    power: float, truncated: float = 0.0, spread: float = 0.01, n_splits: int = 5
) -> Ours:
    """Return evidence on m examples whose loss after the rounds of its row is 0.2 + m^power."""

    def record(row: str, column: str, split: int) -> Record:
        i = int(row)
        at_rounds = 0.2 + RESCALE_EXAMPLES[i] ** power * (1 + spread * (split - 2))
        curve = [9.0, 9.0, 9.0]
        curve[RESCALE_ROUNDS[i] - 1] = at_rounds
        shift = truncated * (1 + spread * split)
        return Record(
            "k", "ok", 0, 1000, measures={"plain": curve, "cut": [x + shift for x in curve]}
        )

    grid = Grid.from_values({"n_rounds": [1, 2, 3]})
    return evidence_of(outcomes_of(("0", "1", "2"), ("a",), n_splits, record, lambda column: grid))


@pytest.mark.parametrize(
    ("power", "word"), [(-0.6, "supported"), (-0.4, "refuted"), (0.1, "refuted")]
)
def test_the_excess_falls_as_claimed_if_its_slope_is_steep(power: float, word: str) -> None:
    evidence = losses_with(power)
    keys = {"rounds": RESCALE_ROUNDS, "examples": RESCALE_EXAMPLES, "least": 0.2, "at_most": -0.5}
    text, found = falls_with_examples(evidence, "a", "plain", **keys)
    assert text.startswith(f"slope {power:.2f} [")
    assert found == word
    with pytest.raises(NoSplits):  # and no warning of numpy's
        falls_with_examples(losses_with(power, n_splits=1), "a", "plain", **keys)


def test_truncation_helps_if_no_row_has_a_larger_loss_with_it() -> None:
    for shift, word in (
        (-0.01, "supported"),
        (0.01, "refuted"),
    ):
        judgement = truncation_helps(losses_with(-0.5, shift), "a", "plain", "cut", RESCALE_ROUNDS)
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


def test_the_least_risk_is_that_of_sums_of_functions_of_one_input() -> None:
    for loss, place in (
        ("logistic", 0),
        ("exponential", 2),
    ):
        claim = load_paper("rescale").group("rates").claims[place]
        assert claim.settings["least"] == pytest.approx(least_risk(loss), abs=0.002)
