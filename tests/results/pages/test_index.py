from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from quadrepro.errors import DataError
from quadrepro.results.folder import Folder, read_folder
from quadrepro.results.pages.index import index_html, paper_of, write_all, write_page, write_report
from quadrepro.tables.table import csv_text
from quadrepro.tables.verdicts import SCORE_HEADER
from tests.results.pages.made import make_folder, run
from tests.results.pages.parsed import Parsed


def scored(inside: int, outside: int) -> str:
    row = ("table1", inside + outside, inside, outside, 0, 1.5, 0, 3, 0.5, 0.5, "[]")
    return csv_text(SCORE_HEADER, (row,))


def words(*folders: Folder) -> str:
    page = Parsed(index_html(folders))
    page.check()
    return " ".join(page.words.split())


def made(path: Path, **changes: str | None) -> Folder:
    return read_folder(make_folder(path, **changes))


def test_a_card_has_the_score_and_the_claims_of_a_paper(folder: Folder) -> None:
    text = words(folder)
    assert "1 experiment on 1 paper." in text
    assert "Efficient Learning of Ensembles with QuadBoost" in text
    assert "1 of 3 printed numbers lie inside our intervals" in text
    assert "2 outside; 0.1 would be by chance" in text
    assert "2 claims ? 2 not decided" in text


def test_an_experiment_is_linked_to_its_page_with_its_counts(folder: Folder) -> None:
    page = Parsed(index_html([folder]))
    assert {"href": "small/report.html"} in page.all("a")
    shown = [text for tag, text in page.texts if tag in ("a", "span", "td")]
    start = shown.index("Small")
    assert shown[start : start + 8] == ["Small", "small", "12", "0", "1", "2", "0.1", "0 of 2"]


def test_an_experiment_is_listed_with_what_was_found(folder: Folder) -> None:
    assert "2 of 3 printed numbers of Table 1 are outside" in words(folder)


def test_what_counts_is_what_the_scoreboard_counts_and_comes_first(tmp_path: Path) -> None:
    few = made(tmp_path / "table1-distribution", score__csv=scored(3, 1))
    other = made(tmp_path / "mine", score__csv=scored(7, 3))
    text = words(other, few)
    assert "3 of 4 printed numbers" in text
    paths = [part for part in index_html([other, few]).split('"') if part.endswith("/report.html")]
    assert paths == ["table1-distribution/report.html", "mine/report.html"]
    assert "7 of 10 printed numbers" in words(other)


def test_experiments_without_a_paper_come_last(folder: Folder, tmp_path: Path) -> None:
    other = made(tmp_path / "other", run__json=run(paper=None))
    html = index_html([other, folder])
    assert "2 experiments on 1 paper." in html
    headings = [text for tag, text in Parsed(html).texts if tag == "h2"]
    assert headings == ["Efficient Learning of Ensembles with QuadBoost", "Without a paper"]


def test_an_index_of_nothing_is_a_page() -> None:
    assert "0 experiments on 0 papers." in words()


EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "my-paper"


def test_a_report_is_a_page_and_the_index_beside_the_folder(folder: Folder) -> None:
    page, unlisted = write_report(folder.path)
    assert (page, unlisted) == (folder.path / "report.html", [])
    assert "small/report.html" in (folder.path.parent / "index.html").read_text()


def test_a_page_is_written_again_byte_for_byte(folder: Folder) -> None:
    before = write_page(folder.path).read_bytes()
    moved = folder.path.with_name("moved")
    shutil.copytree(folder.path, moved)
    assert write_page(moved).read_bytes() == before


def test_an_index_of_somebody_else_stays(folder: Folder) -> None:
    index = folder.path.parent / "index.html"
    index.write_text("mine")
    (message,) = write_report(folder.path)[1]
    assert "was not written by quadrepro and stays as it is" in message
    assert index.read_text() == "mine"


def test_a_damaged_folder_is_left_out_and_named(folder: Folder) -> None:
    out = folder.path.parent
    make_folder(out / "broken", cells__csv="dataset\n")
    _, (unlisted,) = write_report(folder.path)
    assert "broken/cells.csv: unknown column 'algorithm'" in unlisted
    index, faults = write_all(out)
    assert [type(fault) for fault in faults] == [DataError]
    assert "broken" not in index.read_text()
    assert not (out / "broken" / "report.html").exists()
    assert (out / "small" / "report.html").exists()


def test_a_paper_of_ones_own_is_read_beside_its_config_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLE)
    made = read_folder(make_folder(tmp_path, run__json=run(paper="./mypaper")))
    assert paper_of(made) is None
    paper = paper_of(made, EXAMPLE)
    assert paper is not None
    assert paper.reference == "./mypaper"


@pytest.mark.parametrize("paper", ["", "no-such-paper", "../quadboost"])
def test_a_paper_that_cannot_be_found_is_none(tmp_path: Path, paper: str) -> None:
    assert paper_of(read_folder(make_folder(tmp_path, run__json=run(paper=paper)))) is None
