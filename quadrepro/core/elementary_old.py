"""exp, log and their like, made of + - × ÷ alone, so that every processor gives the same bits.

numpy and the C library have several versions of these functions and choose one by the processor;
their last bits differ. The reductions and polynomials are those of fdlibm (Sun Microsystems, 1993),
whose error is below one unit in the last place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core import compiling

LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
"""ln 2 = high + low; high times a whole number below 2^11 is exact."""

EXP_TERMS = (
    1.66666666666666019037e-01,
    -2.77777777770155933842e-03,
    6.61375632143793436117e-05,
    -1.65339022054652515390e-06,
    4.13813679705723846039e-08,
)
LOG_TERMS = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
)

LEAST, LARGEST = -745.0, 709.0
"""exp is 0 below the first, and its argument must not be above the second."""

POWERS = np.ldexp(1.0, np.arange(-1075, 1024))
"""2^k for k from -1075 on."""


def _mapped(loop: Callable[[FloatArray, FloatArray], None], x: FloatArray) -> FloatArray:
    """Return what a compiled loop writes for each number."""
    out = np.empty(x.shape)
    loop(np.ascontiguousarray(x).reshape(-1), out.reshape(-1))
    return out


def exp(x: FloatArray) -> FloatArray:
    """Return e^x."""
    x = np.asarray(x, dtype=np.float64)
    if loops := compiling.beside(__name__):
        return _mapped(loops.exp_all, x)
    clipped = np.fmin(np.fmax(x, LEAST - 1.0), LARGEST)
    k = np.rint(clipped / (LN2_HIGH + LN2_LOW))
    high = clipped - k * LN2_HIGH
    low = k * LN2_LOW
    r = high - low
    t = r * r
    p1, p2, p3, p4, p5 = EXP_TERMS
    c = r - t * (p1 + t * (p2 + t * (p3 + t * (p4 + t * p5))))
    y = 1.0 - ((low - (r * c) / (2.0 - c)) - high)
    found = y * POWERS[k.astype(np.intp) + 1075]
    return np.where(x >= LEAST, found, np.where(x < LEAST, 0.0, x))


def log(x: FloatArray) -> FloatArray:
    """Return the natural logarithm."""
    x = np.asarray(x, dtype=np.float64)
    if loops := compiling.beside(__name__):
        return _mapped(loops.log_all, x)
    m, exponents = np.frexp(x)
    small = m * m < 0.5
    f = np.where(small, 2.0 * m, m) - 1.0
    k = exponents - small.astype(np.float64)
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    l1, l2, l3, l4, l5, l6, l7 = LOG_TERMS
    R = w * (l2 + w * (l4 + w * l6)) + z * (l1 + w * (l3 + w * (l5 + w * l7)))
    half = 0.5 * f * f
    found = k * LN2_HIGH - ((half - (s * (half + R) + k * LN2_LOW)) - f)
    return np.where(x > 0, found, -np.inf)


def log1p(x: FloatArray) -> FloatArray:
    """Return log(1 + x), accurate for small x too."""
    x = np.asarray(x, dtype=np.float64)
    u = 1.0 + x
    # log(u) has the relative error of u - 1, which the quotient takes out again.
    rounded = np.where(u == 1.0, 1.0, u - 1.0)
    return np.where(u == 1.0, x, log(u) * (x / rounded))


def artanh(x: FloatArray) -> FloatArray:
    """Return the inverse hyperbolic tangent of numbers between -1 and 1."""
    x = np.asarray(x, dtype=np.float64)
    size = np.abs(x)
    return np.copysign(0.5 * log1p(2.0 * size / (1.0 - size)), x)


def artanh_each(numbers: Iterable[float]) -> list[float]:
    """Return the inverse hyperbolic tangents of a few numbers, which are quicker one by one."""
    return [math.copysign(0.5 * _log1p(2.0 * abs(x) / (1.0 - abs(x))), x) for x in numbers]


def _log1p(x: float) -> float:
    u = 1.0 + x
    return x if u == 1.0 else log_of(u) * (x / (u - 1.0))


def log_of(x: float) -> float:
    """Return the natural logarithm of one number; compiled loops use it too."""
    if x <= 0.0:
        return -math.inf
    m, exponent = math.frexp(x)
    k = float(exponent)
    if m * m < 0.5:
        m, k = 2.0 * m, k - 1.0
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    l1, l2, l3, l4, l5, l6, l7 = LOG_TERMS
    R = w * (l2 + w * (l4 + w * l6)) + z * (l1 + w * (l3 + w * (l5 + w * l7)))
    half = 0.5 * f * f
    return k * LN2_HIGH - ((half - (s * (half + R) + k * LN2_LOW)) - f)


def tanh(x: FloatArray) -> FloatArray:
    """Return the hyperbolic tangent, with an absolute error of two units in the last place of 1."""
    x = np.asarray(x, dtype=np.float64)
    if loops := compiling.beside(__name__):
        return _mapped(loops.tanh_all, x)
    falling = exp(-2.0 * np.abs(x))
    return np.copysign((1.0 - falling) / (1.0 + falling), x)
