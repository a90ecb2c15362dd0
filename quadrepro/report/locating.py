"""Results folders: those below a folder, and the one that a user names."""

from __future__ import annotations

from pathlib import Path

from quadrepro._files import is_regular
from quadrepro.errors import ConfigError, nearest
from quadrepro.report.manifest import MANIFEST
from quadrepro.resources import configs_folder


def results_folders(out: Path) -> list[Path]:
    """Return the results folders below a folder, by name."""
    if not out.is_dir():
        return []
    return sorted(path for path in out.iterdir() if is_regular(path / MANIFEST))


def find_results(what: str, out: Path) -> tuple[Path, Path | None]:
    """Return a results folder given by its path, or by the config of its experiment.

    Parameters
    ----------
    what : str
        A results folder, the file of a config, or its name.
    out : Path
        Folder in which each experiment has a folder of its name.

    Returns
    -------
    tuple of (Path, Path or None)
        The results folder, and the folder of the config if its file is given.

    Raises
    ------
    ConfigError
        If there are no such results; with what to do, or the nearest name.
    """
    path = Path(what)
    if is_regular(path / MANIFEST):
        return path, None
    is_config = path.is_file()
    folder = out / (path.stem if is_config else what)
    if is_regular(folder / MANIFEST):
        return folder, path.parent if is_config else None
    known = [other.name for other in results_folders(out)]
    if path.is_dir():
        raise ConfigError(f"{path} is not a results folder: it has no {MANIFEST}")
    shipped = [config.stem for config in configs_folder().glob("*.yaml")]
    if is_config or what in shipped:
        raise ConfigError(f"{out} holds no results of {what}; quadrepro run {what} computes them")
    hint = nearest(what, [*known, *shipped])
    raise ConfigError(f"there is no config or results folder {what!r}{hint}")
