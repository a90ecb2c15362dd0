"""What a user may write in ``paper.yaml``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from quadrepro.documents.model import Model
from quadrepro.papers.printed import Holds

Size = Annotated[int, Field(ge=1, le=1_000_000_000)]
"""A number of examples."""


class Facts(Model):
    """What ``paper.yaml`` says of a printed table.

    Attributes
    ----------
    holds : {"risks", "errors", "margins", "comparisons"}, optional
        What the numbers are; by default errors if the columns are means and deviations, and risks
        otherwise.
    splits : int, optional
        How many splits a printed mean and deviation are of; risks are of one if nothing is said.
    config : str, optional
        The config of the table, which tells the sizes of its test sets: the name of one that
        ships, or a path that starts at the folder of the paper.
    n_test : dict of str to int or pair of int, optional
        By row: the number of test examples, or that and the number of all rows, where the config
        does not tell.
    compares : str, optional
        The printed table of risks whose algorithms these comparisons compare.
    bold : dict of str to tuple of str
        By row: the columns that are printed in bold as the lowest, equal ones included.
    codings : tuple of str
        Configs whose results say which coding of its data set a row fits: first the paper's own,
        then others.
    """

    holds: Holds | None = None
    splits: int | None = Field(default=None, ge=2, le=1_000_000)
    config: str | None = None
    n_test: dict[str, Size | tuple[Size, Size]] = Field(default_factory=dict)
    compares: str | None = None
    bold: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    codings: tuple[str, ...] = ()


class Also(Model):
    """A measure that the claims of a group are worked out on as well, without a judgement.

    Attributes
    ----------
    measure : str
        What takes the place of the test error.
    words : str
        What stands before the numbers.
    """

    measure: str
    words: str


class GroupEntry(Model):
    """What ``paper.yaml`` says of a group of claims.

    Attributes
    ----------
    judged : {"means", "splits"}
        Whether the claims are judged on the means over all splits, or on each split, which counts
        on how many they hold.
    printed : tuple of str, optional
        Printed tables that the claims are judged on as well; by default the one that is called
        like the group, if there is one. The rows of the first are those that the claims are about.
    also : Also, optional
        Another measure.
    notes : tuple of str
        What stands below the claims table.
    claims : tuple of dict
        The claims, of any kind.
    """

    judged: Literal["means", "splits"] = "means"
    printed: tuple[str, ...] | None = None
    also: Also | None = None
    notes: tuple[str, ...] = ()
    claims: tuple[dict[str, Any], ...] = Field(min_length=1)


class PaperFile(Model):
    """What ``paper.yaml`` holds.

    Attributes
    ----------
    title : str
        What the paper is called.
    reference : str
        Authors, place and year.
    names : dict of str to str
        The paper's algorithms by the names that configs and printed columns give them, and what
        the paper calls each. Claims can speak of these.
    printed : dict of str to Facts
        Facts on the printed tables, by the name of the file without ending.
    claims : dict of str to GroupEntry
        Groups of claims, such as one for each table of the paper.
    notes : tuple of str
        What stands below every claims table.
    experiments : tuple of str
        Names of the configs whose verdicts and judgements the scoreboard counts: of a printed
        table, or a group of claims, those of the first that has any. If there are results of none
        of them, all configs of the paper count, by name.
    """

    title: str
    reference: str = ""
    names: dict[str, str] = Field(default_factory=dict)
    printed: dict[str, Facts] = Field(default_factory=dict)
    claims: dict[str, GroupEntry] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    experiments: tuple[str, ...] = ()
