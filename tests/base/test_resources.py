"""The folders of what ships, in a checkout and in a wheel."""

from __future__ import annotations

from pathlib import Path

import pytest

from quadrepro.base import resources
from quadrepro.errors import ConfigError


def test_the_folders_hold_cards_configs_and_printed_numbers() -> None:
    assert (resources.cards_folder() / "monks.yaml").is_file()
    assert (resources.configs_folder() / "quickstart.yaml").is_file()


def test_what_a_wheel_carries_inside_the_package_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "quadrepro"
    package.mkdir(parents=True)
    monkeypatch.setattr(resources, "_PACKAGE", package)
    assert resources.cards_folder() == tmp_path / "site" / "datasets"
    (package / "_shipped" / "datasets").mkdir(parents=True)
    assert resources.cards_folder() == package / "_shipped" / "datasets"
    assert resources.configs_folder() == tmp_path / "site" / "configs"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("nosuch.yaml", "^nosuch.yaml: no such file$"),
        ("quickstrat.yml", "no such file; did you mean 'quickstart', which ships"),
        ("folder/mine", "^folder/mine: no such file$"),
        ("quickstrat", r"^unknown config 'quickstrat'; did you mean 'quickstart'\?"),
        (".", "is a folder, not a config"),
    ],
)
def test_a_config_that_is_not_there_is_refused(asked: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        resources.find_config(asked)


def test_a_config_is_found_by_path_or_by_the_name_of_one_that_ships(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    assert resources.find_config(tmp_path / "mine") == tmp_path / "mine"
    assert resources.find_config("quickstart").is_file()
