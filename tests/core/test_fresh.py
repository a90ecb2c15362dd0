from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

from quadrepro.data.card import load_card
from quadrepro.data.rules import Fresh, draw_fresh, rule_of
from quadrepro.errors import ConfigError

NOISELESS: dict[str, dict[str, float]] = {
    "m1": {"sigma": 0},
    "m2": {"sigma": 0},
    "sparse": {"sigma": 0},
}
CLASSES = ["orange", "ringnorm_generated", "twonorm_generated", "waveform_generated"]


def drawn(
    name: str,
    sizes: tuple[int, ...] = (8, 4, 6),
    changes: Mapping[str, float] | None = None,
    seed: int = 0,
) -> Fresh:
    rule, parameters = rule_of(load_card(name), changes or {})
    return draw_fresh(rule, parameters, sizes, np.random.default_rng(seed))


def inputs(fresh: Fresh) -> np.ndarray:
    return np.column_stack([fresh.table.columns[a.name] for a in fresh.table.attributes])


@pytest.mark.parametrize("name", [*NOISELESS, *CLASSES])
def test_the_parts_have_their_sizes_and_the_cards_attributes(name: str) -> None:
    card, fresh = load_card(name), drawn(name)
    assert fresh.table.n_rows == 18
    assert fresh.table.attributes == card.attributes
    if card.task == "classification":
        assert set(fresh.table.target) <= set(card.target.labels)


def test_the_truth_is_the_target_where_there_is_no_noise() -> None:
    for name, changes in NOISELESS.items():
        fresh = drawn(name, (200, 0, 100), changes)
        assert fresh.truth is not None
        # Targets have four decimals.
        assert np.abs(fresh.truth - fresh.table.target).max() <= 0.5001e-4
        assert np.abs(fresh.truth).max() > 1


@pytest.mark.parametrize("name", NOISELESS)
def test_noise_changes_the_targets_and_neither_the_truth_nor_the_inputs(name: str) -> None:
    still, noisy = (drawn(name, (400,), {"sigma": sigma}) for sigma in (0, 0.5))
    np.testing.assert_array_equal(inputs(still), inputs(noisy))
    assert noisy.truth is not None
    np.testing.assert_array_equal(still.truth, noisy.truth)
    residuals = noisy.table.target - noisy.truth
    # The deviation of a deviation is about σ/sqrt(2n).
    assert residuals.std() == pytest.approx(0.5, abs=5 * 0.5 / math.sqrt(800))


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("wine", {}, "wine is not drawn by rule, so no fresh sample can be drawn"),
        ("monks", {}, "monks is not drawn by rule, so no fresh sample can be drawn"),
        ("interval_3", {}, "interval_3 is not drawn by rule, so no fresh sample can be drawn"),
        ("m1", {"sigm": 1}, "the rule of m1 has no parameter 'sigm'; did you mean 'sigma'?"),
        ("m2", {"low": -1}, "the rule of m2 has no parameter 'low'; known are sigma"),
        ("m2", {"rows": 9}, "the rule of m2 has no parameter 'rows'; known are sigma"),
        ("m2", {"seed": 9}, "the rule of m2 has no parameter 'seed'; known are sigma"),
        ("twonorm_generated", {"sigma": 1}, "the rule of twonorm_generated has no parameter 's"),
        ("orange", {"noise_inputs": 1.5}, "noise_inputs must be a whole number from 0 to 1000, no"),
        ("orange", {"noise_inputs": -1}, "noise_inputs must be a whole number from 0 to 1000, not"),
        ("orange", {"noise_inputs": 1e9}, "noise_inputs must be a whole number from 0 to 1000"),
        ("m2", {"sigma": 1e100}, "with these parameters, the targets of m2 are beyond 1e+100"),
    ],
)
def test_what_cannot_be_drawn_is_named(name: str, changes: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        drawn(name, changes=changes)
    assert str(caught.value).startswith(message)
