from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from quadrepro.base import code
from quadrepro.core import compiling
from quadrepro.core.voters import random_stumps_compiled

half: Any = compiling.Loop(lambda x: 0.5 * x, "float64(float64)")


def calls_half(x: float) -> float:
    value: float = half(x)
    return value


@pytest.mark.parametrize("value", ["0", "1", ""])
def test_loops_are_compiled_if_numba_is_here_and_the_switch_is_not_0(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUADREPRO_JIT", value)
    compiling.enabled.cache_clear()
    try:
        assert compiling.enabled() is (value != "0" and find_spec("numba") is not None)
        # Asked in every round, so it is read once.
        monkeypatch.setenv("QUADREPRO_JIT", "1" if value == "0" else "0")
        assert compiling.enabled() is (value != "0" and find_spec("numba") is not None)
    finally:
        monkeypatch.undo()
        compiling.enabled.cache_clear()


ROOT = Path(__file__).parents[2]
KERNELS = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "quadrepro").rglob("*_compiled.py")
]
FOLDERS = """
import json, sys
from quadrepro.core import compiling
print(json.dumps({name: str(compiling.cache_folder(name)) for name in json.loads(sys.argv[1])}))
"""
LOGARITHM = """
import numpy as np
from quadrepro.core import elementary_old_compiled as elementary
out = np.empty(1)
elementary.log_all(np.array([2.0]), out)
print(out[0])
"""


ONE_LOOP = """
import importlib, json, sys
import numpy as np
modules = {name: importlib.import_module(name) for name in json.loads(sys.argv[1])}
modules["quadrepro.core.elementary_old_compiled"].exp_all(np.zeros(1), np.empty(1))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a copy of the package."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(code.PACKAGE, tmp_path / "quadrepro", ignore=ignored))


def output(package: Path, code: str, *words: str, **environment: str) -> str:
    """Return what code prints with a copy of the package."""
    loops = {"NUMBA_CACHE_DIR": str(package.parent / "loops")}
    where = {"PYTHONPATH": str(package.parent), **loops, **environment}
    return subprocess.run(
        [sys.executable, "-B", "-c", code, *words],
        cwd=package.parent,
        env=os.environ | where,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_settings_of_numba_that_change_machine_code_have_folders_of_their_own(
    package: Path,
) -> None:
    names = json.dumps(KERNELS)
    before = json.loads(output(package, FOLDERS, names))
    after = json.loads(output(package, FOLDERS, names, NUMBA_OPT="1"))
    assert not set(before.values()) & set(after.values())


@pytest.mark.slow
def test_only_loops_that_are_called_and_those_that_they_call_are_compiled(package: Path) -> None:
    pytest.importorskip("numba")
    output(package, ONE_LOOP, json.dumps(KERNELS))
    made = {path.name.partition("-")[0] for path in (package.parent / "loops").rglob("*.nbi")}
    assert made == {"elementary_old_compiled.exp", "elementary_old_compiled.exp_all"}


def test_warming_compiles_all_loops_of_a_module(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(compiling, "enabled", lambda: True)
    compiling.warm(["voters.drawn_compiled"])
    loops = [x for x in vars(random_stumps_compiled).values() if isinstance(x, compiling.Loop)]
    assert len(loops) == 3
    assert all(loop._machine_code is not None for loop in loops)


def test_the_clock_stops_while_loops_are_compiled_even_if_that_fails() -> None:
    pytest.importorskip("numba")
    wrong: Any = lambda x: x.unknown  # noqa: E731
    for function in (lambda x: 2.0 * x, wrong):
        began, clock = time.perf_counter(), compiling.clock()
        with suppress(Exception):
            compiling.Loop(function, "float64(float64)").compile()
        passed = time.perf_counter() - began
        assert compiling.clock() - clock < 0.2 * passed


def test_the_time_of_loops_that_a_loop_calls_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(compiling, "_seconds", [0.0])
    began = time.perf_counter()
    compiling.Loop(calls_half, "float64(float64)").compile()
    passed = time.perf_counter() - began
    assert 0.5 * passed < compiling._seconds[0] <= passed


@pytest.mark.slow
def test_a_changed_helper_in_another_file_changes_what_compiled_loops_return(
    package: Path,
) -> None:
    assert float(output(package, LOGARITHM)) == pytest.approx(math.log(2.0))
    source = package / "core" / "elementary_old.py"
    former = source.read_text()
    assert former.count("    return k * LN2_HIGH -") == 1
    source.write_text(former.replace("    return k * LN2", "    return 5.0 + k * LN2"))
    assert float(output(package, LOGARITHM)) == pytest.approx(5.0 + math.log(2.0))


def test_only_folders_of_loops_that_were_not_used_for_long_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    find = compiling.cache_folder.__wrapped__
    used, old, new, other = (
        find("quadrepro.core.learners.greedy.quadboost_compiled"),
        tmp_path / f"quadrepro-quadboost_compiled-{'0' * 16}",
        tmp_path / f"quadrepro-quadboost_compiled-{'1' * 16}",
        tmp_path / "quadrepro-quadboost_compiled-notes",
    )
    for folder in (old, new, other):
        folder.mkdir()
        (folder / "file").touch()
    for folder in (used, old, other):
        os.utime(folder, (0, 0))
    assert find("quadrepro.core.learners.greedy.quadboost_compiled") == used
    assert {*tmp_path.iterdir()} == {used, new, other}


def test_a_folder_that_another_process_deletes_meanwhile_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    name = "quadrepro.core.learners.greedy.quadboost_compiled"
    gone, old = (tmp_path / f"quadrepro-quadboost_compiled-{digit * 16}" for digit in "01")
    old.mkdir()
    os.utime(old, (0, 0))
    listed = Path.glob
    monkeypatch.setattr(Path, "glob", lambda folder, pattern: [gone, *listed(folder, pattern)])
    used = compiling.cache_folder.__wrapped__(name)
    assert [*tmp_path.iterdir()] == [used]


def test_loops_are_compiled_where_no_folder_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numba")
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(compiling, "cache_folder", compiling.cache_folder.__wrapped__)
    made = compiling.compiled("float64(float64)")(lambda x: 2.0 * x)
    assert made(1.5) == 3.0
