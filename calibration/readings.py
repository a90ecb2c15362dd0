"""Readings of a protocol, of which the printed numbers speak for one."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from calibration.worlds import Judgement, Outcome, World, at_most
from quadrepro.base.types import FloatArray
from quadrepro.stats import (
    LEVEL,
    log_probability_of_deviations,
    log_probability_of_means,
    score_readings,
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
    base: dict[str, float] = {}
    readings: dict[str, dict[str, float]] = {f"rival {i}": {} for i in range(rivals)}
    for row in map(str, range(rows)):
        own = _splits(rng, repeats)
        printed = _splits(rng, PRINTED_SPLITS) + 3 * dishonest
        base[row] = _log_probability(own, printed)
        for i in range(rivals):
            ours = shared * own + np.sqrt(1 - shared**2) * _splits(rng, repeats) + apart
            moved = 3 * (dishonest and i == 0)
            readings[f"rival {i}"][row] = _log_probability(ours + moved, printed)
    scores = score_readings(base, readings)
    if dishonest:
        return scores["rival 0"].supported
    return any(score.supported for score in scores.values())


def _splits(rng: Generator, n: int) -> FloatArray:
    """Return errors in points around 0, whose columns share their splits."""
    return np.asarray(2 * (rng.normal(size=(n, COLUMNS)) + rng.normal(size=(n, 1))))


def _log_probability(ours: FloatArray, printed: FloatArray) -> float:
    means, deviations = printed.mean(axis=0).round(2), printed.std(axis=0, ddof=1).round(2)
    return log_probability_of_means(
        ours, means, 0.005, PRINTED_SPLITS
    ) + log_probability_of_deviations(ours, deviations, 0.005, PRINTED_SPLITS)


def _world(
    words: str, repeats: int, rivals: int, rows: int, quick: bool = False, **options: Any
) -> World:
    setting = f"{rivals} rivals {words}, {rows} rows, {repeats} repeats"
    judgement = Judgement("some reading supported", at_most(LEVEL), "errors 3 points higher")
    draw = partial(scored, repeats=repeats, rivals=rivals, rows=rows, **options)
    return World(setting, (judgement,), draw, 200, quick)


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
