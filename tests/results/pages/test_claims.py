from __future__ import annotations

from quadrepro.papers.paper import load_paper
from quadrepro.results.pages.claims import count_claims, make_ledger
from quadrepro.results.pages.folder import Folder

COLUMNS = ("quadboost", "lpboost", "adaboost")


def test_a_claim_names_the_columns_that_the_paper_declares(folder: Folder) -> None:
    claim, odd = make_ledger(folder, load_paper("quadboost"), ("monks",), COLUMNS)
    assert claim.columns == ("quadboost", "adaboost")
    assert (claim.ours.words, claim.ours.numbers) == ("holds on 1 of 3 splits", "1 of 2")
    assert claim.printed is not None
    assert claim.printed.verdict == "holds"
    assert odd.columns == odd.rows == ()


def test_without_a_paper_claims_stand_alone(folder: Folder) -> None:
    assert all(not claim.columns for claim in make_ledger(folder, None, ("monks",), COLUMNS))


def test_counts_are_in_the_order_of_the_verdicts() -> None:
    found = count_claims(["does not hold", "holds", "does not hold"])
    assert [*found.items()] == [("holds", 1), ("does not hold", 2)]
