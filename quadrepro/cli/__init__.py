"""The command line: the module of a verb is imported when the verb is called."""

from __future__ import annotations

import io
import logging
import shlex
import signal
import sys
from pkgutil import resolve_name
from typing import Any

import click

from quadrepro.base.text import tell, visible
from quadrepro.errors import QuadreproError, nearest

SECTIONS = {
    "Run": {
        "run": ("compute", "Compute experiments and write their tables."),
        "check": ("compute", "Validate a config and its data, and preview the run."),
    },
    "Look": {
        "table": ("look", "Write tables, pages and the scoreboard from computed cells."),
        "explain": ("look", "Show the splits, choices and records behind an entry of a table."),
        "compare": ("look", "Compare two results folders."),
    },
    "Papers": {
        "audit": ("papers", "Check the printed tables of a paper by themselves."),
        "rank": ("papers", "Rank methods by a table of scores, and compare them."),
    },
    "Data": {
        "init": ("init", "Write a card and a config for a file of your own, ready to run."),
        "fetch": ("data", "Download data sets into the cache."),
        "list": ("data", "List data sets, experiments, or the names and keys of configs."),
    },
}
"""The module of each command, and its help, which is shown without importing it."""

VERBS = {name: verb for verbs in SECTIONS.values() for name, verb in verbs.items()}


class _LazyGroup(click.Group):
    """Commands that are imported when they are called, and errors in the form ``error: ...``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in VERBS:
            return None
        command: click.Command = resolve_name(f"quadrepro.cli.{VERBS[name][0]}:{name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # A shell that completes a word has not got its end yet.
        if args[0] not in VERBS and not ctx.resilient_parsing:
            raise click.UsageError(f"unknown command {args[0]!r}{nearest(args[0], VERBS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, verbs in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, text) for name, (_, text) in verbs.items()])

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run a command; the number that it returns is the exit code."""
        try:
            code = click.Group.main(self, *args, **{**extra, "standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            code = _stop(error.format_message(), error.exit_code)
        except click.ClickException as error:
            code = _stop(_usage(error), error.exit_code)
        except QuadreproError as error:
            code = _stop(f"error: {error}", error.exit_code)
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            code = _stop(f"error: {place}{error.strerror or error}", 1)
        except (click.Abort, ValueError) as error:
            # zipfile raises an error of its own where Ctrl-C meets it in a record.
            if not isinstance(error.__context__, KeyboardInterrupt):
                raise
            again = shlex.join(["quadrepro", *sys.argv[1:]])
            # Other signals than Ctrl-C's interrupt with their number.
            number, *_ = (*error.__context__.args, signal.SIGINT)
            message = f"interrupted; finished work is kept; continue with: {again}"
            code = _stop(message, 128 + number)
        return sys.exit(code) if standalone_mode else code


class _Printed(logging.Handler):
    """Prints log lines on standard error, which tests and notebooks exchange."""

    def emit(self, record: logging.LogRecord) -> None:
        tell(self.format(record))


def _stop(message: str, code: int) -> int:
    click.echo(visible(message), err=True)
    return code


def _usage(error: click.ClickException) -> str:
    """Return click's message in the form of ours, with the command that shows the options."""
    message = error.format_message().rstrip(".")
    if message[1:2].islower():
        message = message[0].lower() + message[1:]
    ctx = getattr(error, "ctx", None)
    return f"error: {message}\nsee: {ctx.command_path if ctx else 'quadrepro'} --help"


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Recompute the tables of boosting papers, next to the printed numbers, and compare "
    "methods.\n\n"
    "\b\n"
    "quadrepro audit quadboost               check a paper's tables by arithmetic\n"
    "quadrepro init my.csv --target label    compare common learners on your file\n"
    "quadrepro rank my.csv --lower-is-better test a table of scores\n"
    "quadrepro run quickstart                reproduce five rows of a paper's table",
    epilog="Exit codes: 0 done; 1 some cells failed or are missing; "
    "2 usage or config; 3 data missing or different from its card; 4 tables or recomputed "
    "results differ, or a paper fails `audit --strict`; 130 interrupted, 143 terminated.",
)
@click.version_option(package_name="quadrepro")
def main() -> None:
    """Run the command line."""
    log = logging.getLogger("quadrepro")
    log.setLevel("INFO")
    log.handlers[:] = [_Printed()]
    # Names of files and of cards may have characters that the terminal cannot show.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
