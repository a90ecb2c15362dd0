"""Untrusted files and folders through the command line.

CANARY is the place of a file that must not appear, VICTIM of a folder that must not change, and
SECRET of a file in it whose content must not be shown.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import quadrepro as package
from quadrepro.engine.records import Record, RecordStore
from quadrepro.results.results import load_results, markdown_html
from tests.make import CONTROLS, config, quadrepro
from tests.results.made import cells, make_folder, make_own_folder, run
from tests.results.parsed import Parsed

TOKEN = "open-sesame-5316"
NAME = "\x1b]0;owned\x07\x9b1m<script>alert(1)</script><img src=x onerror=alert(1)>"
FORMULAS = ("=HYPERLINK(1)", "@SUM(1)", "+SUM(1)", "\t=SUM(1)")
LINK = "[a](http://127.0.0.1:9/x)"
NAMES = (
    *(NAME, *FORMULAS, "a\x08\x7f\x85\u202eb\u2066", "'=1", "-a", "</td><b>a</b>", "$\\frac{$"),
    *("**a**", LINK, "a | b", "`a`"),
)
"""Names that a stranger may give to data sets, algorithms and files."""

TOUCH = 'open("CANARY", "w").close()\n'
ROWS = b"size,colour,label\n" + b"1,red,a\n2,blue,b\n3,red,b\n4,blue,a\n" * 5


def packed(name: str, content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return made.getvalue()


GRID = {"estimator": ["test.support:run_in_subinterp", "os:getcwd"]}
BAGGING = {"name": "a", "algorithm": "sklearn:BaggingClassifier", "grid": GRID}
REFUSED = {"check base.yaml": 2, "run base.yaml --jobs 1": 2, "table base.yaml": 2}
SHOW = {"table results/base": 0, "table --all": 0, "compare results/base honest/base": 4}
SAME = {**SHOW, "compare results/base honest/base": 0}
CLAIM = "title: P\nclaims: {g: {claims: [{kind: function, text: t, function: f}]}}\n"
PAPER = {
    "paper/paper.yaml": CLAIM,
    "paper/__init__.py": TOUCH,
    "paper/printed/g.csv": "d,a\nx,0.5\n",
}
ELSEWHERE = "title: P\nprinted: {g: {config: SECRET, unit: fraction}}\n"
CODE = [{"name": "a", "algorithm": "claims:make"}]
EDITED = run(experiment="../../victim/canary", title=NAME, paper="SECRET", algorithms=CODE)
ENTITIES = "".join(f"<!ENTITY e{i + 1} '{f'&e{i};' * 10}'>" for i in range(9))
FIGURE = f"""<!DOCTYPE svg [<!ENTITY e0 'x'>{ENTITIES}<!ENTITY z SYSTEM 'file://SECRET'>]>
<svg xmlns='http://www.w3.org/2000/svg'><image href='http://127.0.0.1:9/x'/>{NAME}&e9;&z;</svg>"""

CASES: dict[str, tuple[Mapping[str, str | bytes], Mapping[str, int]]] = {
    "a value of a grid is code": ({"base.yaml": json.dumps(config(algorithms=[BAGGING]))}, REFUSED),
    "a paper has code": (
        {**PAPER, "base.yaml": json.dumps(config(paper="./paper", tables={"errors": "g"}))},
        {**REFUSED, "audit ./paper": 2},
    ),
    "a printed table is of a config elsewhere": (
        {**PAPER, "paper/paper.yaml": ELSEWHERE},
        {"audit ./paper": 2},
    ),
    "a member of an archive leads out of its folder": (
        {"my.zip": packed("../victim/canary.csv", ROWS)},
        {"init my.zip --target label --name mine --card-only": 0, "list datasets mine": 0},
    ),
    "a header has names for a terminal and a page": (
        {"my.csv": ",".join((NAME, *FORMULAS, "label\n")) + "1,2,3,4,5,a\n6,7,8,9,1,b\n" * 5},
        {"init my.csv --target label": 0, "list datasets my": 0, "check my.yaml": 0},
    ),
    "run.json is edited": (
        {"results/base/run.json": EDITED, "results/base/claims.py": TOUCH, "claims.py": TOUCH},
        SHOW,
    ),
    "cells.csv is edited": (
        {"results/base/cells.csv": cells({(name, NAME): (1, 2) for name in (NAME, *FORMULAS)})},
        SHOW,
    ),
    "a figure refers to files and hosts": ({"results/base/curves.svg": FIGURE}, SAME),
    "links are where pages are written": (
        dict.fromkeys(("results/base/report.html", "results/README.md"), "-> SECRET"),
        SAME,
    ),
}
"""Files of the user's folder, and command lines with their exit codes."""


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, which holds results, next to the folder with the secret."""
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "secret.txt").write_text(f"{TOKEN},x1\n{TOKEN},{TOKEN}\n")
    for folder in ("results", "honest"):
        make_folder(tmp_path / "work" / folder / "base")
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def write(work: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files, or links where a content begins with an arrow."""
    victim = os.fsencode(work.parent / "victim")
    for name, content in files.items():
        path, text = work / name, content.encode() if isinstance(content, str) else content
        for word, place in ((b"CANARY", b"canary"), (b"SECRET", b"secret.txt")):
            text = text.replace(word, victim + b"/" + place)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if text.startswith(b"-> "):
            path.symlink_to(os.fsdecode(text[3:]))
        else:
            path.write_bytes(text)


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_harmless(work: Path, lines: Mapping[str, int]) -> None:
    """Call command lines, and look at what they print and write."""
    victim, before = contents(work.parent / "victim"), contents(work)
    for line, code in lines.items():
        result = quadrepro(*shlex.split(line))
        assert result.exit_code == code, result.output
        assert isinstance(result.exception, SystemExit | None)
        assert TOKEN not in result.output
        assert not CONTROLS.intersection(result.output)
    assert contents(work.parent / "victim") == victim
    for path, content in contents(work).items():
        if content == before.get(path) or path.suffix == ".record":
            continue
        text = content.decode()
        assert TOKEN not in text, path
        if path.suffix in (".md", ".html"):
            assert not re.search("<script>alert|<img src=x", text), path
            page = Parsed(text if path.suffix == ".html" else markdown_html(text))
            assert not [a["href"] for a in page.all("a") if "127.0.0.1" in a["href"]], path
        if path.suffix in (".md", ".svg"):
            assert not CONTROLS.intersection(text), path


