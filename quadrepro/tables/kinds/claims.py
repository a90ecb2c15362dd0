"""What a paper claims, judged on our cells and on its printed table."""

from __future__ import annotations

from quadrepro.engine.outcomes import Outcomes
from quadrepro.tables.kinds.base import Context, Kind
from quadrepro.tables.table import Table


def check_claims(context: Context[str]) -> None:
    """Refuse claims that the paper does not have, or that do not fit the config."""
    from quadrepro.papers.check import check_claims as check

    check(context.experiment, context.option)


def claims_table(context: Context[str], outcomes: Outcomes) -> Table:
    """Return one row per claim, with numbers and judgements."""
    from quadrepro.papers.claims.table import claims_table as judged

    return judged(context.experiment, outcomes, context.option)


CLAIMS = Kind(
    key="claims",
    option=str,
    meaning="Judgements on claims of the paper: the name of their group.",
    check=check_claims,
    table=claims_table,
    endings=(".md", ".csv"),
)
