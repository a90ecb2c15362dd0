from __future__ import annotations

from pathlib import Path

from quadrepro.results.folder import Folder, read_folder
from quadrepro.results.pages.index import index_html
from quadrepro.tables.table import csv_text
from quadrepro.tables.verdicts import SCORE_HEADER
from tests.results.pages.made import make_folder, run
from tests.results.pages.parsed import Parsed


def scored(inside: int, outside: int) -> str:
    row = ("table1", inside + outside, inside, outside, 0, 1.5, 0, 3, 0.5, 0.5, "")
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
    assert "2 claims ◐ 1 on some splits ? 1 cannot be judged" in text


def test_an_experiment_is_linked_to_its_page_with_its_counts(folder: Folder) -> None:
    page = Parsed(index_html([folder]))
    assert {"href": "small/report.html"} in page.all("a")
    shown = [text for tag, text in page.texts if tag in ("a", "span", "td")]
    start = shown.index("Small")
    assert shown[start : start + 8] == ["Small", "small", "12", "0", "1", "2", "0.1", "0 of 2"]


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
