"""Arguments and options that several verbs share."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from quadrepro.api import prepare
from quadrepro.base import files

if TYPE_CHECKING:
    from quadrepro.config.plan import Plan
    from quadrepro.engine.records import RecordStore

PATH = click.Path(path_type=Path)
FOLDER = click.Path(path_type=Path, file_okay=False)


def completing(*folders: Callable[[], Path]) -> Callable[..., list[CompletionItem]]:
    """Return a completion of names, or of files if no name begins like the word.

    YAML files that ship are named without their ending, and papers by their folder.
    """

    def complete(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
        paths = [path for folder in folders for path in folder().glob("*.yaml")]
        if files.papers_folder in folders:
            paths += [path.parent for path in files.papers_folder().glob("*/paper.yaml")]
        names = [path.stem if path.is_absolute() else path.name for path in paths]
        items = [CompletionItem(name) for name in sorted(names) if name.startswith(begun)]
        return items or [CompletionItem(begun, type="file")]

    return complete


complete_configs = completing(files.configs_folder, Path)


def _from_environment(name: str, help: str, **settings: Any) -> Callable[..., Any]:
    """Return an option that a variable of the environment can set as well."""
    variable = f"QUADREPRO_{name.upper()}"
    return click.option(f"--{name}", envvar=variable, show_envvar=True, help=help, **settings)


def _logging_at(level: str, name: str, help: str, **settings: Any) -> Callable[..., Any]:
    """Return a flag that sets the level of the log."""

    def set_level(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
        if value:
            logging.getLogger("quadrepro").setLevel(level)
        return value

    names = f"--{name}", f"-{name[0]}"
    return click.option(*names, is_flag=True, callback=set_level, help=help, **settings)


config = click.argument("config", shell_complete=complete_configs)
data = _from_environment("data", "Folder of canonical CSV files.", type=FOLDER)
offline = _from_environment("offline", "Never use the network; list missing files.", is_flag=True)
out = _from_environment(
    "out",
    "Folder in which each experiment gets a folder of its name.",
    type=FOLDER,
    show_default="build for configs that ship, results for your own",
)
repeats = click.option(
    "--repeats", type=click.IntRange(min=1), help="Number of splits, instead of the config's."
)
quiet = _logging_at("WARNING", "quiet", "Show errors only.")
verbose = _logging_at(
    "DEBUG",
    "verbose",
    "Also show the source of rows, the files of the cache, and every cell.",
    expose_value=False,
)
table_format = click.option(
    *("--format", "form"),
    type=click.Choice(("auto", "markdown", "latex")),
    default="auto",
    show_default=True,
    help="auto draws tables on a terminal and prints Markdown elsewhere; latex prints all tables.",
)


@dataclass(frozen=True)
class Common:
    """The options that verbs with a config share."""

    data: Path | None
    out: Path | None
    """None if the config decides; see `out_of` and `results_of`."""
    repeats: int | None

    def out_of(self, *configs: str | Path) -> Path:
        """Return the folder that results of some configs are written to."""
        return self.out or files.default_out(*configs)

    def results_of(self, config: str) -> Path:
        """Return the folder that holds results of a config: the committed one without a run."""
        out = self.out_of(config)
        is_there = (out / files.find_config(config).stem).is_dir()
        return out if self.out or is_there else Path(files.RESULTS)

    def store(self, out: Path) -> RecordStore:
        """Return the store of records below a results folder."""
        # It imports all modules that compute a cell.
        from quadrepro.engine.records import RecordStore

        return RecordStore(out / files.RECORDS)

    def plan(self, config: str, *, check_data: bool = True, repeats: int | None = None) -> Plan:
        """Return the plan of a config, without the network; --repeats overrides `repeats`."""
        repeats = self.repeats or repeats
        return prepare(config, data=self.data, repeats=repeats, offline=True, check_data=check_data)


def common(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --data, --out and --repeats, which the command gets as `common`."""

    @functools.wraps(command)
    def with_common(data: Path | None, out: Path | None, repeats: int | None, **rest: Any) -> Any:
        return command(common=Common(data, out, repeats), **rest)

    for decorate in (repeats, out, data):
        with_common = decorate(with_common)
    return with_common
