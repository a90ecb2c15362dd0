"""``quadrepro add``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quadrepro.cli.options import described_file
from quadrepro.cli.showing import echo
from quadrepro.errors import ConfigError

if TYPE_CHECKING:
    from quadrepro.data.card import Card

SHOWN_LABELS = 10


@click.command("add")
@described_file
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("datasets"),
    show_default=True,
    help="Folder for the card; configs find those in ./datasets.",
)
def command(file: Path, target: str, out: Path, force: bool, **told: Any) -> None:
    """Describe a file of your own, so that configs can name it.

    FILE is CSV, or text with tabs, semicolons or blanks between its fields, with the names of the
    columns above them; or ARFF, parquet, or LIBSVM's sparse rows; or one of these in .gz or .zip.
    The card says what was found in the file; edit it as needed.
    """
    from quadrepro.data.inspection import inspect_file, write_card

    card = inspect_file(file, target, **told)
    path = card_path(card, out, force)
    write_card(card, path)
    echo(f"Wrote {path}\n\n{summary(card)}")
    echo(f"\nIn a config:\n\nprotocol: {{view: default}}\ndatasets:\n  - {card.name}")


def card_path(card: Card, folder: Path, force: bool) -> Path:
    """Return the file to write a card to, or refuse a name that is taken."""
    from quadrepro.base.resources import cards_folder

    path = folder / f"{card.name}.yaml"
    shipped = cards_folder() / path.name
    if shipped.is_file() and shipped.resolve() != path.resolve():
        raise ConfigError(f"{card.name} ships with quadrepro; choose another name with --name")
    refuse_to_replace(path, force)
    return path


def refuse_to_replace(path: Path, force: bool) -> None:
    """Refuse to replace a file that is there, unless it is forced."""
    if path.exists() and not force:
        raise ConfigError(f"{path} already exists; --force replaces it, --name gives another name")


def summary(card: Card) -> str:
    """Return what a card says of a file, in lines."""
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
