"""Compiled loops see changes of all code that they run, and give what Python gives."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import quadrepro
from quadrepro.core import jit

LOGARITHM = """
import numpy as np
from quadrepro.core.elementary import log_each
print(log_each(np.full(1, 2.0))[0])
"""

RUN = """
import numpy as np
from quadrepro import AdaBoostClassifier, GradientBoostClassifier, QuadBoostClassifier
X = np.random.default_rng(0).normal(size=(60, 3)).round(1)
y = X[:, 0] + X[:, 1] ** 2 > 0.5
for model in (AdaBoostClassifier(9), QuadBoostClassifier(n_rounds=9),
              GradientBoostClassifier("full", n_rounds=3)):
    print(model.fit(X, y).decision_function(X).tobytes().hex())
"""


def printed(code: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
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
    variables = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert printed(LOGARITHM, **variables) == "0.6931471805599453\n"
    source = copy / "core" / "elementary.py"
    former = source.read_text(encoding="utf-8")
    assert former.count("return k * LN2_HIGH") == 1
    source.write_text(former.replace("return k * LN2_HIGH", "return 5.0 + k * LN2_HIGH"))
    assert printed(LOGARITHM, **variables) == "5.6931471805599454\n"


@pytest.mark.slow
def test_the_same_bytes_come_from_python_without_a_compiler() -> None:
    assert printed(RUN, NUMBA_DISABLE_JIT="1") == printed(RUN, NUMBA_DISABLE_JIT="0")


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
