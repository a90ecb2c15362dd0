"""A paper made of a single table: ``paper.yaml`` and the table under ``printed/``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from quadrepro.base.files import write_text
from quadrepro.base.yaml import to_yaml
from quadrepro.data.files import detect, read_file
from quadrepro.errors import ConfigError, nearest
from quadrepro.papers.paper import FILE, PRINTED, load_paper
from quadrepro.papers.printed import TIME_ROW
from quadrepro.tables.audit import Audit, audit

HINTS = """\
# Further keys of a table, see docs/papers.md:
#   metric: accuracy            kind of the numbers; by default errors
#   of: {splits: 20}            the repetitions of a mean; or {cv: 10}, {runs: 10}
#   n_test: {ROW: 81}           number of test examples; or [81, 270], that and of all rows
#   bold: {ROW: [COLUMN]}       the numbers in bold
"""


def draft_paper(table: Path, folder: Path, n_test: Mapping[str, int]) -> None:
    """Write the folder of a paper for a table in a text file.

    Its numbers are percent if any of them is above 1, and fractions otherwise.

    Parameters
    ----------
    table : Path
        The file, with any separator. Commas can be decimal signs if another sign separates fields.
    folder : Path
        The folder to write.
    n_test : mapping of str to int
        The number of test examples of each row; rows can be left out.

    Raises
    ------
    ConfigError
        If `n_test` names an unknown row.
    """
    layout = detect(table)
    texts = read_file(table, layout)
    if layout.separator != ",":
        texts = texts.replace(r"^([-+]?\d*),(\d+)$", r"\1.\2", regex=True)
    names = [*texts.iloc[1:, 0]]
    for name in n_test:
        if name not in names:
            raise ConfigError(f"{table}: unknown row {name!r}{nearest(name, names)}")
    body = texts.iloc[1:]
    body = body[body.iloc[:, 0] != TIME_ROW]
    numbers = pd.to_numeric(body.iloc[:, 1:].stack(), errors="coerce")
    facts = {"unit": "percent" if (numbers > 1).any() else "fraction", "n_test": dict(n_test)}
    content = {"title": table.stem, "printed": {table.stem: facts}}
    lines = texts.to_csv(header=False, index=False, lineterminator="\n")
    write_text(folder / PRINTED / f"{table.stem}.csv", lines)
    write_text(folder / FILE, to_yaml(content) + HINTS)


def audit_table(table: Path, n_test: Mapping[str, int]) -> Audit:
    """Check a table in a text file by itself; parameters as in `draft_paper`."""
    with TemporaryDirectory() as name:
        draft_paper(table, Path(name), n_test)
        try:
            return audit(load_paper(name))
        except ConfigError as error:
            hint = f"; --draft makes a folder whose {FILE} can say it" * (FILE in str(error))
            place = rf"{re.escape(name)}/({PRINTED}/.*?\.csv|{FILE}(:\d+)*)"
            raise ConfigError(re.sub(place, str(table), str(error)) + hint) from None
