"""The scoreboard of a folder of results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.errors import ConfigError, DataError
from quadrepro.results.folder import FAILS, HOLDS, OPEN, Tally
from quadrepro.results.scoreboard import (
    papers_table,
    read_boards,
    read_results,
    scoreboard_text,
    write_scoreboard,
)
from quadrepro.tables.verdicts import SCORE_HEADER
from tests.results.pages.made import manifest, run

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that writes a results folder."""

    def write(
        name: str,
        paper: str = "quadboost",
        score: str = "",
        claims: tuple[str, ...] = (),
        group: str = "table1",
        notes: str = "",
    ) -> Path:
        folder = tmp_path / "results" / name
        folder.mkdir(parents=True)
        tables = {"claims": group} if claims else {}
        made = run(title=f"Title of {name}", paper=paper, tables=tables)
        (folder / "run.json").write_text(made)
        (folder / "tables.json").write_text(manifest(score="score.csv" if score else ""))
        if score:
            (folder / "score.csv").write_text(",".join(SCORE_HEADER) + f"\n{score}\n")
        if claims:
            rows = "".join(f"claim {i},false,,{holds},,\n" for i, holds in enumerate(claims))
            header = "claim,timed,ours,holds,printed,holds in print"
            (folder / "claims.csv").write_text(f"{header}\n{rows}")
        if notes:
            (folder / "notes.md").write_text(notes)
        return folder

    return write


def test_a_claim_holds_does_not_or_is_not_decided(make: Make) -> None:
    folder = make("one", claims=("holds", "does not hold", "holds", "not decided", "3 of 30"))
    [found] = read_results(folder.parent)
    assert found.fates == Counter({HOLDS: 2, FAILS: 1, OPEN: 2})


def test_of_experiments_with_the_same_claims_the_first_that_has_any_counts(make: Make) -> None:
    make("quickstart")
    make("table1", claims=("holds", "does not hold"))
    out = make("table1-distribution", claims=("not decided", "not decided")).parent
    [board], _ = read_boards(read_results(out))
    assert board.fates == Counter({OPEN: 2})
    names = [folder.path.name for folder in board.folders]
    assert names == ["table1-distribution", "table1", "quickstart"]


def test_a_score_without_comparable_numbers_gives_way_to_one_with_some(make: Make) -> None:
    make("table1-distribution", score="table1,150,0,0,150,,,,,,[]")
    out = make("table1", score="table1,150,140,10,0,7.5,1,17,0.2,0.9,[]").parent
    [board], _ = read_boards(read_results(out))
    assert board.tally == Tally(150, 140, 7.5)


def test_experiments_that_the_paper_does_not_list_are_shown_and_not_counted(make: Make) -> None:
    make("table1-distribution", score="table1,150,140,10,0,7.5,1,17,0.2,0.9,[]")
    out = make("table1-readings", score="table1,20,1,19,0,1,0,3,0,1,[]").parent
    [board], _ = read_boards(read_results(out))
    assert board.tally[:2] == (150, 140)
    assert "`table1-readings`, Title of table1-readings" in scoreboard_text(read_results(out))


def test_without_results_that_the_paper_lists_all_count(make: Make) -> None:
    out = make("mine", score="table1,4,3,1,0,0.2,0,1,0.2,0.9,[]", claims=("holds",)).parent
    [board], _ = read_boards(read_results(out))
    assert (board.tally, board.fates) == (Tally(4, 3, 0.2), Counter({HOLDS: 1}))


def test_a_paper_that_is_not_at_hand_counts_all_its_experiments(make: Make) -> None:
    make("a", "../mine", score="t1,4,3,1,0,0.2,0,1,0.2,0.9,[]", claims=("holds",))
    out = make("b", "../mine", score="t2,2,2,0,0,0.1,0,1,1,0.9,[]").parent
    [board], others = read_boards(read_results(out))
    assert (board.title, board.tally[:2], others) == ("../mine", (6, 5), [])


