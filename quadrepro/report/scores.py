"""``score.csv`` of a results folder: how the printed tables fare as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError, model_validator

from quadrepro.documents.model import Model
from quadrepro.errors import ConfigError, DataError
from quadrepro.report.manifest import read_manifest
from quadrepro.report.table import read_rows

Known = Annotated[float | None, BeforeValidator(lambda text: text or None)]


class Score(Model):
    """The verdicts on a printed table as a whole, as `quadrepro.report.files` writes them.

    Attributes
    ----------
    printed : str
        Name of the printed table.
    numbers, inside, outside, not_comparable : int
        How many numbers are printed, and how many of them have each verdict.
    expected, low, high, p_more, p_fewer : float or None
        What chance brings, see `quadrepro.stats.Misses`; None if nothing is comparable.
    surely_off : str
        The entries that are off after Holm's correction.
    """

    printed: str = Field(alias="printed table")
    numbers: int
    inside: int
    outside: int
    not_comparable: int = Field(alias="not comparable")
    expected: Known = Field(alias="expected outside")
    low: Known
    high: Known
    p_more: Known = Field(alias="p more")
    p_fewer: Known = Field(alias="p fewer")
    surely_off: str = Field(alias="surely off")

    @model_validator(mode="after")
    def _knows_chance(self) -> Self:
        if self.judged and None in (self.expected, self.low, self.high):
            raise ValueError("numbers are judged, but what chance brings is missing")
        return self

    @property
    def judged(self) -> int:
        """How many numbers are inside or outside."""
        return self.inside + self.outside

    @property
    def text(self) -> str:
        """One line for a terminal."""
        if not self.judged:
            return f"{self.printed}: none of {self.numbers} printed numbers can be compared"
        return (
            f"{self.printed}: {self.inside} of {self.judged} printed numbers inside, "
            f"{self.outside} outside, {self.expected:.1f} expected by chance "
            f"({self.low:g} to {self.high:g} in 95% of tables)"
        )


def read_scores(folder: Path) -> list[Score]:
    """Return the scores of a results folder, one per printed table.

    Raises
    ------
    ConfigError
        If nothing is printed for the experiment.
    DataError
        If the file is damaged.
    """
    manifest = read_manifest(folder)
    if manifest is None or not manifest.score:
        raise ConfigError(f"{folder} has no printed numbers to compare with")
    path = folder / manifest.score
    rows = [row for _, row in read_rows(path)]
    try:
        return TypeAdapter(list[Score]).validate_python(rows)
    except ValidationError as error:
        raise DataError(f"{path} is damaged: {str(error).splitlines()[0]}") from None
