"""Where an entry of a table comes from: its records, and all that they depend on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from quadrepro.config.plan import Plan
from quadrepro.core.cell import Cell
from quadrepro.core.seeds import generator
from quadrepro.engine.records import Record, RecordStore
from quadrepro.errors import ConfigError, nearest

SAMPLE = 3
"""Number of cells of every algorithm in a sample."""


def cells_of(plan: Plan, row: str, column: str, repeat: int | None = None) -> list[Cell]:
    """Return the cells behind an entry of a table."""
    rows = dict.fromkeys(cell.dataset for cell in plan.cells)
    columns = dict.fromkeys(cell.algorithm for cell in plan.cells)
    titles = {title: name for name, title in plan.experiment.titles.items()}
    column = titles.get(column, column)
    for what, name, known in (("row", row, rows), ("column", column, columns)):
        if name not in known:
            raise ConfigError(f"unknown {what} {name!r}{nearest(name, known)}")
    cells = [cell for cell in plan.cells if (cell.dataset, cell.algorithm) == (row, column)]
    if repeat is None:
        return cells
    if repeat >= len(cells):
        raise ConfigError(f"there are repeats 0 to {len(cells) - 1}, but no {repeat}")
    return [cells[repeat]]


def sample(cells: Sequence[Cell], seed: int) -> list[Cell]:
    """Return some cells of every algorithm, in their order."""
    taken: set[int] = set()
    for name in dict.fromkeys(cell.algorithm for cell in cells):
        places = [i for i, cell in enumerate(cells) if cell.algorithm == name]
        taken.update(generator(seed, name, "recompute").permutation(places)[:SAMPLE].tolist())
    return [cell for i, cell in enumerate(cells) if i in taken]


def explain(cell: Cell, record: Record, store: RecordStore) -> Iterator[tuple[str, str]]:
    """Yield the links of the chain from an entry to data, code and machine."""
    yield "cell", cell.name
    if record.rmse is not None:
        yield "result", f"RMSE {record.rmse:.6g} on {record.n_test} test examples"
    elif record.ok:
        yield "result", f"{record.errors} of {record.n_test} test examples wrong"
    else:
        yield "result", f"{record.status}: {record.reason or 'not computed'}"
    if record.ok:
        yield "chosen", _inline(record.chosen) or "nothing to choose"
    content = cell.content
    yield "algorithm", f"{content['algorithm']} {_inline(content['settings'])}".strip()
    data = content.get("data") or f"drawn by {content.get('rule')} {_inline(content['parameters'])}"
    yield "data", str(data)
    if "division" in content:
        yield "split", f"SHA-256 {cell.problem.split.hash}"
    yield "seed", f"{cell.draws[0]}, with the names {cell.draws[1]!r} and {cell.draws[2]}"
    yield "code", str(content["code"])
    yield "packages", _inline(content["packages"])
    if record.status == "missing":
        return
    yield "record", str(store.path(cell.key))
    made = record.environment
    yield "computed", f"{record.date}, in {record.seconds:.3g} s"
    if git := made.get("git"):
        yield "commit", git["commit"] + (" with changes" if git["dirty"] else "")
    if made:
        yield "versions", _inline(made["versions"])
        yield "system", made["system"]
        processor = made["processor"]
        yield "processor", ", ".join((processor["machine"], *processor["simd"]))


def _inline(values: dict[str, object]) -> str:
    return ", ".join(f"{name} {_word(value)}" for name, value in values.items())


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
