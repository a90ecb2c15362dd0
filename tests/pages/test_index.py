from __future__ import annotations

from pathlib import Path

from quadrepro.pages.folder import Folder, read_folder
from quadrepro.pages.index import index_html
from quadrepro.papers.paper import load_paper
from quadrepro.report.table import csv_text
from quadrepro.report.verdict_table import SCORE_HEADER
from tests.pages.made import cells, make_folder, run
from tests.pages.parsed import Parsed


def scored(inside: int, outside: int) -> str:
    row = ("table1", inside + outside, inside, outside, 0, 1.5, 0, 3, 0.5, 0.5, "")
    return csv_text(SCORE_HEADER, (row,))


def words(*folders: Folder, paper: str | None = "quadboost") -> str:
    found = load_paper(paper) if paper else None
    page = Parsed(index_html([(folder, found) for folder in folders]))
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
    page = Parsed(index_html([(folder, None)]))
    assert {"href": "small/report.html"} in page.all("a")
    shown = [text for tag, text in page.texts if tag in ("a", "span", "td")]
    start = shown.index("Small")
    assert shown[start : start + 8] == ["Small", "small", "12", "0", "1", "2", "0.1", "0 of 2"]


def test_of_a_printed_table_the_experiment_that_compares_most_counts_once(tmp_path: Path) -> None:
    few, many = made(tmp_path / "a", score__csv=scored(3, 1)), scored(7, 3)
    text = words(few, made(tmp_path / "b", score__csv=many))
    assert "7 of 10 printed numbers" in text
    readings = made(tmp_path / "c", score__csv=many, run__json=run(readings=[{"name": "r"}]))
    assert "3 of 4 printed numbers" in words(few, readings)


def test_of_a_claim_the_experiment_with_most_cells_that_judges_it_counts(tmp_path: Path) -> None:
    judged = "claim,timed,ours,holds,printed,holds in print\nx,false,1,{},,\n"
    small = cells({("monks", "quadboost"): (1,)})
    few = made(tmp_path / "a", claims__csv=judged.format("holds"), cells__csv=small)
    many = made(tmp_path / "b", claims__csv=judged.format("does not hold"))
    silent = made(tmp_path / "c", claims__csv=judged.format("not comparable"))
    assert "1 claim ✗ 1 does not hold" in words(few, many, silent)
    assert "1 claim ✓ 1 holds" in words(few, silent)


def test_experiments_without_a_paper_come_last(folder: Folder, tmp_path: Path) -> None:
    other = made(tmp_path / "other", run__json=run(paper=None))
    html = index_html([(other, None), (folder, load_paper("quadboost"))])
    assert "2 experiments on 1 paper." in html
    headings = [text for tag, text in Parsed(html).texts if tag == "h2"]
    assert headings == ["Efficient Learning of Ensembles with QuadBoost", "Without a paper"]


def test_an_index_of_nothing_is_a_page() -> None:
    assert "0 experiments on 0 papers." in words()
