"""What a paper's text claims, judged on our cells and on its printed table."""

from __future__ import annotations

from dataclasses import replace

from quadrepro.errors import nearest
from quadrepro.report.kinds.base import Context, Kind
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import Table


def check_claims(context: Context[str]) -> None:
    """Refuse claims that do not exist."""
    from quadrepro.report.claims import CLAIMS

    if context.option not in CLAIMS:
        hint = nearest(context.option, CLAIMS)
        raise context.error(f"there are no claims {context.option!r}{hint}")


def claims_table(context: Context[str], outcomes: Outcomes) -> Table:
    """Return one row per claim, with numbers and judgements."""
    from quadrepro.report.claims import CLAIMS
    from quadrepro.report.claims import claims_table as judged

    printed = context.read(context.options["risks"] or "")
    timed = tuple(claim.label for claim in CLAIMS[context.option] if claim.timed)
    return replace(judged(context.experiment, outcomes, printed), timed_rows=timed)


CLAIMS = Kind(key="claims", option=str, check=check_claims, table=claims_table, endings=(".md",))
