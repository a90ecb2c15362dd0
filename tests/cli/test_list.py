from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from quadrepro.cli import main
from quadrepro.data.card import card_names
from quadrepro.learners.registry import ALGORITHMS
from quadrepro.resources import configs_folder


def quadrepro(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("datasets", card_names()),
        ("algorithms", [*ALGORITHMS, "sklearn:NAME"]),
        ("experiments", sorted(p.stem for p in configs_folder().glob("*.yaml"))),
    ],
)
def test_list_names_everything(what: str, names: list[str]) -> None:
    result = quadrepro("list", what)
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.output.splitlines()[2:]] == names


def test_list_datasets_says_what_is_here_and_from_where(
    canonical_folder: Path,
) -> None:
    assert "not here" in quadrepro("list", "datasets").output
    with_files = quadrepro("list", "datasets", "--data", canonical_folder).output
    assert "not here" not in with_files
    assert str(canonical_folder / "pima.csv") in with_files
