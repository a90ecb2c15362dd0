"""Where the files that ship with quadrepro are, and how many cores there are.

In a wheel, `datasets/` and `configs/` are inside the package; in a checkout, they are beside it.
"""

from __future__ import annotations

from pathlib import Path

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


def available_cores() -> int:
    """Return how many cores this process may use, by its affinity and its control group."""
    from joblib.externals.loky import cpu_count

    return int(cpu_count())
