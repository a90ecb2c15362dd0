from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from tests.cli.call import quadrepro
from tests.make import edit

Write = Callable[..., Path]


def explain(*words: object) -> Result:
    return quadrepro("explain", *words, COLUMNS="200")


def splits(result: Result) -> list[list[str]]:
    """Return the columns of the table with a row per split."""
    below = result.stdout.split("─\n")[-1].split("\n\n")[0]
    return [re.split(r"  +", line.strip()) for line in below.splitlines()]


def test_an_entry_is_shown_with_all_that_it_depends_on(computed: Path) -> None:
    result = explain(computed, "people", "quadboost-l2")
    assert result.exit_code == 0
    facts = dict(re.findall(r"^(\w+)  +(.+)$", result.stdout, re.MULTILINE))
    assert facts["entry"] == "people, QuadBoost-L2 of Small"
    assert re.fullmatch(r"0\.\d{4} ± 0\.\d{4}, mean and deviation of 2 splits", facts["risk"])
    assert facts["grid"] == "n_rounds 10 | 20, lam 10.0 | 1.0"
    assert facts["rows"] == "500 to train, 1701 to test"
    assert facts["seed"] == "7, with the name 'titanic' and the split's number"
    assert "numpy" in facts["versions"]
    assert "Without a record" not in result.stdout
    assert "Computed again" not in result.stdout
    records = [path.name[:12] for path in Path("results/records").glob("??/*.record")]
    for i, (split, risk, chosen, _, key) in enumerate(splits(result)):
        assert split == str(i)
        assert re.fullmatch(r"0\.\d{4}, \d+ of 1701", risk)
        assert re.fullmatch(r"n_rounds \d+, lam [\d.]+", chosen)
        assert key in records
    by_title = explain(computed, "people", "QuadBoost-L2")
    assert by_title.stdout == result.stdout


def test_a_clone_shows_the_committed_results_and_agrees_with_them(computed: Path) -> None:
    with_records = splits(explain(computed, "monks", "ada"))
    shutil.rmtree("results/records")
    result = explain(computed, "monks", "ada", "--recompute")
    assert result.exit_code == 0, result.stderr
    assert [row[:3] for row in splits(result)] == [row[:3] for row in with_records]
    assert {row[-1] for row in splits(result)} == {"cells.csv"}
    assert "Without a record, results are from results/small/cells.csv: " in result.stdout
    assert "\nversions  " in result.stdout
    assert result.stdout.endswith("\nComputed again: 2 of 2 results are the same\n")
    assert not Path("results/records").exists()


@pytest.mark.parametrize("records", [True, False])
def test_a_result_that_differs_is_shown_from_both_sides(computed: Path, records: bool) -> None:
    edit(computed, "n_rounds: 5", "n_rounds: 6")
    if not records:
        shutil.rmtree("results/records")
    result = explain(computed, "monks", "ada", "--recompute")
    assert result.exit_code == 4
    sides = r"0\.\d+, \d+ of 216, n_rounds 5; computed again: 0\.\d+, \d+ of 216, n_rounds 6"
    assert re.search(rf"error: monks, ada, repeat 0: {sides}\nmonks, ada, repeat 1:", result.stderr)


def test_a_cell_that_tables_lack_is_not_a_difference(computed: Path) -> None:
    edit(computed, "n_rounds: 5", "n_rounds: 6")
    table = quadrepro("table", computed, "--repeats", 2)
    assert table.exit_code == 1
    assert "monks, ada, repeat 0: missing: not computed (4 cells alike)" in table.stderr
    assert "--retry" not in table.stderr
    assert explain(computed, "monks", "ada").exit_code == 1
    assert explain(computed, "monks", "ada", "--recompute").exit_code == 0


def test_a_printed_number_is_shown_with_its_verdict() -> None:
    out = "--out", Path(__file__).parents[2] / "results"
    judged = explain("table1-distribution", "balance", "AdaBoost", *out).stdout
    assert "printed risk  0.035, inside: our interval 0.007149 to 0.05375 (p = 0.7" in judged


def test_without_results_cells_are_missing_until_they_are_computed(small_config: Write) -> None:
    words, out = (small_config(), "monks", "ada"), ("--out", small_config().parent / "none")
    result = explain(*words, *out)
    assert result.exit_code == 1
    assert splits(result) == [["0", "not computed"]]
    assert "1 of 1 cells have no result" in result.stderr
    result = explain(*words, "--recompute", *out)
    assert result.exit_code == 0
    assert splits(result)[0][2] == "n_rounds 5"
    assert not out[1].exists()
    unknown = explain(*words[:2], "adda")
    assert unknown.exit_code == 2
    assert "unknown column 'adda'; did you mean 'ada'?" in unknown.stderr
