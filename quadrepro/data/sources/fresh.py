"""Samples drawn anew for every split, by the rule that a card's own sample was drawn by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro.data.canonical import RawTable
from quadrepro.data.card import Card
from quadrepro.data.sources import sampled, sampled_functions
from quadrepro.data.sources.schema import GeneratedSource
from quadrepro.errors import ConfigError, nearest

_SIZE = ("rows", "n_per_class", "seed")
"""Parameters of a card's own sample that a fresh one has not."""

_RULES = {
    "m1": sampled_functions.draw_m1,
    "m2": sampled_functions.draw_m2,
    "orange": sampled.draw_orange,
    "ringnorm": sampled.draw_ringnorm,
    "sparse": sampled_functions.draw_sparse,
    "twonorm": sampled.draw_twonorm,
    "waveform": sampled.draw_waveform,
}


@dataclass(frozen=True, eq=False)
class Fresh:
    """A fresh sample.

    Attributes
    ----------
    table : RawTable
        Part after part, in the order drawn.
    truth : ndarray of shape (n_rows,) or None
        The target without its noise; None where the target is a class.
    """

    table: RawTable
    truth: NDArray[np.float64] | None


def rule_of(card: Card, changes: Mapping[str, float]) -> tuple[str, dict[str, float]]:
    """Return the rule of a card's sample and its parameters, those of the size aside.

    Parameters
    ----------
    card : Card
        Of a sample drawn by rule.
    changes : mapping of str to float
        Parameters to set otherwise.

    Returns
    -------
    tuple of (str, dict)
        Name of the rule, and its parameters.

    Raises
    ------
    ConfigError
        If the card's data are not drawn by rule, or its rule has no such parameter.
    """
    found = [s for s in card.sources if isinstance(s, GeneratedSource) and s.generator in _RULES]
    if not found:
        raise ConfigError(f"{card.name} is not drawn by rule, so no fresh sample can be drawn")
    parameters = {k: v for k, v in found[0].parameters.items() if k not in _SIZE}
    for name in changes:
        if name not in parameters:
            hint = nearest(name, parameters)
            raise ConfigError(f"the rule of {card.name} has no parameter {name!r}{hint}")
    return found[0].generator, parameters | dict(changes)


def draw_fresh(
    rule: str, parameters: Mapping[str, float], sizes: Sequence[int], rng: np.random.Generator
) -> Fresh:
    """Draw the parts of a fresh sample, one after the other.

    Parameters
    ----------
    rule : str
        As `rule_of` gives it.
    parameters : mapping of str to float
        As `rule_of` gives them.
    sizes : sequence of int
        Rows of each part; for the orange data half of them in each class.
    rng : numpy.random.Generator
        Of a bit generator with 64-bit words.

    Returns
    -------
    Fresh
        All parts in one table.

    Raises
    ------
    ConfigError
        If a part of the orange data has an odd number of rows, or its noise inputs cannot be
        counted.
    """
    draw: Any = _RULES[rule]
    if rule == "orange":
        if odd := [size for size in sizes if size % 2]:
            raise ConfigError(f"half of the rows are in each class, and {odd[0]} is an odd number")
        noise_inputs = parameters["noise_inputs"]
        if noise_inputs < 0 or noise_inputs % 1:
            raise ConfigError(f"noise_inputs is {noise_inputs:g}: give a whole number from 0 on")
        parts = [draw(rng, size // 2, int(noise_inputs)) for size in sizes]
    else:
        parts = [draw(rng, size, **parameters) for size in sizes]
    X, y = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    truth = None
    if rule == "m1":
        truth = sampled_functions.m1_mean(X, parameters["low"])
    elif rule in ("m2", "sparse"):
        truth = (sampled_functions.m2_mean if rule == "m2" else sampled_functions.sparse_mean)(X)
    return Fresh(sampled.as_table(X, y), truth)
