from __future__ import annotations

import pytest
from pydantic import ValidationError

from quadrepro.papers.paper import GroupEntry, PaperFile

CLAIM = {"kind": "equivalent", "text": "They are alike", "between": ["a", "b"]}


def test_a_paper_needs_only_a_title() -> None:
    paper = PaperFile(title="Ours")
    assert (paper.names, paper.printed, paper.claims, paper.notes) == ({}, {}, {}, ())


def test_a_group_is_judged_on_means_and_on_the_table_of_its_name() -> None:
    group = GroupEntry(claims=(CLAIM,))
    assert group.judged == "means"
    assert group.printed is None


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ({}, ("title",)),
        (
            {"title": "Ours", "printed": {"t": {"of": {"splits": 0}}}},
            ("printed", "t", "of", "splits"),
        ),
        ({"title": "Ours", "printed": {"t": {"holds": "rissk"}}}, ("printed", "t", "holds")),
        ({"title": "Ours", "claims": {"t": {"claims": []}}}, ("claims", "t", "claims")),
        (
            {"title": "Ours", "claims": {"t": {"claims": [CLAIM], "judged": "median"}}},
            ("claims", "t", "judged"),
        ),
    ],
)
def test_what_cannot_be_meant_is_refused_where_it_stands(
    content: dict[str, object], place: tuple[str, ...]
) -> None:
    with pytest.raises(ValidationError) as caught:
        PaperFile.model_validate(content)
    assert [error["loc"] for error in caught.value.errors()] == [place]
