from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.config.config import load_experiment
from quadrepro.config.plan import bytes_needed, make_plan, too_large
from quadrepro.engine import limits
from quadrepro.engine.limits import available


def test_the_gram_matrix_counts_for_those_that_need_it(small_config: Callable[..., Path]) -> None:
    plan = make_plan(load_experiment(small_config()))
    source = plan.sources["monks"]
    quadboost, ada = (bytes_needed(cell, source) for cell in plan.cells[:2])
    n_voters, n_examples = 10 * source.n_columns, sum(source.sizes)
    assert ada == 8 * (2 * n_examples * n_voters + 6 * 1 * n_voters)
    assert quadboost == 8 * (2 * n_examples * n_voters + 6 * 4 * n_voters + 6 * n_voters**2)
    found = too_large(plan, ada)
    assert found["monks", "quadboost-l2"] == quadboost
    assert ("monks", "ada") not in found
    assert too_large(plan, 10**9) == {}


def test_what_is_available_is_what_the_control_group_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CONTROL_GROUP", tmp_path / "memory.max")
    machine = available()
    assert machine > 10**8
    (tmp_path / "memory.max").write_text("max\n")
    assert available() == machine
    (tmp_path / "memory.max").write_text("1000000\n")
    assert available() == 1_000_000
