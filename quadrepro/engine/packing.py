"""Arrays as text: what records keep of every test example, in base64."""

from __future__ import annotations

from base64 import b64decode, b64encode

import numpy as np
from numpy.typing import NDArray

from quadrepro._typing import FloatArray, IntArray, Targets

SMALLEST = np.finfo(np.float32).smallest_subnormal


def pack_codes(codes: Targets, n_classes: int) -> str:
    """Return class codes as text: bits of two classes, otherwise one or two bytes a code."""
    if n_classes <= 2:
        return _text(np.packbits(codes > 0))
    return _text(codes.astype(_type_of(n_classes)))


def unpack_codes(text: str, n: int, n_classes: int) -> IntArray:
    """Return the `n` codes of which `pack_codes` returned the text."""
    if n_classes <= 2:
        packed = np.frombuffer(b64decode(text), dtype=np.uint8)
        return np.unpackbits(packed, count=n).astype(np.intp)
    return np.frombuffer(b64decode(text), dtype=_type_of(n_classes)).astype(np.intp)


def count_different(text: str, other: str) -> int:
    """Return the number of codes of two classes that differ between two texts."""
    first, second = (int.from_bytes(b64decode(packed)) for packed in (text, other))
    return (first ^ second).bit_count()


def holds_codes(text: str, n: int, n_classes: int) -> bool:
    """Return whether a text is as long as that of `n` codes."""
    size = np.dtype(_type_of(n_classes)).itemsize
    return _holds(text, -(-n // 8) if n_classes <= 2 else n * size)


def pack_numbers(numbers: Targets) -> str:
    """Return numbers as text, exactly."""
    return _text(numbers.astype("<f8"))


def unpack_numbers(text: str) -> FloatArray:
    """Return the numbers of which `pack_numbers` returned the text."""
    return np.frombuffer(b64decode(text), dtype="<f8").astype(np.float64)


def holds_numbers(text: str, n: int) -> bool:
    """Return whether a text is as long as that of `n` numbers."""
    return _holds(text, 8 * n)


def pack_scores(scores: FloatArray) -> str:
    """Return numbers as text, in single precision; none that is above zero becomes zero."""
    with np.errstate(over="ignore", under="ignore"):
        single = scores.astype("<f4")
    single[(scores > 0) & (single == 0)] = SMALLEST
    return _text(single)


def unpack_scores(text: str, n: int) -> FloatArray:
    """Return the scores of `n` examples of which `pack_scores` returned the text."""
    scores = np.frombuffer(b64decode(text), dtype="<f4").astype(np.float64)
    return scores if len(scores) == n else scores.reshape(n, -1)


def holds_scores(text: str, n: int) -> bool:
    """Return whether a text is as long as that of `n` scores."""
    return _holds(text, 4 * n)


def _type_of(n_classes: int) -> str:
    return "<u1" if n_classes <= 256 else "<u2"


def _text(array: NDArray[np.generic]) -> str:
    return b64encode(array.tobytes()).decode()


def _holds(text: str, n_bytes: int) -> bool:
    padding = len(text) - len(text.rstrip("="))
    return 3 * len(text) == 4 * (n_bytes + padding) and padding == -n_bytes % 3
