from __future__ import annotations

from pathlib import Path

import pytest

import quadrepro
from tests.cli import call

SCORES = "dataset,ours,theirs\na,0.9,0.8\nb,0.8,0.7\nc,0.7,0.75\nd,0.9,\n"


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text(SCORES)
    return path


def test_it_prints_what_the_function_returns_and_writes_if_asked(
    scores: Path, tmp_path: Path
) -> None:
    options = "--higher-is-better", "--rope", 0.01, "--test-share", 0.1, "--drop-missing"
    result = call.quadrepro("rank", scores, *options)
    expected = quadrepro.rank(
        scores, higher_is_better=True, rope=0.01, test_share=0.1, drop_missing=True
    )
    assert (result.exit_code, result.stdout) == (0, expected.markdown + "\n")
    assert [*tmp_path.iterdir()] == [scores]
    out = tmp_path / "new" / "folder"
    result = call.quadrepro("rank", scores, *options, "--out", out)
    assert result.stdout.endswith(f"Table and diagram written to {out}\n")
    assert (out / "ranking.md").read_text() == expected.markdown


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--higher-is-better",), 3, "scores.csv: scores are missing in line 5 (d): theirs; fill"),
        ((), 2, "scores.csv: are higher or lower scores better? Give --higher-is-better"),
    ],
)
def test_a_mistake_ends_with_its_code_and_one_clear_message(
    scores: Path, options: tuple[str, ...], code: int, message: str
) -> None:
    result = call.quadrepro("rank", scores, *options)
    assert result.exit_code == code
    assert f"error: {message}" in result.stderr.replace(f"{scores.parent}/", "")


def test_a_ranking_is_drawn_on_a_terminal(scores: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quadrepro.cli.common.on_terminal", lambda: True)
    drawn = call.quadrepro("rank", scores, "--lower-is-better", "--drop-missing").stdout
    assert drawn.startswith("scores: ranking\n")
    assert "|" not in drawn
