from __future__ import annotations

import pytest
from click.testing import Result

from quadrepro.plugins import contracts_of
from tests.cli.call import quadrepro
from tests.packages import Install

MEASURE = """
from quadrepro.core.measures.measure import Measure

def half(trained):
    return trained.scores.mean(axis=1) * 0 + 0.5

def one(trained):
    return [0.5]

HALF, ONE = Measure("half", half), Measure("one", one)
"""


def check(name: str) -> Result:
    return quadrepro("check-extension", name)


@pytest.mark.parametrize("name", ["ours", "half"])
def test_each_contract_of_a_package_or_an_entry_point_gets_a_line(
    install: Install, name: str
) -> None:
    install("ours", "measures", "half = ours.code:HALF", MEASURE)
    result = check(name)
    assert result.exit_code == 0
    first, *lines = result.output.splitlines()
    assert first == "half (quadrepro.measures, ours 1.2)"
    assert len(lines) == len(contracts_of("measures"))
    assert all(line.startswith("  ok      ") for line in lines)


def test_a_broken_contract_is_named_with_what_was_found(install: Install) -> None:
    install("ours", "measures", "one = ours.code:ONE", MEASURE)
    result = check("ours")
    assert result.exit_code == 1
    assert "  broken  Every candidate has one number: the shape is (1,), not (12,)" in result.output
    assert result.output.endswith("\n1 contract broken\n")


def test_an_unknown_name_is_refused_with_the_nearest(install: Install) -> None:
    install("ours", "measures", "half = ours.code:HALF", MEASURE)
    result = check("halff")
    assert result.exit_code == 2
    assert "is called 'halff'; did you mean 'half'?" in result.output


def test_without_any_package_there_is_nothing_to_check(install: Install) -> None:
    result = check("ours")
    assert result.exit_code == 2
    assert "no installed package or entry point is called 'ours'" in result.output


def test_a_package_that_cannot_be_imported_is_named_with_its_file(install: Install) -> None:
    package = install("ours", "measures", "half = ours.code:HALF", "import no_such_module")
    result = check("ours")
    assert result.exit_code == 1
    assert str(package / "code.py") in result.output
