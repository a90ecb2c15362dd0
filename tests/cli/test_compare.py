from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cli.call import quadrepro

Write = Callable[..., Path]


def test_compare_exits_with_4_and_names_the_difference(small_config: Write, tmp_path: Path) -> None:
    for name, seed in (("a", "seed: 7"), ("b", "seed: 8")):
        config = small_config("seed: 7", seed)
        quadrepro("run", config, "--jobs", 1, "--out", tmp_path / name)
    a, b = tmp_path / "a" / "small", tmp_path / "b" / "small"
    assert quadrepro("compare", a, a).exit_code == 0
    result = quadrepro("compare", a, b)
    assert result.exit_code == 4
    assert "cells.csv:2:" in result.stderr
