from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from quadrepro import fingerprint
from quadrepro.fingerprint import ROOTS, code_hash, imports_of, modules_of, versions
from quadrepro.learners.registry import ALGORITHMS

SOLVERS = {"highspy": "highspy", "piqp": "piqp", "daqp": "daqp", "scipy": "scipy"}
LPBOOST = "quadrepro.learners.programs.lpboost"


def plain(source: str) -> str:
    return fingerprint._plain(ast.parse(source))


def test_comments_docstrings_and_places_do_not_count() -> None:
    one = 'def f(x):\n    """Return x."""\n    return x  # as it is\n'
    two = '"""A module."""\n\n\ndef f(x):\n\n    return x\n'
    assert plain(one) == plain(two)


@pytest.mark.parametrize(
    "changed",
    [
        "def f(x):\n    return -x\n",
        "def f(x, y=1):\n    return x\n",
        "def f(x):\n    return x + 1.0\n",
        "def g(x):\n    return x\n",
        'def f(x):\n    return "x"\n',
    ],
)
def test_code_counts(changed: str) -> None:
    assert plain("def f(x):\n    return x\n") != plain(changed)


def test_a_hash_covers_what_is_imported_also_inside_functions_but_not_for_types_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "quadrepro"
    (package / "voters").mkdir(parents=True)
    (package / "voters" / "__init__.py").write_text("")
    (package / "voters" / "a.py").write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from quadrepro.voters import d\n"
        "def f():\n    from quadrepro.voters import b\n"
    )
    for name in "bd":
        (package / "voters" / f"{name}.py").write_text("from quadrepro import report\n")
    monkeypatch.setattr(fingerprint, "PACKAGE", package)
    fingerprint._module.cache_clear()
    names = {name.removeprefix("quadrepro.") for name in modules_of(["quadrepro.voters.a"])}
    fingerprint._module.cache_clear()
    assert names == {"voters", "voters.a", "voters.b"}


def test_an_algorithm_does_not_depend_on_the_code_of_others() -> None:
    of_lpboost, of_adaboost = (
        modules_of([*ROOTS, name]) for name in (LPBOOST, "quadrepro.learners.greedy.adaboost")
    )
    assert "quadrepro.learners.programs.linear" in of_lpboost - of_adaboost
    assert "quadrepro.learners.greedy.adaboost" in of_adaboost - of_lpboost
    assert code_hash((LPBOOST,)) != code_hash(("quadrepro.learners.greedy.adaboost",))


@pytest.mark.parametrize(
    "module",
    [
        "quadrepro.engine.work",
        "quadrepro.data.normalise",
        "quadrepro.search.k_fold",
        "quadrepro.voters.reduction",
        "quadrepro.learners.greedy.loop",
        "quadrepro.kernels.adaboost",
    ],
)
def test_a_cell_depends_on_the_core(module: str) -> None:
    assert module in modules_of([*ROOTS, "quadrepro.learners.greedy.adaboost"])


def test_nothing_that_only_reads_or_shows_counts() -> None:
    names = modules_of([*ROOTS, *(type(e.make({})).__module__ for e in ALGORITHMS.values())])
    rooms = {".".join(name.split(".")[:2]) for name in names}
    assert not rooms & {"quadrepro.report", "quadrepro.cli", "quadrepro.papers"}


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
