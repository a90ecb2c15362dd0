from __future__ import annotations

import pytest
from sklearn.base import clone

from quadrepro import Conjunctions, DrawnStumps, Stumps, Trees
from quadrepro.core.voters.registry import VOTER_SETS, find_voters


def never() -> int:
    raise AssertionError("no seed is asked for")


def test_the_voter_sets_are_those_that_python_has() -> None:
    found = {name: entry.maker for name, entry in VOTER_SETS.items()}
    classes = {"drawn-stumps": DrawnStumps, "conjunctions": Conjunctions, "trees": Trees}
    assert found == {"stumps": Stumps, **classes}
    assert all(entry.modules == (entry.maker.__module__,) for entry in VOTER_SETS.values())


@pytest.mark.parametrize(
    ("name", "learned"),
    [("stumps", False), ("drawn-stumps", False), ("conjunctions", True), ("trees", True)],
)
def test_it_is_known_which_voters_are_learned_from_labels(name: str, learned: bool) -> None:
    assert VOTER_SETS.find(name).needs_labels == learned


def test_parameters_are_those_of_the_class() -> None:
    assert {*VOTER_SETS["trees"].names} == {*clone(Trees()).get_params()}
    stumps = find_voters("stumps", {"per_attribute": 3}).make(never)
    assert stumps.get_params() == Stumps(3).get_params()


def test_a_seed_is_drawn_where_none_is_given() -> None:
    assert find_voters("trees", {}).make(lambda: 7).random_state == 7
    assert find_voters("trees", {"random_state": 0}).make(never).random_state == 0


def test_an_unknown_voter_set_is_refused_with_the_nearest() -> None:
    with pytest.raises(KeyError, match="unknown voter set 'tree'; did you mean 'trees'"):
        VOTER_SETS.find("tree")
