"""Public names, the command, exit codes of errors, and hints at the nearest name."""

from __future__ import annotations

import contextlib
import os
import runpy
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, entry_points, metadata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

import quadrepro
from quadrepro import errors
from quadrepro.__main__ import run
from quadrepro.errors import ConfigError, QuadreproError, nearest, together


def test_public_names_are_listed_and_imported_when_they_are_used() -> None:
    assert dir(quadrepro) == sorted(quadrepro.__all__)
    for name in quadrepro.__all__:
        assert getattr(quadrepro, name) is not None
        if name.endswith(("Classifier", "Regressor")):
            assert f">>> from quadrepro import {name}" in (getattr(quadrepro, name).__doc__ or "")
    with pytest.raises(AttributeError, match="module 'quadrepro' has no attribute 'rnak'"):
        _ = quadrepro.rnak


@pytest.mark.slow
def test_type_checkers_know_the_public_names(tmp_path: Path) -> None:
    names = ", ".join(sorted({*quadrepro.__all__} - {"stats"}))
    (tmp_path / "user.py").write_text(f"from quadrepro import stats, {names}\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "user.py"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert found.stdout.startswith("Success"), found.stdout + found.stderr


def test_pinned_packages_can_be_installed_on_the_lowest_python() -> None:
    lowest = metadata("quadrepro")["Requires-Python"].removeprefix(">=") + ".0"
    for line in Path("constraints.txt").read_text("utf-8").splitlines():
        name = line.partition("==")[0]
        if not line or line.startswith("#"):
            continue
        with contextlib.suppress(PackageNotFoundError):  # of another platform or extra
            if "Requires-Python" in (fields := metadata(name)):
                needed = SpecifierSet(fields["Requires-Python"])
                assert needed.contains(lowest), f"{line} needs Python {needed}"


def test_the_command_and_the_module_are_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (script,) = entry_points(group="console_scripts", name="quadrepro")
    assert script.load() is run
    monkeypatch.setattr("sys.argv", ["quadrepro", "--version"])
    monkeypatch.setattr("gc.set_threshold", lambda most: None)
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    monkeypatch.delitem(sys.modules, "quadrepro.__main__")
    with pytest.raises(SystemExit, match="0"):
        runpy.run_module("quadrepro", run_name="__main__")
    assert capsys.readouterr().out.endswith(f", version {quadrepro.__version__}\n")
    assert os.environ["PYTHONSAFEPATH"] == "1"


def test_every_kind_of_error_has_the_exit_code_that_the_readme_lists() -> None:
    codes = {
        kind.__name__: kind.exit_code
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, QuadreproError)
    }
    assert codes == {
        "QuadreproError": 1,
        "ConfigError": 2,
        "DataError": 3,
        "NoConnectionError": 3,
        "ToleranceError": 4,
    }


@pytest.mark.parametrize(
    ("name", "names", "hint"),
    [
        ("pimo", ["wine", "pima", "pimas"], "; did you mean 'pima'?"),
        ("spam", ["wine", "pima"], "; known are pima, wine"),
        ("spam", ["wine", "wine"], "; known are wine"),
        ("spam", [], ""),
        ("", ["wine"], "; known are wine"),
        ("spam", [*"abcdefghijklmno"], "; known are a, b, c, d, e, f, g, h, i, j, k, l, m, n, o"),
        ("zz", ["zara", *map(str, range(99)), "zap"], "; the nearest of 101 are zap, zara, 98"),
    ],
)
def test_the_hint_is_the_closest_name_or_all_or_the_nearest_of_many(
    name: str, names: list[str], hint: str
) -> None:
    assert nearest(name, names) == nearest(name, iter(names)) == hint
    listed = f"{hint} (see list all)" if "nearest of" in hint else hint
    assert nearest(name, names, "list all") == listed


NAMES = st.sets(st.text(st.characters(categories=("L", "N")), min_size=4), min_size=1)


@given(NAMES, st.data())
def test_a_name_with_one_letter_more_is_still_recognised(
    names: set[str], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(sorted(names)))
    assert nearest(f"{name}_", names).startswith("; did you mean ")


def test_the_faults_of_several_calls_are_raised_together() -> None:
    def fail(message: str) -> int:
        raise ConfigError(message)

    assert together([lambda: 1, lambda: 2]) == [1, 2]
    with pytest.raises(ConfigError, match=r"^a\nb$"):
        together([lambda: fail("a"), lambda: 2, lambda: fail("a\nb")])
