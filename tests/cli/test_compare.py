from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.results.folder import CellsFile, Manifest
from quadrepro.tables.verdicts import SCORE_HEADER
from tests.cli.call import quadrepro

Write = Callable[..., Path]


def test_compare_exits_with_4_and_names_the_difference(small_config: Write, tmp_path: Path) -> None:
    for name, seed in (("a", "seed: 7"), ("b", "seed: 8")):
        config = small_config("seed: 7", seed)
        quadrepro("run", config, "--jobs", 0, "--out", tmp_path / name)
    a, b = tmp_path / "a" / "small", tmp_path / "b" / "small"
    assert quadrepro("compare", a, a).exit_code == 0
    result = quadrepro("compare", a, b)
    assert result.exit_code == 4
    assert "cells.csv:2:" in result.stderr


def scored(folder: Path, inside: int) -> Path:
    """Return a results folder with this many of ten printed numbers inside."""
    cells = CellsFile(file="cells.csv", timed_columns=())
    Manifest(tables={}, figures={}, cells=cells, score="score.csv").write(folder)
    numbers = f"table1,10,{inside},{10 - inside},0,0.5,0,2,0.1,0.9,[]"
    (folder / "score.csv").write_text(",".join(SCORE_HEADER) + f"\n{numbers}\n")
    return folder


@pytest.mark.parametrize(("at_least", "code"), [([], 0), (["8"], 0), (["9"], 4)])
def test_fewer_printed_numbers_inside_than_asked_for_exit_with_4(
    tmp_path: Path, at_least: list[str], code: int
) -> None:
    folder = scored(tmp_path / "one", 8)
    asked = ["--at-least", *at_least] if at_least else []
    result = quadrepro("compare", folder, "--against", "printed", *asked)
    assert result.exit_code == code
    assert "table1: 8 of 10 printed numbers inside, 2 outside, 0.5 expected" in result.output
    assert ("fewer than 9" in result.output) is (code == 4)


@pytest.mark.parametrize("arguments", [["a"], ["a", "b", "--against", "printed"]])
def test_two_folders_or_one_against_print_are_compared(arguments: list[str]) -> None:
    result = quadrepro("compare", *arguments)
    assert result.exit_code == 2
    assert "give two folders, or one and --against printed" in result.output
