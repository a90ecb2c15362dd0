from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import quadrepro
from quadrepro.errors import ConfigError, DataError
from quadrepro.results.results import Results, load_results
from tests.conftest import SMALL

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Return results that no test may change."""
    folder = tmp_path_factory.mktemp("results")
    config = folder / "small.yaml"
    config.write_text(SMALL)
    return quadrepro.reproduce(config, jobs=1, out=folder / "out", repeats=2)


@pytest.fixture
def copied(results: Results, tmp_path: Path) -> Path:
    """Return a copy of the folder."""
    return shutil.copytree(results.folder, tmp_path / "small")


def test_cells_are_one_row_per_split(results: Results) -> None:
    cells = results.cells
    assert len(cells) == 2 * 2 * 2
    assert set(cells["dataset"]) == {"monks", "people"}
    assert set(cells["repeat"]) == {0, 1}
    np.testing.assert_allclose(cells["risk"], cells["errors"] / cells["n_test"], rtol=1e-7)
    assert cells["chosen"][1] == {"n_rounds": 5}


def test_examples_are_one_row_per_test_example_and_count_the_errors(results: Results) -> None:
    examples = results.examples
    place = ["dataset", "algorithm", "repeat"]
    counted = examples.groupby(place)["wrong"].agg(["sum", "size"]).reset_index()
    merged = results.cells.merge(counted, on=place)
    assert len(merged) == len(results.cells)
    assert (merged["sum"] == merged["errors"]).all()
    assert (merged["size"] == merged["n_test"]).all()
    assert set(examples["label"]) == set(examples["predicted"]) == {-1, 1}
    assert ((examples["label"] != examples["predicted"]) == examples["wrong"]).all()
    first = examples[(examples["dataset"] == "monks") & (examples["repeat"] == 0)]
    of_each = first.groupby("algorithm")["example"].agg(set)
    assert of_each.iloc[0] == of_each.iloc[1]


def test_examples_of_kept_classes_have_their_names(tmp_path: Path) -> None:
    protocol = {"view": "default", "folds": 0}
    algorithm = {"name": "adaboost", "grid": {"n_rounds": 5}}
    config = {"title": "T", "protocol": protocol, "datasets": ["wine"], "algorithms": [algorithm]}
    found = quadrepro.reproduce({**config, "baseline": False}, jobs=1, out=tmp_path, progress=False)
    examples = found.examples
    assert set(examples["label"]) == set(examples["predicted"]) == {"1", "2", "3"}
    assert examples["wrong"].sum() == found.cells["errors"].iloc[0] < len(examples) / 2


def test_a_table_shows_as_markdown_and_as_html_and_has_its_numbers(results: Results) -> None:
    assert results.tables == ("risks", "comparisons")
    table = results.table("risks")
    assert repr(table) == (results.folder / "risks.md").read_text()
    assert "<table>" in table._repr_html_()
    means = results.cells[results.cells["algorithm"] == "ada"].groupby("dataset")["risk"].mean()
    data = table.data.set_index("dataset")
    assert data.loc["monks", "ada"] == pytest.approx(means["monks"])


def test_results_show_their_first_table_and_what_else_there_is(results: Results) -> None:
    text = repr(results)
    assert text.startswith("## Small: test risks")
    assert "tables: risks, comparisons" in text
    assert str(results.folder) in text
    html = results._repr_html_()
    assert "<table>" in html
    assert "tables: risks, comparisons" in html


def test_an_unknown_table_is_refused_with_the_nearest(results: Results) -> None:
    with pytest.raises(ConfigError, match="has no table 'risk'; did you mean 'risks'"):
        results.table("risk")


@pytest.mark.parametrize("name", ["verdicts", "claims"])
def test_what_the_config_does_not_ask_for_says_what_it_needs(results: Results, name: str) -> None:
    with pytest.raises(ConfigError, match=f"has no {name}: they need"):
        getattr(results, name)


def test_a_folder_reads_back_as_it_was_written_but_for_the_examples(results: Results) -> None:
    loaded = load_results(results.folder)
    assert loaded.tables == results.tables
    assert loaded.figures == results.figures == {}
    assert loaded.cells.equals(results.cells)
    with pytest.raises(ConfigError, match=r"call quadrepro\.reproduce"):
        _ = loaded.examples


def test_a_report_is_the_page_of_the_folder_with_the_users_own_paper(tmp_path: Path) -> None:
    config = ROOT / "examples" / "my-paper" / "my-paper.yaml"
    results = quadrepro.reproduce(config, jobs=1, out=tmp_path, progress=False)
    page = results.report()
    assert page == tmp_path / "my-paper" / "report.html"
    assert "A paper of our own" in page.read_text(encoding="utf-8")
    # The folder alone does not tell where that paper is.
    loaded = load_results(results.folder).report().read_text(encoding="utf-8")
    assert "Paper: ./mypaper" in loaded


def test_committed_results_have_verdicts_claims_and_figures() -> None:
    loaded = load_results(ROOT / "results" / "table1-distribution")
    verdicts = loaded.verdicts
    inside = verdicts[verdicts["verdict"] == "inside"].groupby("printed table").size()
    assert inside.to_dict() == {"table1": 144, "table2": 12}
    assert len(verdicts) == 150 + 15
    assert len(loaded.claims) == 8
    figures = load_results(ROOT / "results" / "cbboost-figure3").figures
    assert all(path.is_file() for path in figures.values())
    assert set(figures) == {"differences"}


@pytest.mark.parametrize(
    "folder",
    sorted(path.parent for path in (ROOT / "results").glob("*/tables.json")),
    ids=lambda p: p.name,
)
def test_every_committed_folder_can_be_read(folder: Path) -> None:
    loaded = load_results(folder)
    assert len(loaded.cells)
    assert "## " in repr(loaded)


def test_the_package_imports_nothing_until_a_name_is_used() -> None:
    code = (
        "import sys, quadrepro; before = {m for m in sys.modules if m.startswith('quadrepro.')}; "
        "quadrepro.reproduce; print(sorted(before), callable(quadrepro.reproduce), "
        "{'numpy', 'pandas', 'sklearn'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] True set()"


def test_every_public_name_is_there_and_listed() -> None:
    assert all(getattr(quadrepro, name) is not None for name in quadrepro.__all__)
    listed = {"reproduce", "load_results", "stats", "AdaBoostClassifier", "__version__"}
    assert listed <= {*quadrepro.__all__}


def test_a_notebook_runs_nothing_of_a_table_of_a_stranger(copied: Path) -> None:
    (copied / "risks.md").write_text("<script>alert(1)</script>\n\n| <b>a |\n|--|\n")
    assert "<script" not in (shown := load_results(copied)._repr_html_())
    assert "<b>" not in shown


@pytest.mark.parametrize("text", ["", "a\n1,2,3\n4", "chosen\n[[\n", "a,b\n1,2\n"])
def test_a_damaged_file_of_cells_is_named(copied: Path, text: str) -> None:
    (copied / "cells.csv").write_text(text)
    with pytest.raises(DataError, match=r"cells\.csv is damaged"):
        _ = load_results(copied).cells
