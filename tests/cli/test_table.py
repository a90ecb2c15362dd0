from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.call import quadrepro
from tests.results.pages.made import make_folder

Write = Callable[..., Path]

RESULTS = Path(__file__).resolve().parents[2] / "results"


def test_table_rebuilds_from_records_alone(small_config: Write, tmp_path: Path) -> None:
    out = tmp_path / "results"
    quadrepro("run", small_config(), "--jobs", 1, "--out", out)
    before = (out / "small" / "risks.md").read_bytes()
    (out / "small" / "risks.md").unlink()
    assert quadrepro("table", small_config(), "--out", out).exit_code == 0
    assert (out / "small" / "risks.md").read_bytes() == before


def test_table_shows_a_dash_for_what_is_not_computed(small_config: Write, tmp_path: Path) -> None:
    quadrepro("run", small_config(), "--jobs", 1, "--out", tmp_path)
    more = small_config("n_rounds: 5", "n_rounds: 6")
    result = quadrepro("table", more, "--out", tmp_path)
    assert result.exit_code == 1
    assert "– |" in result.output
    assert "monks, ada, repeat 0: missing: not computed" in result.stderr


def test_tables_are_drawn_on_a_terminal_and_markdown_elsewhere_or_if_asked_for(
    small_config: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small_config()
    quadrepro("run", config, "--jobs", 1, "--out", tmp_path)
    markdown = (tmp_path / "small" / "risks.md").read_text()
    assert quadrepro("table", config, "--out", tmp_path).output.startswith(markdown)
    monkeypatch.setattr("quadrepro.tables.terminal.on_terminal", lambda: True)
    drawn = quadrepro("table", config, "--out", tmp_path).output
    assert drawn.startswith("Small: test risks\n\n")
    assert "\nData set " in drawn
    assert "|" not in drawn
    asked = quadrepro("table", config, "--out", tmp_path, "--format", "markdown").output
    assert asked.startswith(markdown)
    latex = quadrepro("table", config, "--out", tmp_path, "--format", "latex").output
    assert latex.index(r"\label{tab:small-risks}") < latex.index(r"\label{tab:small-comparisons}")


def test_table_without_any_record_writes_nothing(small_config: Write, tmp_path: Path) -> None:
    result = quadrepro("table", small_config(), "--out", tmp_path / "results")
    assert result.exit_code == 1
    assert "has been computed" in result.stderr
    assert not (tmp_path / "results").exists()


def test_of_several_configs_all_tables_are_written_and_none_is_printed(
    small_config: Write, tmp_path: Path
) -> None:
    out, first = tmp_path / "results", small_config()
    second, third = (first.with_name(f"{name}.yaml") for name in ("second", "third"))
    second.write_text(first.read_text())
    quadrepro("run", first, "--jobs", 1, "--out", out)
    third.write_text(first.read_text().replace("seed: 7", "seed: 8"))
    result = quadrepro("table", second, third, first, "--out", out)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"Tables written to {out / 'second'}",
        f"Tables written to {out / 'small'}",
    ]
    assert f"no cell of {third} has been computed" in result.stderr
    assert not (out / "third").exists()


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(6 * 2**30)


def test_a_run_ends_with_the_link_to_its_page(small_config: Write, tmp_path: Path) -> None:
    out = tmp_path / "results"
    result = quadrepro("run", small_config(), "--jobs", 1, "--out", out, "--repeats", 2)
    page = out / "small" / "report.html"
    assert result.stdout.splitlines()[-1] == f"Report: {page.as_uri()}"
    before = page.read_bytes()
    assert b"people" in before
    assert "small/report.html" in (out / "index.html").read_text()
    page.unlink()
    again = quadrepro("table", "--page", small_config(), "--out", out)
    assert (again.exit_code, again.output) == (0, f"{page.as_uri()}\n")
    assert page.read_bytes() == before


def test_table_writes_a_page_again_that_is_there(small_config: Write, tmp_path: Path) -> None:
    quadrepro("run", small_config(), "--jobs", 1, "--out", tmp_path)
    page = tmp_path / "small" / "report.html"
    more = small_config("title: Small", "title: Renamed")
    assert quadrepro("table", more, "--out", tmp_path).exit_code == 0
    assert "<h1>Renamed</h1>" in page.read_text()
    page.unlink()
    quadrepro("table", more, "--out", tmp_path)
    assert not page.exists()


