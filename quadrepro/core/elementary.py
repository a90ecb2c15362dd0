"""exp, log and related functions in + - × ÷ alone, so that every processor gives the same bits.

numpy and the C library have several versions of these functions and choose one by the processor;
their last bits differ. Reductions and polynomials are taken from fdlibm (Sun Microsystems, 1993),
whose error is below one unit in the last place. Loops call them for one number; `exp_each`,
`log_each` and `tanh_each` take arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.jit import njit

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
"""Range of arguments of exp: the result is 0 below it, and arguments above it are clipped."""

POWERS = np.ldexp(1.0, np.arange(-1075, 1024))
"""2^k for k = -1075, ..., 1023."""


@njit
def exp(x: float) -> float:
    """Return e^x."""
    # Without branches, as processors often mispredict them.
    clipped = x if x > LEAST else LEAST
    clipped = clipped if clipped < LARGEST else LARGEST
    k = np.rint(clipped / (LN2_HIGH + LN2_LOW))
    high = clipped - k * LN2_HIGH
    low = k * LN2_LOW
    r = high - low
    t = r * r
    p1, p2, p3, p4, p5 = EXP_TERMS
    c = r - t * (p1 + t * (p2 + t * (p3 + t * (p4 + t * p5))))
    y: float = 1.0 - ((low - (r * c) / (2.0 - c)) - high)
    power = y * float(POWERS[np.int32(k) + 1075])
    return power if x >= LEAST else (0.0 if x < LEAST else x)


@njit
def log(x: float) -> float:
    """Return the natural logarithm; -inf also for numbers below 0."""
    if not x > 0.0:
        return -np.inf
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


@njit
def log1p(x: float) -> float:
    """Return log(1 + x), accurate for small x too."""
    u = 1.0 + x
    # log(u) has the relative error of u - 1, which the quotient cancels.
    return x if u == 1.0 else log(u) * (x / (u - 1.0))


@njit
def artanh(x: float) -> float:
    """Return the inverse hyperbolic tangent of a number between -1 and 1."""
    size = abs(x)
    return math.copysign(0.5 * log1p(2.0 * size / (1.0 - size)), x)


@njit
def tanh(x: float) -> float:
    """Return the hyperbolic tangent, with an absolute error of two units in the last place of 1."""
    falling = exp(-2.0 * abs(x))
    return math.copysign((1.0 - falling) / (1.0 + falling), x)


def _on_arrays(function: Callable[[float], float]) -> Callable[[FloatArray], FloatArray]:
    """Return a function of an array of any shape that applies a loop's function to every number."""

    @njit
    def write(x: FloatArray, out: FloatArray) -> None:
        for i in range(len(x)):
            out[i] = function(x[i])

    def mapped(x: FloatArray) -> FloatArray:
        x = np.asarray(x, dtype=np.float64)
        out = np.empty(x.shape)
        write(np.ascontiguousarray(x).reshape(-1), out.reshape(-1))
        return out

    return mapped


exp_each, log_each, tanh_each = map(_on_arrays, (exp, log, tanh))
