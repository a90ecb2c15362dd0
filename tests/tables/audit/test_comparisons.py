from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.papers.paper import load_paper
from quadrepro.stats import better_over_all, poisson_binomial_test
from quadrepro.tables.audit import audit
from quadrepro.tables.audit.comparisons import on_most, possible_probabilities
from tests.make import write_paper
from tests.tables.audit.papers import findings, subject, verdicts

MATRIX = "{{holds: comparisons, compares: t}}\nalgorithm,a,b\na,0.50,{}\nb,{},0.50\n"
SIZES = "{unit: fraction, n_test: {x: 20, y: 20}}"
TABLE = "d,a,b\nx,0.10,0.30\ny,0.20,0.25\n"


@pytest.mark.parametrize(
    ("one", "other", "holds"),
    [("0.55", "0.45", True), ("0.55", "0.46", True), ("0.55", "0.47", False)],
)
def test_both_directions_add_up_to_one(tmp_path: Path, one: str, other: str, holds: bool) -> None:
    audited = subject(tmp_path, t=TABLE, m=MATRIX.format(one, other))
    assert verdicts("pairs", audited) == {"m a a": True, "m a b": holds, "m b b": True}


def brute_force(errors_a: list[int], errors_b: list[int], n: int) -> list[float]:
    """Return the test's probability for every number of shared errors on every data set."""

    def wrong(errors: int, first: int) -> np.ndarray:
        return np.isin(np.arange(n), np.arange(first, first + errors))

    every = []
    pairs = [*zip(errors_a, errors_b, strict=True)]
    shared = [range(max(a + b - n, 0), min(a, b) + 1) for a, b in pairs]
    for both in product(*shared):
        a = [wrong(k, 0) for k in errors_a]
        b = [wrong(k, i - s) for (i, k), s in zip(pairs, both, strict=True)]
        every.append(poisson_binomial_test(a, b).probability)
    return every


def test_bounds_are_the_extremes_of_the_test_over_all_shared_errors(tmp_path: Path) -> None:
    audited = subject(tmp_path, facts=SIZES, t=TABLE, m=MATRIX.format("0.9", "0.1"))
    ends = possible_probabilities(audited, audited.tables[1], "a", "b")
    bounds = [better_over_all(map(float, end)) for end in ends]
    every = brute_force([2, 4], [6, 5], 20)
    assert bounds == pytest.approx([min(every), max(every)])


ONE_SIZE = SIZES.replace(", y: 20", "")
FOLDS, RUNS = (SIZES.replace("unit", f"of: {{{n}}}, unit") for n in ("cv: 10", "runs: 10"))
ACCURACY = SIZES.replace("fraction", "percent, metric: accuracy")


@pytest.mark.parametrize(
    ("facts", "table", "printed", "holds", "why"),
    [
        (SIZES, TABLE, "0.70", True, "t allows 0."),  # A has fewer errors on both data sets.
        (SIZES, TABLE, "0.40", False, "t allows 0."),
        (ACCURACY, "d,a,b\nx,90,70\ny,80,75\n", "0.70", True, "t allows 0."),
        (ACCURACY, "d,a,b\nx,90,70\ny,80,75\n", "0.30", False, "t allows 0."),
        (ONE_SIZE, "d,a,b\nx,0.111,0.3\n", "0.70", None, "x: no number of errors gives what t pri"),
        (ONE_SIZE, "d,a,b\nx,0.1,\n", "0.70", None, "x: no number of errors gives what t prints"),
        (ONE_SIZE, TABLE, "0.70", None, "y: neither a config nor n_test gives"),
        (FOLDS, TABLE, "0.70", None, "t has means, which do not give the errors of single"),
        (RUNS, TABLE, "0.70", None, "t has means, which do not give the errors of single"),
    ],
)
def test_a_probability_is_possible_with_the_printed_risks_or_not(
    tmp_path: Path, facts: str, table: str, printed: str, holds: bool | None, why: str
) -> None:
    matrix = MATRIX.format(printed, f"{1 - float(printed):.2f}")
    [finding] = findings("sources", subject(tmp_path, facts=facts, t=table, m=matrix))
    assert (finding.place, finding.holds) == (("m", "a", "b"), holds)
    assert finding.why.startswith(why)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_winning_on_most_is_the_binomial_tail_with_half_of_a_tie(p: list[float]) -> None:
    outcomes = list(product((0, 1), repeat=len(p)))
    chances = [
        math.prod(q if won else 1 - q for q, won in zip(p, o, strict=True)) for o in outcomes
    ]
    scores = [(2 * sum(o) > len(p)) + (2 * sum(o) == len(p)) / 2 for o in outcomes]
    assert on_most(p) == pytest.approx(float(np.dot(chances, scores)))


GROUPS = """claims:
  t:
    claims:
      - {kind: wins-or-ties, text: two, of: a, than: b, at_least: 2}
      - {kind: wins-or-ties, text: three, of: a, than: b, at_least: 3}
      - {kind: times-faster, text: fast, of: a, than: b, times: 2}
  other:
    claims:
      - {kind: lower-on-average, text: end, of: a, than: b, measure: train_error}
      - {kind: lower-on-average, text: again, of: b, than: a, measure: train_error}
"""


def test_claims_are_judged_on_printed_numbers_and_others_are_counted(tmp_path: Path) -> None:
    table = "dataset,a,b\nmonks,0.1,0.2\nwine,0.1,0.1\nzoo,0.3,0.2\n"
    audited = subject(tmp_path, claims=GROUPS, t=table)
    claims = findings("claims", audited)
    assert {f.printed: f.holds for f in claims} == {"two": True, "three": False, "fast": None}
    assert claims[0].why == "2 of 3 (1 wins, 1 ties)"
    assert audit(audited.paper).notes[-1] == (
        "claims: 2 are about numbers that are not printed, so only ours judge them."
    )


WINS = """claims:
  t:
    claims:
      - {kind: wins-or-ties, text: ours, of: ours, than: theirs, at_least: 3}
      - {kind: wins-or-ties, text: theirs, of: theirs, than: ours, at_least: 3}
"""


def reversed_claims(folder: Path, metric: str, bold: str, rows: str) -> dict[str, str]:
    """Return the verdicts on a true claim, on its contrary, and on a bold number."""
    facts = f"{{unit: fraction, metric: {metric}, bold: {{red: [{bold}]}}}}"
    text = f"title: P\nprinted: {{t: {facts}}}\n{WINS}"
    write_paper(folder / "p", text, t=f"dataset,ours,theirs\n{rows}")
    result = audit(load_paper("./p", folder))
    every = {f.printed: f.verdict for f in result.findings["claims"]}
    [marked] = result.findings["bold"]
    return every | {"bold": marked.verdict}


AUC = "red,0.95,0.90\nblue,0.85,0.80\ngreen,0.75,0.70\nwhite,0.65,0.70\n"
ERRORS = "red,0.05,0.10\nblue,0.15,0.20\ngreen,0.25,0.30\nwhite,0.35,0.30\n"


@pytest.mark.parametrize(("metric", "rows"), [("auc", AUC), ("error", ERRORS)])
def test_claims_and_bold_type_follow_the_metric(tmp_path: Path, metric: str, rows: str) -> None:
    right = {"ours": "holds", "theirs": "fails"}
    assert reversed_claims(tmp_path / "1", metric, "theirs", rows) == right | {"bold": "fails"}
    assert reversed_claims(tmp_path / "2", metric, "ours", rows) == right | {"bold": "holds"}
