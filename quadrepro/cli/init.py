"""The verb for a file of the user's own: init."""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import click

from quadrepro.base.files import cards_folder, write_text
from quadrepro.cli import options
from quadrepro.cli.output import echo
from quadrepro.errors import ConfigError

if TYPE_CHECKING:
    from quadrepro.data.card import Card

CARDS = Path("datasets")
"""Where configs in this folder find cards."""

TEXTS = "docs/estimators.md, `nominal: categories`"
"""Where the use of texts and dates is explained."""

SHOWN = 100
"""Number of characters of the list of labels."""


TASKS = click.Choice(("classification", "regression"))
SEPARATORS = click.Choice((",", ";", "|", "tab", "blank"))


@click.command("init")
@click.argument("file", type=options.PATH)
@click.option("--target", help="Column to predict, or its place, as -1; a card has it.")
@click.option("--task", type=TASKS, help="Kind of target  [default: by its values]")
@click.option("--positive", default="", help="Positive label  [default: the rarer of two]")
@click.option("--name", default="", help="Name of the data set  [default: the file's]")
@click.option("--missing", multiple=True, metavar="[COLUMN=]WORD", help="Text of missing values.")
@click.option("--present", multiple=True, metavar="WORD", help="Text that is a value, such as NA.")
@click.option("--drop-missing-target", is_flag=True, help="Leave out rows whose target is missing.")
@click.option("--nominal", multiple=True, metavar="COLUMN", help="Column whose numbers are codes.")
@click.option("--encoding", help="Encoding of text, such as cp1250.")
@click.option("--separator", type=SEPARATORS, metavar="SIGN", help="One of , ; | tab blank.")
@click.option("--decimal", type=click.Choice((".", ",")), help="Decimal sign of numbers in text.")
@click.option("--skip", type=int, help="Number of lines above the table.")
@click.option("--sheet", default="", help="Sheet of an Excel file  [default: the first]")
@click.option("--member", default="", help="File in a .zip that has several.")
@click.option("--test", type=options.PATH, help="File with test rows, for one split.")
@click.option("--no-header", is_flag=True, help="The columns are called x1, x2 and so on.")
@click.option("--names", metavar="A,B,C", help="Names of the columns of a file without a header.")
@click.option("--card-only", is_flag=True, help="Write no config.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
def init_command(
    file: Path, target: str | None, card_only: bool, force: bool, **options: Any
) -> None:
    """Write a card and a config for a file of your own, ready to run.

    FILE is text with commas, tabs, semicolons or blanks between its fields; or ARFF, KEEL, JSON,
    parquet, Excel or LIBSVM's sparse rows; or one of these in .gz or .zip. Encoding, separator,
    decimal sign and lines to skip are detected unless they are given, and shown in one line. The
    card describes the file, so that configs can name it; edit it as needed. The config compares
    common learners on it. It is written to NAME.yaml in this folder, and explains itself in
    comments.

    With two labels, the positive one is the rarer; with --positive, all others are negative.
    Without it, more than two labels stay classes.

    If FILE is a card, such as datasets/NAME.yaml, its counts, ranges and hash are renewed after its
    data file has changed; your decisions in it stay.
    """
    from quadrepro.config.first_config import SCHEMA, draft_config
    from quadrepro.config.reference import schema_text
    from quadrepro.data.card import load_card_file, write_card
    from quadrepro.data.inspection import inspect_file, renew

    if file.suffix == ".yaml":
        card = renew(load_card_file(file), file)
        write_card(card, file)
        echo(f"Renewed {file}\n\n{_summary(card)}")
        return
    if target is None:
        raise ConfigError("which column is to be predicted? Add --target COLUMN, or --target -1")
    card = inspect_file(file, target, **options)
    place, config = CARDS / f"{card.name}.yaml", Path(f"{card.name}.yaml")
    shipped = cards_folder() / place.name
    if shipped.is_file() and shipped.resolve() != place.resolve():
        raise ConfigError(f"{card.name} ships with quadrepro; choose another name with --name")
    for path in [place] if card_only else [config, place]:
        if path.exists() and not force:
            raise ConfigError(f"{path} exists; --force replaces it, --name gives another name")
    write_card(card, place)
    used = [a for a in card.attributes if a.name not in card.view("default").exclude]
    if all(a.kind == "nominal" and a.codes is None for a in used):
        written = f"{place}, and no config: its methods need numbers or categories"
        advice = f"Estimators that take texts or dates: {TEXTS}"
    elif card_only:
        written = f"{place}"
        advice = f"In a config:\n\nprotocol: {{view: default}}\ndatasets:\n  - {card.name}"
    else:
        write_text(config, draft_config(card, str(file), str(place)))
        write_text(Path(SCHEMA), schema_text("config"))
        written = f"{place} and {config}"
        advice = (
            f"Look through both, then:\n\nquadrepro check {config}    # preview of the run\n"
            f"quadrepro run {config}      # tables and a page in results/{card.name}/"
        )
    echo(f"Wrote {written}\n\n{_summary(card)}\n\n{advice}")


def _summary(card: Card) -> str:
    """Return the main properties and the notes of a card, in lines."""
    from quadrepro.data.checks import extent

    target, view = card.target, card.view("default")
    kinds = [a.kind for a in card.attributes if a.name not in view.exclude]
    left_out = f", {len(view.exclude)} left out" * bool(view.exclude)
    labels = ", ".join(f"{label} ({n})" for label, n in target.labels.items())
    lines = [
        f"task: {card.task}",
        f"rows: {card.rows}",
        f"attributes: {kinds.count('numeric')} numeric, {kinds.count('nominal')} nominal{left_out}",
        f"missing cells: {card.missing_cells}",
        f"{target.original}: {shorten(labels, SHOWN, placeholder=' ...') or extent(target.range)}",
    ]
    if isinstance(view.positive, tuple):
        reason = view.evidence or "As the card states."
        lines.append(f"positive: {', '.join(view.positive)} ({reason})")
    return "\n".join([*lines, *card.notes])
