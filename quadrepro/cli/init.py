"""``quadrepro init``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from quadrepro.cli.add import card_path, refuse_to_replace, summary
from quadrepro.cli.options import described_file
from quadrepro.cli.showing import echo

CARDS = Path("datasets")
"""Where configs in this folder find cards."""


@click.command("init")
@described_file
def command(file: Path, target: str, force: bool, **told: Any) -> None:
    """Write a card and a config for a file of your own, ready to run.

    The config compares common learners on FILE, which is what `quadrepro add` takes. It is written
    to NAME.yaml in this folder, and explains itself in comments.
    """
    from quadrepro.base.files import write_text
    from quadrepro.cli.schemas import schema_text
    from quadrepro.config.draft import SCHEMA, draft_config
    from quadrepro.data.inspection import inspect_file, write_card

    card = inspect_file(file, target, **told)
    place = card_path(card, CARDS, force)
    config = Path(f"{card.name}.yaml")
    refuse_to_replace(config, force)
    write_card(card, place)
    write_text(config, draft_config(card, str(file), str(place)))
    write_text(Path(SCHEMA), schema_text("config"))
    echo(f"Wrote {place} and {config}\n\n{summary(card)}")
    echo(
        f"\nLook through both, then:\n\n"
        f"quadrepro check {config}    # what a run will do\n"
        f"quadrepro run {config}      # tables, figures and a page in results/{card.name}/"
    )
