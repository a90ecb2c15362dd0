from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.call import quadrepro

Write = Callable[..., Path]


def test_check_prints_the_plan_and_computes_nothing(small_config: Write, tmp_path: Path) -> None:
    result = quadrepro("check", small_config(), "--out", tmp_path / "results")
    assert result.exit_code == 0
    assert "ships with quadrepro" in result.output
    assert result.output.endswith("\n4 cells, 0 already computed, 4 left\n")
    assert not (tmp_path / "results").exists()


def test_check_counts_cells_and_candidates_of_each_algorithm(
    small_config: Write, tmp_path: Path
) -> None:
    quadrepro("run", small_config(), "--jobs", 0, "--out", tmp_path)
    more = small_config("seed: 7", "seed: 7\nrepeats: 3")
    output = quadrepro("check", more, "--out", tmp_path).output
    assert "\n12 cells, 4 already computed, 8 left\n" in output
    table = output[output.index("algorithm") :].splitlines()
    l2, ada = (line.split() for line in table[2:4])
    assert (l2[:6], l2[-2:]) == (["quadboost-l2", "4", "6", "2", "0", "4"], ["n_rounds,", "lam"])
    assert (ada[:6], ada[-1]) == (["ada", "1", "6", "2", "0", "4"], "n_rounds")


@pytest.mark.parametrize("option", [(), ("--cells",)])
def test_code_beside_a_config_is_named_and_not_run(
    option: tuple[str, ...], small_config: Write, tmp_path: Path
) -> None:
    path = small_config("algorithm: adaboost\n    grid: {n_rounds: 5}", "algorithm: mine_cli:make")
    (path.parent / "mine_cli.py").write_text("import mine_helper\ndef make(): ...\n1 / 0")
    (path.parent / "mine_helper.py").write_text("1 / 0")
    result = quadrepro("check", path, *option, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "this config runs code: mine_cli.py, mine_helper.py\n" in result.output
