"""What an algorithm must keep to, so that searches, records and tables can rely on it."""

from __future__ import annotations

import hashlib
import json
import pickle
import subprocess
import sys

import numpy as np
from pydantic import ValidationError

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import Algorithm, Learner
from quadrepro.core.learners.predictor import Predictor
from quadrepro.core.voters.reduction import reduce_problem
from quadrepro.engine.keys import makers
from quadrepro.plugins import Contract
from quadrepro.plugins.problems import attributes, entry_of, small_grid, votes


def close(found: FloatArray, expected: FloatArray) -> bool:
    """Return whether weights are equal but for the order in which a solver adds up."""
    return np.allclose(found, expected, rtol=1e-6, atol=1e-8, equal_nan=True)


def learner_of(name: str) -> Learner:
    """Return an algorithm with its default settings."""
    return entry_of(name).make({})


def found_by(name: str) -> FloatArray:
    """Return the weights, or the predictions, of an algorithm on a small problem."""
    learner = learner_of(name)
    if isinstance(learner, Algorithm):
        return learner.path(*votes(), small_grid(name, learner))
    assert isinstance(learner, Predictor), f"{type(learner)} is no Algorithm and no Predictor"
    X, y = attributes()
    grid = small_grid(name, learner)
    return learner.predictions(X[10:], y[10:], grid, X[:10], np.random.default_rng(0))


def fingerprint(name: str) -> str:
    """Return a hash of what an algorithm finds, and of what its key says."""
    learner = learner_of(name)
    key = json.dumps([learner.content, makers(learner, ())], sort_keys=True)
    return hashlib.sha256(found_by(name).tobytes() + key.encode()).hexdigest()


def every_candidate_has_its_weights(name: str) -> None:
    """A path has one row per candidate: weights of all voters, or predictions of all examples."""
    learner = learner_of(name)
    n = len(small_grid(name, learner).candidates)
    shape = (n, votes()[0].shape[1] if isinstance(learner, Algorithm) else 10)
    found = found_by(name)
    assert found.shape == shape, f"the shape is {found.shape}, not {shape}"
    assert not np.isinf(found).any(), "a number is infinite"
    assert not np.isnan(found).all(), "no candidate has a solution"


def a_candidate_alone_is_the_same(name: str) -> None:
    """A candidate is the same alone and among others, also of fewer rounds."""
    learner = learner_of(name)
    if not isinstance(learner, Algorithm):
        return
    H, y = votes()
    grid = small_grid(name, learner)
    path = learner.path(H, y, grid)
    for candidate, weights in zip(grid.candidates, path, strict=True):
        alone = learner.path(H, y, Grid.of({k: [v] for k, v in candidate.items()}))[0]
        assert close(alone, weights), f"{candidate} is another one alone"


def samples_are_repeated_examples(name: str) -> None:
    """A sample gives the weights of its examples, repeated as often as it counts them."""
    learner = learner_of(name)
    if not isinstance(learner, Algorithm):
        return
    H, y = votes()
    rng = np.random.default_rng(7)
    samples = rng.integers(0, 3, (2, len(y)))
    grid = small_grid(name, learner)
    found = learner.path(H, y, grid, samples.astype(np.float64))
    for counts, path in zip(samples, found, strict=True):
        rows = np.repeat(np.arange(len(y)), counts)
        expected = learner.path(H[rows], y[rows], grid)
        assert close(path, expected), "weights differ from those of repeated rows"


def the_order_of_examples_does_not_matter(name: str) -> None:
    """The order of the examples does not matter."""
    learner = learner_of(name)
    if not isinstance(learner, Algorithm):
        return
    H, y = votes()
    order = np.random.default_rng(8).permutation(len(y))
    grid = small_grid(name, learner)
    found, expected = learner.path(H[order], y[order], grid), learner.path(H, y, grid)
    assert close(found, expected), "weights change with the order of the examples"


def merging_voters_changes_nothing(name: str) -> None:
    """Merging equal voters gives the same weights, or the algorithm says that it must not be."""
    learner = learner_of(name)
    if not isinstance(learner, Algorithm) or not learner.merges_voters:
        return
    H, y = votes()
    grid = small_grid(name, learner)
    plain = learner.paths(reduce_problem(H, y, merge_voters=False), [grid])
    merged = learner.paths(learner.reduced(H, y), [grid])
    # A program may share a weight among equal voters, whose sum is what votes.
    same = np.allclose(plain @ H.T, merged @ H.T, rtol=1e-5, atol=1e-6, equal_nan=True)
    assert same, "votes change if equal voters are merged: set merges_voters to False"


def unknown_and_invalid_values_are_refused(name: str) -> None:
    """Unknown settings, unknown hyper-parameters and invalid values are refused."""
    entry = entry_of(name)
    try:
        entry.make({"no_such_setting": 1})
    except (ValidationError, ValueError):
        pass
    else:
        raise AssertionError("an unknown setting is accepted")
    learner = entry.make({})
    bad = [{"no_such_hyperparameter": [1]}]
    bad += [{h.name: [-1]} for h in learner.hyperparameters if h.kind != "any"]
    for axes in bad:
        try:
            learner.check(Grid.of(axes))
        except ValueError:
            continue
        raise AssertionError(f"the grid {axes} is accepted")


def a_worker_gets_the_same(name: str) -> None:
    """The algorithm can be sent to a worker, and its settings can be kept in a record."""
    learner = learner_of(name)
    assert pickle.loads(pickle.dumps(learner)) == learner, "it is another one once it was sent"
    content = json.loads(json.dumps(learner.content))
    assert content.keys() == learner.content.keys(), "its content is not plain data"
    assert isinstance(learner.version, int), "its version is not a whole number"


def the_same_bytes_twice(name: str) -> None:
    """It gives the same bytes twice."""
    assert found_by(name).tobytes() == found_by(name).tobytes(), "two calls give other bytes"


def the_same_bytes_in_another_process(name: str) -> None:
    """Another process gives the same bytes and the same key."""
    code = f"from quadrepro.plugins.algorithms import fingerprint; print(fingerprint({name!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == fingerprint(name), "another process gives other bytes, or a key"


CONTRACTS: tuple[Contract, ...] = (
    every_candidate_has_its_weights,
    a_candidate_alone_is_the_same,
    samples_are_repeated_examples,
    the_order_of_examples_does_not_matter,
    merging_voters_changes_nothing,
    unknown_and_invalid_values_are_refused,
    a_worker_gets_the_same,
    the_same_bytes_twice,
    the_same_bytes_in_another_process,
)
