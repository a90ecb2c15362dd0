from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadrepro.tables.audit.ranges import DEVIATIONS, too_small
from tests.tables.audit.papers import places, shipped, subject


def test_the_p_value_is_uniform_if_only_test_examples_vary() -> None:
    rng = np.random.default_rng(0)
    risks = rng.binomial(200, 0.3, (4000, 20)) / 200
    p = [too_small(0.3, sd, 20, 200, 0.0) for sd in risks.std(axis=1, ddof=1)]
    for level in (0.01, 0.05, 0.5):
        assert np.mean(np.array(p) <= level) == pytest.approx(level, abs=3 * level**0.5 / 60)


def test_the_p_value_is_uniform_if_test_sets_share_rows() -> None:
    rng = np.random.default_rng(1)
    # 300 of 1000 rows are wrong, and 400 are tested.
    risks = rng.hypergeometric(300, 700, 400, (4000, 20)) / 400
    p = [too_small(0.3, sd, 20, 400, 0.4) for sd in risks.std(axis=1, ddof=1)]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.015)


TABLE = "d,a_mean,a_sd,b_mean,b_sd\nx,10.0,0.1,10.0,3.0\ny,10.0,3.0,0.0,0.0\nz,10.0,1.0,,\n"


def test_a_deviation_below_the_floor_fails(tmp_path: Path) -> None:
    facts = "\n  t: {of: {splits: 20}, n_test: {x: [100, 200], y: [100, 200], z: 50}}"
    assert places(DEVIATIONS, subject(tmp_path, facts, t=TABLE)) == {
        ("t", "x", "a"): False,
        ("t", "x", "b"): True,
        ("t", "y", "a"): True,
        ("t", "y", "b"): None,
        ("t", "z", "a"): None,
    }


def test_a_deviation_may_have_been_rounded_down(tmp_path: Path) -> None:
    found = subject(tmp_path, "\n  t: {of: {splits: 20}, n_test: {z: [100, 200]}}", t=TABLE)
    p_values = [f.p_value for f in DEVIATIONS.judge(found).findings if f.p_value is not None]
    assert p_values == [pytest.approx(too_small(0.0995, 0.0105, 20, 100, 0.5))]


def test_no_shipped_deviation_is_too_small() -> None:
    for name, judged in (("ebboost", 90), ("rescale", 35)):
        p = [f.p_value for f in DEVIATIONS.judge(shipped(name)).findings if f.p_value is not None]
        assert len(p) == judged
        assert min(p) > 0.05


def test_a_deviation_below_the_floor_fails_only_on_its_conditions(tmp_path: Path) -> None:
    facts = "\n  t: {of: {splits: 20}, n_test: {x: [100, 200]}}"
    found = DEVIATIONS.judge(subject(tmp_path, facts, t=TABLE)).findings[0]
    assert found.verdict == "fails unless"
    assert "stratified" in found.unless


def test_majority_rule_on_balanced_classes_has_no_deviation_at_all(tmp_path: Path) -> None:
    # Half of each class is trained on, so that each test set has 25 of 50 errors.
    facts = "\n  t: {of: {splits: 20}, n_test: {x: [50, 100]}}"
    found = subject(tmp_path, facts, t="d,a_mean,a_sd\nx,50.0,0.0\n")
    assert [f.verdict for f in DEVIATIONS.judge(found).findings] == ["fails unless"]


def test_deviations_of_folds_are_not_judged(tmp_path: Path) -> None:
    found = subject(tmp_path, "\n  t: {of: {cv: 20}, n_test: {x: [10, 200]}}", t=TABLE)
    assert {*places(DEVIATIONS, found).values()} == {None}


def test_a_mean_is_as_rounded_as_the_deviation_needs(tmp_path: Path) -> None:
    # A mean printed as 0 or 1 percent can be half a percent.
    facts = "\n  t: {of: {splits: 20}, n_test: {x: [50, 500], y: [50, 500]}, unit: percent}"
    found = subject(tmp_path, facts, t="d,a_mean,a_sd\nx,1,1\ny,0,0\n")
    p_values = [f.p_value for f in DEVIATIONS.judge(found).findings]
    assert p_values == [pytest.approx(too_small(0.005, 0.015, 20, 50, 0.1)), None]
