"""Compiled loops see changes of all code that they run, and give what Python gives."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np
import pytest

import quadrepro
from quadrepro.core import jit

STEP = """
from quadrepro.core.learners.rounds import step_of
print(step_of(0.5, 2))
"""
"""Calls a loop that calls one of another file."""

RUN = """
import numpy as np
from quadrepro import AdaBoostClassifier, GradientBoostClassifier, QuadBoostClassifier
X = np.random.default_rng(0).normal(size=(60, 3)).round(1)
y = X[:, 0] + X[:, 1] ** 2 > 0.5
for model in (AdaBoostClassifier(9), QuadBoostClassifier(n_rounds=9),
              GradientBoostClassifier("full", n_rounds=3)):
    print(model.fit(X, y).decision_function(X).tobytes().hex())
"""


def printed(code: str, folder: Path, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.slow
def test_a_changed_function_in_another_file_changes_what_cached_loops_return(
    tmp_path: Path,
) -> None:
    package = Path(quadrepro.__file__).parent
    copy = shutil.copytree(package, tmp_path / "quadrepro")
    variables = {"PYTHONPATH": "", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    former_step = float(printed(STEP, tmp_path, **variables))
    assert former_step == pytest.approx(np.arctanh(0.5))
    source = copy / "core" / "elementary.py"
    former = source.read_text(encoding="utf-8")
    assert former.count("math.copysign(0.5 * log1p") == 1
    source.write_text(former.replace("math.copysign(0.5 * log1p", "math.copysign(5.0 * log1p"))
    assert float(printed(STEP, tmp_path, **variables)) == pytest.approx(10 * former_step)


@pytest.mark.slow
def test_the_same_bytes_come_from_python_without_a_compiler() -> None:
    package = Path(quadrepro.__file__).parents[1]
    interpreted = printed(RUN, package, NUMBA_DISABLE_JIT="1")
    assert interpreted == printed(RUN, package, NUMBA_DISABLE_JIT="0")


def test_only_caches_of_code_that_was_not_used_for_long_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    used = jit._cache_folder()
    old, recent, other = (tmp_path / name for name in ("loops-0", "loops-1", "notes"))
    for folder in (used, old, recent, other):
        folder.mkdir()
    for folder in (used, old, other):
        os.utime(folder, (0, 0))
    assert jit._cache_folder() == used
    assert {*tmp_path.iterdir()} == {used, recent, other}


def test_the_clock_stops_while_a_loop_is_compiled() -> None:
    def doubled(x: float) -> float:
        return 2.0 * x

    began, clock = time.perf_counter(), jit.clock()
    assert numba.njit(doubled)(1.5) == 3.0
    passed = time.perf_counter() - began
    assert jit.clock() - clock < 0.5 * passed
