"""exp, log and their like are accurate to a few units, and their bits are the same everywhere."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from quadrepro.core import elementary

RNG = np.random.default_rng(0)
EXPONENTS = np.concatenate(
    [RNG.uniform(-750, 709, 20_000), RNG.normal(0, 1e-3, 5000), [0.0, -0.0, -744.9, -745.1, np.nan]]
)
POSITIVE = np.concatenate(
    [10.0 ** RNG.uniform(-300, 300, 20_000), RNG.normal(1, 1e-3, 5000), [1.0, 5e-324, 0.5, 2.0]]
)
ABOVE_MINUS_ONE = np.concatenate(
    [10.0 ** RNG.uniform(-18, 10, 20_000), -(10.0 ** RNG.uniform(-18, -0.001, 20_000)), [0.0]]
)
EDGES = np.concatenate([RNG.uniform(-1, 1, 20_000), 10.0 ** RNG.uniform(-18, -1, 20_000), [0.0]])


def each(function, x):
    return np.array([function(number) for number in x.tolist()])


CASES = [
    (elementary.exp, np.exp, EXPONENTS, 1),
    (elementary.log, np.log, POSITIVE, 1),
    (elementary.log1p, np.log1p, ABOVE_MINUS_ONE, 3),
    (elementary.artanh, np.arctanh, EDGES, 4),
]


@pytest.mark.parametrize(("ours", "theirs", "x", "units"), CASES, ids=lambda c: str(c)[:20])
def test_it_is_accurate_to_a_few_units_in_the_last_place(ours, theirs, x, units):
    exact = theirs(x.astype(np.longdouble))
    found = each(ours, x)
    normal = np.abs(exact) > 1e-300
    error = np.abs(found[normal] - exact[normal]) / np.spacing(np.abs(found[normal]))
    assert error.max() < units


@pytest.mark.parametrize("name", ["exp", "log", "tanh"])
def test_arrays_have_the_bits_of_their_numbers(name):
    x = np.concatenate([EXPONENTS, EDGES, [-np.inf, np.inf]])
    x = x[: len(x) // 3 * 3].reshape(-1, 3)
    found = getattr(elementary, f"{name}_each")(x.T)
    assert found.tobytes() == each(getattr(elementary, name), x.T.ravel()).tobytes()


def test_the_ends_are_what_they_should_be():
    ends = np.array([-np.inf, -800.0, 0.0, 709.0, np.inf, np.nan])
    powers = [0.0, 0.0, 1.0, *[8.218407461554972e307] * 2, np.nan]
    np.testing.assert_array_equal(elementary.exp_each(ends), powers)
    assert elementary.log_each(np.array([-1.0, 0.0, 1.0])).tolist() == [-np.inf, -np.inf, 0.0]
    assert (elementary.log1p(-1.0), elementary.log1p(0.0)) == (-np.inf, 0.0)
    assert elementary.tanh_each(np.array([-np.inf, 0.0, np.inf])).tolist() == [-1.0, 0.0, 1.0]
    assert np.signbit(each(elementary.artanh, np.array([-0.0, -0.5]))).all()


def test_the_bits_are_the_same_on_every_processor():
    x = np.linspace(-3, 3, 1001)
    logs = elementary.log_each(np.abs(x) + 0.125)
    parts = [elementary.exp_each(x), logs, each(elementary.artanh, x / 4)]
    digest = hashlib.sha256(np.concatenate(parts).tobytes()).hexdigest()
    assert digest == ("b2de92fcf86e56f735ebd8f1ff922d84abf7bab4c26d867b2f1d9d9cb7a42e23")


def test_the_hyperbolic_tangent_rises_and_is_accurate():
    x = np.sort(RNG.normal(0, 5, 20_000))
    found = elementary.tanh_each(x)
    assert (np.diff(found) >= 0).all()
    np.testing.assert_allclose(found, np.tanh(x), rtol=0, atol=4.5e-16)
