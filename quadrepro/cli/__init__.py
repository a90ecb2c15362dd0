"""The command line: one module per verb, imported only if it is called.

Nothing heavy is imported at module level anywhere in this package, so that ``--help`` is quick.
"""

from __future__ import annotations

import importlib
import io
import shlex
import sys

import click

from quadrepro.cli.showing import echo
from quadrepro.errors import EXIT_INTERRUPTED, QuadreproError, nearest

GROUPS = {
    "Compute": {
        "run": "Compute experiments and write their tables.",
        "check": "Validate a config and its data, and print the plan.",
        "plan": "Show the number of cached and missing cells, and the time that these will take.",
        "status": "Show which cells are done, have failed, and are running now.",
        "verify": "Re-check results with independent code.",
        "merge": "Merge the records of several results folders.",
        "clean": "Delete unused records.",
    },
    "Look": {
        "explain": "Trace an entry of a table back to its record.",
        "table": "Write the tables of an experiment again.",
        "report": "Write the HTML page of an experiment, and the index of all.",
        "compare": "Compare two results folders, or one with the printed numbers.",
        "overview": "Write the scoreboard of all results.",
        "rank": "Rank methods by a CSV file of scores, and compare every pair.",
    },
    "Papers": {
        "audit": "Check the printed tables of a paper by themselves.",
        "infer": "Rank readings of a protocol by how well they fit the printed numbers.",
    },
    "Data": {
        "init": "Write a card and a config for a file of your own, ready to run.",
        "add": "Describe a file of your own, so that configs can name it.",
        "fetch": "Download data sets into the cache.",
        "list": "List data sets, experiments, or the names that configs, cards and papers can use.",
        "show": (
            "Print the card of a data set, where its rows are, and whether they match the card."
        ),
    },
    "More": {
        "schema": "Print the keys of a config, a card or a paper.yaml, as a JSON schema.",
        "check-extension": "Check a plugin.",
    },
}
"""What each verb does, by what a user wants."""

VERBS = {name: text for group in GROUPS.values() for name, text in group.items()}


class _Verbs(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        # Not list(VERBS): once imported, the verb's module `list` stands for that name here.
        return [*VERBS]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in VERBS:
            return None
        module = importlib.import_module(f"quadrepro.cli.{name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in VERBS:
            ctx.fail(f"unknown command {args[0]!r}{nearest(args[0], VERBS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, verbs in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([*verbs.items()])

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
    epilog="Exit codes: 0 done; 1 some cells failed or are missing, or a contract is broken; "
    "2 usage or config; 3 data missing or different from its card; 4 tables differ, "
    "fewer numbers are inside than asked for, a certificate fails, or a paper "
    "fails `audit --strict`; 130 interrupted.",
)
@click.version_option(package_name="quadrepro")
def main() -> None:
    """Reproduce the tables of boosting papers, beside the printed numbers."""
    # Names of files and of cards may have characters that the terminal does not know.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
