"""What records keep of test examples, made from which of them are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from quadrepro.base.types import BoolArray

CLASSES = ("negative", "positive")


def of_wrong(wrong: BoolArray | Sequence[float]) -> dict[str, Any]:
    """Return the fields of a record on negative examples, of which some are called positive."""
    codes = np.asarray(wrong, dtype=np.intp)
    return {"classes": CLASSES, "actual": np.zeros_like(codes), "predicted": codes}