@pytest.mark.parametrize("case", CASES)
def test_an_untrusted_file_runs_reads_and_changes_nothing_else(work: Path, case: str) -> None:
    files, lines = CASES[case]
    write(work, files)
    assert_harmless(work, lines)


def test_a_message_in_a_record_is_text(work: Path) -> None:
    write(work, {"base.yaml": json.dumps(config())})
    assert quadrepro("run", "base.yaml", "--jobs", 1).exit_code == 0
    store = RecordStore(work / "results" / "records")
    [key] = store.keys()
    store.put(Record(key, "failed", content=store.get(key).content, message=NAME))
    assert_harmless(work, {"check base.yaml": 0, "run base.yaml --jobs 1": 1})


def test_names_are_text_on_the_terminal_and_in_every_file_and_read_back_as_they_are(
    work: Path,
) -> None:
    grid = {"grid": {"n_rounds": 1}}
    columns = [
        {"name": "adaboost", "label": NAMES[0], **grid},
        {"name": NAMES[1], "algorithm": "quadboost", **grid},
    ]
    texts = {"title": " ".join(NAMES), "notes": [" ".join(NAMES)], "tables": {"ranking": True}}
    rows = [{"name": "monks", "as": name} for name in NAMES]
    content = config(datasets=rows, algorithms=columns, **texts)
    write(work, {"base.yaml": json.dumps(content)})
    lines = ("run base.yaml --jobs 1", "check base.yaml", "table base.yaml", *SHOW)
    entry = shlex.join(["explain", "base.yaml", NAMES[0], NAMES[1]])
    assert_harmless(work, dict.fromkeys([*lines[:-1], entry], 0))
    results = load_results(work / "results" / "base")
    assert set(results.cells["dataset"]) == set(NAMES)
    assert {*NAMES} < set(results.table("errors").data["dataset"])


