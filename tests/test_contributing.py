"""Everything that CONTRIBUTING says how to add is added to a copy of the package, and works there.

Files come from examples/extension where it has them, so that the two ways to add a thing are one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from quadrepro.data.canonical import RawTable, content_hash
from quadrepro.data.schema import Attribute

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "extension" / "quadrepro_margin"
PACKAGE = "quadrepro"


def example(name: str) -> str:
    text = (EXAMPLE / f"{name}.py").read_text(encoding="utf-8")
    return text.replace("quadrepro_margin.proof", "quadrepro.proof.rho")


@dataclass(frozen=True)
class Addition:
    """What is done for one item of CONTRIBUTING, by paths inside the package."""

    files: dict[str, str] = field(default_factory=dict)
    lines: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """By file, pairs of a line of it and the lines that are put above."""


ESTIMATOR = '''

class AdaBoostRhoClassifier(GreedyClassifier):
    """AdaBoost_ϱ."""

    from quadrepro.core.learners.greedy.adaboost_rho import AdaBoostRho as learner

    def __init__(
        self,
        rho: float = 0.1,
        *,
        n_rounds: int = 100,
        voters: Voters = None,
        class_weight: ClassWeight = None,
        min_weight_fraction_leaf: float = 0.0,
    ) -> None:
        self.rho = rho
        self.n_rounds = n_rounds
        self.voters = voters
        self.class_weight = class_weight
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
'''

METRIC = '''
def hits(y: Targets, predicted: Targets, n_classes: int) -> float:
    """Return the number of right predictions."""
    return float((y == predicted).sum())


HITS = Metric("hits", "hits", CLASSES, "predictions", hits)


'''

CHECK = '''"""Numbers that end with an even digit."""

from __future__ import annotations

from collections.abc import Iterator

from quadrepro.tables.audit.check import Check, Finding, PrintedPlace, Subject


def judge_evenness(subject: Subject) -> Iterator[Finding]:
    """Judge every number by its last digit."""
    for table in subject.tables:
        for row, column in table.numbers:
            text = table.text(row, column)
            yield Finding(PrintedPlace(table.name, row, column), text, text[-1] in "02468", "odd")


EVENNESS = Check("evenness", "Is each last digit even?", judge_evenness)
'''

SOURCE = '''"""Rows that count."""

from __future__ import annotations

from typing import Literal

import numpy as np

from quadrepro.data.canonical import Frame
from quadrepro.data.sources.schema import PackageSource


class CountingSource(PackageSource):
    """The numbers from 0 on, of which the odd ones are positive."""

    kind: Literal["counting"]
    """The kind of source."""
    n: int
    """The number of rows."""

    def read(self) -> Frame:
        """Return the rows."""
        numbers = np.arange(float(self.n))
        labels = np.where(numbers % 2, "yes", "no")
        return Frame((numbers, labels), "counting")
'''

VERB = '''
@click.command("hello")
@click.argument("name")
def hello_command(name: str) -> None:
    """Greet somebody."""
    echo(f"hello, {name}")


'''

KIND = '''"""Colours of lines, by name."""

from __future__ import annotations

from quadrepro.base.plugins import Places

RED = "#d00000"

COLOURS: Places[str] = Places("quadrepro.tables", str, {"red": "colours:RED"}, kind="colours")
'''

CONTRACT = '''
def a_colour_has_six_digits(name: str) -> None:
    """A colour has six digits."""
    from quadrepro.tables.colours import COLOURS

    assert len(COLOURS.find(name)) == 7


OF_COLOURS = (a_colour_has_six_digits,)


'''

ADDITIONS = {
    "An algorithm": Addition(
        {
            "core/learners/greedy/adaboost_rho.py": example("algorithm"),
            "proof/rho.py": example("proof"),
            "core/estimators/greedy.py": ESTIMATOR,
        },
        {
            "core/learners/registry.py": [
                (
                    '        "hedge": ',
                    '        "adaboost-rho": "core.learners.greedy.adaboost_rho:ADABOOST_RHO",\n',
                )
            ],
            "__init__.pyi": [
                (
                    "from .core.estimators.greedy import CBBoost",
                    "from .core.estimators.greedy import "
                    "AdaBoostRhoClassifier as AdaBoostRhoClassifier\n",
                )
            ],
        },
    ),
    "A measure": Addition(
        {"core/measures/least_margin.py": example("measure")},
        {
            "core/measures/measure.py": [
                ('        "massart": ', '        "least_margin": "least_margin:LEAST_MARGIN",\n')
            ]
        },
    ),
    "A metric": Addition(
        lines={
            "engine/metrics.py": [
                ('NEEDS: dict[Any, Need] = {"predict"', METRIC),
                ("            *(RMSE, MAE, R2),", "            HITS,\n"),
            ]
        }
    ),
    "A paper": Addition(
        {
            "papers/margin/paper.yaml": (EXAMPLE.parent / "paper" / "paper.yaml").read_text(
                encoding="utf-8"
            )
            + "printed: {table1: {unit: fraction}}\n",
            "papers/margin/printed/table1.csv": "row,adaboost-rho,adaboost\nmonks,0.124,0.131\n",
        }
    ),
    "A kind of claim": Addition(
        {"papers/claims/within.py": example("claim")},
        {
            "papers/claims/__init__.py": [
                ('        "function": ', '        "within": "within:Within",\n')
            ]
        },
    ),
    "A check of printed numbers": Addition(
        {"tables/audit/evenness.py": CHECK},
        {
            "tables/audit/report.py": [
                (
                    "from quadrepro.tables.audit.ranges import",
                    "from quadrepro.tables.audit.evenness import EVENNESS\n",
                ),
                ("    DIGITS,", "    EVENNESS,\n"),
            ]
        },
    ),
    "A kind of table or figure": Addition(
        {"tables/kinds/spread.py": example("table")},
        {"config/tables.py": [('        "audit": ', '        "spread": "spread:SPREAD",\n')]},
    ),
    "A source": Addition(
        {"data/sources/counting.py": SOURCE},
        {
            "data/sources/schema.py": [
                ('        "file": ', '        "counting": "counting:CountingSource",\n')
            ]
        },
    ),
    "A key of a config, card or paper.yaml": Addition(
        lines={
            "config/config.py": [
                (
                    "    seed: int = Field(",
                    '    authors: str = ""\n    """The people who wrote it."""\n',
                )
            ]
        }
    ),
    "A verb": Addition(
        lines={
            "cli/more.py": [('@click.command("clean")', VERB)],
            "cli/__init__.py": [('        "merge": ', '        "hello": "Greet somebody.",\n')],
        }
    ),
    "A kind of name": Addition(
        {"tables/colours.py": KIND},
        {
            "base/plugins.py": [
                (
                    "KINDS: tuple[Kind, ...] = get_args(Kind)",
                    'Kind = Literal[Kind, "colours"]\n',
                ),
                ('    "algorithms": "algorithm",', '    "colours": "colour",\n'),
            ],
            "plugins/contracts.py": [("OF_METRICS: ", CONTRACT)],
            "plugins/__init__.py": [
                ('        "algorithms": "core', '        "colours": "tables.colours:COLOURS",\n'),
            ],
        },
    ),
}

CONFIG = """
title: All that was added
authors: A person
paper: margin
repeats: 2
protocol:
  view: default
  folds: 2
