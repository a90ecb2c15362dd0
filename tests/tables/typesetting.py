"""Setting LaTeX, for tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from quadrepro.tables.table import PREAMBLE

ENGINES = [
    pytest.param(
        name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not here")
    )
    for name in ("pdflatex", "lualatex")
]

FAULT = re.compile(r"^! .*|Missing character.*|Overfull .*|.*Float too large.*", re.MULTILINE)
"""What is wrong in a log: errors, glyphs that no font has, and what does not fit on a page."""


def faults(engine: str, files: Sequence[Path], folder: Path) -> list[str]:
    """Return what is wrong if an engine sets files of tables in one document."""
    inputs = "\n".join(rf"\input{{{path}}}\clearpage" for path in files)
    document = f"\\documentclass{{article}}\n{PREAMBLE}\\begin{{document}}\n{inputs}\n"
    (folder / "all.tex").write_text(document + "\\end{document}\n", encoding="utf-8")
    done = subprocess.run(
        [engine, "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=folder,
        env={**os.environ, "max_print_line": "10000"},
        capture_output=True,
        check=False,
    )
    log = (folder / "all.log").read_text(encoding="utf-8", errors="replace")
    found = FAULT.findall(log)
    return found or ([] if done.returncode == 0 else [log])
