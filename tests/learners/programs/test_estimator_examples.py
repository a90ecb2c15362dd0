from __future__ import annotations

import doctest
import importlib

import pytest

from quadrepro.learners.estimators import VoteClassifier


@pytest.mark.parametrize("home", ["cqboost", "lp_reg", "lpboost", "mincq", "qp_reg"])
def test_every_estimator_has_an_example_that_gives_what_it_shows(home: str) -> None:
    module = importlib.import_module(f"quadrepro.learners.programs.{home}")
    estimators = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, VoteClassifier)
        and value.__module__ == module.__name__
    ]
    assert len(estimators) == 1
    assert ">>>" in (estimators[0].__doc__ or "")
    results = doctest.testmod(module)
    assert results.attempted >= 4
    assert results.failed == 0
