from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.errors import ConfigError, DataError
from quadrepro.results.scoreboard import (
    FAILS,
    HOLDS,
    OPEN,
    fates_of,
    read_boards,
    read_results,
    scoreboard_text,
    tally,
)
from quadrepro.tables.verdicts import SCORE_HEADER
from tests.results.pages.made import make_folder, run

Make = Callable[..., Path]
QUIET = dict.fromkeys(("verdicts__csv", "score__csv", "claims__csv", "notes__md"))


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that writes a results folder, and returns the one that it is in."""

    def write(
        name: str,
        paper: str = "quadboost",
        scores: str = "",
        claims: tuple[str, ...] = (),
        group: str = "table1",
        notes: str | None = None,
    ) -> Path:
        header = "claim,timed,ours,holds,printed,holds in print\n"
        files = {
            "run__json": run(title=f"Title of {name}", paper=paper, tables={"claims": group}),
            "score__csv": ",".join(SCORE_HEADER) + f"\n{scores}\n",
            "claims__csv": header + "".join(f"c,false,,{holds},,\n" for holds in claims),
            "notes__md": notes,
        }
        tables = {"errors": {"title": "T"}, **({"verdicts": {"title": "V"}} if scores else {})}
        manifest = str({"tables": tables}).replace("'", '"')
        out = tmp_path / "results"
        make_folder(out / name, **{**QUIET, **files, "tables__json": manifest})
        return out

    return write


def counts(out: Path, board: int = 0) -> tuple[tuple[int, int], list[int]]:
    found = read_boards(read_results(out))[board]
    fates = fates_of(found.claims)
    return tally(found.scores)[:2], [fates[fate] for fate in (HOLDS, FAILS, OPEN)]


def score(inside: int, outside: int, table: str = "table1", off: str = "[]") -> str:
    return f"{table},{inside + outside},{inside},{outside},0,7.5,1,17,0.02,0.99,{off}"


def test_of_experiments_with_the_same_claims_the_first_that_has_any_counts(make: Make) -> None:
    make("quickstart")
    make("table1", claims=("holds", "does not hold"))
    out = make("table1-distribution", claims=("not decided", "3 of 30", "holds"))
    assert counts(out) == ((0, 0), [1, 0, 2])
    [board] = read_boards(read_results(out))
    names = [results.folder.name for results in board.folders]
    assert names == ["table1-distribution", "table1", "quickstart"]


def test_a_score_without_comparable_numbers_gives_way_to_one_with_some(make: Make) -> None:
    make("table1-distribution", scores="table1,150,0,0,150,,,,,,[]")
    out = make("table1", scores=score(140, 10))
    assert counts(out)[0] == (150, 140)
    (out / "table1" / "tables.json").unlink()
    assert "none of 150 comparable" in scoreboard_text(read_results(out))


def test_experiments_that_the_paper_does_not_list_are_shown_and_not_counted(make: Make) -> None:
    make("table1-distribution", scores=score(140, 10))
    out = make("table1-readings", scores=score(1, 19, "table2"))
    assert counts(out)[0] == (150, 140)
    assert "`table1-readings`, Title of table1-readings" in scoreboard_text(read_results(out))


def test_without_results_that_the_paper_lists_all_count(make: Make) -> None:
    make("a", "../mine", score(3, 1, "t1"), claims=("holds",))
    out = make("b", "../mine", score(2, 0, "t2"))
    assert counts(out) == ((6, 5), [1, 0, 0])
    make("mine", scores=score(3, 1), claims=("holds",))
    assert counts(out, 1) == ((4, 3), [1, 0, 0])


def test_a_reading_that_fits_a_printed_table_best_is_counted_beside_the_texts(make: Make) -> None:
    make("rescale-table1", "rescale", score(8, 32))
    make("rescale-table1-fit", "rescale", score(23, 17))
    make("rescale-table2", "rescale", score(11, 9, "table2"))
    make("rescale-table3-fit", "rescale", score(5, 5, "table3"))
    out = make("table1", scores=score(12, 3, "table2"))
    text = scoreboard_text(read_results(out))
    assert "| 19 of 60 (34 as they fit best) |" in text
    assert "Of the 60 printed means, 19 are inside as the texts say, and 34 under" in text
    [line] = [line for line in text.splitlines() if line.startswith("| table1, as it fits best")]
    assert "| 23 of 40 |" in line
    assert "(rescale-table1-fit/verdicts.md)" in line


def test_the_text_links_files_and_repeats_what_does_not_reproduce(make: Make) -> None:
    notes = "# Notes\n\n## What does not reproduce\n\n- Two stars.\n\n## More\n"
    off = '"[[""wine"", ""x""], [""car"", ""y""]]"'
    make("table1", scores=score(140, 10, off=off), notes=notes)
    text = scoreboard_text(read_results(make("mine", paper="")))
    assert "| 140 of 150 | 10 | 7.5 (1 to 17) | 0.040 | 2 |" in re.sub(" +", " ", text)
    assert "[errors](table1/errors.md)" in text
    assert "[notes](table1/notes.md)" in text
    assert "What does not reproduce, and why:\n\n- Two stars.\n" in text
    assert "## More" not in text
    assert "## Without a paper\n\n- `mine`, Title of mine" in text


def test_an_empty_or_damaged_folder_is_refused(make: Make, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no results"):
        read_results(tmp_path)
    out = make("one", scores=score(140, 10))
    (out / "one" / "score.csv").unlink()
    with pytest.raises(DataError, match="has verdicts, but no scores"):
        read_results(out)
    (out / "one" / "run.json").write_text("{}")
    with pytest.raises(DataError, match=r"run\.json is damaged or missing: no config with a title"):
        read_results(out)
