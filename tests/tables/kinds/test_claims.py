"""Claims of a paper, judged on our means and on the printed table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.config.config import Experiment
from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record, RecordStore
from quadrepro.results.files import write_results
from quadrepro.tables.kinds.base import Context
from quadrepro.tables.kinds.claims import MEANING, claims_table
from quadrepro.tables.table import Table
from tests.tables.contexts import beside_paper

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

Load = Callable[..., Experiment]


def claims_of(experiment: Experiment, found: Outcomes) -> Table:
    context = Context(experiment, "claims", experiment.config.tables["claims"])
    return claims_table(context, found)


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Return a function that loads the config with a group of claims and the printed table."""

    def load(group: str = "table1", table: str = TABLE, config: str = CONFIG) -> Experiment:
        return beside_paper(tmp_path, config.replace("GROUP", group), PAPER, table1=table)

    return load


def outcomes(*splits: tuple[int, int], seconds: float = 1.0) -> Outcomes:
    """Return records where AdaBoost has these errors of 100 on both rows, and QuadBoost 10."""
    records = {}
    for split, of_ada in enumerate(splits):
        for row, errors in zip(("monks", "titanic"), of_ada, strict=True):
            ada = Record("k", "ok", errors, 100, seconds=seconds, measures={"noiseless": [9.0]})
            records[row, "ada", split] = ada
            quad = Record("k", "ok", 10, 100, seconds=1.0, measures={"noiseless": [1.0]})
            records[row, "quad", split] = quad
    rows = ("monks", "titanic")
    shares = dict.fromkeys(rows, 0.5)
    return Outcomes(rows, ("ada", "quad"), len(splits), records, test_shares=shares)


def test_every_claim_is_judged_on_our_means_and_on_the_printed_table(load: Load) -> None:
    table = claims_of(load(), outcomes((9, 8), (9, 10)))
    assert table.header == ("claim", "ours", "holds", "printed table", "holds in print")
    assert [(name, *entries) for name, entries in table.rows] == [
        ("Ada wins", "2 of 2 (2 wins, 0 ties)", "holds", "2 of 2 (1 wins, 1 ties)", "holds"),
        ("Ada wins one", "1 of 1 (1 wins, 0 ties)", "holds", "1 of 1 (1 wins, 0 ties)", "holds"),
        ("Or the other", "1 of 1 (1 wins, 0 ties)", "holds", "1 of 1 (0 wins, 1 ties)", "holds"),
        (
            "Ada is fast (measured time)",
            "1 times as fast [1, 1]; power 0.8 at 2.2 times",
            "does not hold",
            "3 times as fast",
            "holds",
        ),
        (
            "On splits",
            "significantly lower on 1 of 2, higher on 0; power 0.8 at 0 to 24",
            "not decided",
            "no splits to test over",
            "not decided",
        ),
        (
            "Curves",
            "the config keeps no measure 'train_error'",
            "not decided",
            "not printed",
            "not decided",
        ),
    ]
    assert table.notes == (MEANING, "Below every table.", "Below this one.")
    assert [row[1] for row in table.data_rows] == ["false"] * 3 + ["true"] + ["false"] * 2
    assert [row[4] for row in table.data_rows] == [entries[2] for _, entries in table.rows]


def test_the_means_decide_and_single_splits_are_counted_but_for_times(load: Load) -> None:
    found = claims_of(load("each"), outcomes((11, 9), (9, 9), (9, 8), seconds=0.4))
    first, *_, timed, on_splits, curves = [e for _, e in found.rows]
    assert first[:2] == ("2 of 2 (2 wins, 0 ties); 2 of 3 single splits show it", "holds")
    assert timed[:2] == ("2.5 times as fast [2.5, 2.5]; power 0.8 at 2.2 times", "holds")
    # One split has no splits to count.
    assert on_splits[0].startswith("significantly lower on 0 of 2, higher on 0; power")
    assert "single" not in on_splits[0]
    assert curves[:2] == ("the config keeps no measure 'train_error'", "not decided")
    assert found.notes[1:] == (MEANING, "Below every table.")
    alone = claims_of(load("each"), outcomes((9, 9)))
    assert alone.rows[0][1][:2] == ("2 of 2 (2 wins, 0 ties)", "holds")
    assert alone.notes == found.notes[1:]


