"""A paper is a folder: ``paper.yaml``, and printed tables under ``printed/``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from quadrepro.base.models import MOST_SHOWN, Model, validated
from quadrepro.base.resources import papers_folder
from quadrepro.base.yaml import Place, YamlSource, read_yaml
from quadrepro.errors import ConfigError, nearest
from quadrepro.papers.claims import CLAIMS
from quadrepro.papers.claims.claim import Claim
from quadrepro.papers.printed import (
    MEAN,
    SD,
    Facts,
    NotThereError,
    Printed,
    read_printed,
)


class Also(Model):
    """A measure that the claims of a group are worked out on as well, without a judgement."""

    measure: str
    """The measure in place of the test error."""
    words: str
    """Words before the numbers."""


class GroupEntry(Model):
    """A group of claims in ``paper.yaml``."""

    judged: Literal["means", "splits"] = "means"
    """Whether the claims are judged on the means over all splits alone, or on each split as well,
    for the table of a single split."""
    printed: tuple[str, ...] | None = None
    """Printed tables that the claims are judged on as well; by default the one that is called like
    the group, if there is one. The rows of the first are those that the claims are about."""
    also: Also | None = None
    """Another measure."""
    notes: tuple[str, ...] = ()
    """Note below the claims table."""
    claims: tuple[dict[str, Any], ...] = Field(min_length=1)
    """The claims, of any kind."""


class PaperFile(Model):
    """Contents of ``paper.yaml``."""

    title: str
    """Title of the paper."""
    reference: str = ""
    """Authors, place and year."""
    names: dict[str, str] = Field(default_factory=dict)
    """The paper's algorithms by the names that configs and printed columns give them, and what the
    paper calls each. Claims can speak of these."""
    printed: dict[str, Facts] = Field(default_factory=dict)
    """Facts on the printed tables, by the name of the file without ending."""
    claims: dict[str, GroupEntry] = Field(default_factory=dict)
    """Groups of claims, such as one for each table of the paper."""
    notes: tuple[str, ...] = ()
    """Notes below every claims table."""
    experiments: tuple[str, ...] = ()
    """Names of the configs whose verdicts and judgements the scoreboard counts: of a printed table,
    or a group of claims, those of the first that has any. If there are results of none of them, all
    configs of the paper count, by name."""


FILE = "paper.yaml"
PRINTED = "printed"


@dataclass(frozen=True)
class Group:
    """A group of claims."""

    entry: GroupEntry
    """Its facts in ``paper.yaml``."""
    claims: tuple[Claim, ...]
    """The claims."""
    printed: tuple[str, ...]
    """Printed tables that they are judged on as well."""


@dataclass(frozen=True)
class Paper:
    """A paper whose ``paper.yaml`` holds together."""

    reference: str
    """Its name in a config: that of a paper that ships, or the path of a folder."""
    file: PaperFile
    """Contents of ``paper.yaml``."""
    groups: dict[str, Group]
    """Groups of claims by name."""
    source: YamlSource
    """The file, for messages that name a place."""
    _read: dict[str, Printed] = field(default_factory=dict, repr=False)

    @property
    def tables(self) -> list[str]:
        """Names of the printed tables."""
        return _tables(self.source.path.parent)

    def printed(self, name: str) -> Printed:
        """Return a printed table."""
        if name not in self.tables:
            hint = nearest(name, self.tables)
            raise NotThereError(f"the paper {self.reference} has no printed table {name!r}{hint}")
        if name not in self._read:
            facts = self.file.printed.get(name, Facts())
            path = self.source.path.parent / PRINTED / f"{name}.csv"
            try:
                table = read_printed(path, facts)
            except NotThereError as error:
                raise self.error(str(error), "printed", name, "ignore") from None
            if table.facts.of is None and any(c.endswith((MEAN, SD)) for c in table.columns):
                example = f"printed: {{{name}: {{of: {{splits: 20}}}}}}"
                message = f"{name} prints means: say of what they are means, as {example}"
                raise self.error(message, "printed", name)
            if facts.is_share and table.facts.unit is None:
                message = f"the numbers of {name} can be fractions or percent"
                example = f"printed: {{{name}: {{unit: fraction}}}}"
                raise self.error(f"{message}: say which, as {example}", "printed", name)
            self._read[name] = table
        return self._read[name]

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


def find_paper(reference: str, beside: Path) -> Path:
    """Return the folder of a paper."""
    if reference in paper_names():
        return papers_folder() / reference
    folder = beside / reference
    if folder.is_file():
        wanted = f"give the folder of a paper, with {FILE} and its tables in {PRINTED}/"
        raise NotThereError(f"{folder} is a file: {wanted}")
    if "/" not in reference and not reference.startswith("."):
        own = f"; did you mean './{reference}'?" if folder.is_dir() else ""
        hint = own or nearest(reference, paper_names())
        raise NotThereError(f"unknown paper {reference!r}{hint}")
    if not folder.is_dir():
        raise NotThereError(f"there is no folder {folder}")
    if not (folder / FILE).is_file():
        raise NotThereError(f"the folder {folder} holds no {FILE}")
    return folder


def load_paper(reference: str, beside: Path = Path()) -> Paper:
    """Read and check a paper.

    Printed tables are read when they are asked for.

    Examples
    --------
    >>> load_paper("quadboost").printed("table1").text("zoo", "adaboost")
    '0.120'
    """
    folder = find_paper(reference, beside)
    source = read_yaml(folder / FILE)
    if not isinstance(source.data, dict):
        raise ConfigError(f"{source.where(())}: a paper is a mapping of keys to values")
    file = validated(PaperFile, source)
    known = _tables(folder)
    for name in file.printed:
        if name not in known:
            message = f"there is no {PRINTED}/{name}.csv{nearest(name, known)}"
            raise ConfigError(f"{source.where(('printed', name))}: {message}")
    groups, faults = {}, []
    for name, entry in file.claims.items():
        claims = []
        for i, data in enumerate(entry.claims):
            try:
                claims.append(_claim(("claims", name, "claims", i), data, file, source))
            except ConfigError as error:
                faults.append(str(error))
                if len(faults) == MOST_SHOWN:
                    raise ConfigError("\n".join(faults)) from None
        groups[name] = Group(entry, tuple(claims), _printed(name, entry, source, known))
    if faults:
        raise ConfigError("\n".join(faults))
    return Paper(reference, file, groups, source)


def _tables(folder: Path) -> list[str]:
    return sorted(path.stem for path in (folder / PRINTED).glob("*.csv"))


def _printed(
    name: str, entry: GroupEntry, source: YamlSource, tables: list[str]
) -> tuple[str, ...]:
    """Return the printed tables that a group of claims is judged on."""
    if entry.printed is None:
        return (name,) if name in tables else ()
    for i, table in enumerate(entry.printed):
        if table not in tables:
            where = source.where(("claims", name, "printed", i))
            raise ConfigError(f"{where}: there is no {PRINTED}/{table}.csv{nearest(table, tables)}")
    return entry.printed


def _claim(place: Place, data: dict[str, Any], file: PaperFile, source: YamlSource) -> Claim:
    kind = data.get("kind")
    if kind is None:
        raise ConfigError(f"{source.where(place)}: the key 'kind' is missing")
    try:
        model = CLAIMS.find(kind)
    except KeyError as error:
        raise ConfigError(f"{source.where((*place, 'kind'))}: {error.args[0]}") from None
    folder = source.path.parent
    ships = folder.parent == papers_folder()
    module = f"quadrepro.papers.{folder.name}.claims" if ships else ""
    context = {"algorithms": file.names, "module": module}
    return validated(model, source, place=place, context=context)
