"""All claims of the committed results are judged as they were committed."""

from __future__ import annotations

from pathlib import Path

import pytest

from quadrepro.config.loading import load_experiment
from quadrepro.papers.paper import load_paper, paper_names
from quadrepro.tables.kinds.claims import DATA_HEADER, MEANING, claims_table
from tests.papers.committed import RESULTS, committed_outcomes, read

CONFIGS = RESULTS.parent / "configs"
FOLDERS = sorted(path.parent for path in RESULTS.glob("*/claims.md"))

UNKNOWN = ("no training margins", "the config keeps no measure", "no number after")
NOT_COMMITTED = {
    # Margins and edges are only in records.
    "ebboost-table1": (3, 4, 5, 6),
    "ebboost-table2": (2, 3, 4, 5),
    "lecture": (2,),
    # The differences of curves in each split.
    "cbboost-figure2": (0, 1, 2, 3),
    "cbboost-figure5": (0, 1, 2, 3, 4),
    "rescale-convergence": (2,),
    # Those of errors against targets without noise.
    "rescale-table1": (0, 1),
}
WITHOUT_SPREAD = ("cbboost-figure2", "cbboost-figure5", "rescale-convergence", "rescale-table1")
"""Claims of ours whose numbers the committed files do not hold."""


def read_markdown(path: Path) -> list[list[str]]:
    """Return the cells of a claims table."""
    lines = [line for line in path.read_text().splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]


def test_the_committed_claims_say_the_same_for_reading_and_as_data() -> None:
    for folder in FOLDERS:
        expected = []
        for claim, ours, holds, *in_print in read_markdown(folder / "claims.md"):
            text = claim.removesuffix(" (measured time)")
            assert {holds, *in_print[1:]} <= {"holds", "does not hold", "not decided"}
            timed = str(claim != text).lower()
            expected.append([text, timed, ours, holds, *(in_print or ("", ""))])
        rows = read(folder / "claims.csv")
        assert all(tuple(row) == DATA_HEADER for row in rows)
        assert [list(row.values()) for row in rows] == expected


@pytest.fixture
def data(
    canonical_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """Return the folder of canonical CSVs, of which large ones are parsed once for all tests."""
    monkeypatch.setenv("QUADREPRO_CACHE", str(tmp_path_factory.getbasetemp() / "caches" / "claims"))
    return canonical_folder


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_the_committed_claims_follow_from_the_committed_results(folder: Path, data: Path) -> None:
    experiment = load_experiment(CONFIGS / f"{folder.name}.yaml")
    outcomes = committed_outcomes(folder, experiment, data)
    table = claims_table(experiment, outcomes, experiment.config.tables["claims"])
    committed = read(folder / "claims.csv")
    judged = [dict(zip(DATA_HEADER, map(str, row), strict=True)) for row in table.data_rows]
    for i, (row, expected) in enumerate(zip(judged, committed, strict=True)):
        if i in NOT_COMMITTED.get(folder.name, ()):
            assert row["ours"].startswith(UNKNOWN) or folder.name in WITHOUT_SPREAD
            row["ours"], row["holds"] = expected["ours"], expected["holds"]
        if row["timed"] == "true":
            # The seconds of a cell are committed with four digits only.
            row["ours"] = expected["ours"]
        assert row == expected
    *_, notes = (folder / "claims.md").read_text().rsplit("|\n", 1)
    # What is not committed is not decided here, which the note explains.
    expected_notes = [f"\n{note}\n" for note in table.notes if note != MEANING]
    assert notes.replace(f"\n{MEANING}\n", "").endswith("".join(expected_notes))


def test_every_claim_of_every_paper_is_committed() -> None:
    texts = {row["claim"] for folder in FOLDERS for row in read(folder / "claims.csv")}
    for name in paper_names():
        for group in load_paper(name).groups.values():
            assert {claim.text for claim in group.claims} <= texts
