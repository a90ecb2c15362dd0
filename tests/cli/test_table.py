from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.make import quadrepro
from tests.results.made import make_folder

OPTIONS = ("--out", "results", "--repeats", 2)


def test_tables_are_written_again_from_records(computed: Path) -> None:
    errors = Path("results/small/errors.md")
    before = errors.read_text()
    errors.unlink()
    result = quadrepro("table", computed, *OPTIONS)
    assert result.exit_code == 0
    assert errors.read_text() == before
    assert result.stdout == f"{before}\nTables written to results/small\n"
    latex = quadrepro("table", computed, *OPTIONS, "--format", "latex").stdout
    assert latex.index(r"\label{tab:small-errors}") < latex.index(r"\label{tab:small-comparisons}")


def test_tables_of_several_configs_are_written_but_not_printed_and_figures_can_be_pdf(
    computed: Path,
) -> None:
    text = computed.read_text()
    Path("second.yaml").write_text(f"{text}tables: {{ranking: true}}\n")
    Path("third.yaml").write_text(text.replace("seed: 7", "seed: 8"))
    quadrepro("table", "second.yaml", *OPTIONS)
    assert Path("results/second/ranking.svg").exists()
    words = ("table", "second.yaml", "third.yaml", computed, *OPTIONS, "--figures", "pdf")
    result = quadrepro(*words)
    assert result.exit_code == 1
    written = [f"Tables written to results/{name}\n" for name in ("second", "small")]
    assert result.stdout == "".join(written)
    assert "no cell of third.yaml has been computed in results/records\n" in result.stderr
    assert not Path("results/third").exists()
    assert Path("results/second/ranking.pdf").read_bytes().startswith(b"%PDF")
    assert not Path("results/second/ranking.svg").exists()


def test_a_page_is_written_from_a_folder_and_again_only_where_it_was(computed: Path) -> None:
    page = Path("results/small/report.html")
    page.unlink()
    quadrepro("table", computed, *OPTIONS)
    assert not page.exists()
    result = quadrepro("table", "results/small")
    assert (result.exit_code, result.stdout) == (0, f"{page.resolve().as_uri()}\n")
    assert "<h1>Small</h1>" in page.read_text()
    computed.write_text(computed.read_text().replace("title: Small", "title: Renamed"))
    quadrepro("table", computed, *OPTIONS)
    assert "<h1>Renamed</h1>" in page.read_text()


def test_all_pages_are_written_with_index_and_scoreboard(tmp_path: Path) -> None:
    make_folder(tmp_path / "a", cells__csv="dataset\n")
    make_folder(tmp_path / "b")
    result = quadrepro("table", "--all", "--out", tmp_path)
    assert result.exit_code == 3
    assert "a/cells.csv: the column 'algorithm' is missing" in result.stderr
    assert (tmp_path / "b" / "report.html").exists()
    assert result.stdout.endswith(f"{(tmp_path / 'index.html').as_uri()}\n")
    make_folder(tmp_path / "a")
    result = quadrepro("table", "--all", "--out", tmp_path)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Scoreboard written to {tmp_path / 'README.md'}\n")


def test_tables_have_as_many_splits_as_the_run_had(
    small_config: Callable[..., Path], tmp_path: Path
) -> None:
    where = small_config(), "--out", tmp_path / "out"
    quadrepro("run", *where, "--jobs", 1, "--repeats", 3)
    errors = tmp_path / "out" / "small" / "errors.csv"
    before = errors.read_text()
    assert quadrepro("table", *where).exit_code == 0
    assert errors.read_text() == before