@pytest.mark.slow
def test_no_file_in_the_folder_takes_the_place_of_an_installed_module(work: Path) -> None:
    names = ("numpy", "joblib", "json", "sitecustomize", "conftest", "quadrepro")
    write(work, {f"{name}.py": TOUCH for name in names} | {"base.yaml": json.dumps(config())})
    script = work.parent / "quadrepro"  # as an installer writes it
    script.write_text("from quadrepro.__main__ import run\nif __name__ == '__main__':\n    run()\n")
    line = [sys.executable, script, "run", "base.yaml", "--jobs", "1"]
    env = {**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1])}
    assert subprocess.run(line, env=env, check=False).returncode == 0
    assert not (work.parent / "victim" / "canary").exists()


SCALARS = (
    *("", "~", "-1", "0", "0.5", "1e999", "nan", "9" * 400, "[]", "[[1]]", "{a: 1}", "*x", "&x"),
    *("'", '"', '"\\ud800"', "\ud800", "\0", "\x1b[2J", "\u202e", "é→λ", "|", "? a", "\t", "\n"),
    *("adaboost", "default", "x1..x999999999", "{from: 1, to: 9, points: 99999}", "../x"),
    *("/dev/zero", "!!python/object:os.system {}", "[" * 3000, "x" * 100_000, "=1", "2020-01-01"),
)
PLACES, LENGTHS = st.integers(0, 9999), st.integers(0, 4)
EDITS = st.lists(st.tuples(PLACES, LENGTHS, st.sampled_from(SCALARS) | PLACES), max_size=3)
"""Places in a text, number of words or separators to replace, and a new or another one."""

INIT, CHECK = ("init", "my.csv", "--target", "label", "--force"), ("check", "my.yaml")
OF_PAPER = ("cells.csv", "errors.csv", "verdicts.csv", "score.csv", "claims.csv", "run.json")
OWN = ("cells.csv", "errors.csv", "comparisons.csv", "run.json", "tables.json")
FILES = {"my.csv": INIT, "my.yaml": CHECK, "datasets/my.yaml": CHECK}
for folder, names in (("results/base", OF_PAPER), ("results/own", OWN), ("results/one", OWN)):
    FILES |= {f"{folder}/{name}": ("table", folder) for name in names}
"""Files that `init` reads or writes, files of a results folder, and the command that reads each."""


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Return the text of each file, in a current folder that has all of them."""
    with contextlib.chdir(tmp_path_factory.mktemp("mangled")):
        Path("my.csv").write_bytes(ROWS)
        make_folder(Path("results/base"))
        for name, rows in (("own", ("monks", "wine")), ("one", ("monks",))):
            counts = {(row, column): (4, 5, 9) for row in rows for column in "abc"}
            winners = {("a", "b"): "a", ("b", "c"): ""}
            make_own_folder(Path("results", name), counts, winners)
        assert quadrepro(*INIT).exit_code == 0
        yield {name: Path(name).read_text(encoding="utf-8") for name in FILES}


@given(name=st.sampled_from([*FILES]), edits=EDITS)
def test_a_mangled_file_ends_in_a_documented_exit_code(
    texts: dict[str, str], name: str, edits: list[tuple[int, int, str | int]]
) -> None:
    pieces = re.split(r"([\w.+-]+)", texts[name])
    for place, length, new in edits:
        i = place % len(pieces)
        pieces[i : i + length] = [new if isinstance(new, str) else pieces[new % len(pieces)]]
    for other, text in (texts | {name: "".join(pieces)}).items():
        Path(other).write_bytes(text.encode("utf-8", "surrogatepass"))
    result = quadrepro(*FILES[name])
    assert isinstance(result.exception, SystemExit | None)
    assert result.exit_code in (0, 2, 3), result.output
