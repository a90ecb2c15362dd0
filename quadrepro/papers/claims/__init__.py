"""The vocabulary of claims: every kind by the name that ``paper.yaml`` gives it.

A claim is judged twice, on our numbers and on the printed ones, and the two judgements stand side
by side: a claim that does not follow from the paper's own numbers is a finding.

To add a kind, write a subclass of `Claim` and enter it here and in ``docs/papers.md``.
"""

from __future__ import annotations

from quadrepro.base import plugins
from quadrepro.errors import nearest
from quadrepro.papers.claims.bounds import InOrder, LowerAtEveryRound, SmallGap
from quadrepro.papers.claims.claim import Claim, Function
from quadrepro.papers.claims.counts import (
    Competitive,
    Equivalent,
    FasterEverywhere,
    LowestMean,
    NotBetter,
    NotToldApart,
    Rank,
    SignificantlyBetter,
    SignificantPairs,
    TimesFaster,
    WinsOrTies,
)
from quadrepro.papers.claims.curves import (
    BelowLevel,
    HigherOnAverage,
    LowerAtEnd,
    LowestAtEnd,
    SameAtEnd,
    Slope,
)
from quadrepro.papers.claims.differences import (
    Closest,
    EachLower,
    LosesAtMost,
    LowerOrHigher,
    WorseOnMostSplits,
)

KINDS: dict[str, type[Claim]] = {
    "wins-or-ties": WinsOrTies,
    "lowest-mean": LowestMean,
    "competitive": Competitive,
    "rank": Rank,
    "lower": LowerOrHigher,
    "higher": LowerOrHigher,
    "each-lower": EachLower,
    "loses-at-most": LosesAtMost,
    "worse-on-most-splits": WorseOnMostSplits,
    "closest": Closest,
    "significantly-better": SignificantlyBetter,
    "not-better": NotBetter,
    "not-told-apart": NotToldApart,
    "equivalent": Equivalent,
    "significant-pairs": SignificantPairs,
    "times-faster": TimesFaster,
    "faster-everywhere": FasterEverywhere,
    "in-order": InOrder,
    "lower-at-every-round": LowerAtEveryRound,
    "small-gap": SmallGap,
    "higher-on-average": HigherOnAverage,
    "lowest-at-end": LowestAtEnd,
    "lower-at-end": LowerAtEnd,
    "same-at-end": SameAtEnd,
    "below-level": BelowLevel,
    "slope": Slope,
    "function": Function,
}
"""The kinds of claims."""


def find_claim(kind: object) -> type[Claim]:
    """Return a kind of claim, of this package or of an extension."""
    name = str(kind)
    if name in KINDS:
        return KINDS[name]
    extension = plugins.find("claims", name)
    if extension is None:
        known = (*KINDS, *plugins.names("claims"))
        raise KeyError(f"unknown kind of claim {kind!r}{nearest(name, known)}")
    return extension.load_class(Claim)
