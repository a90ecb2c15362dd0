"""Compiled loops see changes of all code that they run, and give what Python gives."""

from __future__ import annotations

import os
import pickle
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import numba
import numpy as np
import pytest

import quadrepro
from quadrepro.core import elementary, jit
from tests.make import lines_of

STEP = """
from quadrepro.core.learners.reweighting import step_of
print(step_of(0.5, 2))
"""
"""Calls a loop that calls one of another file."""

RUN = """
import numpy as np
from tests.core.variants import CLASSIFIERS, REGRESSORS, examples, outputs
for model in [*CLASSIFIERS, *REGRESSORS]:
    X, y = examples(model)
    print(model, outputs(model.fit(X, y), X).tobytes().hex())
"""
"""Fits every variant."""


@pytest.mark.slow
def test_a_changed_function_in_another_file_changes_what_cached_loops_return(
    tmp_path: Path,
) -> None:
    package = Path(quadrepro.__file__).parent
    copy = shutil.copytree(package, tmp_path / "quadrepro")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{STEP}"

    def step() -> float:
        return float(lines_of(code, NUMBA_CACHE_DIR=str(tmp_path / "cache"))[0])

    assert step() == pytest.approx(np.arctanh(0.5))
    source = copy / "core" / "elementary.py"
    changed = "\n\n@njit\ndef artanh(x: float) -> float:\n    return 5.0 * x\n"
    source.write_text(source.read_text(encoding="utf-8") + changed, encoding="utf-8")
    assert step() == 2.5


@pytest.mark.slow
def test_an_older_processor_and_plain_python_give_the_same_bytes() -> None:
    # numpy takes no notice of features that it does not know.
    older = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
    plain = lines_of(RUN, NPY_DISABLE_CPU_FEATURES=older, NUMBA_DISABLE_JIT="1")
    assert plain == lines_of(RUN)
    assert len(plain) > 40


@pytest.fixture
def numba_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder that NUMBA_CACHE_DIR names; temporary files have another one."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    jit._cache_folder.cache_clear()
    yield tmp_path / "numba"
    jit._cache_folder.cache_clear()


def half(x: float) -> float:
    return 0.5 * x


def test_only_caches_of_code_that_was_not_used_for_long_are_deleted(numba_folder: Path) -> None:
    used = Path(jit._cache_folder())
    old, recent, other = (numba_folder / name for name in ("loops-0", "loops-1", "notes"))
    for folder in (old, recent, other):
        folder.mkdir()
    for folder in (used, old, other):
        os.utime(folder, (0, 0))
    jit._cache_folder.cache_clear()
    assert Path(jit._cache_folder()) == used
    assert {*numba_folder.iterdir()} == {used, recent, other}


def test_loops_are_cached_in_their_folder_and_other_functions_where_the_user_wants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, users = tmp_path / "ours", tmp_path / "user's"
    monkeypatch.setattr("quadrepro.core.jit._cache_folder", lambda: str(ours))
    monkeypatch.setattr("numba.config.CACHE_DIR", str(users))
    for make, folder in ((jit.njit, ours), (numba.njit(cache=True), users)):
        assert make(half)(3.0) == 1.5
        assert [path for path in tmp_path.rglob("*.nbi") if folder not in path.parents] == []
        shutil.rmtree(folder)


def test_without_a_writable_folder_loops_are_cached_among_temporary_files_of_the_user_alone(
    numba_folder: Path,
) -> None:
    numba_folder.touch()  # nobody can make a folder in it
    assert jit.njit(half)(3.0) == 1.5
    folder = Path(jit._cache_folder())
    ours = numba_folder.parent / "temporary" / f"quadrepro-{os.getuid()}"
    assert folder.parent == ours
    assert [*folder.rglob("test_jit.half-*.nbi")]
    assert ours.stat().st_mode & 0o777 == 0o700
    # A folder that others could write to, or a link, is not used.
    shutil.rmtree(ours)
    ours.mkdir()
    ours.chmod(0o777)
    jit._cache_folder.cache_clear()
    assert jit.njit(half)(3.0) == 1.5
    assert not [*ours.iterdir()]
    ours.rmdir()
    ours.symlink_to(numba_folder.parent)
    jit._cache_folder.cache_clear()
    assert jit._cache_folder() == ""


def test_loops_are_sent_to_workers_by_their_names() -> None:
    assert pickle.loads(pickle.dumps(elementary.exp)) is elementary.exp


def test_the_clock_stops_while_a_loop_is_compiled_and_only_then() -> None:
    def doubled(x: float) -> float:
        return 2.0 * x

    began, clock = time.perf_counter(), jit.clock()
    assert numba.njit(doubled)(1.5) == 3.0
    passed = time.perf_counter() - began
    assert jit.clock() - clock < 0.5 * passed
    clock = jit.clock()
    time.sleep(0.01)
    assert jit.clock() - clock >= 0.01
