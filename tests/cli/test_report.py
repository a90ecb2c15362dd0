from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from quadrepro.cli import main
from tests.results.pages.made import make_folder

Write = Callable[..., Path]


def quadrepro(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(6 * 2**30)


def test_a_run_ends_with_the_link_to_its_page(small_config: Write, tmp_path: Path) -> None:
    out = tmp_path / "results"
    result = quadrepro("run", small_config(), "--jobs", 0, "--out", out, "--repeats", 2)
    page = out / "small" / "report.html"
    assert result.stdout.splitlines()[-1] == f"Report: {page.as_uri()}"
    before = page.read_bytes()
    assert b"people" in before
    assert "small/report.html" in (out / "index.html").read_text()
    page.unlink()
    again = quadrepro("report", small_config(), "--out", out)
    assert (again.exit_code, again.output) == (0, f"{page.as_uri()}\n")
    assert page.read_bytes() == before


def test_table_writes_a_page_again_that_is_there(small_config: Write, tmp_path: Path) -> None:
    quadrepro("run", small_config(), "--jobs", 0, "--out", tmp_path)
    page = tmp_path / "small" / "report.html"
    more = small_config("title: Small", "title: Renamed")
    assert quadrepro("table", more, "--out", tmp_path).exit_code == 0
    assert "<h1>Renamed</h1>" in page.read_text()
    page.unlink()
    quadrepro("table", more, "--out", tmp_path)
    assert not page.exists()


def test_no_report_leaves_the_page_out(small_config: Write, tmp_path: Path) -> None:
    result = quadrepro("run", small_config(), "--jobs", 0, "--out", tmp_path, "--no-report")
    assert result.exit_code == 0
    assert "Report" not in result.output
    assert not (tmp_path / "small" / "report.html").exists()
    assert not (tmp_path / "index.html").exists()


def test_events_name_the_page(small_config: Write, tmp_path: Path) -> None:
    result = quadrepro("run", small_config(), "--jobs", 0, "--out", tmp_path, "--json")
    end = json.loads(result.stdout.splitlines()[-1])
    assert end["report"] == str(tmp_path / "small" / "report.html")


@pytest.mark.parametrize("option", [(), ("--json",)])
def test_a_page_that_fails_leaves_the_exit_code(
    small_config: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: tuple[str, ...]
) -> None:
    def fail(*words: object) -> None:
        raise RuntimeError("no ink")

    monkeypatch.setattr("quadrepro.results.pages.index.page_html", fail)
    result = quadrepro("run", small_config(), "--jobs", 0, "--out", tmp_path, *option)
    assert result.exit_code == 0
    assert "the report could not be written: no ink" in result.stderr
    assert (tmp_path / "small" / "risks.md").exists()


def test_all_writes_every_page_and_the_index(tmp_path: Path) -> None:
    for name in ("a", "b"):
        make_folder(tmp_path / name)
    result = quadrepro("report", "--all", "--out", tmp_path)
    assert (result.exit_code, result.output) == (0, f"{(tmp_path / 'index.html').as_uri()}\n")
    assert (tmp_path / "a" / "report.html").exists()
    assert (tmp_path / "b" / "report.html").exists()


def test_a_damaged_folder_does_not_stop_the_others(tmp_path: Path) -> None:
    make_folder(tmp_path / "a", cells__csv="dataset\n")
    make_folder(tmp_path / "b")
    result = quadrepro("report", "--all", "--out", tmp_path)
    assert result.exit_code == 3
    assert "a/cells.csv: unknown column" in result.stderr
    assert (tmp_path / "b" / "report.html").exists()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 2, "give a config, a results folder, or --all"),
        (("x", "--all"), 2, "give a config, a results folder, or --all"),
        (("--all", "--out", "nowhere"), 2, "nowhere holds no results folder"),
        (("tabel1", "--out", "nowhere"), 2, "did you mean 'table1'?"),
    ],
)
def test_what_cannot_be_reported_is_refused(
    words: tuple[str, ...], code: int, message: str
) -> None:
    result = quadrepro("report", *words)
    assert result.exit_code == code
    assert message in result.stderr


def test_one_damaged_folder_is_a_fault_of_data(tmp_path: Path) -> None:
    result = quadrepro("report", make_folder(tmp_path / "a", run__json="no"))
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
        ("report", a),
        ("report", "--all", "--out", tmp_path),
        ("overview", "--out", tmp_path),
        ("compare", a, b),
        ("compare", a, "--against", "printed"),
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
    result = quadrepro("report", made)
    assert result.exit_code == 0
    assert "was not written by quadrepro and stays as it is" in result.stderr
