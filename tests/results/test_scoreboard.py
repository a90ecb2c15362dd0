from __future__ import annotations

import re
from pathlib import Path

import pytest

from quadrepro.errors import ConfigError
from quadrepro.results.results import Results, markdown_html, results_folders
from quadrepro.results.scoreboard import scoreboard_text, write_scoreboard
from quadrepro.tables.judge import SCORE_HEADER
from tests.results.made import claims, make_folder, run
from tests.results.parsed import Parsed

PAPER, QUADBOOST = "quadboost", "Efficient Learning of Ensembles with QuadBoost"


def make(
    name: str, paper: str = PAPER, scores: str = "", *judgements: str, group: str = "table1"
) -> None:
    """Write a results folder with judgements on claims; one with a ``!`` is on times."""
    rows = [f"c,{str('!' in word).lower()},,{word.strip('!')},," for word in judgements]
    make_folder(
        Path(name),
        run__json=run(title=f"Title of {name}", paper=paper, tables={"claims": group}),
        score__csv=",".join(SCORE_HEADER) + f"\n{scores}\n",
        claims__csv=claims(*rows),
        verdicts__csv=None,
        notes__md=None,
    )


def text() -> str:
    """Return the scoreboard, with single blanks."""
    every = [*map(Results, results_folders(Path()))]
    return re.sub(" +", " ", scoreboard_text(every))


def line(start: str) -> list[str]:
    """Return the cells of the first line of a table that begins so, without the last one."""
    [first, *_] = [line for line in text().splitlines() if line.startswith(f"| {start} |")]
    return first.strip("| ").split(" | ")[1:]


def score(inside: int, outside: int, table: str = "table1", off: str = "[]") -> str:
    return f"{table},{inside + outside},{inside},{outside},0,7.5,1,17,0.04,0.02,0.99,{off},5,3"


def test_of_experiments_with_the_same_claims_the_first_that_has_any_counts() -> None:
    make("quickstart")
    make("table1", PAPER, "", "supported", "refuted")
    make("theory", PAPER, "", "supported", group="theory")
    make("table1-distribution", PAPER, "", "agrees", "3 of 30", "supported", "!disagrees")
    assert line(QUADBOOST)[3:] == ["1", "1", "1", "0", "0", "disagrees 1"]
    link = "[table1-distribution](table1-distribution/claims.md)"
    assert line("table1") == ["1", "1", "1", "0", "0", "disagrees 1", link]
    names = ("table1-distribution", "table1", "quickstart")
    places = [text().index(f"- `{name}`") for name in names]
    assert places == sorted(places)


def test_a_score_without_comparable_numbers_gives_way_to_one_with_some() -> None:
    make("table1-distribution", PAPER, "table1,150,0,0,150,,,,,,,[],0,0")
    make("table1", PAPER, score(140, 10))
    make("table1-reweighting", PAPER, score(1, 1))
    assert line(QUADBOOST)[:3] == ["140 of 150", "10", "7.5"]
    (Path("table1") / "tables.json").unlink()
    assert line("table1")[0] == "none of 150 comparable"


def test_experiments_that_the_paper_does_not_list_are_shown_and_not_counted() -> None:
    make("table1-distribution", PAPER, score(140, 10))
    make("table1-readings", PAPER, score(1, 19, "table2"), "supported")
    assert line(QUADBOOST)[:4] == ["140 of 150", "10", "7.5", "0"]
    assert "`table1-readings`, Title of table1-readings" in text()


def test_without_results_that_the_paper_lists_all_count() -> None:
    make("a", "../mine", score(3, 1, "t1"), "supported")
    make("b", "../mine", score(2, 0, "t2"))
    make("mine", PAPER, score(3, 1), "supported")
    assert line("../mine") == ["5 of 6", "1", "15.0", "1", "0", "0", "0", "0", "–"]
    assert line(QUADBOOST)[:4] == ["3 of 4", "1", "7.5", "1"]


def test_a_reading_that_fits_a_printed_table_best_is_counted_next_to_the_texts() -> None:
    make("rescale-table1", "rescale", score(8, 32))
    make("rescale-table1-fit", "rescale", score(23, 17))
    make("rescale-table2", "rescale", score(11, 9, "table2"))
    make("rescale-table3-fit", "rescale", score(5, 5, "table3"))
    make("table1", PAPER, score(12, 3, "table2"))
    assert "| 19 of 60 (34 as they fit best) |" in text()
    assert "19 of the 60 printed means are inside as the texts say, and 34 under the " in text()
    fits = line("table1, as it fits best")
    assert fits[0] == "23 of 40"
    assert fits[-1] == "[rescale-table1-fit](rescale-table1-fit/verdicts.md)"


def test_the_text_links_files_and_repeats_what_does_not_reproduce() -> None:
    notes = "# Notes\n\n## What does not reproduce\n\n- [Two](../x.md) stars.\n\n## More\n"
    off = '"[[""wine"", ""x""], [""car"", ""y""]]"'
    make("table1", PAPER, score(140, 10, off=off))
    Path("table1", "notes.md").write_text(notes)
    make("mine", "")
    make("my own", "")
    assert line("table1")[:6] == ["140 of 150", "10", "7.5 (1 to 17)", "0.040", "2", "5 of 8"]
    written = write_scoreboard(Path()).read_text()
    assert "[errors](table1/errors.md), " in written
    assert "[errors](my%20own/errors.md)" in written
    assert "; figures [curves](table1/curves.svg); [notes](table1/notes.md)\n" in written
    assert "What does not reproduce, and why:\n\n- [Two](x.md) stars.\n" in written
    assert "## More" not in written
    assert "## Without a paper\n\n- `mine`, Title of mine" in written


def test_a_file_of_the_user_stays() -> None:
    Path("README.md").write_text("My results\n")
    with pytest.raises(ConfigError, match="was not written by quadrepro and stays as it is"):
        write_scoreboard(Path())
    assert Path("README.md").read_text() == "My results\n"


@pytest.mark.parametrize("name", ["<b>x</b>", "**x**", "[a](http://b) | `b`"])
def test_names_and_titles_stay_text(name: str) -> None:
    make("small", PAPER, score(3, 1, name), "supported", group=name)
    make_folder(Path("own"), run__json=run(title=name, paper=None), claims__csv=None)
    page = Parsed(markdown_html(write_scoreboard(Path()).read_text()))
    cells = [cell.words for cell in page.all("td")]
    assert cells.count(name) == 2
    assert f"own, {name}: tables" in page.words
