"""The papers' printed tables: one CSV each, rows by name, columns by algorithm."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache

from quadrepro.errors import ConfigError, nearest
from quadrepro.resources import published_folder


@dataclass(frozen=True)
class Published:
    """A printed table.

    Attributes
    ----------
    name : str
        Name of the file without ending.
    columns : tuple of str
        Algorithms in the printed order.
    cells : dict of (str, str) to str
        What is printed in a row and column, digit for digit.
    """

    name: str
    columns: tuple[str, ...]
    cells: dict[tuple[str, str], str]

    @property
    def rows(self) -> tuple[str, ...]:
        """Row names in the printed order."""
        return tuple(dict.fromkeys(row for row, _ in self.cells))

    def text(self, row: str, column: str) -> str:
        """Return what is printed, or an empty text where nothing is."""
        return self.cells.get((row, column), "")

    def number(self, row: str, column: str) -> float | None:
        """Return the printed number, or None where there is none."""
        text = self.text(row, column)
        return float(text) if text else None

    def spread(self, row: str, mean: str, sd: str) -> str:
        """Return a printed mean ± standard deviation, or an empty text where one is lacking.

        Parameters
        ----------
        row, mean, sd : str
            Names of a row and of the columns of its mean and standard deviation.
        """
        texts = self.text(row, mean), self.text(row, sd)
        return " ± ".join(texts) if all(texts) else ""

    def under(self, titles: dict[str, str]) -> Published:
        """Return the table with a row for each title, which is that of the printed row it names."""
        cells = {
            (title, column): self.text(row, column)
            for title, row in titles.items()
            for column in self.columns
            if (row, column) in self.cells
        }
        return Published(self.name, self.columns, cells)

    def rounding(self, row: str, column: str) -> float:
        """Return half a unit of the last printed digit."""
        return float(0.5 * 10.0 ** -len(self.text(row, column).partition(".")[2]))


def published_names() -> list[str]:
    """Return the names of all printed tables."""
    return sorted(path.stem for path in published_folder().glob("*.csv"))


@cache
def read_published(name: str) -> Published:
    """Return a printed table.

    Parameters
    ----------
    name : str
        Such as ``"quadboost-table1"``; the empty name is a table without numbers.

    Raises
    ------
    ConfigError
        If there is none of that name; the nearest is given.
    """
    if not name:
        return Published("", (), {})
    if name not in published_names():
        hint = nearest(name, published_names())
        raise ConfigError(f"there is no published table {name!r}{hint}")
    with open(published_folder() / f"{name}.csv", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    cells = {
        (row[0], column): text
        for row in rows
        for column, text in zip(header[1:], row[1:], strict=True)
    }
    return Published(name, tuple(header[1:]), cells)
