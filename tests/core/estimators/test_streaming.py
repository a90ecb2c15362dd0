from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from quadrepro import (
    AdaBoostClassifier,
    CBBoostClassifier,
    CqBoostClassifier,
    GBCBBoostClassifier,
    MinCqClassifier,
    QuadBoostClassifier,
    Stumps,
)
from quadrepro.base.types import FloatArray
from quadrepro.core.estimators import base
from quadrepro.core.estimators.streaming import MomentClassifier
from quadrepro.core.learners.greedy.cbboost import CBBoost, GBCBBoost
from quadrepro.core.learners.greedy.quadboost import (
    QuadBoost,
    QuadBoostL1,
    QuadBoostL2,
    QuadBoostLInf,
)
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import Algorithm
from quadrepro.core.learners.programs.cqboost import CqBoost
from quadrepro.core.learners.programs.mincq import MinCq
from quadrepro.core.voters import bits
from quadrepro.core.voters.moments import VoterMoments
from quadrepro.data.chunks import open_chunks

Problem = tuple[FloatArray, FloatArray]

PATHS: list[tuple[MomentClassifier, Algorithm, dict[str, list[float]]]] = [
    (QuadBoostClassifier(n_rounds=40), QuadBoost(), {"n_rounds": [40]}),
    (QuadBoostClassifier("l1", lam=0.03), QuadBoostL1(), {"lam": [0.03]}),
    (
        QuadBoostClassifier("l1", lam=0.03, reweight=True),
        QuadBoostL1(reweight=True),
        {"lam": [0.03]},
    ),
    (
        QuadBoostClassifier("l2", lam=0.5, n_rounds=40),
        QuadBoostL2(),
        {"lam": [0.5], "n_rounds": [40]},
    ),
    (
        QuadBoostClassifier("linf", alpha_max=0.02, n_rounds=40),
        QuadBoostLInf(),
        {"alpha_max": [0.02], "n_rounds": [40]},
    ),
    (CBBoostClassifier(20), CBBoost(), {"n_rounds": [20]}),
    (CBBoostClassifier(20, allow_repeats=False), CBBoost(False), {"n_rounds": [20]}),
    (GBCBBoostClassifier(20), GBCBBoost(), {"n_rounds": [20]}),
    (MinCqClassifier(0.03), MinCq(), {"mu": [0.03]}),
    (CqBoostClassifier(0.05), CqBoost(), {"mu": [0.05], "epsilon": [1e-6]}),
]
ESTIMATORS = [estimator for estimator, *_ in PATHS]
each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)