@pytest.mark.parametrize(
    ("so", "shown", "word"),
    [
        (5, "5 of 5 single splits show it, more than half of all (p = 0.031)", "holds"),
        (4, "4 of 5 single splits show it", "not decided"),
        (0, "0 of 5 single splits show it", "not decided"),
    ],
)
def test_more_than_half_of_the_splits_show_a_claim_that_the_means_do_not(
    load: Load, so: int, shown: str, word: str
) -> None:
    # One row of two is lower on average; both are at most equal where a split shows it.
    splits = [(10, 9)] * so + [(11, 9)] * (5 - so)
    wins = claims_of(load("each"), outcomes(*splits)).rows[0][1]
    assert wins[0].endswith(f"; {shown}")
    assert wins[1] == ("holds" if so == 5 else word)


def test_a_claim_that_the_means_refute_is_open_if_one_split_in_twenty_shows_it(load: Load) -> None:
    def word(*splits: tuple[int, int]) -> str:
        return claims_of(load("each"), outcomes(*splits)).rows[0][1][1]

    refuted = [(30, 30), (31, 31)] * 10
    assert word(*refuted) == "does not hold"
    assert word(*refuted, (9, 9)) == "not decided"
    # Of 18 splits and the paper's own, one would be more than one in twenty.
    assert word(*refuted[:18]) == "not decided"
    assert word(*refuted[:19]) == "does not hold"


def test_claims_about_other_rows_or_algorithms_are_left_out_with_a_sentence(load: Load) -> None:
    experiment = load(config=CONFIG.replace("monks, ", ""), table="d,ada,quad\ntitanic,0.3,0.3\n")
    found = outcomes((9, 9), (9, 8))
    records = {place: record for place, record in found.records.items() if place[0] == "titanic"}
    table = claims_of(experiment, Outcomes(("titanic",), ("ada", "quad"), 2, records))
    # The second is about monks.
    assert [name for name, _ in table.rows][:2] == ["Ada wins", "Or the other"]
    assert table.notes[0].endswith("(1 of 6).")


def test_claims_without_a_printed_table_are_judged_on_ours_alone(load: Load) -> None:
    table = claims_of(load("ours"), outcomes((9, 9)))
    assert table.header == ("claim", "ours", "holds")
    assert [list(entries) for _, entries in table.rows] == [["2 of 2 (2 wins, 0 ties)", "holds"]]
    assert claims_of(load("also"), outcomes((9, 9))).rows[0][1] == (
        "2 of 2 (2 wins, 0 ties); without noise: 0 of 2 (0 wins, 0 ties); none by chance "
        "p = 0.028, a test refutes 0 or fewer",
        "holds",
    )
    assert table.data_rows == (("Ada wins", "false", "2 of 2 (2 wins, 0 ties)", "holds", "", ""),)


@pytest.mark.parametrize(
    "table", [TABLE.replace("titanic", "zoo"), TABLE.replace("mean", "zoo,1,1\nmean")]
)
def test_no_claim_is_judged_on_other_rows_than_the_papers(load: Load, table: str) -> None:
    found = claims_of(load(table=table), outcomes((9, 9)))
    n = len(table.splitlines()) - 2
    about = f"The paper's 6 claims are about {n} data sets; here are 2, so nothing is judged."
    assert (found.rows, found.data_rows, found.notes) == ((), (), (about,))


CONFIGS = Path(__file__).resolve().parents[3] / "configs"


def test_claims_on_measured_times_are_named_in_both_files(tmp_path: Path) -> None:
    experiment = load_experiment(CONFIGS.parent / "examples/my-paper/my-paper.yaml")
    plan = make_plan(experiment)
    results = write_results(plan, RecordStore(tmp_path / "records"), tmp_path)
    table = results.made["claims"]
    labels, texts = table.timed_rows[::2], table.timed_rows[1::2]
    assert len(labels) == 1
    assert {*labels} < {name for name, _ in table.rows}
    assert {*texts} < {row[0] for row in table.data_rows}
    assert all("faster" in name for name in table.timed_rows)
    assert {p.name for p in results.folder.glob("claims.*")} == {"claims.md", "claims.csv"}
    assert results.manifest.tables["claims"].timed_rows == table.timed_rows
