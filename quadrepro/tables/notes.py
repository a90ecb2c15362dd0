"""Pieces of the notes below tables."""

from __future__ import annotations

from collections.abc import Sequence

from quadrepro.config.config import Config


def listed(words: Sequence[str]) -> str:
    """Return words in a list, such as "a, b and c"; with semicolons if they have commas."""
    if any("," in word for word in words):
        return "; ".join(words)
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def own_rows_note(config: Config) -> str:
    """Return what is said where tests over data sets leave out rows; empty if they do not."""
    n_own, n_rows = len(config.own_rows), len(config.rows)
    if n_own == n_rows:
        return ""
    if not n_own:
        swept = listed([sweep.word for sweep in config.sweeps])
        return f"No row has the config's own {swept}, so nothing is tested over data sets."
    which = "under the config's own reading"
    if config.sweeps:
        own = [row for row in config.rows if row.entry.title in config.own_rows]
        which = f"with {listed([*dict.fromkeys(f'{row.sweep} {row.value}' for row in own)])}"
    return f"Each data set counts once: {n_own} of {n_rows} rows, {which}."
