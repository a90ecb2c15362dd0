"""Claims judged on records with given measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from quadrepro.config.loading import load_experiment
from quadrepro.engine.records import Record
from quadrepro.papers.claims.table import claims_table
from quadrepro.report.outcomes import Outcomes

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
UNKNOWN = ("cells missing", "not comparable")

Measures = dict[str, list[float]]
Cells = dict[tuple[str, str], Measures]


def judge_measures(
    config: str,
    cells: Cells,
    rounds: Mapping[str, Sequence[int]],
    n_examples: Mapping[str, int] | None = None,
    lost: tuple[str, str] | None = None,
) -> list[tuple[str, str]]:
    """Return numbers and judgement of every claim of a config on records with these measures.

    `rounds` are those of each algorithm, without which it has one level; `lost` is a cell without
    a record.
    """
    records = {}
    for (row, column), measures in cells.items():
        grid = [["n_rounds", rounds[column]]] if column in rounds else [["lam", [0.01]]]
        n_test = (n_examples or {}).get(row, 100)
        record = Record("k", "ok", 0, n_test, measures=measures, content={"grid": grid})
        records[row, column, 0] = Record("k", "missing") if (row, column) == lost else record
    rows, columns = (tuple(dict.fromkeys(key[i] for key in cells)) for i in (0, 1))
    experiment = load_experiment(CONFIGS / f"{config}.yaml")
    table = claims_table(experiment, Outcomes(rows, columns, 1, records))
    assert table.header == ("claim", "ours", "holds")
    return [(entries[0].ours, entries[1].ours) for _, entries in table.rows]
