"""The kinds of claims by the names that ``paper.yaml`` gives them.

A claim is judged twice, on our numbers and on the printed ones: one that does not follow from the
paper's own numbers is a finding.
"""

from __future__ import annotations

from quadrepro.base.plugins import ClassPlaces
from quadrepro.papers.claims.claim import Claim

CLAIMS: ClassPlaces[Claim] = ClassPlaces(
    "quadrepro.papers.claims",
    Claim,
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
    kind="claims",
)
"""The kinds of claims of quadrepro itself; each is a model in its own file."""
