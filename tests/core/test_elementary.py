"""Compiled and plain functions have the same bits, and are accurate to two units."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core import compiling, elementary
from tests.loops import set_compiled

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

CASES = [
    (elementary.exp, np.exp, EXPONENTS, 1),
    (elementary.log, np.log, POSITIVE, 1),
    (elementary.log1p, np.log1p, ABOVE_MINUS_ONE, 3),
    (elementary.artanh, np.arctanh, EDGES, 4),
]


@pytest.mark.parametrize(("ours", "theirs", "x", "units"), CASES, ids=lambda c: str(c)[:20])
def test_it_is_accurate_to_a_few_units_in_the_last_place(ours, theirs, x, units):
    exact = theirs(x.astype(np.longdouble))
    found = ours(x)
    normal = np.abs(exact) > 1e-300
    error = np.abs(found[normal] - exact[normal]) / np.spacing(np.abs(found[normal]))
    assert error.max() < units


@pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")
@pytest.mark.parametrize(("ours", "theirs", "x", "units"), CASES, ids=lambda c: str(c)[:20])
def test_compiled_and_plain_bits_are_equal(ours, theirs, x, units, monkeypatch):
    compiled: FloatArray = ours(x)
    set_compiled(monkeypatch, False)
    assert (compiled.view(np.int64) == ours(x).view(np.int64)).all()


@pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")
def test_compiled_and_plain_hyperbolic_tangents_have_equal_bits(monkeypatch):
    x = np.concatenate([EXPONENTS, EDGES, [-np.inf, np.inf]])
    compiled = elementary.tanh(x.reshape(-1, 1).T)
    set_compiled(monkeypatch, False)
    assert compiled.tobytes() == elementary.tanh(x[None]).tobytes()


def test_the_ends_are_what_they_should_be():
    assert elementary.exp(np.array([-np.inf, -800.0, 0.0])).tolist() == [0.0, 0.0, 1.0]
    assert elementary.exp(np.array([np.inf, 709.0])).tolist() == [8.218407461554972e307] * 2
    assert np.isnan(elementary.exp(np.array([np.nan]))).all()
    assert elementary.log(np.array([0.0, 1.0])).tolist() == [-np.inf, 0.0]
    assert elementary.log1p(np.array([-1.0, 0.0])).tolist() == [-np.inf, 0.0]
    assert elementary.tanh(np.array([-np.inf, 0.0, np.inf])).tolist() == [-1.0, 0.0, 1.0]
    assert np.signbit(elementary.artanh(np.array([-0.0, -0.5]))).all()


def test_the_bits_are_the_same_on_every_processor():
    x = np.linspace(-3, 3, 1001)
    parts = [elementary.exp(x), elementary.log(np.abs(x) + 0.125), elementary.artanh(x / 4)]
    digest = hashlib.sha256(np.concatenate(parts).tobytes()).hexdigest()
    assert digest == ("b2de92fcf86e56f735ebd8f1ff922d84abf7bab4c26d867b2f1d9d9cb7a42e23")


def test_the_hyperbolic_tangent_rises_and_is_accurate():
    x = np.sort(RNG.normal(0, 5, 20_000))
    found = elementary.tanh(x)
    assert (np.diff(found) >= 0).all()
    np.testing.assert_allclose(found, np.tanh(x), rtol=0, atol=4.5e-16)


def test_a_few_numbers_have_the_bits_of_many():
    inside = EDGES[np.abs(EDGES) < 1][::10]
    each = np.array(elementary.artanh_each(inside.tolist()))
    np.testing.assert_array_equal(each, elementary.artanh(inside))
