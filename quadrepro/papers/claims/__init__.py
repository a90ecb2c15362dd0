"""The kinds of claims by the names that ``paper.yaml`` gives them.

A claim is judged twice, on our numbers and on the printed ones: one that does not follow from the
paper's own numbers is a finding.
"""

from __future__ import annotations

from quadrepro.base.registry import Registry
from quadrepro.papers.claims.claim import Claim

CLAIMS: Registry[type[Claim]] = Registry(
    "kind of claim",
    {
        "wins-or-ties": "differences:WinsOrTies",
        "lowest-mean": "differences:LowestMean",
        "competitive": "differences:Competitive",
        "rank": "differences:Rank",
        "lower": "differences:LowerOrHigher",
        "higher": "differences:LowerOrHigher",
        "each-lower": "differences:EachLower",
        "loses-at-most": "differences:LosesAtMost",
        "worse-more-often": "differences:WorseMoreOften",
        "closest": "differences:Closest",
        "significantly-better": "differences:SignificantlyBetter",
        "not-better": "differences:NotBetter",
        "not-told-apart": "differences:NotToldApart",
        "equivalent": "differences:Equivalent",
        "significant-pairs": "differences:SignificantPairs",
        "times-faster": "differences:TimesFaster",
        "in-order": "bounds:InOrder",
        "lower-at-every-round": "curves:LowerAtEveryRound",
        "lower-on-average": "curves:OnAverage",
        "higher-on-average": "curves:OnAverage",
        "same-on-average": "curves:SameOnAverage",
        "slope": "curves:Slope",
        "function": "claim:Function",
    },
    "quadrepro.papers.claims",
)
"""The kinds of claims; each is a model in its own file."""
