"""Fresh samples for every split, from the rule that generates the rows of a card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.data.canonical import RawTable
from quadrepro.data.card import Card
from quadrepro.data.sources import sampled, sampled_functions
from quadrepro.data.sources.generated import LARGEST_TARGET
from quadrepro.data.sources.schema import GeneratedSource
from quadrepro.errors import ConfigError, nearest

_SIZE = ("rows", "n_per_class", "seed")
"""Parameters of a card's own sample that a fresh sample does not have."""

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
        The rows of all parts, in the order in which they were drawn.
    truth : ndarray of shape (n_rows,) or None
        The target without its noise, or None for a classification.
    """

    table: RawTable
    truth: FloatArray | None


def rule_of(card: Card, changes: Mapping[str, float]) -> tuple[str, dict[str, float]]:
    """Return the rule that draws the rows of a card.

    Parameters
    ----------
    card : Card
        A card whose rows are drawn by rule.
    changes : mapping of str to float
        Parameters that differ from those of the card.

    Returns
    -------
    tuple of (str, dict)
        The name of the rule, and its parameters without size and seed.

    Raises
    ------
    ConfigError
        If the rows of the card are not drawn by rule, or the rule has no such parameter.
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
        The name of the rule, from `rule_of`.
    parameters : mapping of str to float
        The parameters of the rule, from `rule_of`.
    sizes : sequence of int
        The number of rows in each part. In the orange data, half of them are in each class.
    rng : numpy.random.Generator
        A generator whose bit generator has 64-bit words, such as PCG64.

    Returns
    -------
    Fresh
        All parts in one table.

    Raises
    ------
    ConfigError
        If, for the orange data, a part has an odd number of rows, or the number of noise inputs is
        not a whole number from 0 to 1000; or if a target is beyond 1e100.
    """
    draw: Any = _RULES[rule]
    if rule == "orange":
        if odd := [size for size in sizes if size % 2]:
            raise ConfigError(f"half of the rows are in each class, but {odd[0]} is an odd number")
        noise_inputs = parameters["noise_inputs"]
        if not 0 <= noise_inputs <= 1000 or noise_inputs % 1:
            raise ConfigError(
                f"noise_inputs must be a whole number from 0 to 1000, not {noise_inputs:g}"
            )
        parts = [draw(rng, size // 2, int(noise_inputs)) for size in sizes]
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            parts = [draw(rng, size, **parameters) for size in sizes]
    X, y = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    if not np.abs(y).max() <= LARGEST_TARGET:
        raise ConfigError(
            f"with these parameters, the targets of {rule} are beyond {LARGEST_TARGET:g}"
        )
    truth = None
    if rule == "m1":
        truth = sampled_functions.m1_mean(X, parameters["low"])
    elif rule in ("m2", "sparse"):
        truth = (sampled_functions.m2_mean if rule == "m2" else sampled_functions.sparse_mean)(X)
    return Fresh(sampled.as_table(X, y), truth)
