"""Claims judged on records with given measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from quadrepro.config.config import load_experiment
from quadrepro.core.learners.grid import Grid
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.papers.claims.evidence import Ours
from quadrepro.tables.kinds.claims import claims_table

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
    records, grids = {}, {}
    for (row, column), measures in cells.items():
        axes = {"n_rounds": rounds[column]} if column in rounds else {"lam": [0.01]}
        grids[row, column, 0] = (Grid.of(axes),)
        n_test = (n_examples or {}).get(row, 100)
        record = Record("k", "ok", 0, n_test, measures=measures)
        records[row, column, 0] = Record("k", "missing") if (row, column) == lost else record
    rows, columns = (tuple(dict.fromkeys(key[i] for key in cells)) for i in (0, 1))
    experiment = load_experiment(CONFIGS / f"{config}.yaml")
    group = experiment.config.tables["claims"]
    table = claims_table(experiment, Outcomes(rows, columns, 1, records, grids), group)
    assert table.header == ("claim", "ours", "holds")
    return [(entries[0].ours, entries[1].ours) for _, entries in table.rows]


def errors_of(counts: Mapping[str, Sequence[Sequence[int]]], n_test: int = 100) -> Ours:
    """Return evidence on rows r1, r2 and so on: errors by algorithm, row and split."""
    n_rows, n_splits = (len(next(iter(counts.values()))), len(next(iter(counts.values()))[0]))
    rows = tuple(f"r{i + 1}" for i in range(n_rows))
    records = {
        (row, column, split): Record("k", "ok", of_column[i][split], n_test)
        for column, of_column in counts.items()
        for i, row in enumerate(rows)
        for split in range(n_splits)
    }
    names = {column: column.upper() for column in counts}
    return Ours(rows, names, Outcomes(rows, tuple(counts), n_splits, records))


def curves_of(
    curves: Mapping[str, Sequence[Sequence[float]]],
    measure: str = "train_error",
    rows: Sequence[str] = ("r1",),
    rounds: Sequence[float] | None = None,
) -> Ours:
    """Return evidence of curves by algorithm and split, the same on every row.

    They run along `rounds`, by default 1, 2 and so on; a curve of one number is a level.
    """
    records, grids = {}, {}
    for column, of_splits in curves.items():
        n = len(of_splits[0])
        grid = Grid.of({"n_rounds": list(rounds or range(1, n + 1))} if n > 1 else {})
        for row in rows:
            for split, values in enumerate(of_splits):
                record = Record("k", "ok", 0, 10, measures={measure: list(values)})
                records[row, column, split] = record
                grids[row, column, split] = (grid,)
    n_splits = len(next(iter(curves.values())))
    names = {column: column.upper() for column in curves}
    return Ours(tuple(rows), names, Outcomes(tuple(rows), tuple(curves), n_splits, records, grids))
