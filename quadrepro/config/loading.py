"""From a config file to an experiment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quadrepro._typing import Task
from quadrepro.config.schema import Config
from quadrepro.data.schema import View
from quadrepro.documents.source import MappingSource, Mark, YamlSource, is_utf8, read_yaml
from quadrepro.documents.validation import validated
from quadrepro.errors import ConfigError

if TYPE_CHECKING:
    from quadrepro.papers.paper import Paper


@dataclass(frozen=True)
class Experiment:
    """A config that has passed all checks that need no data.

    Attributes
    ----------
    name : str
        The name of the file without its ending, which is also that of the results folder.
    config : Config
        Its content.
    source : YamlSource
        The file, for messages that name a place.
    """

    name: str
    config: Config
    source: YamlSource

    def error(self, message: str, *place: str | int) -> ConfigError:
        """Return an error that names a place in the file."""
        return ConfigError(f"{self.source.where(place)}: {message}")

    @property
    def views(self) -> dict[str, View]:
        """The view of each row, by the title of the row."""
        return self.config.views

    @property
    def tasks(self) -> dict[str, Task]:
        """What is predicted in each row, by the title of the row."""
        return self.config.tasks

    @property
    def openml_tasks(self) -> dict[tuple[str, int], None]:
        """The data sets that are divided as OpenML tasks say, with the numbers of these."""
        protocol = self.config.protocol
        found = ((e.name, e.changed(protocol).split.openml_task) for e in self.config.entries)
        return {(name, task): None for name, task in found if task is not None}

    @property
    def code(self) -> tuple[str, ...]:
        """Files of the config's folder that a run imports, by their paths in it."""
        folder = self.source.path.parent.resolve()
        files = {file for column in self.config.algorithms for file in column.code}
        return tuple(sorted(str(file.relative_to(folder)) for file in files))

    @cached_property
    def paper(self) -> Paper | None:
        """The paper that the config names, read when it is first asked for; None without one.

        Raises
        ------
        ConfigError
            If there is no such paper, or its ``paper.yaml`` is not valid.
        """
        # A worker that computes a cell needs no paper.
        from quadrepro.papers.paper import NotThereError, load_paper

        if not self.config.paper:
            return None
        try:
            return load_paper(self.config.paper, self.source.path.parent)
        except NotThereError as error:
            raise self.error(str(error), "paper") from None


def load_experiment(path: Path, repeats: int | None = None) -> Experiment:
    """Read and check a config.

    Parameters
    ----------
    path : Path
        The YAML file.
    repeats : int, optional
        Number of splits; by default that of the config.

    Returns
    -------
    Experiment
        The config and its file.

    Raises
    ------
    ConfigError
        If the file cannot be read or is not a valid config. The message has one line per mistake,
        each with its place. Also if the name of the file is not UTF-8, since its tables name it.
    """
    if not is_utf8(path.stem):
        raise ConfigError(f"{path}: the name of a config must be UTF-8, since its tables name it")
    source = read_yaml(path)
    if not isinstance(source.data, dict):
        raise ConfigError(f"{source.where(())}: a config must be a mapping of keys to values")
    return _experiment(path.stem, source, repeats)


def load_mapping(config: Mapping[str, Any], repeats: int | None = None) -> Experiment:
    """Check a config that was not read from a file.

    Parameters
    ----------
    config : mapping of str to object
        The content of a config. The results folder is named after its title.
    repeats : int, optional
        Number of splits; by default that of the config.

    Raises
    ------
    ConfigError
        If it is not a valid config. The message has one line per mistake, each with its place.
    """
    source = MappingSource(Path("config"), dict(config), Mark(1, 1))
    name = re.sub(r"[^a-z0-9]+", "-", str(config.get("title", "")).lower()).strip("-")
    return _experiment(name or "config", source, repeats)


def _experiment(name: str, source: YamlSource, repeats: int | None) -> Experiment:
    if repeats is not None:
        source = replace(source, data={**source.data, "repeats": repeats})
    context = {"folder": str(source.path.parent.resolve())}
    return Experiment(name, validated(Config, source, context=context), source)
