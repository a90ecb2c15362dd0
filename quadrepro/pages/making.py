"""With what the cells of a results folder were computed, as ``run.json`` says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Made:
    """Cells that were computed alike.

    Attributes
    ----------
    version : str
        Of quadrepro; empty if it is not known.
    facts : tuple of (str, str)
        Name and text of each fact.
    """

    version: str
    facts: tuple[tuple[str, str], ...]


def made_with(run: dict[str, Any]) -> list[Made]:
    """Return with what the cells were computed; what is not as quadrepro writes it is left out."""
    found = run.get("computed")
    return [_made(e) for e in found if isinstance(e, dict)] if isinstance(found, list) else []


def _made(entry: dict[str, Any]) -> Made:
    versions, git = _mapping(entry.get("versions")), _mapping(entry.get("git"))
    processor = _mapping(entry.get("processor"))
    simd = processor.get("simd")
    words = [processor.get("machine", ""), *(simd if isinstance(simd, list) else [])]
    dirty = ", with changes that were not committed" if git.get("dirty") else ""
    loops = "compiled" if entry.get("compiled") else "not compiled"
    facts = {
        "Cells": entry.get("cells", ""),
        "Computed": " to ".join(_time(entry[k]) for k in ("first", "last") if k in entry),
        "Commit": f"{git['commit']}{dirty}" if git.get("commit") else "",
        "Versions": ", ".join(f"{name} {version}" for name, version in versions.items()),
        "System": entry.get("system", ""),
        "Processor": ", ".join(str(word) for word in words if word),
        "Loops": loops if "compiled" in entry else "",
    }
    known = tuple((name, str(text)) for name, text in facts.items() if str(text))
    return Made(str(versions.get("quadrepro", "")), known)


def _mapping(data: Any) -> dict[str, Any]:
    return data if isinstance(data, dict) else {}


def _time(date: Any) -> str:
    """Return a date to the minute."""
    return f"{str(date)[:16].replace('T', ' ')} UTC"
