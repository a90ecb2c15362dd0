"""Where configs and other files that ship with quadrepro are.

In a wheel, `datasets/` and `configs/` are inside the package; in a checkout, they are next to it.
"""

from __future__ import annotations

import filecmp
from pathlib import Path

from quadrepro.errors import ConfigError, closest, nearest

RESULTS, BUILD, RECORDS = "results", "build", "records"
"""Default folders of results of the user's own configs and of those that ship, and the folder of
records below one; all experiments share it, for it goes by content."""

_PACKAGE = Path(__file__).resolve().parents[1]


def _shipped(folder: str) -> Path:
    inside = _PACKAGE / "_shipped" / folder
    return inside if inside.is_dir() else _PACKAGE.parent / folder


def cards_folder() -> Path:
    """Return the folder with one YAML card per data set."""
    return _shipped("datasets")


def configs_folder() -> Path:
    """Return the folder with one YAML config per published table."""
    return _shipped("configs")


def papers_folder() -> Path:
    """Return the folder with one folder per paper."""
    return _PACKAGE / "papers"


def find_config(config: str | Path) -> Path:
    """Return the file of a config given by path, or by the name of one that ships.

    Raises
    ------
    ConfigError
        If neither a file nor a shipped config has the name; the nearest one is given.
    """
    path = Path(config)
    if path.is_file():
        return path
    shipped = {p.stem: p for p in configs_folder().glob("*.yaml")}
    if str(config) in shipped:
        return shipped[str(config)]
    if path.is_dir():
        raise ConfigError(f"{config} is a folder, not a config")
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1:
        near = closest(path.stem, shipped)
        hint = f"; did you mean {near!r}, which ships?" if near else ""
        raise ConfigError(f"{config}: no such file{hint}")
    hint = nearest(path.stem, shipped, "quadrepro list experiments")
    if Path(f"{path}.yaml").is_file():
        hint = f"; did you mean {f'{path}.yaml'!r}?"
    raise ConfigError(f"unknown config {str(config)!r}{hint}")


def default_out(*configs: str | Path) -> Path:
    """Return the default folder of results: `BUILD` if all configs ship, otherwise `RESULTS`."""
    return Path(BUILD if all(map(_ships, configs)) else RESULTS)


def _ships(config: str | Path) -> bool:
    """Return whether a config ships, or is an unchanged copy, as in a clone next to the package."""
    path = find_config(config)
    shipped = configs_folder() / path.name
    return shipped.is_file() and filecmp.cmp(path, shipped, shallow=False)