datasets: [tiny]
algorithms:
  - {name: adaboost-rho, grid: {rho: 0.1, n_rounds: [1, 5]}}
  - {name: adaboost, grid: {n_rounds: [1, 5]}}
metrics: [hits]
tables: {spread: true, claims: margin}
"""

CURVES = """
title: Along the rounds
protocol: {view: default, folds: 0, measures: [least_margin]}
datasets: [tiny]
algorithms:
  - {name: adaboost, grid: {n_rounds: [1, 5]}}
tables: {curves: {panels: [{measures: [least_margin]}]}}
"""

ROWS = "x,z,label\n" + "".join(
    f"{i},{(7 * i) % 11},{'yes' if (3 * i) % 7 < 3 else 'no'}\n" for i in range(40)
)

COUNTING = """
name: counts
title: Numbers that count
task: classification
rows: 6
missing_cells: 0
rows_with_missing: 0
content_hash: {hash}
target: {{original: label, labels: {{"no": 3, "yes": 3}}}}
attributes: [{{name: x, kind: numeric}}]
licence: none
citation: none
sources: [{{kind: counting, n: 6}}]
"""


def item(name: str) -> str:
    """Return what CONTRIBUTING says of one thing."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = re.search(rf"^- \*{re.escape(name)}\*: .*?(?=^- \*|^## )", text, re.M | re.S)
    assert found is not None, f"CONTRIBUTING does not say how to add {name}"
    return found.group()


@dataclass(frozen=True)
class Copy:
    """The package with all additions, and a folder for its user."""

    root: Path

    @property
    def user(self) -> Path:
        return self.root / "user"

    def call(self, *words: str) -> str:
        env = os.environ | {
            "PYTHONPATH": str(self.root),
            "QUADREPRO_JIT": "0",
            "QUADREPRO_OFFLINE": "",
            "QUADREPRO_CACHE": str(self.root / "cache"),
            "COLUMNS": "160",
        }
        done = subprocess.run(
            [sys.executable, *words], env=env, cwd=self.user, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def quadrepro(self, *words: str) -> str:
        return self.call("-m", PACKAGE, *words)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    found = Copy(tmp_path_factory.mktemp("copy"))
    for name in (PACKAGE, "datasets"):
        shutil.copytree(ROOT / name, found.root / name, ignore=shutil.ignore_patterns("__py*"))
    for addition in ADDITIONS.values():
        for name, content in addition.files.items():
            path = found.root / PACKAGE / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write(content)
        for name, pairs in addition.lines.items():
            path = found.root / PACKAGE / name
            text = path.read_text(encoding="utf-8")
            for line, added in pairs:
                assert text.count(f"\n{line}") == 1, f"{name}: {line}"
                text = text.replace(f"\n{line}", f"\n{added}{line}")
            path.write_text(text, encoding="utf-8")
    found.user.mkdir()
    (found.user / "tiny.csv").write_text(ROWS, encoding="utf-8")
    (found.user / "all.yaml").write_text(CONFIG, encoding="utf-8")
    (found.user / "curves.yaml").write_text(CURVES, encoding="utf-8")
    # A card of the user's file, as CONTRIBUTING says of data sets.
    found.quadrepro("init", "tiny.csv", "--target", "label", "--card-only")
    return found


@pytest.mark.parametrize("name", ADDITIONS)
def test_an_item_names_all_files_that_are_touched(name: str) -> None:
    text, addition = item(name), ADDITIONS[name]
    for path in (*addition.files, *addition.lines):
        # A new file is named by its folder.
        places = (path, Path(path).name, *(f"{parent}/" for parent in Path(path).parents))
        assert any(f"`{place}`" in text for place in places), f"{path} is not named: {text}"


def test_there_are_no_other_items() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    names = re.findall(r"^- \*(.+?)\*: ", text.partition("## Adding things")[2], re.M)
    assert set(names) == {*ADDITIONS, "A data set"}


@pytest.fixture(scope="module")
def out(copy: Copy) -> Path:
    """Return the results of a config that uses all that was added, and of one with curves."""
    copy.quadrepro("run", "all.yaml", "curves.yaml", "--jobs", "0", "--quiet", "--out", "out")
    return copy.user / "out"


def test_a_config_can_use_all_of_it(out: Path) -> None:
    written = {
        name: (out / folder / name).read_text(encoding="utf-8")
        for folder, names in {
            "all": ("spread.md", "claims.md", "means-hits.md", "risks.md"),
            "curves": ("curves.md",),
        }.items()
        for name in names
    }
    assert "AdaBoost_ϱ" in written["spread.md"]
    assert "at most five points" in written["claims.md"]
    assert "hits" in written["means-hits.md"]
    assert "tiny" in written["risks.md"]
    assert "least margin" in written["curves.md"]


CODE = """
import quadrepro
from quadrepro.cli import main
from quadrepro.plugins import REGISTRIES, contracts_of

fitted = quadrepro.AdaBoostRhoClassifier().fit([[0], [1]], [0, 1])
assert repr(fitted).startswith("AdaBoostRhoClassifier(")
for command in (
    "list keys config",
    "--help",
    "audit margin",
    "explain all.yaml --verify --out out",
    "hello you",
):
    assert not main(command.split(), standalone_mode=False)
for kind, name in {
    "measures": "least_margin",
    "metrics": "hits",
    "claims": "within",
    "tables": "spread",
    "sources": "counting",
    "colours": "red",
}.items():
    assert name in REGISTRIES[kind]
    assert contracts_of(kind)
    for contract in contracts_of(kind):
        contract(name)
"""


def test_what_was_added_is_shown_and_called_and_contracts_hold(copy: Copy, out: Path) -> None:
    shown = copy.call("-c", CODE)
    assert "The people who wrote it" in shown
    assert "Greet somebody." in shown
    # A check is asked of every paper.
    assert "Is each last digit even?" in shown
    # An algorithm has a certificate.
    assert re.search(r"^adaboost-rho .* verified$", shown, re.MULTILINE)
    assert shown.endswith("hello, you\n")


def test_a_source_is_read(copy: Copy) -> None:
    labels = np.array(["no", "yes"] * 3)
    table = RawTable((Attribute(name="x", kind="numeric"),), {"x": np.arange(6.0)}, labels)
    found = content_hash(table)
    card = COUNTING.format(hash=found)
    (copy.root / "datasets" / "counts.yaml").write_text(card, encoding="utf-8")
    copy.quadrepro("fetch", "counts")
    assert f"ok  content: {found}" in copy.quadrepro("list", "datasets", "counts")
