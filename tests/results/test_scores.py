"""``score.csv``: reading what `quadrepro.tables.verdicts.score_text` writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadrepro.errors import ConfigError, DataError
from quadrepro.results.folder import CellsFile, Manifest
from quadrepro.results.scoreboard import printed_scores
from quadrepro.tables.verdicts import Verdict, Verdicts, of_further_splits, score_text

SPLITS = [0.20, 0.25, 0.22, 0.21, 0.24]


def verdicts(name: str, *printed: str) -> Verdicts:
    entries = [Verdict("wine", f"column {i}", "risk", text) for i, text in enumerate(printed)]
    return Verdicts.of(name, [(of_further_splits(e, SPLITS, 0.0005), SPLITS) for e in entries])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "results" / "one"
    cells = CellsFile(file="cells.csv", timed_columns=())
    Manifest(tables={}, figures={}, cells=cells, score="score.csv").write(found)
    once = Verdicts.of("table2", [(Verdict("wine", "a", "risk", "0.1", reason="one split"), [])])
    text = score_text([verdicts("table1", "0.220", "0.230", "0.900"), once])
    (found / "score.csv").write_text(text)
    return found


def test_scores_are_read_as_they_are_written(folder: Path) -> None:
    first, second = printed_scores(folder)
    misses = verdicts("table1", "0.220", "0.230", "0.900").misses
    assert (first.inside, first.outside, first.not_comparable, first.judged) == (2, 1, 0, 3)
    assert first.expected == pytest.approx(misses.expected)
    assert (first.low, first.high) == (misses.low, misses.high)
    assert first.p_more == pytest.approx(misses.p_more)
    assert first.surely_off == ("wine, column 2",)
    assert first.text.startswith("table1: 2 of 3 printed numbers inside, 1 outside, 0.")
    assert (second.judged, second.not_comparable, second.expected) == (0, 1, None)
    assert second.text == "table2: none of 1 printed numbers can be compared"


def test_a_folder_without_print_or_with_a_damaged_file_is_refused(folder: Path) -> None:
    score = folder / "score.csv"
    score.write_text(score.read_text().replace(",3,2,", ",three,2,"))
    with pytest.raises(DataError, match=r"score\.csv:2: numbers: Input should be a valid integer"):
        printed_scores(folder)
    score.unlink()
    with pytest.raises(DataError, match=r"score\.csv: No such file"):
        printed_scores(folder)
    Manifest(tables={}, figures={}, cells=CellsFile(file="c", timed_columns=())).write(folder)
    with pytest.raises(ConfigError, match="no printed numbers to compare with"):
        printed_scores(folder)


def test_an_interval_of_no_width_puts_a_number_far_off() -> None:
    judged = of_further_splits(Verdict("wine", "a", "RMSE", "0.3"), [0.2, 0.2, 0.2], 0.0)
    assert judged.word == "outside"
    assert np.isinf(judged.position or 0.0)


def test_judged_numbers_need_what_chance_brings(folder: Path) -> None:
    path = folder / "score.csv"
    header, first, *_ = path.read_text().splitlines()
    path.write_text(f"{header}\n{','.join(first.split(',')[:5])}\n")
    with pytest.raises(DataError, match=r"score\.csv:2: .*expected by chance are missing"):
        printed_scores(folder)
