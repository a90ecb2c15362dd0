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

VERBS = {
    "run": "Compute experiments and write their tables.",
    "check": "Validate a config and its data, and print the plan.",
    "plan": "Say how many cells are kept and missing, and how long these will take.",
    "status": "Say which cells are done, have failed, and are running now.",
    "explain": "Say where an entry of a table comes from.",
    "verify": "Prove computed cells by code that shares nothing with the algorithms.",
    "table": "Write the tables again from what has been computed.",
    "report": "Write the HTML page of an experiment, and the index of all.",
    "infer": "Say which reading of a protocol the printed numbers speak for.",
    "audit": "Check the printed tables of a paper by themselves.",
    "compare": "Compare two results folders, or one with the printed numbers.",
    "overview": "Write the scoreboard of all results.",
    "rank": "Rank methods by a CSV file of scores, and compare every pair.",
    "merge": "Bring together the records of several results folders.",
    "clean": "Remove what nothing needs from the folder of records.",
    "fetch": "Fetch data sets into the cache.",
    "init": "Write a card and a config for a file of your own, ready to run.",
    "check-extension": "Try what a package adds against the contracts of its kind.",
    "add": "Describe a file of your own, so that configs can name it.",
    "schema": "Print what may stand in a config, a card or a paper.yaml, as a JSON schema.",
    "list": "List data sets, experiments, or what configs, cards and papers can name.",
    "show": "Print the card of a data set, where its rows are, and whether they match the card.",
}


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
            ctx.fail(f"there is no command {args[0]!r}{nearest(args[0], VERBS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*VERBS.items()])

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
    "2 usage or config; 3 data missing or not as its card says; 4 tables differ, "
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