def test_the_table_has_a_row_per_paper_and_dashes_where_nothing_is_printed(make: Make) -> None:
    make(
        "table1", score="table1,150,140,10,0,7.5,1,17,0.2,0.9,[]", claims=("holds", "does not hold")
    )
    out = make("lecture", "lecture", claims=("holds",), group="bounds").parent
    _, rows = papers_table(read_boards(read_results(out))[0])
    assert [row[1:] for row in rows] == [
        ["–", "–", "–", "1", "0", "0"],
        ["140 of 150", "10", "7.5", "1", "1", "0"],
    ]


def test_a_reading_that_fits_a_printed_table_best_is_counted_beside_the_texts(make: Make) -> None:
    make("rescale-table1", "rescale", score="table1,40,8,32,0,1.9,0,7,0,1,[]")
    make("rescale-table1-fit", "rescale", score="table1,40,23,17,0,1.9,0,7,0,1,[]")
    make("rescale-table2", "rescale", score="table2,20,11,9,0,0.9,0,5,0,1,[]")
    make("rescale-readings", "rescale", score="table1,80,70,10,0,1.9,0,7,0,1,[]")
    out = make("table1", score="table2,15,12,3,0,0.6,0,4,0,1,[]").parent
    boards, _ = read_boards(read_results(out))
    inside = [row[1] for row in papers_table(boards)[1]]
    assert inside == ["19 of 60 (34 as they fit best)", "12 of 15"]
    assert boards[0].tally[:2] == (60, 19)
    text = scoreboard_text(read_results(out))
    assert "Of the 60 printed means, 19 are inside as the texts say, and 34 under" in text
    [line] = [line for line in text.splitlines() if line.startswith("| table1, as it fits best")]
    assert "23 of 40" in line
    assert "(rescale-table1-fit/" in line


def test_the_text_links_tables_and_notes_and_repeats_what_does_not_reproduce(make: Make) -> None:
    stars = "What does not reproduce\n\n- Two stars: other splits.\n"
    notes = f"# Notes\n\nSome.\n\n## {stars}\n## More\n"
    make(
        "table1",
        score='table1,150,140,10,0,7.5,1,17,0.002,0.999,"[[""wine"", ""x""], [""car"", ""y""]]"',
        notes=notes,
    )
    out = make("mine", paper="").parent
    text = write_scoreboard(out).read_text()
    assert text.startswith("# Results\n")
    assert "140 of 150 |        10 | 7.5 (1 to 17) | 0.004 |                2 |" in text
    assert "[risks](table1/risks.md)" in text
    assert "[notes](table1/notes.md)" in text
    assert "What does not reproduce, and why:\n\n- Two stars: other splits.\n" in text
    assert "## More" not in text
    assert "## Experiments of no paper\n\n- `mine`, Title of mine" in text


@pytest.mark.parametrize(
    ("more", "fewer", "p"),
    [("0.02", "0.99", "0.040"), ("0.99", "0.02", "0.040"), ("0.6", "0.7", "1.000")],
)
def test_the_p_value_is_twice_the_smaller_probability_on_either_side(
    make: Make, more: str, fewer: str, p: str
) -> None:
    out = make("table1", score=f"table1,150,140,10,0,7.5,1,17,{more},{fewer},[]").parent
    text = scoreboard_text(read_results(out))
    assert f"7.5 (1 to 17) | {p} |" in text
    assert "two-sided p-value" in text


def test_an_empty_or_damaged_folder_is_refused(make: Make, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no results"):
        read_results(tmp_path)
    folder = make("one")
    (folder / "run.json").write_text("{}")
    with pytest.raises(DataError, match=r"run\.json is damaged or missing: no config with a title"):
        read_results(folder.parent)


def test_a_folder_that_lost_its_scores_is_refused(make: Make) -> None:
    folder = make("one", score="table1,150,140,10,0,7.5,1,17,0.2,0.9,[]")
    (folder / "score.csv").unlink()
    with pytest.raises(DataError, match=r"score\.csv: No such file"):
        read_results(folder.parent)
