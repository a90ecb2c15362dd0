"""When a run over drawn stumps ends, and which of its rounds is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Stopping:
    """The rule by which validation errors end a run.

    Attributes
    ----------
    patience : int, default 50
        A run ends after this number of rounds without fewer errors than ever before.
    lag : int or None, default None
        If given, it replaces `patience`: a run ends when it has at least as many errors as `lag`
        rounds before.
    take : {"best", "last"}, default "best"
        Whether to take the first round with the fewest errors, or the last round.
    max_rounds : int, default 10 000
        The largest number of rounds.
    """

    patience: int = 50
    lag: int | None = None
    take: Literal["best", "last"] = "best"
    max_rounds: int = 10_000
