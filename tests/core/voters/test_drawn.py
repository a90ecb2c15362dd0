from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare, kstest

from quadrepro import CBBoostClassifier, DrawnStumps

X = np.column_stack([np.linspace(0, 1, 20), np.linspace(-5, 5, 20), np.full(20, 7.0)])


def test_attributes_and_thresholds_are_drawn_with_equal_probabilities() -> None:
    stumps = DrawnStumps(6000, random_state=0).fit(X)
    counts = np.bincount(stumps.attributes_, minlength=3)
    assert chisquare(counts).pvalue > 0.01
    for attribute, (low, spread) in enumerate([(0, 1), (-5, 10)]):
        thresholds = stumps.thresholds_[stumps.attributes_ == attribute]
        assert kstest(thresholds, "uniform", (low, spread)).pvalue > 0.01
    np.testing.assert_allclose(stumps.thresholds_[stumps.attributes_ == 2], 7.0, rtol=1e-15)


def test_stumps_stand_in_the_order_of_attributes_and_thresholds() -> None:
    stumps = DrawnStumps(50, random_state=1).fit(X)
    pairs = list(zip(stumps.attributes_, stumps.thresholds_, strict=True))
    assert pairs == sorted(pairs)
    H = stumps.transform(X)
    expected = X[:, stumps.attributes_] > stumps.thresholds_
    np.testing.assert_array_equal(H, np.where(expected, 1.0, -1.0))


def test_the_same_number_draws_the_same_stumps_and_another_one_others() -> None:
    one, same, other = (DrawnStumps(9, random_state=s).fit(X).thresholds_ for s in (3, 3, 4))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_no_stump_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="n_stumps must be at least 1, not 0"):
        DrawnStumps(0).fit(X)


def test_a_stream_gives_the_vote_of_all_data() -> None:
    rng = np.random.default_rng(0)
    examples = rng.normal(size=(300, 3))
    y = examples[:, 0] + examples[:, 1] > 0
    vote = CBBoostClassifier(20, voters=DrawnStumps(40, random_state=0))
    whole = vote.fit(examples, y).voter_weights_
    chunks = [(examples[i::3], y[i::3]) for i in range(3)]
    streamed = vote.fit_stream(lambda: iter(chunks)).voter_weights_
    np.testing.assert_array_equal(streamed, whole)
