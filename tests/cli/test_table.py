from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.call import quadrepro
from tests.results.pages.made import make_folder

Write = Callable[..., Path]

RESULTS = Path(__file__).resolve().parents[2] / "results"


@pytest.fixture
def computed(small_config: Write, tmp_path: Path) -> tuple[Path, Path]:
    """Return a config and the folder with its results."""
    config, out = small_config(), tmp_path / "out"
    assert quadrepro("run", config, "--jobs", 1, "--out", out).exit_code == 0
    return config, out


def test_tables_are_written_again_from_records(computed: tuple[Path, Path]) -> None:
    config, out = computed
    errors = out / "small" / "errors.md"
    before = errors.read_text()
    errors.unlink()
    result = quadrepro("table", config, "--out", out)
    assert result.exit_code == 0
    assert errors.read_text() == before
    assert result.stdout == f"{before}\nTables written to {out / 'small'}\n"


def test_many_cells_without_a_result_are_counted_and_those_that_failed_can_be_tried_again(
    small_config: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quadrepro.core.learners.adaboost.AdaBoost._paths", None)
    options = "--repeats", 6, "--out", tmp_path
    quadrepro("run", small_config(), "--jobs", 1, *options)
    stderr = quadrepro("table", small_config(), *options).stderr
    assert stderr.count(": failed: ") == 1
    assert "monks, ada, repeat 0: failed: TypeError" in stderr
    assert " (12 cells alike)\n" in stderr
    cells = tmp_path / "small" / "cells.csv"
    assert f"12 of 24 cells have no result; {cells} lists them\n" in stderr
    assert stderr.endswith("compute those that failed again with --retry\n")


def test_tables_are_drawn_on_a_terminal_and_markdown_or_latex_if_asked_for(
    computed: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    config, out = computed
    monkeypatch.setattr("quadrepro.cli.common.on_terminal", lambda: True)

    def printed(*words: str) -> str:
        return quadrepro("table", config, "--out", out, *words).stdout

    assert "|" not in printed()
    assert printed().lstrip().startswith("Small: test risks\n")
    assert printed("--format", "markdown").startswith((out / "small" / "errors.md").read_text())
    latex = printed("--format", "latex")
    assert latex.index(r"\label{tab:small-errors}") < latex.index(r"\label{tab:small-comparisons}")


def test_figures_can_be_pdf(small_config: Write, tmp_path: Path) -> None:
    config = small_config("seed: 7", "seed: 7\ntables: {ranking: true}")
    quadrepro("run", config, "--jobs", 1, "--out", tmp_path, "--no-report", "--repeats", 2)
    options = ("--out", tmp_path, "--repeats", 2)
    assert quadrepro("table", config, *options, "--figures", "pdf").exit_code == 0
    assert (tmp_path / "small" / "ranking.pdf").read_bytes().startswith(b"%PDF")
    assert not (tmp_path / "small" / "ranking.svg").exists()


def test_tables_of_several_configs_are_written_but_not_printed(
    computed: tuple[Path, Path], tmp_path: Path
) -> None:
    first, out = computed
    second, third = tmp_path / "second.yaml", tmp_path / "third.yaml"
    second.write_text(first.read_text())
    third.write_text(first.read_text().replace("seed: 7", "seed: 8"))
    result = quadrepro("table", second, third, first, "--out", out)
    assert result.exit_code == 1
    written = [f"Tables written to {out / name}\n" for name in ("second", "small")]
    assert result.stdout == "".join(written)
    assert f"no cell of {third} has been computed in {out / 'records'}\n" in result.stderr
    assert not (out / "third").exists()


def test_a_page_is_written_from_a_folder_and_again_only_where_it_was(
    computed: tuple[Path, Path], small_config: Write
) -> None:
    config, out = computed
    page = out / "small" / "report.html"
    before = page.read_bytes()
    page.unlink()
    quadrepro("table", config, "--out", out)
    assert not page.exists()
    for what in ((out / "small",), (config, "--out", out)):
        result = quadrepro("table", "--page", *what)
        assert (result.exit_code, result.stdout) == (0, f"{page.as_uri()}\n")
        assert page.read_bytes() == before
    quadrepro("table", small_config("title: Small", "title: Renamed"), "--out", out)
    assert "<h1>Renamed</h1>" in page.read_text()


def test_all_pages_are_written_with_index_and_scoreboard(tmp_path: Path) -> None:
    make_folder(tmp_path / "a", cells__csv="dataset\n")
    make_folder(tmp_path / "b")
    result = quadrepro("table", "--all", "--out", tmp_path)
    assert result.exit_code == 3
    assert "a/cells.csv: there is no column" in result.stderr
    assert (tmp_path / "b" / "report.html").exists()
    assert result.stdout.endswith(f"{(tmp_path / 'index.html').as_uri()}\n")
    make_folder(tmp_path / "a")
    result = quadrepro("table", "--all", "--out", tmp_path)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Scoreboard written to {tmp_path / 'README.md'}\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give a config, a results folder, or --all"),
        (("x", "--all"), "give a config, a results folder, or --all"),
        (("--all", "--out", "nowhere"), "nowhere holds no results folder"),
        (("--page", "tabel1"), "did you mean 'table1'?"),
        ((RESULTS / "quickstart",), "quickstart is a results folder: --page writes its page"),
    ],
)
def test_what_cannot_be_written_is_refused(words: tuple[object, ...], message: str) -> None:
    result = quadrepro("table", *words)
    assert result.exit_code == 2
    assert message in result.stderr
