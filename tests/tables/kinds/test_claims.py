"""Claims of a paper, judged on our means and on the printed table."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.config.config import Experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.papers.claims import CLAIMS
from quadrepro.papers.claims.claim import ClaimWord, Judgement, Ours
from quadrepro.tables.kinds import Context
from quadrepro.tables.kinds.claims import DATA_HEADER, MEANING, _on_splits, make_claims
from quadrepro.tables.render import Table
from tests.make import of_wrong
from tests.papers.measured import MIRROR, errors_of, texts_of
from tests.tables.contexts import beside_paper, gathered

CONFIG = """title: Own
protocol: {view: quadboost}
datasets: [monks, titanic]
algorithms:
  - {name: ada, algorithm: adaboost, grid: {n_rounds: 5}}
  - {name: quad, algorithm: quadboost, grid: {n_rounds: 5}}
paper: ./mypaper
tables: {claims: GROUP}
"""
PAPER = """title: Ours
printed: {table1: {unit: fraction}}
names: {ada: AdaBoost, quad: QuadBoost}
notes: [Below every table.]
claims:
  table1:
    notes: [Below this one.]
    claims: &claims
      - &wins {kind: wins-or-ties, text: Ada wins, of: ada, than: quad, at_least: 2}
      - {kind: wins-or-ties, text: Ada wins one, of: ada, than: quad, at_least: 1, rows: [monks]}
      - {kind: wins-or-ties, text: Or the other, of: ada, than: quad, at_least: 1, except: [monks]}
      - {kind: times-faster, text: Ada is fast, of: ada, than: quad, times: 2}
      - {kind: lower, text: On splits, of: ada, than: quad, by: paired-t}
      - {kind: same-on-average, text: Curves, of: ada, than: quad, measure: train_error}
  each:
    judged: splits
    printed: [table1]
    claims: *claims
  ours:
    claims: [*wins]
  also:
    also: {measure: noiseless, words: without noise}
    claims: [*wins]
