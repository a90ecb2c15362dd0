from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from quadrepro.errors import DataError
from quadrepro.results.folder import Folder, read_folder
from quadrepro.results.pages.index import paper_of, write_all, write_page, write_report
from tests.results.pages.made import make_folder, run

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
