"""The folders of what ships, in a checkout and in a wheel."""

from __future__ import annotations

from pathlib import Path

import pytest

from quadrepro.base import resources


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
