"""Every number in the notes follows from the committed results, or is declared."""

from __future__ import annotations

import pytest

from quadrepro.results.folder import FAILS
from quadrepro.results.scoreboard import read_boards, read_results
from tests.notes.expressions import RESULTS
from tests.notes.notes import HERE, Notes

NAMES = sorted(path.parent.name for path in RESULTS.glob("*/notes.md"))


def test_every_number_in_the_notes_follows_from_the_committed_results_or_is_declared() -> None:
    faults = [fault for name in NAMES for fault in Notes.read(name).faults()]
    assert not faults, "\n" + "\n".join(faults)


def test_what_is_said_of_notes_is_said_of_notes_that_exist() -> None:
    assert {path.stem for path in HERE.glob("*.yaml")} <= {*NAMES, "classes"}


def test_notes_explain_what_counts_and_does_not_reproduce() -> None:
    boards, _ = read_boards(read_results(RESULTS))
    unexplained = {
        folder.name
        for board in boards
        for folder, fails in (
            *((folder, claims[FAILS]) for folder, claims in board.claims.values()),
            *((folder, score.surely_off) for folder, score in board.scores.values()),
        )
        if fails and not folder.open_points
    }
    assert not unexplained


@pytest.fixture
def notes(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "verdicts.csv").write_text(
        "dataset,risk,verdict\na,0.25,inside\nb,0.5,outside\nc,0.125,inside\n"
    )
    count = {"count": ["verdicts", "verdict"]}
    inside = {"count": ["verdicts", "verdict", {"verdict": "inside"}]}
    figures = {
        "# of # are inside": [inside, count],
        "the least risk is #": [{"min": ["verdicts", "risk"]}],
    }
    where = "as Table 7 of [the text](x/9.md) says"
    text = f"Two of 3 are\ninside, {where}; the least risk is .125 (p < 0.01)."
    return Notes("here", text, figures, {"a level": ["p < 0.01"]}, tmp_path)


def test_true_notes_have_no_faults(notes) -> None:
    assert not [*notes.faults()]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (" 3 ", " 4 ", "says Two, 4; the results give 2, 3"),
        ("Two", "One", "says One, 3; the results give 2, 3"),
        (".125", ".126", "says .126; the results give 0.125"),
        (".125", ".12500", ""),
        ("least", "smallest", "'the least risk is #' occurs 0 times"),
        ("0.01", "0.02", "'p < 0.01' is stated and does not occur"),
        ("says;", "says 5 times;", "5 is neither checked nor stated"),
    ],
)
def test_a_number_that_is_changed_is_found(notes, old, new, fault) -> None:
    changed = Notes(**{**vars(notes), "text": notes.text.replace(old, new)})
    assert fault in "\n".join(changed.faults())
    assert bool(fault) == bool([*changed.faults()])


def test_a_result_that_is_changed_is_found(notes) -> None:
    path = notes.results / "here" / "verdicts.csv"
    path.write_text(path.read_text().replace("c,0.125,inside", "c,0.375,outside"))
    results = [fault.split("; the results give ")[1] for fault in notes.faults()]
    assert results == ["1, 3", "0.25"]


def test_figures_without_as_many_expressions_are_a_fault(notes) -> None:
    notes.figures["# of # are inside"].pop()
    assert [*notes.faults()] == ["here: '# of # are inside' has 2 figures, 1 given"]
