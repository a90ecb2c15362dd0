"""A key covers the code that a cell runs, and no other."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from quadrepro.base import code
from quadrepro.core.cell import Cell
from quadrepro.core.protocol import Protocol
from quadrepro.core.training.algorithms import ALGORITHMS
from quadrepro.core.training.contract import Learner
from quadrepro.core.training.estimator import EstimatorPredictor
from quadrepro.engine import records
from quadrepro.engine.worker import run_cell
from tests.make import cells

VERIFIED = (
    *("__init__.py", "base/", "errors.py", "engine/"),
    *("core/training/algorithms", "core/measures/names"),
    *("data/cache", "data/checks", "data/store", "data/source"),
)
"""Other modules that a cell runs through: what they return does not depend on their code, since
rows are compared with the hash of their card."""


@contextmanager
def files_called() -> Iterator[set[Path]]:
    """Collect the files of this package whose functions are called."""
    found: set[Path] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        file = Path(frame.f_code.co_filename)
        if event == "call" and file.is_relative_to(code.PACKAGE):
            found.add(file)

    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)


def cell_of(name: str) -> Cell:
    """Return a small cell of an algorithm, with the last value of each axis of its grid."""
    axes = dict(ALGORITHMS[name].grid)
    last = {key: axis["to"] if isinstance(axis, dict) else axis[-1] for key, axis in axes.items()}
    grid: dict[str, Any] = last | ({"n_rounds": 2} if "n_rounds" in axes else {})
    search: dict[str, Any] = {"folds": 2}
    if name == "ebboost":
        grid, search = {}, {"holdout": {"patience": 2, "max_rounds": 3}}
    protocol = {"view": "default", **search}
    return cells(protocol=protocol, algorithms=[{"name": name, "grid": grid}])[0]


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_the_key_of_a_cell_covers_all_code_that_it_runs(name: str) -> None:
    cell = cell_of(name)
    run_cell(cell)  # compiles loops, which calls much
    with files_called() as called:
        record = run_cell(cell)
    assert record.ok, record.message
    learner = cell.learner
    covered = code.files_of([code.ROOT, type(learner).__module__, *learner.modules])
    missed = {str(file.relative_to(code.PACKAGE)) for file in called - covered}
    assert not {file for file in missed if not file.startswith(VERIFIED)}


USES = {
    "core/preprocessing.py": {"adaboost", "lpboost"},
    "data/canonical.py": {"adaboost", "lpboost"},
    "core/measures/c_bound.py": {"adaboost", "lpboost"},
    "core/learners/adaboost.py": {"adaboost"},
    "core/learners/solvers.py": {"lpboost"},
    "core/measures/names.py": set(),
    "core/measures/bernstein.py": set(),
    "core/learners/quadboost.py": set(),
    "tables/render.py": set(),
}
"""Files, and the algorithms whose keys depend on them where the C-bound is measured."""


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., set[Path]]]:
    """Return a function that gives the files whose code is in the key of a cell."""
    files: list[set[Path]] = []
    monkeypatch.setattr(code, "hash_of_files", lambda paths: files.append({*paths}) or "0")

    def files_of(algorithm: str, **protocol: Any) -> set[Path]:
        code.code_hash.cache_clear()
        records.makers(ALGORITHMS[algorithm].make({}), Protocol(view="v", **protocol))
        return files[-1]

    yield files_of
    code.code_hash.cache_clear()


def test_a_key_depends_on_the_files_that_algorithm_measures_and_choice_use(
    hashed: Callable[..., set[Path]],
) -> None:
    for name in ("adaboost", "lpboost"):
        files = hashed(name, folds=0, measures=("c_bound",))
        used = {file for file in USES if code.PACKAGE / file in files}
        assert used == {file for file, names in USES.items() if name in names}
    metrics = code.PACKAGE / "core/metrics.py"
    assert [metrics in hashed("adaboost", choose_by=by) for by in ("error", "auc")] == [False, True]


def test_the_hash_of_code_is_that_of_the_names_and_bytes_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code, "PACKAGE", tmp_path)
    files, found = [tmp_path / "a.py", tmp_path / "b.py"], []
    for text in ("x", "y"):
        files[0].write_text(text)
        files[1].write_text("x")
        found += [code.hash_of_files(of) for of in (files[:1], files[1:], files)]
        assert found[-1] == code.hash_of_files(files[::-1])
    assert [found.index(of) for of in found] == [0, 1, 2, 3, 1, 5]


def test_packages_are_those_that_the_learner_computes_with() -> None:
    def packages(learner: Learner) -> set[str]:
        return {*records.makers(learner, Protocol(view="v"))["packages"]}

    assert packages(ALGORITHMS["adaboost"].make({})) == {"numpy", "numba"}
    assert "highspy" in packages(ALGORITHMS["lpboost"].make({}))
    # A data frame is handed over only if categories are asked for.
    for asked in (False, True):
        learner = EstimatorPredictor("sklearn:DummyClassifier", categories=asked)
        assert ("pandas" in packages(learner)) == asked


IMPORTS = """
import os, sys as system
import a.b as c
import d; import e
from f import (
    g,  # (1)
    h as i,
)
from .j import k
from . import l
from ..m import n, \\
    o