@pytest.fixture(scope="module")
def problem() -> Problem:
    """Return examples of which many are equal, with equal, opposite and constant attributes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6)).round(1)
    X[:, 3], X[:, 4], X[:, 5] = X[:, 2], -X[:, 2], 1.0
    return X, np.where(X[:, 0] + X[:, 1] + rng.normal(size=400) > 0, 1.0, -1.0)


def cut(X: Any, y: Any, size: int = 90) -> Callable[[], Iterator[tuple[Any, Any]]]:
    return lambda: ((X[i : i + size], y[i : i + size]) for i in range(0, len(X), size))


@pytest.mark.parametrize(("estimator", "algorithm", "candidate"), PATHS, ids=map(repr, ESTIMATORS))
def test_weights_have_the_bytes_of_the_algorithms_path_over_the_voter_matrix(
    problem: Problem,
    estimator: MomentClassifier,
    algorithm: Algorithm,
    candidate: dict[str, list[float]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bits, "BLOCK", 128)
    X, y = problem
    stumps = Stumps().fit(X)
    expected = algorithm.path(stumps.transform(X), y, Grid.of(candidate))[0]
    assert np.count_nonzero(expected)
    assert clone(estimator).fit(X, y).voter_weights_.tobytes() == expected.tobytes()
    streamed = clone(estimator).fit_stream(cut(X, y))
    assert streamed.voter_weights_.tobytes() == expected.tobytes()
    parts = clone(estimator).set_params(voters=stumps)
    for rows in (slice(300, 400), slice(0, 150), slice(150, 300)):
        parts.partial_fit(X[rows], y[rows], classes=[-1.0, 1.0])
    assert parts.voter_weights_.tobytes() == expected.tobytes()
    assert parts.moments_ is not None
    assert parts.moments_.n_examples == 400


@settings(max_examples=25)
@given(order=st.permutations(range(8)), seed=st.integers(0, 2**32 - 1))
def test_the_order_of_chunks_does_not_matter(order: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (40, 3)).astype(float), np.arange(40) % 2
    stumps = Stumps(3).fit(X)
    whole = QuadBoostClassifier("l2", n_rounds=20, voters=stumps).partial_fit(X, y)
    parts = QuadBoostClassifier("l2", n_rounds=20, voters=stumps)
    for i in order:
        parts.partial_fit(X[5 * i : 5 * i + 5], y[5 * i : 5 * i + 5], classes=[0, 1])
    assert parts.voter_weights_.tobytes() == whole.voter_weights_.tobytes()


@each_estimator
@pytest.mark.parametrize("voters", [None, "precomputed"])
def test_votes_and_stages_do_not_depend_on_blocks(
    problem: Problem,
    estimator: MomentClassifier,
    voters: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = problem
    X = Stumps().fit_transform(X) if voters else X
    fitted = clone(estimator).set_params(voters=voters).fit(X, y)
    stages, scores = list(fitted.staged_decision_function(X)), fitted.decision_function(X)
    labels = fitted.predict(X)
    monkeypatch.setattr(base, "BLOCK", 64)
    assert fitted.decision_function(X).tobytes() == scores.tobytes()
    assert fitted.predict(X).tobytes() == labels.tobytes()
    found = list(fitted.staged_decision_function(X))
    assert [a.tobytes() for a in found] == [b.tobytes() for b in stages]


def test_thresholds_are_those_of_the_first_chunk(problem: Problem) -> None:
    X, y = problem
    fitted = QuadBoostClassifier(n_rounds=5, voters=Stumps(3)).partial_fit(X[:50], y[:50])
    fitted.partial_fit(X[50:], y[50:])
    assert fitted.voters_ is not None
    np.testing.assert_array_equal(fitted.voters_.thresholds_, Stumps(3).fit(X[:50]).thresholds_)


def test_thresholds_of_a_stream_are_those_of_all_data_unless_they_are_given(
    problem: Problem,
) -> None:
    X, y = problem
    fitted = QuadBoostClassifier(n_rounds=5, voters=Stumps(3)).fit_stream(cut(X, y))
    assert fitted.voters_ is not None
    np.testing.assert_array_equal(fitted.voters_.thresholds_, Stumps(3).fit(X).thresholds_)
    given_ = Stumps(2).fit(X[:50])
    assert QuadBoostClassifier(voters=given_).fit_stream(cut(X, y)).voters_ is given_


def test_a_stream_can_be_continued(problem: Problem) -> None:
    X, y = problem
    fitted = CBBoostClassifier(10).fit_stream(cut(X, y)).partial_fit(X[:80], y[:80])
    expected = CBBoostClassifier(10, voters=Stumps().fit(X))
    expected.partial_fit(np.vstack([X, X[:80]]), np.append(y, y[:80]))
    assert fitted.voter_weights_.tobytes() == expected.voter_weights_.tobytes()


def test_a_fit_starts_anew_and_keeps_no_sums_to_add_to(problem: Problem) -> None:
    X, y = problem
    fitted = CBBoostClassifier(10).partial_fit(X, y).fit(X[:200], y[:200])
    assert fitted.moments_ is None
    alone = CBBoostClassifier(10).fit(X[:200], y[:200])
    assert fitted.voter_weights_.tobytes() == alone.voter_weights_.tobytes()
    again = fitted.partial_fit(X[200:], y[200:])
    assert again.moments_ is not None
    assert again.moments_.n_examples == 200


def test_a_call_that_fails_adds_nothing(problem: Problem) -> None:
    X, y = problem
    fitted = MinCqClassifier(0.03).partial_fit(X, y)
    weights = fitted.voter_weights_
    with pytest.raises(ValueError, match="no vote has a mean margin"):
        fitted.partial_fit(X, -y)
    assert fitted.moments_ is not None
    assert fitted.moments_.n_examples == 400
    assert fitted.voter_weights_ is weights


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files_give_the_vote_of_their_rows(problem: Problem, kind: str, tmp_path: Path) -> None:
    X, y = problem
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(label=np.where(y > 0, "up", "down"))
    for i, part in enumerate((frame[:130], frame[130:])):
        path = tmp_path / f"{i}.{kind}"
        part.to_csv(path, index=False) if kind == "csv" else part.to_parquet(path)
    streamed = QuadBoostClassifier("l2", n_rounds=30).fit_stream(tmp_path, target="label")
    whole = QuadBoostClassifier("l2", n_rounds=30).fit(frame[list("abcdef")], frame["label"])
    assert streamed.voter_weights_.tobytes() == whole.voter_weights_.tobytes()
    assert streamed.classes_.tolist() == ["down", "up"]
    assert streamed.feature_names_in_.tolist() == list("abcdef")
    rows = frame[list("abcdef")]
    assert streamed.predict(rows).tolist() == whole.predict(rows).tolist()
    with pytest.raises(ValueError, match="feature names"):
        streamed.predict(rows[list("fabcde")])


def test_names_of_an_earlier_fit_are_forgotten(problem: Problem) -> None:
    X, y = problem
    fitted = QuadBoostClassifier(n_rounds=5).fit(pd.DataFrame(X, columns=list("abcdef")), y)
    assert not hasattr(fitted.fit_stream(cut(X, y)), "feature_names_in_")


@pytest.mark.slow
def test_dask_workers_make_the_sums_and_give_the_weights_of_memory_in_any_order(
    problem: Problem,
) -> None:
    distributed = pytest.importorskip("distributed")
    dd = pytest.importorskip("dask.dataframe")
    X, y = problem
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(label=y)
    parts = dd.from_pandas(frame, npartitions=5)
    mixed = dd.concat([parts.get_partition(i) for i in (3, 0, 4, 1, 2)])
    vote = QuadBoostClassifier("l2", lam=0.5, n_rounds=30)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as two,
        distributed.Client(two) as client,
    ):
        workers = set(client.run(os.getpid).values())
        streamed = [vote.fit_stream(p, "label").voter_weights_.tobytes() for p in (parts, mixed)]
        made, added = open_chunks(mixed, "label").reduce(lambda chunk: Processes()).both
    assert streamed == [vote.fit(X, y).voter_weights_.tobytes()] * 2
    assert made | added <= workers
    assert len(workers) == 2


class Processes:
    """The processes that made some parts of a sum, and those that added them."""

    def __init__(self) -> None:
        self.both: tuple[set[int], set[int]] = {os.getpid()}, set()

    def __add__(self, other: Processes) -> Processes:
        total = Processes()
        made, added = (a | b for a, b in zip(self.both, other.both, strict=True))
        total.both = made, added | {os.getpid()}
        return total


@pytest.mark.parametrize(
    ("labels", "message"),
    [(np.zeros(400), "y holds 1 class, not 2"), (np.arange(400) % 5, "labels are 0, 1, 2 or more")],
)
def test_data_without_two_classes_are_refused(
    problem: Problem, labels: FloatArray, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        QuadBoostClassifier().fit_stream(cut(problem[0], labels))
    with pytest.raises(ValueError, match="y holds"):
        QuadBoostClassifier().partial_fit(problem[0], labels)


def test_numbers_to_predict_are_not_classes(problem: Problem) -> None:
    with pytest.raises(ValueError, match="Unknown label type"):
        QuadBoostClassifier().fit_stream(cut(problem[0], problem[0][:, 0] + 0.5))


def test_a_chunk_of_one_class_needs_the_names_of_both(problem: Problem) -> None:
    X, y = problem
    one = y > 0
    fitted = CBBoostClassifier(5).partial_fit(X[one], y[one], classes=[-1.0, 1.0])
    fitted.partial_fit(X[~one], y[~one])
    assert set(fitted.predict(X)) == {-1.0, 1.0}


def test_labels_of_later_chunks_are_those_of_the_first(problem: Problem) -> None:
    X, y = problem
    fitted = QuadBoostClassifier(n_rounds=5).partial_fit(X, y)
    with pytest.raises(ValueError, match=r"the label .*7.* is not in \[-1.0, 1.0\]"):
        fitted.partial_fit(X[:2], [1.0, 7.0])
    with pytest.raises(ValueError, match=r"classes must be \[-1.0, 1.0\], as in the first call"):
        fitted.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="6 features"):
        fitted.partial_fit(X[:, :2], y)
    assert fitted.moments_ is not None
    assert fitted.moments_.n_examples == 400


def test_stumps_on_other_attributes_are_refused(problem: Problem) -> None:
    X, y = problem
    estimator = QuadBoostClassifier(voters=Stumps().fit(X[:, :2]))
    for fit in (lambda: estimator.partial_fit(X, y), lambda: estimator.fit_stream(cut(X, y))):
        with pytest.raises(ValueError, match="X has 6 features, but the stumps are on 2"):
            fit()


def test_sums_need_stumps(problem: Problem) -> None:
    X, y = problem
    estimator = QuadBoostClassifier(voters="precomputed")
    assert not hasattr(estimator, "partial_fit")
    with pytest.raises(ValueError, match="fit_stream needs stumps as voters"):
        estimator.fit_stream(cut(X, y))
    assert estimator.fit(np.where(X > 0, 1.0, -1.0), y).moments_ is None


def test_a_parameter_out_of_range_is_refused_before_data_are_read() -> None:
    def never() -> Iterator[Any]:
        raise AssertionError

    with pytest.raises(ValueError, match="n_rounds must be positive"):
        CBBoostClassifier(0).fit_stream(never)


def test_a_mean_margin_that_no_vote_has_is_refused_with_the_limit(problem: Problem) -> None:
    for estimator in (MinCqClassifier(0.9), CqBoostClassifier(0.9)):
        with pytest.raises(ValueError, match="mu can be at most"):
            estimator.fit_stream(cut(*problem))


def test_example_weights_cannot_be_found_from_sums(problem: Problem) -> None:
    X, y = problem
    assert not hasattr(AdaBoostClassifier, "fit_stream")
    sums = VoterMoments.of(X, y, Stumps().fit(X)).problem()
    with pytest.raises(TypeError, match="need the examples, not their moments"):
        AdaBoostClassifier.learner().state(sums, np.zeros(1, dtype=np.intp))
