from __future__ import annotations

from quadrepro.papers.paper import load_paper
from quadrepro.results.folder import Folder
from quadrepro.results.pages.page import Page


def test_a_claim_names_the_columns_that_the_paper_declares(folder: Folder) -> None:
    claim, odd = folder.claims
    page = Page(folder, load_paper("quadboost"))
    assert page.mentioned(claim) == {"column-1": "QuadBoost", "column-2": "AdaBoost"}
    assert page.mentioned(odd) == {}


def test_without_a_paper_claims_stand_alone(folder: Folder) -> None:
    page = Page(folder, None)
    assert not any(page.mentioned(claim) for claim in folder.claims)
