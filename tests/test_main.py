from __future__ import annotations

from importlib.metadata import entry_points

import pytest

import quadrepro
from quadrepro.__main__ import run
from tests.make import lines_of


def test_public_names_are_listed_and_imported_when_they_are_used() -> None:
    assert dir(quadrepro) == sorted(quadrepro.__all__)
    for name in quadrepro.__all__:
        assert getattr(quadrepro, name) is not None
        if name.endswith(("Classifier", "Regressor")):
            assert f">>> from quadrepro import {name}" in (getattr(quadrepro, name).__doc__ or "")
    with pytest.raises(AttributeError, match="module 'quadrepro' has no attribute 'rnak'"):
        _ = quadrepro.rnak


def test_the_command_and_the_module_are_the_same() -> None:
    (script,) = entry_points(group="console_scripts", name="quadrepro")
    assert script.load() is run
    module = "import runpy, sys; sys.argv = ['quadrepro', '--version']; "
    [line] = lines_of(module + "runpy.run_module('quadrepro', run_name='__main__')")
    assert line.endswith(f", version {quadrepro.__version__}")
