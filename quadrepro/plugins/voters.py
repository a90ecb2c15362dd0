"""What a voter set must keep to, so that every algorithm can vote over it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
from sklearn.base import clone

from quadrepro.base.types import FloatArray
from quadrepro.core.voters.registry import VoterSetEntry, find_voter_set
from quadrepro.core.voters.voter_set import voter_matrix
from quadrepro.plugins import Contract
from quadrepro.plugins.problems import attributes


def voters_of(name: str) -> Any:
    """Return a voter set with its default parameters, not fitted."""
    return find_voter_set(name).make({}, lambda: 3)


def fitted(entry: VoterSetEntry, voters: Any) -> Any:
    """Return voters fitted to a small problem, with labels only if they need them."""
    X, y = attributes()
    return voters.fit(X, y if entry.needs_labels else None)


def matrix(name: str) -> FloatArray:
    """Return the voter matrix of a small problem."""
    return voter_matrix(fitted(find_voter_set(name), voters_of(name)), attributes()[0])


def outputs_are_votes(name: str) -> None:
    """Outputs are a matrix of numbers in [-1, 1], also on new examples and beyond the range."""
    voters = fitted(find_voter_set(name), voters_of(name))
    X, _ = attributes()
    n_voters = voter_matrix(voters, X).shape[1]
    for new in (X[:5], 100 * X, X[:1]):
        assert voter_matrix(voters, new).shape == (len(new), n_voters), "the voters are others"


def an_example_is_judged_alone(name: str) -> None:
    """What voters say of an example does not depend on the others."""
    voters = fitted(find_voter_set(name), voters_of(name))
    X, _ = attributes()
    H = voter_matrix(voters, X)
    alone = np.vstack([voter_matrix(voters, row[None]) for row in X])
    assert np.allclose(H, alone, rtol=0, atol=1e-12), "an example alone gets other votes"


def fitting_changes_nothing_but_the_voters(name: str) -> None:
    """Fitting returns the voters and keeps parameters and examples as they are."""
    entry, voters = find_voter_set(name), voters_of(name)
    X, y = attributes()
    before, parameters = X.copy(), str(voters.get_params())
    assert voters.fit(X, y if entry.needs_labels else None) is voters, "fit does not return self"
    assert (before == X).all(), "fit changes the examples"
    assert str(voters.get_params()) == parameters, "fit changes the parameters"


def it_can_be_cloned_and_sent(name: str) -> None:
    """A clone and a copy for a worker are the same voters."""
    entry, voters = find_voter_set(name), voters_of(name)
    copies = (clone(voters), pickle.loads(pickle.dumps(voters)))
    for copy in copies:
        found = voter_matrix(fitted(entry, copy), attributes()[0])
        assert found.tobytes() == matrix(name).tobytes(), "a copy has other voters"


def parameters_are_those_of_the_class(name: str) -> None:
    """A config can give the parameters that scikit-learn sees."""
    entry = find_voter_set(name)
    given = {*entry.parameters}
    assert given == {*voters_of(name).get_params(deep=False)}, "get_params names others"


def the_same_bytes_twice(name: str) -> None:
    """It gives the same bytes twice."""
    assert matrix(name).tobytes() == matrix(name).tobytes(), (
        "two calls give other bytes: draw from random_state"
    )


def labels_are_used_only_if_it_says_so(name: str) -> None:
    """Labels are needed, or do not matter."""
    entry = find_voter_set(name)
    X, y = attributes()
    if not entry.needs_labels:
        found = voter_matrix(voters_of(name).fit(X, y), X)
        said = "it learns from labels: its tags must say target_tags.required"
        assert found.tobytes() == matrix(name).tobytes(), said


CONTRACTS: tuple[Contract, ...] = (
    outputs_are_votes,
    an_example_is_judged_alone,
    fitting_changes_nothing_but_the_voters,
    it_can_be_cloned_and_sent,
    parameters_are_those_of_the_class,
    the_same_bytes_twice,
    labels_are_used_only_if_it_says_so,
)
