"""Verifying the cells of an experiment, all of them or a sample, and what is printed of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from quadrepro.core.cell import Cell
from quadrepro.core.seeds import generator
from quadrepro.engine.records import Record
from quadrepro.proof.certificate import TOLERANCES, Certificate, Quantity, Rounds

CELLS = 3
"""How many cells of every algorithm a sample has."""

HEADERS = ("algorithm", "cells", "rounds", "ties", *TOLERANCES, "")
"""What the columns of the lines are."""

QUANTITIES: tuple[Quantity, ...] = tuple(TOLERANCES)


@dataclass
class Survey:
    """What was found for one algorithm.

    Attributes
    ----------
    algorithm : str
        Its column.
    n_cells : int, default 0
        Number of cells that were verified.
    found : Certificate
        The largest deviations of all of them.
    """

    algorithm: str
    n_cells: int = 0
    found: Certificate = field(default_factory=Certificate)

    def line(self) -> tuple[str, ...]:
        """Return the words under `HEADERS`; a dash where there is nothing to check."""
        worst, n_rounds = self.found.worst, self.found.n_rounds
        deviations = (f"{worst[q]:.1e}" if q in worst else "-" for q in QUANTITIES)
        counts = (str(n_rounds), str(self.found.n_ties)) if n_rounds else ("-", "-")
        verdict = "FAILED" if self.found.faults else "verified"
        return (self.algorithm, str(self.n_cells), *counts, *deviations, verdict)


def tolerances() -> tuple[str, ...]:
    """Return the line of the tolerances under `HEADERS`."""
    return ("tolerance", "", "", "", *(f"{value:.1e}" for value in TOLERANCES.values()), "")


def sample(cells: Sequence[Cell], seed: int) -> list[Cell]:
    """Return some cells of every algorithm, in their order."""
    taken: set[int] = set()
    for name in dict.fromkeys(cell.algorithm for cell in cells):
        places = [i for i, cell in enumerate(cells) if cell.algorithm == name]
        taken.update(generator(seed, name, "verify").permutation(places)[:CELLS].tolist())
    return [cell for i, cell in enumerate(cells) if i in taken]


def survey(
    cells: Sequence[Cell],
    record_of: Callable[[Cell], Record],
    seed: int | None,
) -> list[Survey]:
    """Verify cells."""
    from quadrepro.proof.cell import verify_cell

    found = {cell.algorithm: Survey(cell.algorithm) for cell in cells}
    for cell in cells:
        rounds = Rounds(None if seed is None else generator(seed, cell.key, "rounds"))
        certificate = verify_cell(cell, record_of(cell), rounds)
        where = cell.name
        certificate.faults = [f"{where}: {fault}" for fault in certificate.faults]
        found[cell.algorithm].n_cells += 1
        found[cell.algorithm].found.add(certificate)
    return [*found.values()]
