"""From a config file to an experiment, every fault named with its place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from quadrepro.config.schema import Config
from quadrepro.data.card import View
from quadrepro.documents.source import Place, YamlSource, read_yaml
from quadrepro.errors import ConfigError

if TYPE_CHECKING:
    from quadrepro.papers.paper import Paper


@dataclass(frozen=True)
class Experiment:
    """A config that holds together.

    Attributes
    ----------
    name : str
        The file's name without ending; the results' folder is named so.
    config : Config
        Its content.
    source : YamlSource
        The file, for messages that name a place.
    """

    name: str
    config: Config
    source: YamlSource

    def error(self, message: str, *place: str | int) -> ConfigError:
        """Return an error that names a place of the file."""
        return ConfigError(f"{self.source.where(place)}: {message}")

    @cached_property
    def views(self) -> dict[str, View]:
        """View of each row's data set."""
        view = self.config.protocol.view
        return {entry.title: entry.resolve(view) for entry in self.config.entries}

    @cached_property
    def paper(self) -> Paper | None:
        """The paper that the config names, read when it is first asked for; None without one.

        Raises
        ------
        ConfigError
            If there is no such paper, or it does not hold together.
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
        Number of splits, instead of the config's.

    Returns
    -------
    Experiment
        What the config asks for.

    Raises
    ------
    ConfigError
        If the file cannot be read or does not hold together; every fault that was found stands on
        a line of its own with its place.
    """
    source = read_yaml(path)
    if not isinstance(source.data, dict):
        raise ConfigError(f"{source.where(())}: a config is a mapping of keys to values")
    data = source.data if repeats is None else {**source.data, "repeats": repeats}
    try:
        config = Config.model_validate(data)
    except ValidationError as error:
        # A list whose items are all at fault is also reported as empty: the items say enough.
        details = [e for e in error.errors() if e["type"] != "too_short" or not e["input"]]
        lines = [_message(source, detail) for detail in details]
        raise ConfigError("\n".join(lines)) from None
    return Experiment(path.stem, config, source)


def _message(source: YamlSource, detail: ErrorDetails) -> str:
    context: dict[str, Any] = detail.get("ctx", {})
    place: Place = (*detail["loc"], *context.get("place", ()))
    text = detail["msg"].removeprefix("Value error, ")
    key = detail["loc"][-1] if detail["loc"] else ""
    if detail["type"] == "missing":
        return f"{source.where(place[:-1])}: the key {key!r} is missing"
    if detail["type"] == "too_short":
        return f"{source.where(place)}: {key} must list at least one"
    if detail["type"] == "model_type":
        return (
            f"{source.where(place)}: expected a mapping of keys to values, not {detail['input']!r}"
        )
    if detail["type"] not in ("fault", "value_error"):
        text = f"{key}: {text[0].lower()}{text[1:]}, not {detail['input']!r}"
    return f"{source.where(place)}: {text}"
