"""Each contract finds the voter set that breaks it."""

from __future__ import annotations

from itertools import cycle
from typing import Any, Self

import numpy as np
import pytest
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin

from quadrepro.base.types import FloatArray
from quadrepro.core.voters.registry import VOTER_SETS, VoterSetEntry
from quadrepro.plugins import contracts


class Signs(TransformerMixin, BaseEstimator):
    """One voter per attribute: whether it is above a threshold."""

    def __init__(self, threshold: float = 0.0, random_state: Any = None) -> None:
        self.threshold = threshold
        self.random_state = random_state

    def fit(self, X: FloatArray, y: ArrayLike | None = None) -> Self:
        self.at_ = self.threshold
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        return np.where(self.at_ < X, 1.0, -1.0)


class Wide(Signs):
    def transform(self, X: FloatArray) -> FloatArray:
        return X


class Together(Signs):
    def transform(self, X: FloatArray) -> FloatArray:
        return np.where(X.mean(axis=0) < X, 1.0, -1.0)


class Silent(Signs):
    def fit(self, X: FloatArray, y: ArrayLike | None = None) -> None:  # type: ignore[override]
        super().fit(X)


class Greedy(Signs):
    def fit(self, X: FloatArray, y: ArrayLike | None = None) -> Self:
        if y is not None:
            self.threshold = 0.5
        return super().fit(X)


DRAWS = cycle(np.linspace(-0.5, 0.5, 7))
"""As if drawn, but never the same twice in a row."""


class Drawn(Signs):
    def fit(self, X: FloatArray, y: ArrayLike | None = None) -> Self:
        self.at_ = next(DRAWS)
        return self


class Hidden(Signs):
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"random_state": self.random_state}


def broken_by(monkeypatch: pytest.MonkeyPatch, made: type[Any]) -> set[str]:
    monkeypatch.setitem(VOTER_SETS.places, "mine", VoterSetEntry(made, "signs"))
    found = set()
    for contract in contracts.OF_VOTERS:
        try:
            contract("mine")
        except (AssertionError, ValueError, AttributeError):
            found.add(contract.__name__)
    return found


def test_a_transformer_of_two_lines_keeps_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    assert broken_by(monkeypatch, Signs) == set()


@pytest.mark.parametrize(
    ("made", "contract"),
    [
        (Wide, contracts.outputs_are_votes),
        (Together, contracts.an_example_is_judged_alone),
        (Silent, contracts.fitting_changes_nothing_but_the_voters),
        (Greedy, contracts.labels_are_used_only_if_it_says_so),
        (Drawn, contracts.the_same_votes_twice),
        (Drawn, contracts.it_can_be_cloned_and_sent),
        (Hidden, contracts.parameters_are_those_of_the_class),
    ],
)
def test_what_breaks_a_contract_is_found(
    monkeypatch: pytest.MonkeyPatch, made: type[Any], contract: Any
) -> None:
    assert contract.__name__ in broken_by(monkeypatch, made)
