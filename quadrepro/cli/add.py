"""``quadrepro add``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quadrepro.errors import ConfigError

if TYPE_CHECKING:
    from quadrepro.data.card import Card

SHOWN_LABELS = 10


@click.command("add")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--target", required=True, help="Column to predict; in a LIBSVM file, a name.")
@click.option(
    "--task",
    type=click.Choice(["classification", "regression"]),
    show_default="by the values of the target",
    help="Kind of target.",
)
@click.option(
    "--positive",
    default="",
    show_default="the rarer of two; more labels stay classes",
    help="Positive label; all others are negative.",
)
@click.option("--name", default="", show_default="that of the file", help="Name of the data set.")
@click.option("--missing", multiple=True, metavar="WORD", help="Text that means a missing value.")
@click.option("--nominal", multiple=True, metavar="COLUMN", help="Column whose digits are codes.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("datasets"),
    show_default=True,
    help="Folder for the card; configs find those in ./datasets.",
)
@click.option("--force", is_flag=True, help="Replace the card of that name.")
def command(
    file: Path,
    target: str,
    task: str | None,
    positive: str,
    name: str,
    missing: tuple[str, ...],
    nominal: tuple[str, ...],
    out: Path,
    force: bool,
) -> None:
    """Describe a file of your own, so that configs can name it.

    FILE is CSV, or text with tabs, semicolons or blanks between its fields, with the names of the
    columns above them; or ARFF, parquet, or LIBSVM's sparse rows; or one of these in .gz or .zip.
    The card says what was found in the file; edit it as needed.
    """
    from quadrepro.data.own.inspection import inspect_file, write_card

    card = inspect_file(
        file,
        target,
        name=name,
        task=task or "",
        positive=positive,
        missing=missing,
        nominal=nominal,
    )
    path = out / f"{card.name}.yaml"
    _refuse_taken(card.name, path, force)
    write_card(card, path)
    click.echo(f"Wrote {path}\n\n{_summary(card)}")
    click.echo(f"\nIn a config:\n\nprotocol: {{view: default}}\ndatasets:\n  - {card.name}")


def _refuse_taken(name: str, path: Path, force: bool) -> None:
    from quadrepro.resources import cards_folder

    shipped = cards_folder() / path.name
    if shipped.is_file() and shipped.resolve() != path.resolve():
        raise ConfigError(f"{name} ships with quadrepro; choose another name with --name")
    if path.exists() and not force:
        raise ConfigError(f"{path} already exists; --force replaces it, --name gives another name")


def _summary(card: Card) -> str:
    from quadrepro.data.checks import extent

    kinds = [a.kind for a in card.attributes]
    target = card.target
    if target.range is not None:
        values = extent(target.range)
    else:
        shown = [f"{label} ({n})" for label, n in target.labels.items()]
        more = f", ... ({len(shown)} labels)" if len(shown) > SHOWN_LABELS else ""
        values = f"{', '.join(shown[:SHOWN_LABELS])}{more}"
    lines = [
        f"task: {card.task}",
        f"rows: {card.rows}",
        f"attributes: {kinds.count('numeric')} numeric, {kinds.count('nominal')} nominal",
        f"missing cells: {card.missing_cells}",
        f"{target.original}: {values}",
    ]
    for view in card.views.values():
        if isinstance(view.positive, tuple):
            lines.append(f"positive: {', '.join(view.positive)}. {view.evidence}")
        elif target.labels:
            lines.append(f"classes: {view.evidence}")
    return "\n".join([*lines, *card.notes])