"""
TABLE = "d,ada,quad\nmonks,0.1,0.2\ntitanic,0.3,0.3\nmean_running_time_s,1,3\n"


def claims_of(experiment: Experiment, outcomes: Outcomes) -> Table:
    context = Context(experiment, "claims", experiment.config.tables["claims"])
    return make_claims(context, outcomes).table


def load(
    group: str = "table1",
    table: str = TABLE,
    config: str = CONFIG,
    paper: str = PAPER,
) -> Experiment:
    """Return the experiment of the config with a group of claims and the printed table."""
    return beside_paper(config.replace("GROUP", group), paper, table1=table)


def outcomes(*splits: tuple[int, int], seconds: float = 1.0) -> Outcomes:
    """Return records where AdaBoost has these errors of 100 on both rows, and QuadBoost 10."""
    records = {}
    for split, counts in enumerate(splits):
        for row, errors in zip(("monks", "titanic"), counts, strict=True):
            ada = Record("k", "ok", errors, 100, seconds=seconds, measures={"noiseless": [0.9]})
            quad = Record("k", "ok", 10, 100, seconds=1.0, measures={"noiseless": [0.1]})
            records |= {(row, "ada", split): ada, (row, "quad", split): quad}
    return gathered(records)


def test_every_claim_is_judged_on_our_means_and_on_the_printed_table() -> None:
    table = claims_of(load(), outcomes((9, 8), (9, 10)))
    assert table.header == ("claim", "ours", "judgement", "printed table", "judgement on it")
    names = [name for name, _ in table.rows]
    fast = "Ada is fast (measured time)"
    assert names == ["Ada wins", "Ada wins one", "Or the other", fast, "On splits", "Curves"]
    assert table.timed_rows == (fast, "Ada is fast")
    ours = [texts[0] for texts in texts_of(table)]
    assert ours[:3] == ["2 of 2 (2 wins, 0 ties)", *["1 of 1 (1 wins, 0 ties)"] * 2]
    assert ours[3].startswith("1 times as fast [1, 1]; power 0.8 at ")
    assert ours[5] == "the config keeps no measure 'train_error'"
    assert [texts[1:] for texts in texts_of(table)] == [
        ("agrees", "2 of 2 (1 wins, 1 ties)", "supported"),
        ("agrees", "1 of 1 (1 wins, 0 ties)", "supported"),
        ("agrees", "1 of 1 (0 wins, 1 ties)", "supported"),
        ("refuted", "3 times as fast", "supported"),
        ("agrees", "no splits to test over", "undecided"),
        ("undecided", "not printed", "undecided"),
    ]
    assert table.notes == (MEANING, "Below every table.", "Below this one.")
    assert table.data_header == DATA_HEADER
    assert [row[1] for row in table.data_rows] == ["false"] * 3 + ["true"] + ["false"] * 2
    assert [row[2:] for row in table.data_rows] == texts_of(table)
    assert [row[0] for row in table.data_rows][:3] == names[:3]


def test_single_splits_are_counted_but_for_times() -> None:
    table = claims_of(load("each"), outcomes((11, 9), (9, 9), (9, 8), seconds=0.4))
    first, *_, timed, on_splits, _ = texts_of(table)
    assert first[:2] == ("2 of 2 (2 wins, 0 ties); 2 of 3 single splits show it", "agrees")
    assert timed[:2] == ("2.5 times as fast [2.5, 2.5]; power 0.8 at 2.2 times", "supported")
    # One split has no splits to count.
    assert on_splits[0].startswith("significantly lower on 0 of 2, higher on 0; power")
    assert "single" not in on_splits[0]
    assert table.notes[0].startswith("Ours: the means over all splits, and the number of single")
    assert table.notes[1:] == (MEANING, "Below every table.")
    alone = claims_of(load("each"), outcomes((9, 9)))
    assert texts_of(alone)[0][:2] == ("2 of 2 (2 wins, 0 ties)", "agrees")
    assert alone.notes == table.notes[1:]


LOWER = CLAIMS["lower"].model_validate({"kind": "lower", "text": "t", "of": "a", "than": "b"})
HIGHER = LOWER.model_copy(update={"kind": "higher"})


def one_row(a: list[int], b: list[int]) -> Ours:
    return errors_of({"a": [a], "b": [b]})


@pytest.mark.parametrize(
    ("n_splits", "n_lower", "word"),
    [
        # Of n splits and the paper's own, one that does not show it is one in n + 1.
        (19, 19, "supported"),
        (18, 18, "agrees"),
        (39, 38, "supported"),
        (38, 37, "agrees"),
        (20, 11, "agrees"),
        (20, 10, "undecided"),
    ],
)
def test_splits_support_if_almost_all_agree(n_splits: int, n_lower: int, word: ClaimWord) -> None:
    # The differences vary too much for a test on the means.
    ours = one_row([10] * n_lower + [30] * (n_splits - n_lower), [20] * n_splits)
    for claim, expected in ((LOWER, word), (HIGHER, MIRROR[word])):
        pooled = Judgement("pooled", "agrees")
        text, judged = _on_splits(claim, ours, pooled)
        n = n_lower if claim is LOWER else n_splits - n_lower
        assert text == f"pooled; {n} of {n_splits} single splits show it"
        assert judged == expected


@pytest.mark.parametrize(
    ("pooled", "n_lower", "word"),
    [
        ("supported", 20, "supported"),
        ("supported", 10, "supported"),
        ("supported", 0, "undecided"),
        ("refuted", 20, "undecided"),
        ("refuted", 10, "refuted"),
        ("refuted", 0, "refuted"),
        ("agrees", 20, "supported"),
        ("disagrees", 20, "supported"),
        ("agrees", 0, "refuted"),
        ("agrees", 8, "disagrees"),
        ("disagrees", 12, "agrees"),
    ],
)
def test_a_test_and_a_count_can_contradict(
    pooled: ClaimWord, n_lower: int, word: ClaimWord
) -> None:
    ours = one_row([10] * n_lower + [30] * (20 - n_lower), [20] * 20)
    assert _on_splits(LOWER, ours, Judgement("", pooled)).word == word
    # The contrary has the mirrored word.
    mirrored = _on_splits(HIGHER, ours, Judgement("", MIRROR[pooled]))
    assert mirrored.word == MIRROR[word]


@given(st.lists(st.sampled_from([10, 15, 30]), min_size=2, max_size=25))
def test_swapping_two_algorithms_mirrors_the_word_over_splits(a: list[int]) -> None:
    b = [20] * len(a)
    both = (one_row(a, b), one_row(b, a))
    word, mirrored = (_on_splits(LOWER, ours, LOWER.judge(ours)).word for ours in both)
    assert mirrored == MIRROR[word]


@pytest.mark.parametrize("n_splits", [2, 25])
def test_splits_that_cannot_decide_a_claim_do_not_refute_it(n_splits: int) -> None:
    few = errors_of({"a": [[1] * n_splits] * 5, "b": [[2] * n_splits] * 5})
    # Five rows are too few for the sign test, and the 15 missing ones could have five wins.
    for kind, keys in (("not-better", {}), ("wins-or-ties", {"at_least": 10, "out_of": 20})):
        fields = {"kind": kind, "text": "t", "of": "a", "than": "b", **keys}
        claim = CLAIMS[kind].model_validate(fields)
        pooled = claim.judge(few)
        assert pooled.word == "undecided"
        assert _on_splits(claim, few, pooled) == pooled


def test_a_significance_that_is_claimed_must_be_found_on_a_split() -> None:
    claim = LOWER.model_copy(update={"by": "sign-test"})
    # A is lower on five of six rows of each split, and on other rows in each.
    a = [[3 if row == split else 1 for split in range(6)] for row in range(6)]
    ours = errors_of({"a": a, "b": [[2] * 6] * 6})
    pooled = claim.judge(ours)
    text, word = _on_splits(claim, ours, pooled)
    assert (pooled.word, word) == ("supported", "supported")
    assert text.endswith("; 0 of 6 single splits show it")


def test_claims_about_other_rows_or_algorithms_are_left_out_with_a_sentence() -> None:
    config, table = CONFIG.replace("monks, ", ""), "d,ada,quad\ntitanic,0.3,0.3\n"
    experiment = load(config=config, table=table)
    both = outcomes((9, 9), (9, 8)).records.items()
    table = claims_of(experiment, gathered({p: record for p, record in both if p[0] == "titanic"}))
    # The second is about monks.
    assert [name for name, _ in table.rows][:2] == ["Ada wins", "Or the other"]
    assert table.notes[0] == (
        "Left out: claims about data sets or algorithms that are not here (1 of 6)."
    )


def test_claims_without_a_printed_table_are_judged_on_ours_alone() -> None:
    table = claims_of(load("ours"), outcomes((9, 9)))
    assert table.header == ("claim", "ours", "judgement")
    assert texts_of(table) == [("2 of 2 (2 wins, 0 ties)", "agrees")]
    assert table.data_rows == (("Ada wins", "false", "2 of 2 (2 wins, 0 ties)", "agrees", "", ""),)
    [(text, word)] = texts_of(claims_of(load("also"), outcomes((9, 9))))
    assert text.startswith("2 of 2 (2 wins, 0 ties); without noise: 0 of 2 (0 wins, 0 ties); none ")
    assert word == "agrees"


@pytest.mark.parametrize(
    "table", [TABLE.replace("titanic", "zoo"), TABLE.replace("mean", "zoo,1,1\nmean")]
)
def test_no_claim_is_judged_on_other_rows_than_the_papers(table: str) -> None:
    judged = claims_of(load(table=table), outcomes((9, 9)))
    n = len(table.splitlines()) - 2
    about = f"The paper's 6 claims are about {n} data sets; here are 2, so nothing is judged."
    assert (judged.rows, judged.data_rows, judged.notes) == ((), (), (about,))


AUC = """title: Ours
printed: {table1: {unit: fraction, metric: auc}}
names: {ada: AdaBoost, quad: QuadBoost}
claims:
  table1: {claims: [{kind: wins-or-ties, text: wins, of: ada, than: quad, at_least: 1}]}
"""


def test_claims_on_another_metric_follow_its_direction() -> None:
    table = "d,ada,quad\nmonks,0.90,0.80\ntitanic,0.80,0.85\n"
    config = CONFIG + "metrics: [auc]\n"
    rng, noise, records = np.random.default_rng(0), {"ada": 0.1, "quad": 1.0}, {}
    for row, split, column in product(("monks", "titanic"), range(5), noise):
        record = of_wrong(rng.random(40) < 0.2)
        actual = np.arange(40) % 2
        record |= {"actual": actual, "scores": actual + noise[column] * rng.normal(size=40)}
        records[row, column, split] = Record("k", "ok", 8, 40, **record)
    ours = gathered(records)
    [wins] = texts_of(claims_of(load(table=table, paper=AUC, config=config), ours))
    # Ada's scores are almost those of the classes, so that its AUC is the highest.
    assert wins[::2] == ("2 of 2 (2 wins, 0 ties)", "1 of 2 (1 wins, 0 ties)")
    assert wins[1::2] == ("supported", "supported")
    [unasked] = texts_of(claims_of(load(table=table, paper=AUC), ours))
    assert unasked[:2] == ("the config does not ask for metrics: [auc]", "undecided")
    assert unasked[2:] == wins[2:]
