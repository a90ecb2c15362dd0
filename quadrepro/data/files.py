"""Reading files, on the reader of frames."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from quadrepro.data.source import FileLayout
from quadrepro.data.sources import formats
from quadrepro.data.sources.formats import Frame


def read_file(path: Path, layout: FileLayout, member: str = "") -> pd.DataFrame:
    """Read the table in a file."""
    return as_data_frame(formats.read_file(path, layout, member))


def read_idx(paths: Sequence[Path]) -> pd.DataFrame:
    """Read files in MNIST's format."""
    return as_data_frame(formats.read_idx(paths))


def as_data_frame(frame: Frame) -> pd.DataFrame:
    """Return a frame as pandas has it."""
    columns = {
        j: column if column.dtype.kind == "f" else column.astype(object)
        for j, column in enumerate(frame.columns)
    }
    made = pd.DataFrame(columns)
    if frame.names:
        made.columns = pd.Index(frame.names)
    rows = range(1, len(made) + 1) if frame.lines is None else frame.lines
    made.index = pd.Index(rows, name="row" if frame.lines is None else "line")
    return made
