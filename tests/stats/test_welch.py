from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_ind

from quadrepro.stats.welch import Moments, welch_p


def test_moments_give_the_p_value_of_the_samples() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(0, 1, 20), rng.normal(1, 3, 7)
    moments = [Moments(float(x.mean()), float(x.std(ddof=1)), len(x)) for x in (a, b)]
    assert welch_p(*moments) == pytest.approx(ttest_ind(a, b, equal_var=False).pvalue)


def test_without_spread_only_the_means_decide() -> None:
    assert welch_p(Moments(0.5, 0, 20), Moments(0.5, 0, 20)) == 1
    assert welch_p(Moments(0.5, 0, 20), Moments(0.6, 0, 20)) == 0
