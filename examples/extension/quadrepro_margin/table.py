"""A table of the smallest and the largest risk over the splits."""

from __future__ import annotations

from quadrepro.engine.outcomes import Outcomes
from quadrepro.tables.kinds.base import Context, TableKind
from quadrepro.tables.table import MISSING, Table, TableEntry


class Spread(TableKind[bool]):
    """The smallest and the largest risk over the splits."""

    key, option = "spread", bool
    meaning = "The smallest and the largest risk over the splits: true."

    def table(self, context: Context[bool], outcomes: Outcomes) -> Table:
        """Return the table, one row per data set."""
        rows, data = [], []
        for row in outcomes.rows:
            entries = []
            for column in outcomes.columns:
                values = outcomes.values(row, column) if outcomes.complete(row, column) else []
                text = f"{min(values):.3f} to {max(values):.3f}" if values else MISSING
                entries.append(TableEntry(text))
                data.append((row, column, *((min(values), max(values)) if values else ("", ""))))
            rows.append((row, tuple(entries)))
        return Table(
            f"{context.config.title}: spread of the risks",
            ("Data set", *context.titles.values()),
            tuple(rows),
            (f"Smallest and largest test risk of {outcomes.repeats} {context.splits}.",),
            ("dataset", "algorithm", "smallest", "largest"),
            tuple(data),
        )


SPREAD = Spread()
