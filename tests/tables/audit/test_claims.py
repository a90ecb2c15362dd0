from __future__ import annotations

from pathlib import Path

from quadrepro.tables.audit.comparisons import CLAIMS
from tests.tables.audit.papers import failures, shipped, subject

TABLE = "dataset,a,b\nmonks,0.1,0.2\nwine,0.1,0.1\nzoo,0.3,0.2\n"
GROUPS = """claims:
  t:
    claims:
      - {kind: wins-or-ties, text: two, of: a, than: b, at_least: 2}
      - {kind: wins-or-ties, text: three, of: a, than: b, at_least: 3}
      - {kind: times-faster, text: fast, of: a, than: b, times: 2}
  other:
    claims:
      - {kind: lower-on-average, text: end, of: a, than: b, measure: train_error}
      - {kind: lower-on-average, text: again, of: b, than: a, measure: train_error}
"""


def test_claims_are_judged_on_print_and_others_are_counted(tmp_path: Path) -> None:
    found = CLAIMS.judge(subject(tmp_path, claims=GROUPS, t=TABLE))
    assert [(f.printed, f.holds) for f in found.findings] == [
        ("two", True),
        ("three", False),
        ("fast", None),
    ]
    assert found.findings[0].why == "2 of 3 (1 wins, 1 ties)"
    assert found.notes[0].startswith("claims: 2 are about nothing that is printed")


def test_quadboosts_counts_hold_and_its_three_stars_do_not_follow() -> None:
    judged = {f.printed: f.holds for f in CLAIMS.judge(shipped("quadboost")).findings}
    assert judged["QuadBoost wins or ties against AdaBoost on 17 of 25 data sets"]
    assert judged["QuadBoost-L1 outperforms or ties with LPBoost on 16 of 25 data sets"]
    failed = [finding.why for finding in failures(CLAIMS, shipped("quadboost"))]
    assert [why.rpartition("p = ")[2] for why in failed[:3]] == ["0.057", "0.238", "0.096"]
    assert len(failed) == 4  # the three, and that there are no others
