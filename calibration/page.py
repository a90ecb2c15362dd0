"""The page: all worlds by the heading of their table, and the text around the tables."""

from __future__ import annotations

from tabulate import tabulate

from calibration import audits, claims, comparisons, ranks, readings, verdicts
from calibration.worlds import Rate, World, measure

GROUPS: dict[str, tuple[World, ...]] = {
    "Verdicts on printed numbers": verdicts.WORLDS,
    "Comparisons": comparisons.WORLDS,
    "Ranks": ranks.WORLDS,
    "Readings of a protocol": readings.WORLDS,
    "Audits": audits.WORLDS,
    "Claims": claims.WORLDS,
}
"""All worlds by the heading of their table."""

INTRODUCTION = """# Calibration

`make calibration` draws worlds in which the truth is known, judges them with the package, and
compares the stated rate of each judgement with the actual one. *Stated* is the rate in honest
worlds, with ≤ or ≥ where it is a bound; *actual* is the share of draws, ± the standard error of the
simulation. *Power* is the rate in the dishonest world named with it, and a remark follows where an
actual rate leaves the stated one by more than 0.015 and two standard errors, or where something
impossible happens.
"""

HEADER = ("judgement", "setting", "stated", "actual", "power", "remark")


def row(rate: Rate) -> tuple[str, ...]:
    """Return the row of a rate on the page."""
    judgement = rate.judgement
    off = f"**{rate.off} what is stated**" if rate.off else ""
    return (
        judgement.name,
        rate.setting,
        judgement.stated.text or f"{rate.stated:.3f}",
        f"{rate.actual:.3f} ± {rate.error:.3f}",
        "" if rate.power is None else f"{rate.power:.2f} ({judgement.against})",
        "; ".join(filter(None, (off, judgement.remark))),
    )


def page(found: dict[str, list[Rate]]) -> str:
    """Return the page, with the settings of each judgement below each other."""
    parts = [INTRODUCTION]
    for title, rates in found.items():
        names = list(dict.fromkeys(rate.judgement.name for rate in rates))
        rates.sort(key=lambda rate: names.index(rate.judgement.name))
        parts.append(f"## {title}\n\n{tabulate(map(row, rates), HEADER, 'pipe')}\n")
    return "\n".join(parts)


def measured(title: str, index: int, quick: bool) -> list[Rate]:
    """Return the rates of a world, which processes name by its place."""
    return measure(GROUPS[title][index], quick=quick)
