"""A key covers the code that a cell runs, and no other."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from quadrepro.base.code import PACKAGE, ROOT, files_of
from quadrepro.config.loading import load_mapping
from quadrepro.config.plan import make_plan
from quadrepro.core.cell import Cell
from quadrepro.core.learners.registry import ALGORITHMS
from quadrepro.data.card import load_card
from quadrepro.engine.keys import commit, makers
from quadrepro.engine.worker import run_cell

VERIFIED = (
    *(
        "__init__.py",
        "base/",
        "errors.py",
        "engine/",
        "core/learners/registry",
        "core/measures/registry",
    ),
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
        if event == "call" and file.is_relative_to(PACKAGE):
            found.add(file)

    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)


DRAWN = ("ebboost",)


def last(axis: Any) -> Any:
    """Return the last value of an axis as a registry writes it."""
    return axis["to"] if isinstance(axis, dict) else axis[-1]


def cell_of(name: str) -> Cell:
    """Return a small cell of an algorithm, with two candidates of each searched value."""
    protocol: dict[str, Any] = {"view": "default", "folds": 2}
    if name in DRAWN:
        protocol = {"view": "default", "holdout": {"patience": 2, "max_rounds": 3}}
    grid = (
        {}
        if name in DRAWN
        else {
            key: 2 if key == "n_rounds" else last(axis)
            for key, axis in ALGORITHMS[name].grid.items()
        }
    )
    entry: dict[str, Any] = {"name": name, "grid": grid}
    config = {"title": "One", "baseline": False, "protocol": protocol, "datasets": ["monks"]}
    plan = make_plan(load_mapping({**config, "algorithms": [entry]}))
    return plan.cells[0]


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_the_key_of_a_cell_covers_all_code_that_it_runs(name: str) -> None:
    cell = cell_of(name)
    run_cell(cell)  # compiles loops, which calls much
    with files_called() as called:
        record = run_cell(cell)
    assert record.ok, record.message
    learner = cell.learner
    covered = files_of([ROOT, type(learner).__module__, *learner.modules])
    missed = {str(file.relative_to(PACKAGE)) for file in called - covered}
    assert not {file for file in missed if not file.startswith(VERIFIED)}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the package that may be changed."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(PACKAGE, folder / "quadrepro", ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "quadrepro"


def hashes(package: Path) -> dict[str, str]:
    """Return the hash of the code of every algorithm in a copy of the package."""
    code = (
        "from quadrepro.core.learners.registry import ALGORITHMS\n"
        "from quadrepro.engine.keys import makers\n"
        "for name in ('adaboost', 'lpboost'):\n"
        "    print(name, makers(ALGORITHMS[name].make({}), ['c_bound'])['code'])\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=package.parent, capture_output=True, text=True, check=True
    )
    return dict(line.split() for line in run.stdout.splitlines())


@pytest.mark.parametrize(
    ("file", "changed"),
    [
        ("core/preprocessing.py", {"adaboost", "lpboost"}),
        ("data/canonical.py", {"adaboost", "lpboost"}),
        ("core/measures/cbboost.py", {"adaboost", "lpboost"}),
        ("core/learners/adaboost.py", {"adaboost"}),
        ("core/learners/programs.py", {"lpboost"}),
        ("core/measures/registry.py", set()),
        ("core/measures/ebboost.py", set()),
        ("core/learners/quadboost.py", set()),
        ("tables/table.py", set()),
        ("cli/__init__.py", set()),
    ],
)
def test_an_edit_changes_the_keys_of_what_uses_the_file(
    copy: Path, file: str, changed: set[str]
) -> None:
    before = hashes(copy)
    with (copy / file).open("a") as code:
        code.write("\n# edited\n")
    after = hashes(copy)
    assert {name for name in before if before[name] != after[name]} == changed


def test_packages_are_those_that_the_learner_computes_with() -> None:
    packages = {name: makers(ALGORITHMS[name].make({}), [])["packages"] for name in ALGORITHMS}
    assert packages["adaboost"].keys() == {"numpy"}
    assert "highspy" in packages["lpboost"]


def test_the_commit_is_that_of_the_checkout() -> None:
    asked = ["git", "-C", str(PACKAGE), "rev-parse", "HEAD"]
    found = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    assert commit().get("commit", "") == found


def test_the_order_of_codes_in_a_card_belongs_to_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    card = load_card("tictactoe")
    first, *others = card.attributes
    turned = first.model_copy(update={"codes": (first.codes or ())[::-1]})
    config = {
        "title": "Codes",
        "protocol": {"view": "default"},
        "datasets": ["tictactoe"],
        "algorithms": ["adaboost"],
    }
    before = make_plan(load_mapping(config)).cells[0].key
    changed = card.model_copy(update={"attributes": (turned, *others)})
    monkeypatch.setattr("quadrepro.data.store.load_card", lambda name: changed)
    assert make_plan(load_mapping(config)).cells[0].key != before
