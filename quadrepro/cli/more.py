"""The verb for plugins: check-extension."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from quadrepro.cli.showing import echo
from quadrepro.errors import EXIT_CELLS_MISSING, ConfigError, nearest

if TYPE_CHECKING:
    from quadrepro.base.plugins import Extension


@click.command("check-extension")
@click.argument("name")
@click.pass_context
def check_extension_command(ctx: click.Context, name: str) -> None:
    """Check a plugin.

    NAME is an installed package with entry points of quadrepro, or the name of one of them. Each
    contract gets a line. Exits with 1 if one is broken.
    """
    from quadrepro.plugins import contracts_of, title

    broken = 0
    for extension in _extensions(name):
        echo(f"{extension.name} (quadrepro.{extension.kind}, {extension.title})")
        for contract in contracts_of(extension.kind):
            try:
                contract(extension.name)
            # Whatever the code of others raises breaks the contract.
            except Exception as error:
                broken += 1
                kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
                echo(f"  broken  {title(contract)}: {kind}{error}")
            else:
                echo(f"  ok      {title(contract)}")
    if broken:
        echo(f"{broken} contract{'s' * (broken > 1)} broken", err=True)
        ctx.exit(EXIT_CELLS_MISSING)


def _extensions(name: str) -> list[Extension]:
    """Return the extensions of a package, or those with a name."""
    from quadrepro.plugins import REGISTRIES

    every = [added for registry in REGISTRIES.values() for added in registry.extensions()]
    found = [e for e in every if name in (e.name, e.distribution)]
    if not found:
        known = [part for e in every for part in (e.name, e.distribution)]
        hint = nearest(name, known) or ": no installed package adds anything"
        raise ConfigError(f"no installed package or entry point is called {name!r}{hint}")
    return found