if TYPE_CHECKING:
    import p
try: import q
except ImportError: pass
def function():
    from r import *
"""


def test_imports_are_those_of_the_syntax_tree(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(IMPORTS)
    listed = code.imports_of("package.part.module", file)
    assert listed == {
        *("os", "sys", "a.b", "d", "e", "f", "f.g", "f.h", "f.as", "f.i", "r", "q"),
        *("package.part.j", "package.part.j.k", "package.part", "package.part.l"),
        *("package.m", "package.m.n", "package.m.o"),
    }


@pytest.mark.parametrize("place", ["beside", "on the path"])
def test_a_key_depends_on_all_code_that_is_not_installed(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, other = tmp_path / "configs", tmp_path / "lib"
    folder.mkdir()
    (other / "helpers").mkdir(parents=True)
    monkeypatch.syspath_prepend(other)
    (other / "helpers/__init__.py").write_text("from helpers.deep import f\nimport helpers.a.b")
    (other / "helpers/a").mkdir()  # a package without a file of its own
    (other / "helpers/a/b.py").touch()
    (other / "helpers/deep.py").write_text("import numpy")
    (folder / "mine.py").write_text("import helpers, sklearn")
    path = "mine:Model" if place == "beside" else "helpers:Model"
    learner = EstimatorPredictor(path, folder=str(folder))
    names = [name for name, _ in learner.own_code]
    modules = ["helpers", "helpers.a.b", "helpers.deep"]
    assert names == [*modules, *["mine.py"] * (place == "beside")]
    before = learner.own_code
    (other / "helpers/deep.py").write_text("import scipy")
    assert learner.own_code != before


def test_the_commit_is_that_of_the_checkout_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> str:
        line = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a", *words]
        return subprocess.run(line, capture_output=True, text=True, check=True).stdout.strip()

    # Git sets some for its hooks, which may run the tests.
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setattr(records, "PACKAGE", tmp_path / "quadrepro")
    file, other = tmp_path / "quadrepro/__init__.py", tmp_path / "notes.md"
    file.parent.mkdir()
    for path in (file, other):
        path.write_text("before")
    git("init")
    git("add", "notes.md")
    git("commit", "-m", "The package is not of this checkout")
    assert records.commit.__wrapped__() == {}
    git("add", "quadrepro")
    git("commit", "-m", "The package")
    other.write_text("after")
    clean = {"commit": git("rev-parse", "HEAD"), "dirty": False}
    assert records.commit.__wrapped__() == clean
    file.write_text("after")
    assert records.commit.__wrapped__() == clean | {"dirty": True}
    monkeypatch.setenv("PATH", str(tmp_path))
    assert records.commit.__wrapped__() == {}