def test_no_report_leaves_the_page_out(small_config: Write, tmp_path: Path) -> None:
    result = quadrepro("run", small_config(), "--jobs", 1, "--out", tmp_path, "--no-report")
    assert result.exit_code == 0
    assert "Report" not in result.output
    assert not (tmp_path / "small" / "report.html").exists()
    assert not (tmp_path / "index.html").exists()


def test_a_page_that_fails_leaves_the_exit_code(
    small_config: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*words: object) -> None:
        raise RuntimeError("no ink")

    monkeypatch.setattr("quadrepro.results.pages.index.page_html", fail)
    result = quadrepro("run", small_config(), "--jobs", 1, "--out", tmp_path)
    assert result.exit_code == 0
    assert "the report could not be written: no ink" in result.stderr
    assert (tmp_path / "small" / "risks.md").exists()


def test_all_writes_every_page_and_the_index(tmp_path: Path) -> None:
    for name in ("a", "b"):
        make_folder(tmp_path / name)
    result = quadrepro("table", "--all", "--out", tmp_path)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == (tmp_path / "index.html").as_uri()
    assert (tmp_path / "a" / "report.html").exists()
    assert (tmp_path / "b" / "report.html").exists()


def test_a_damaged_folder_does_not_stop_the_others(tmp_path: Path) -> None:
    make_folder(tmp_path / "a", cells__csv="dataset\n")
    make_folder(tmp_path / "b")
    result = quadrepro("table", "--all", "--out", tmp_path)
    assert result.exit_code == 3
    assert "a/cells.csv: unknown column" in result.stderr
    assert (tmp_path / "b" / "report.html").exists()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 2, "give a config, a results folder, or --all"),
        (("x", "--all"), 2, "give a config, a results folder, or --all"),
        (("--all", "--out", "nowhere"), 2, "nowhere holds no results folder"),
        (("--page", "tabel1", "--out", "nowhere"), 2, "did you mean 'table1'?"),
        ((RESULTS / "quickstart",), 2, "quickstart is a results folder: --page writes its page"),
    ],
)
def test_what_cannot_be_written_is_refused(
    words: tuple[object, ...], code: int, message: str
) -> None:
    result = quadrepro("table", *words)
    assert result.exit_code == code
    assert message in result.stderr


def test_one_damaged_folder_is_a_fault_of_data(tmp_path: Path) -> None:
    result = quadrepro("table", "--page", make_folder(tmp_path / "a", run__json="no"))
    assert result.exit_code == 3
    assert "a/run.json: " in result.stderr


@pytest.mark.parametrize("name", ["run.json", "curves.svg", "cells.csv", "score.csv", "notes.md"])
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/etc/hosts"), sparse])
def test_a_file_of_another_kind_neither_hangs_a_verb_nor_is_followed(
    tmp_path: Path, name: str, make: Callable[[Path], object]
) -> None:
    for folder in ("a", "b"):
        made = make_folder(tmp_path / folder)
        (made / name).unlink()
        make(made / name)
    a, b = tmp_path / "a", tmp_path / "b"
    for words in (
        ("table", "--page", a),
        ("table", "--all", "--out", tmp_path),
        ("compare", a, b),
    ):
        result = quadrepro(*words)
        assert result.exit_code in (0, 3, 4), result.output
        assert result.exception is None or isinstance(result.exception, SystemExit)
        if make is sparse:
            assert result.exit_code == 3
            assert f"{name} has 6,144 MiB; at most 512 MiB are read" in result.stderr
    pages = [path.read_text() for path in (*tmp_path.rglob("*.html"), *tmp_path.glob("README.md"))]
    assert not any("localhost" in text for text in pages)


def test_an_index_that_is_a_pipe_is_left_alone(tmp_path: Path) -> None:
    made = make_folder(tmp_path / "small")
    os.mkfifo(tmp_path / "index.html")
    result = quadrepro("table", "--page", made)
    assert result.exit_code == 0
    assert "was not written by quadrepro and stays as it is" in result.stderr


def test_the_scoreboard_is_written_and_named(tmp_path: Path) -> None:
    (tmp_path / "quickstart").symlink_to(RESULTS / "quickstart")
    result = quadrepro("table", "--all", "--out", tmp_path)
    assert result.stdout.startswith(f"Scoreboard written to {tmp_path / 'README.md'}\n")
    assert "`quickstart`" in (tmp_path / "README.md").read_text()
