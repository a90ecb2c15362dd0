from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
from importlib import import_module

for home in ("mincq", "cqboost", "qp_reg", "lp_reg"):
    import_module(f"quadrepro.core.learners.programs.{home}")
    print(home, *sorted({"daqp", "highspy", "piqp"} & set(sys.modules)))
"""


def test_a_solver_is_imported_only_when_a_program_of_its_kind_is_used() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["mincq", "cqboost", "qp_reg", "lp_reg highspy"]
