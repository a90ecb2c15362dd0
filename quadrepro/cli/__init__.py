"""The command line: one module per group of verbs, imported only if one of them is called.

Nothing heavy is imported at module level anywhere in this package, so that ``--help`` is quick.
"""

from __future__ import annotations

import importlib
import io
import shlex
import sys
from collections.abc import Sequence
from typing import Any

import click

from quadrepro.cli.showing import echo
from quadrepro.errors import EXIT_INTERRUPTED, ConfigError, QuadreproError, nearest

GROUPS = {
    "Compute": {
        "run": "Compute experiments and write their tables.",
        "check": "Validate a config and its data, and show what a run would compute.",
    },
    "Look": {
        "table": "Write tables, pages and the scoreboard from what has been computed.",
        "explain": "Trace an entry of a table back to its record, and recompute results.",
        "compare": "Compare two results folders.",
    },
    "Papers": {
        "audit": "Check the printed tables of a paper by themselves.",
        "rank": "Rank methods by a CSV file of scores, and compare every pair.",
    },
    "Data": {
        "init": "Write a card and a config for a file of your own, ready to run.",
        "fetch": "Download data sets into the cache.",
        "list": "List data sets, experiments, or the names and keys that configs can use.",
    },
}
"""What each verb does, by groups; a group is a module of this package."""

VERBS = {name: text for group in GROUPS.values() for name, text in group.items()}


class _Verbs(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        for group, verbs in GROUPS.items():
            if name in verbs:
                place = name if name == "init" else group.lower()
                module = importlib.import_module(f"quadrepro.cli.{place}")
                command: click.Command = getattr(module, f"{name.replace('-', '_')}_command")
                return command
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        # The shell completes what is not a command yet.
        if name not in VERBS and not ctx.resilient_parsing:
            raise ConfigError(f"unknown command {name!r}{nearest(name, VERBS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, verbs in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([*verbs.items()])

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command; errors of usage look like all others."""
        try:
            found = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except click.exceptions.NoArgsIsHelpError as error:
            echo(error.format_message(), err=True)
            found = error.exit_code
        except click.ClickException as error:
            message = error.format_message().rstrip(".")
            lower = message[0].lower() + message[1:] if message[1:2].islower() else message
            path = getattr(getattr(error, "ctx", None), "command_path", "quadrepro")
            echo(f"error: {lower}\nsee: {path} --help", err=True)
            found = error.exit_code
        return sys.exit(found if isinstance(found, int) else 0) if standalone_mode else found

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except QuadreproError as error:
            echo(f"error: {error}", err=True)
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            again = shlex.join(["quadrepro", *sys.argv[1:]])
            echo(f"\ninterrupted; finished work is kept; continue with: {again}", err=True)
            ctx.exit(EXIT_INTERRUPTED)
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            echo(f"error: {place}{error.strerror or error}", err=True)
            ctx.exit(1)


@click.group(
    cls=_Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Reproduce the tables of boosting papers, next to the printed numbers, and compare "
    "methods.\n\n"
    "\b\n"
    "quadrepro audit quadboost               check a paper's tables by arithmetic\n"
    "quadrepro init my.csv --target label    compare common learners on your file\n"
    "quadrepro rank scores.csv               test a table of scores\n"
    "quadrepro run quickstart                reproduce five rows of a paper's table",
    epilog="Exit codes: 0 done; 1 some cells failed or are missing; "
    "2 usage or config; 3 data missing or different from its card; 4 tables differ, "
    "a check of results fails, or a paper fails `audit --strict`; 130 interrupted.",
)
@click.version_option(package_name="quadrepro")
def main() -> None:
    """Run the command line."""
    # Names of files and of cards may have characters that the terminal cannot show.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
