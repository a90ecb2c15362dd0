"""``quadrepro schema``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.showing import echo


@click.command("schema")
@click.argument("what", type=click.Choice(["config", "card", "paper"]), default="config")
@click.option(
    "--format",
    "form",
    type=click.Choice(("json", "markdown")),
    default="json",
    show_default=True,
    help="JSON schema, or a page with all keys of a config.",
)
@click.option("--out", type=click.Path(path_type=Path), help="File to write instead of printing.")
def command(what: str, form: str, out: Path | None) -> None:
    """Print the keys of a config, a card or a paper.yaml, as a JSON schema.

    Editors complete and check what is typed below the line
    `# yaml-language-server: $schema=FILE`.
    """
    from quadrepro.base.files import write_text
    from quadrepro.cli.reference import config_reference
    from quadrepro.cli.schemas import schema_text

    if form == "markdown" and what != "config":
        raise click.UsageError("there is a page of the keys of a config alone")
    text = schema_text(what) if form == "json" else config_reference()
    if out is None:
        echo(text, nl=False)
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    write_text(out, text)
    echo(f"Wrote {out}")
