"""The rooms of the package: imports go down, also those of types, and never in a circle."""

from __future__ import annotations

import ast
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import quadrepro

PACKAGE = Path(quadrepro.__file__).parent
ROOMS = (
    *("errors", "base", "stats", "data", "core", "engine", "papers", "config", "tables"),
    *("results", "api", "cli"),
)
"""From the ground up."""


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in PACKAGE.rglob("*.py")}


def imports_of(path: Path) -> set[str]:
    """Return the modules of the package that a module imports, wherever it does so."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                found.add(name if name in MODULES else str(node.module))
    return found & MODULES.keys()


IMPORTS = {name: imports_of(path) - {name} for name, path in MODULES.items()}


def room_of(name: str) -> str:
    return [*name.split("."), ""][1]


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert {*TopologicalSorter(IMPORTS).static_order()} == {*MODULES}


@pytest.mark.parametrize("room", ROOMS)
def test_imports_go_down(room: str) -> None:
    above = ROOMS[ROOMS.index(room) + 1 :]
    ways = [
        (name, other)
        for name, others in IMPORTS.items()
        for other in others
        if room_of(name) == room and room_of(other) in above
    ]
    assert ways == []


def test_every_module_is_in_a_room() -> None:
    rest = {room_of(name) for name in MODULES} - {*ROOMS}
    assert rest == {"", "__main__", "_version"}


def test_no_two_classes_share_a_name() -> None:
    names = Counter(
        node.name
        for path in MODULES.values()
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in names.items() if count > 1] == []
