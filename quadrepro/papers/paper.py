"""A paper is a folder: ``paper.yaml``, and printed tables under ``printed/``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from quadrepro.base.files import papers_folder
from quadrepro.base.models import MOST_SHOWN, Model, validated
from quadrepro.base.yaml import YamlSource, read_yaml
from quadrepro.errors import ConfigError, nearest
from quadrepro.papers.claims import AnyClaim
from quadrepro.papers.printed import MEAN, SD, Facts, NotThereError, Printed, read_printed


class Also(Model):
    """A measure that the claims of a group are worked out on as well, without a judgement."""

    measure: str
    """The measure in place of the test error."""
    words: str
    """Words before the numbers."""


class Group(Model):
    """A group of claims in ``paper.yaml``."""

    judged: Literal["means", "splits"] = "means"
    """Whether the claims are judged on the means over all splits alone, or on each split as well,
    for the table of a single split."""
    printed: tuple[str, ...] = ()
    """Printed tables that the claims are judged on as well; by default the one that is called like
    the group, if there is one. The rows of the first are those that the claims are about."""
    also: Also | None = None
    """Another measure."""
    notes: tuple[str, ...] = ()
    """Notes below the claims table."""
    claims: tuple[AnyClaim, ...] = Field(min_length=1)
    """The claims, of any kind."""


class PaperFile(Model):
    """Contents of ``paper.yaml``."""

    title: str
    """Title of the paper."""
    reference: str = ""
    """Authors, place and year."""
    names: dict[str, str] = Field(default_factory=dict)
    """The paper's name of each algorithm, by its name in configs and printed columns; by default
    the printed columns as they are. Claims compare these."""
    printed: dict[str, Facts] = Field(default_factory=dict)
    """Facts on the printed tables, by the name of the file without ending."""
    claims: dict[str, Group] = Field(default_factory=dict)
    """Groups of claims, such as one for each table of the paper."""
    notes: tuple[str, ...] = ()
    """Notes below every claims table."""
    experiments: tuple[str, ...] = ()
    """Names of the configs whose verdicts and judgements the scoreboard counts. For a printed table
    or a group of claims, the first that has any counts. Without results of these, all configs of
    the paper count, by name."""


FILE = "paper.yaml"
PRINTED = "printed"


@dataclass(frozen=True)
class Paper:
    """A paper that was read and checked.

    Examples
    --------
    >>> paper = load_paper("quadboost")
    >>> paper.printed("table1").text("zoo", "adaboost")
    '0.120'
    """

    reference: str
    """Its name in a config: the name of a paper that ships, or the path of a folder."""
    file: PaperFile
    """Contents of ``paper.yaml``, with the names of all algorithms."""
    tables: dict[str, Printed]
    """Printed tables by name."""
    groups: dict[str, Group]
    """Groups of claims by name, with their printed tables."""
    source: YamlSource
    """The file, for messages that name a place."""

    def printed(self, name: str) -> Printed:
        """Return a printed table."""
        if name not in self.tables:
            hint = nearest(name, self.tables)
            raise NotThereError(f"the paper {self.reference} has no printed table {name!r}{hint}")
        return self.tables[name]

    def group(self, name: str) -> Group:
        """Return a group of claims."""
        if name not in self.groups:
            hint = nearest(name, self.groups)
            raise NotThereError(f"the paper {self.reference} has no claims {name!r}{hint}")
        return self.groups[name]

    def error(self, message: str, *place: str | int) -> ConfigError:
        """Return an error that names a place of ``paper.yaml``."""
        return ConfigError(f"{self.source.where(place)}: {message}")


def paper_names() -> list[str]:
    """Return the names of the papers that ship with quadrepro."""
    return sorted(path.parent.name for path in papers_folder().glob(f"*/{FILE}"))


def find_paper(reference: str, start: Path) -> Path:
    """Return the folder of a paper."""
    if reference in paper_names():
        return papers_folder() / reference
    folder = start / reference
    if (folder / FILE).is_file():
        return folder
    if folder.is_file():
        advice = f"give the folder of a paper, with {FILE} and its tables in {PRINTED}/"
        raise NotThereError(f"{folder} is a file: {advice}")
    if folder.is_dir():
        raise NotThereError(f"the folder {folder} holds no {FILE}")
    if folder.suffix or "/" in reference:
        raise NotThereError(f"{folder}: no such file or folder")
    raise NotThereError(f"unknown paper {reference!r}{nearest(reference, paper_names())}")


def load_paper(reference: str, start: Path = Path()) -> Paper:
    """Read and check a paper, with all of its printed tables and claims.

    Parameters
    ----------
    reference : str
        The name of a paper that ships, or the path of a folder.
    start : Path, default the current folder
        The folder that a path starts from.

    Raises
    ------
    ConfigError
        With the place of each mistake.
    """
    folder = find_paper(reference, start)
    source = read_yaml(folder / FILE)
    # Only what ships has code: a folder of a user is data.
    ships = folder.parent == papers_folder()
    context = {"module": f"quadrepro.papers.{folder.name}"} if ships else {}
    file = validated(PaperFile, source, context=context)
    tables = _tables(folder, file, source)
    columns = {name: name for table in tables.values() for name in table.algorithms}
    file = file.model_copy(update={"names": file.names or columns})
    groups = dict(file.claims)
    for name, group in groups.items():
        if name in tables and "printed" not in group.model_fields_set:
            groups[name] = group.model_copy(update={"printed": (name,)})
    paper = Paper(reference, file, tables, groups, source)
    if faults := list(_faults(paper, {*file.names, *columns}))[:MOST_SHOWN]:
        raise ConfigError("\n".join(faults))
    return paper


def _tables(folder: Path, file: PaperFile, source: YamlSource) -> dict[str, Printed]:
    """Return all printed tables of a folder by name, or refuse them."""
    files = sorted(path for path in (folder / PRINTED).glob("*") if path.suffix)
    paths = {path.stem: path for path in files if not path.name.startswith(".")}

    def wrong(message: str, *place: str) -> ConfigError:
        return ConfigError(f"{source.where(('printed', *place))}: {message}")

    for name in file.printed:
        if name not in paths:
            raise wrong(f"{PRINTED}/{name}.csv is missing{nearest(name, paths)}", name)
    tables = {}
    for name, path in paths.items():
        facts = file.printed.get(name, Facts())
        tables[name] = table = read_printed(path, facts)
        if facts.sample is None and any(c.endswith((MEAN, SD)) for c in table.columns):
            example = f"printed: {{{name}: {{of: {{splits: 20}}}}}}"
            message = "prints means: name the repetitions that they are means of, as"
            raise wrong(f"{name} {message} {example}", name)
        if facts.is_share and facts.unit is None:
            example = f"printed: {{{name}: {{unit: fraction}}}}, or percent (RMSEs: metric: rmse)"
            raise wrong(f"say in which unit the numbers of {name} are, as {example}", name)
    return tables


def _faults(paper: Paper, algorithms: set[str]) -> Iterator[str]:
    """Yield the mistakes in the groups of claims, with their places."""
    for name, group in paper.groups.items():
        for i, table in enumerate(group.printed):
            if table not in paper.tables:
                message = f"{PRINTED}/{table}.csv is missing{nearest(table, paper.tables)}"
                yield str(paper.error(message, "claims", name, "printed", i))
        for i, claim in enumerate(group.claims):
            for place, message in claim.mistakes(algorithms, paper.file.names):
                yield str(paper.error(message, "claims", name, "claims", i, *place))
