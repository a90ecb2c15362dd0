"""Readings of a protocol, of which the printed numbers speak for one."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from calibration.worlds import Judgement, Outcome, World, at_most
from quadrepro.base.types import FloatArray
from quadrepro.stats import LEVEL, score_readings
from quadrepro.tables.kinds.readings import (
    BASE,
    STATISTICS,
    OurSplits,
    RowEvidence,
    Rows,
    log_factors,
    simulate,
)

COLUMNS, PRINTED_SPLITS = 3, 20


def scored(
    rng: Generator,
    dishonest: bool,
    *,
    repeats: int,
    rivals: int,
    rows: int,
    shared: float = 0.0,
    apart: float = 0.0,
) -> Outcome:
    """Return whether a reading is supported where the base, or the first rival, is the paper's.

    Rivals have the parameters of the base, or errors that are `apart` points higher. Their splits
    may be the base's, whose errors have the correlation `shared` with theirs.
    """
    found: dict[str, Rows] = {name: {} for name in (BASE, *(f"rival {i}" for i in range(rivals)))}
    for row in map(str, range(rows)):
        own = _splits(rng, repeats)
        printed = _splits(rng, PRINTED_SPLITS) + 3 * dishonest
        found[BASE][row] = _evidence(own, printed)
        for i in range(rivals):
            ours = shared * own + np.sqrt(1 - shared**2) * _splits(rng, repeats) + apart
            moved = 3 * (dishonest and i == 0)
            found[f"rival {i}"][row] = _evidence(ours + moved, printed)
    base = found[BASE]
    factors = {
        name: {row: sum(log_factors(part, base[row]).values()) for row, part in of.items()}
        for name, of in found.items()
        if name != BASE
    }
    simulated = simulate(found, int(rng.integers(2**31)))
    scores = score_readings(dict.fromkeys(base, 0.0), factors, rivals, simulated)
    if dishonest:
        return scores["rival 0"].supported
    return any(score.supported for score in scores.values())


def _splits(rng: Generator, n: int) -> FloatArray:
    """Return errors in points around 0, whose columns share their splits."""
    return np.asarray(2 * (rng.normal(size=(n, COLUMNS)) + rng.normal(size=(n, 1))))


def _evidence(ours: FloatArray, printed: FloatArray) -> RowEvidence:
    of = OurSplits(ours, np.full(COLUMNS, 0.005), PRINTED_SPLITS)
    logs = {
        quantity: log_probability(ours, statistic(printed).round(2), of.rounding, of.n_printed)
        for quantity, (statistic, log_probability) in STATISTICS.items()
        if quantity in ("mean", "sd")
    }
    return RowEvidence(logs=logs, splits=dict.fromkeys(logs, of))


def _world(
    words: str, repeats: int, rivals: int, rows: int, quick: bool = False, **options: Any
) -> World:
    setting = f"{rivals} rivals {words}, {rows} rows, {repeats} repeats"
    judgement = Judgement("some reading supported", at_most(LEVEL), "errors 3 points higher")
    draw = partial(scored, repeats=repeats, rivals=rivals, rows=rows, **options)
    return World(setting, (judgement,), draw, 120, quick)


OWN = "like the base, splits of their own"

WORLDS = (
    _world(OWN, 10, 1, 1, quick=True),
    _world(OWN, 30, 1, 4),
    _world(OWN, 10, 3, 3),
    _world(OWN, 100, 3, 3),
    _world("like the base, on its splits", 30, 3, 3, shared=0.9),
    _world("2 points worse", 30, 3, 3, apart=2.0),
)
"""All worlds of readings."""
