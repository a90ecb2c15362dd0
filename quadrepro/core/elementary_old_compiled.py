"""The functions of `quadrepro.core.elementary_old`, one number at a time."""

from __future__ import annotations

import math

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.compiling import compiled
from quadrepro.core.elementary_old import (
    EXP_TERMS,
    LARGEST,
    LEAST,
    LN2_HIGH,
    LN2_LOW,
    POWERS,
    log_of,
)

P1, P2, P3, P4, P5 = EXP_TERMS


@compiled("float64(float64)")
def exp(x: float) -> float:
    """Return e^x; see `quadrepro.core.elementary_old.exp`."""
    # Nothing is skipped, since a processor guesses a branch for every number, and often wrongly.
    clipped = x if x > LEAST else LEAST
    clipped = clipped if clipped < LARGEST else LARGEST
    k = np.rint(clipped / (LN2_HIGH + LN2_LOW))
    high = clipped - k * LN2_HIGH
    low = k * LN2_LOW
    r = high - low
    t = r * r
    c = r - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5))))
    y: float = 1.0 - ((low - (r * c) / (2.0 - c)) - high)
    found = y * float(POWERS[np.int32(k) + 1075])
    return found if x >= LEAST else (0.0 if x < LEAST else x)


log = compiled("float64(float64)")(log_of)


@compiled("float64(float64)")
def log1p(x: float) -> float:
    """Return log(1 + x); see `quadrepro.core.elementary_old.log1p`."""
    u = 1.0 + x
    return x if u == 1.0 else log(u) * (x / (u - 1.0))


@compiled("float64(float64)")
def artanh(x: float) -> float:
    """Return the inverse hyperbolic tangent; see `quadrepro.core.elementary_old.artanh`."""
    size = abs(x)
    return math.copysign(0.5 * log1p(2.0 * size / (1.0 - size)), x)


@compiled("void(float64[::1], float64[::1])")
def exp_all(x: FloatArray, out: FloatArray) -> None:
    """Write e^x of every number into `out`."""
    for i in range(len(x)):
        out[i] = exp(x[i])


@compiled("void(float64[::1], float64[::1])")
def log_all(x: FloatArray, out: FloatArray) -> None:
    """Write the natural logarithm of every number into `out`."""
    for i in range(len(x)):
        out[i] = log(x[i])


@compiled("void(float64[::1], float64[::1])")
def tanh_all(x: FloatArray, out: FloatArray) -> None:
    """Write the hyperbolic tangent of every number into `out`."""
    for i in range(len(x)):
        falling = exp(-2.0 * abs(x[i]))
        out[i] = math.copysign((1.0 - falling) / (1.0 + falling), x[i])
