"""Files: written at once or not at all, read only if regular and not too large; those that ship.

In a wheel, `datasets/` and `configs/` are inside the package; in a checkout, they are next to it.
"""

from __future__ import annotations

import filecmp
import os
import stat
import uuid
from pathlib import Path

from quadrepro.errors import ConfigError, DataError, closest, nearest

MOST_BYTES = 64 * 2**20
"""Size of the largest file of a results folder that is read."""


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file at once or not at all.

    A reader sees the old file or the whole new one, even if the computer stops in between.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}-{uuid.uuid4().hex[:12]}.part")
    try:
        with partial.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        # The system gives no name for a full disk.
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        partial.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    r"""Write a text in UTF-8 with ``\n`` line ends, at once or not at all; see `write_bytes`."""
    write_bytes(path, text.encode("utf-8"))


def is_regular(path: Path) -> bool:
    """Return whether a path is a file, and not a link, a pipe, a device or a folder."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """Read a file of a results folder, which may be untrusted."""
    try:
        size = path.lstat().st_size
        if not is_regular(path):
            raise DataError(f"{path}: not a regular file")
        if size > most:
            limit = f"at most {most / 2**20:,.0f} MiB are read"
            raise DataError(f"{path}: the file has {size / 2**20:,.0f} MiB; {limit}")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def read_text(path: Path) -> str:
    """Read a text in UTF-8 of a results folder; see `read_bytes`, whose errors it raises."""
    try:
        return read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not a text file in UTF-8 (byte {error.start})") from None


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
