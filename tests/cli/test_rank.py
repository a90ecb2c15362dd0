from __future__ import annotations

import csv
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import Result

import quadrepro
from tests.cli import call
from tests.hostile import CONTROLS, HOSTILE

DEMSAR = Path(__file__).resolve().parents[2] / "examples" / "scores" / "demsar.csv"
SCORES = "dataset,ours,theirs\na,0.9,0.8\nb,0.8,0.7\nc,0.7,0.75\nd,0.9,\n"


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text(SCORES)
    return path


def rank(*words: object) -> Result:
    return call.quadrepro("rank", *words)


def test_rank_prints_what_the_function_returns_and_writes_if_asked(
    scores: Path, tmp_path: Path
) -> None:
    result = rank(scores, "--higher-is-better", "--rope", 0.01, "--drop-missing")
    expected = quadrepro.rank(scores, higher_is_better=True, rope=0.01, drop_missing=True)
    assert (result.exit_code, result.stdout) == (0, expected.markdown + "\n")
    assert [path.name for path in tmp_path.iterdir()] == ["scores.csv"]
    out = tmp_path / "new" / "folder"
    share = ("--test-share", 0.1, "--drop-missing", "--out", out)
    result = rank(scores, *share)
    assert result.stdout.endswith(f"Table and diagram written to {out}\n")
    assert "corrected t" in (out / "ranking.md").read_text()


def test_the_direction_is_printed_and_doubted(scores: Path) -> None:
    lower = rank(scores, "--drop-missing").stdout
    assert "Warning: The scores look like accuracies" in lower
    assert "The lower the risk, the better." in lower
    higher = rank(scores, "--drop-missing", "--higher-is-better").stdout
    assert "Warning" not in higher
    assert "The higher the score, the better." in higher


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ((), 3, "error: "),
        ((), 3, "scores.csv: scores are missing in line 5 (d): fill them in, or leave out such"),
        (("--rope", "-1"), 2, "the half-width of the rope cannot be -1"),
        (("--test-share", "2", "--drop-missing"), 2, "the share of test examples cannot be 2"),
        (("--rope", "wide"), 2, "'--rope'"),
    ],
)
def test_a_mistake_ends_with_its_code_and_one_clear_message(
    scores: Path, options: tuple[str, ...], code: int, message: str
) -> None:
    result = rank(scores, *options)
    assert result.exit_code == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_file_that_is_not_there_is_a_fault_of_the_data(tmp_path: Path) -> None:
    assert rank(tmp_path / "nowhere.csv").exit_code == 3


def test_a_ranking_is_drawn_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quadrepro.tables.terminal.on_terminal", lambda: True)
    drawn = rank(DEMSAR, "--higher-is-better").stdout
    assert drawn.startswith("demsar: ranking\n")
    assert "|" not in drawn
    asked = rank(DEMSAR, "--higher-is-better", "--format", "markdown")
    assert asked.stdout.startswith("## demsar: ranking\n")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_of_a_stranger_is_text_on_the_terminal_and_in_every_file(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "s.csv").write_text(f'set,"{name}",b\n"{name}",0.1,0.2\nr,0.2,0.3\nt,0.5,0.1\n')
    result = rank(tmp_path / "s.csv", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    texts = [(tmp_path / "out" / f"ranking.{e}").read_text() for e in ("md", "svg")]
    for text in (result.output, *texts):
        assert not CONTROLS.intersection(text)
    assert "<b>" not in result.output + texts[0]
    ElementTree.parse(tmp_path / "out" / "ranking.svg")
    with (tmp_path / "out" / "ranking.csv").open(newline="") as file:
        rows = [*csv.reader(file)]
    assert not [c for row in rows for c in row if c.startswith(("=", "+", "@")) or c == "-a"]
    assert name in set(quadrepro.rank(tmp_path / "s.csv").data["method"])
