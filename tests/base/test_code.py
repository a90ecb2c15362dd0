from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import pytest

from quadrepro.base import code
from quadrepro.base.code import (
    ENTRIES,
    ROOTS,
    code_hash,
    imports_of,
    modules_of,
    owner,
    versions,
)
from quadrepro.core.learners.registry import ALGORITHMS

SOLVERS = {"highspy": "highspy", "piqp": "piqp", "daqp": "daqp", "scipy": "scipy"}
LPBOOST = "quadrepro.core.learners.programs.lpboost"
ADABOOST = "quadrepro.core.learners.greedy.adaboost"


def plain(source: str, entries: tuple[str, ...] = ()) -> str:
    return code._plain(ast.parse(source), entries)


def test_comments_docstrings_and_places_do_not_count() -> None:
    one = 'def f(x):\n    """Return x."""\n    return x  # as it is\nN = 3\n'
    two = '"""A module."""\n\n\ndef f(x):\n\n    return x\n\n\nN = 3\n"""Three."""\n'
    assert plain(one) == plain(two)


def test_the_label_of_an_entry_does_not_count() -> None:
    entry = "class Mine:\n    pass\n\nMINE = Entry(Mine, 'mine', 'a paper')\n"
    assert plain(entry, ENTRIES) == plain(entry.replace("mine", "yours"), ENTRIES)
    assert plain(entry, ENTRIES) != plain(entry.replace("pass", "x = 1"), ENTRIES)


def test_the_function_and_the_settings_of_an_entry_count() -> None:
    entry = "ERROR = Measure('error', train_error, needs='scores')\n"
    for old, new in (("train_error", "test_error"), ("'scores'", "'voters'")):
        assert plain(entry, ENTRIES) != plain(entry.replace(old, new), ENTRIES)


def test_texts_count_in_code_of_others_whatever_their_classes_are_called(tmp_path: Path) -> None:
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text("MINE = Entry('deep')\n")
    two.write_text("MINE = Entry('flat')\n")
    assert code.file_hash(one) != code.file_hash(two)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return x", "return -x"),
        ("(x)", "(x, y=1)"),
        ("x\n", "x + 1.0\n"),
        ("def f", "def g"),
        ("n x", "n 'x'"),
    ],
)
def test_code_counts(old: str, new: str) -> None:
    text = "def f(x):\n    return x\n"
    assert plain(text) != plain(text.replace(old, new, 1))


def test_a_hash_covers_what_is_imported_also_inside_functions_but_not_for_types_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "quadrepro"
    (package / "core").mkdir(parents=True)
    (package / "core" / "__init__.py").write_text("")
    (package / "core" / "a.py").write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from quadrepro.core import d\n"
        "def f():\n    from quadrepro.core import b\n"
    )
    for name in "bd":
        (package / "core" / f"{name}.py").write_text("from quadrepro import tables\n")
    monkeypatch.setattr(code, "PACKAGE", package)
    code._module.cache_clear()
    names = {name.removeprefix("quadrepro.") for name in modules_of(["quadrepro.core.a"])}
    code._module.cache_clear()
    assert names == {"core.a", "core.b"}


def test_an_algorithm_does_not_depend_on_the_code_of_others() -> None:
    of_lpboost, of_adaboost = (modules_of([*ROOTS, name]) for name in (LPBOOST, ADABOOST))
    assert "quadrepro.core.learners.programs.program" in of_lpboost - of_adaboost
    assert ADABOOST in of_adaboost - of_lpboost
    assert code_hash((LPBOOST,)) != code_hash((ADABOOST,))


@pytest.mark.parametrize(
    "module",
    ["cell", "preprocessing", "voters.reduction", "learners.greedy.loop", f"{ADABOOST}_compiled"],
)
def test_a_cell_depends_on_the_core(module: str) -> None:
    names = modules_of([*ROOTS, ADABOOST])
    assert {module, f"quadrepro.core.{module}"} & set(names)


def test_nothing_that_only_reads_or_shows_counts() -> None:
    names = modules_of([*ROOTS, *(type(e.make({})).__module__ for e in ALGORITHMS.values())])
    assert all(name.startswith("quadrepro.core") for name in names)


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_a_learner_names_the_solvers_that_its_code_imports(name: str) -> None:
    learner = ALGORITHMS[name].make({})
    found = {
        imported.split(".")[0]
        for module in modules_of([type(learner).__module__])
        for imported in imports_of(module)
    }
    assert {SOLVERS[package] for package in found & SOLVERS.keys()} <= set(learner.packages)


def test_versions_are_those_of_the_environment() -> None:
    import numpy

    assert versions()["numpy"] == numpy.__version__
    assert versions()["python"] == ".".join(map(str, sys.version_info[:3]))


def test_a_file_of_code_is_pythons_a_packages_or_the_users(tmp_path: Path) -> None:
    assert owner(Path(json.__file__)) == "python"
    assert owner(Path(pytest.__file__)) == "package"
    assert owner(tmp_path / "mine.py") == "user"
