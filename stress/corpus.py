"""Files of strangers that try to run, read or write something, and the commands that look at them.

In names, texts and lines CANARY stands for a file that must never be, VICTIM for a folder that must
stay as it is, SECRET for a file in it whose content must never show, and PORT for a port to which
nothing may connect.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

Content = str | bytes | Callable[[Path], str | bytes | None]
"""What a file holds, or what makes it, given what was there before."""

TERMINAL = "\x1b]0;owned\x07\x1b[31m\x9b1m"
PAGE = "<script>alert(1)</script><img src=x onerror=alert(1)>"
FORMULAS = ("=HYPERLINK(1)", "@SUM(1)", "+SUM(1)", "\t=SUM(1)")
LATEX = r"\input{SECRET}\write18{touch CANARY}"

TOUCH = 'open("CANARY", "w").close()\n'
PICKLE = b"cbuiltins\nopen\n(VCANARY\nVw\ntR."
HUGE = 6 * 2**30


@dataclass(frozen=True)
class Case:
    """An attack: files for a folder with a config and its results, command lines, an exit code.

    Without a code, the lines may end with any that the README names.
    """

    name: str
    files: Mapping[str, Content]
    lines: Lines
    code: int | None = None


Lines = tuple[str, ...]

LOOK: Lines = ("check base.yaml", "check base.yaml --cells")
RUN: Lines = (*LOOK, "run base.yaml --jobs 0 --timeout 20")
CARD: Lines = (*RUN, "list datasets toy", "list datasets", "fetch toy")
AFTER: Lines = ("table base.yaml", "explain base.yaml --recompute", "clean base.yaml")
EVERY: Lines = (*AFTER, "table --readings base.yaml", "explain base.yaml toy a")
EVERY = (*EVERY, "table --page base.yaml")
RECORDS: Lines = (*RUN, *AFTER, "merge results --out out")
PRINTED = "compare results/base --against printed"
SHOW: Lines = ("table --page results/base", "table --all", PRINTED)
SHOW = (*SHOW, "compare results/base honest/base")

HEAD = "title: T\nprotocol: {view: default, folds: 0}\ndatasets: [toy]\nalgorithms:\n"
ADABOOST = "  - {name: adaboost, grid: {n_rounds: [3]}}\n"

BESIDE: dict[str, Content] = {"evil.py": TOUCH, "evil.pkl": PICKLE, "evil/x.py": TOUCH}

IMPORTED: dict[str, dict[str, Any]] = {
    "test.support:run_in_subinterp": {"code": TOUCH},
    "test.support.os_helper:rmtree": {"path": "VICTIM"},
    "os:system": {"command": "touch CANARY"},
    "posix:system": {"command": "touch CANARY"},
    "subprocess:Popen": {"args": ["touch", "CANARY"]},
    "builtins:exec": {"source": TOUCH},
    "_io:open": {"file": "CANARY", "mode": "w"},
    "importlib:import_module": {"name": "evil"},
    "runpy:run_path": {"path_name": "evil.py"},
    "pickle:loads": {"data": PICKLE.decode()},
    "shutil:rmtree": {"path": "VICTIM"},
    "ensurepip:bootstrap": {"root": "CANARY"},
    "venv:create": {"env_dir": "CANARY"},
    "lib2to3.main:main": {"fixer_pkg": "evil", "args": ["-w", "SECRET"]},
    "ctypes:CDLL": {"name": "./evil.so"},
    "quadrepro.cli:main": {"args": ["list", "keys", "--out", "CANARY"]},
    "quadrepro.base.files:write_text": {"path": "CANARY", "text": ""},
    "stress.files:write_toy": {"folder": "VICTIM"},
    "joblib:load": {"filename": "evil.pkl"},
    "joblib:Memory": {"location": "CANARY"},
    "cloudpickle:loads": {"data": PICKLE.decode()},
    "pip._internal.cli.main:main": {"args": ["download", "--dest", "CANARY", "."]},
    "setuptools:setup": {"script_args": ["--version"]},
    "numpy:savetxt": {"fname": "CANARY", "X": [1]},
    "numpy:load": {"file": "evil.pkl", "allow_pickle": True},
    "numpy:memmap": {"filename": "CANARY", "mode": "w+", "shape": [9]},
    "numpy.distutils.exec_command:exec_command": {"command": "touch CANARY"},
    "numpy.f2py:compile": {"source": "", "source_fn": "CANARY"},
    "pandas:read_pickle": {"filepath_or_buffer": "evil.pkl"},
    "pandas:HDFStore": {"path": "CANARY", "mode": "w"},
    "pytest:main": {"args": ["evil.py"]},
    "_pytest.config:main": {"args": ["evil.py"]},
    "click:launch": {"url": "evil.py"},
    "pebble:ProcessPool": {"max_workers": 2},
    "distributed:LocalCluster": {"n_workers": 2},
    "xgboost:train": {"params": {}, "dtrain": "SECRET"},
    "lightgbm:Booster": {"model_file": "SECRET"},
    "sklearn.datasets:load_svmlight_file": {"f": "SECRET"},
    "sklearn.datasets:fetch_file": {"url": "http://127.0.0.1:PORT/x", "folder": "CANARY"},
}
"""Import paths that a config must not name, with what they would be called with."""

WITHOUT = """
    test.support.script_helper:assert_python_ok test.pickletester:AbstractPickleTests
    _posixsubprocess:fork_exec idlelib.pyshell:main sitecustomize:main __main__:run
    quadrepro.__main__:run click.testing:CliRunner ..evil:run evil.x.:__class__
"""
"""Further ones."""

TREE = "sklearn:DecisionTreeClassifier"

CATBOOST, LIGHTGBM = "catboost:CatBoostClassifier", "lightgbm:LGBMClassifier"
XGBOOST = "xgboost:XGBClassifier"
MACHINES = "127.0.0.1:9,127.0.0.1:PORT"

PARAMETERS: tuple[tuple[str, dict[str, Any]], ...] = (
    (CATBOOST, {"train_dir": "CANARY", "iterations": 2}),
    (CATBOOST, {"save_snapshot": True, "snapshot_file": "CANARY", "iterations": 2}),
    (LIGHTGBM, {"machines": MACHINES, "num_machines": 2, "time_out": 1}),
    (LIGHTGBM, {"workers": MACHINES, "num_machine": 2, "local_port": 9}),
    (LIGHTGBM, {"output_model": "CANARY", "save_period": 1}),
    (LIGHTGBM, {"config": "SECRET", "train": "SECRET", "input_model": "SECRET"}),
    (LIGHTGBM, {"forcedbins_filename": "SECRET"}),
    (XGBOOST, {"callbacks": ["evil:x"]}),
    (XGBOOST, {"xgb_model": "SECRET", "objective": "SECRET"}),
    ("sklearn:FunctionTransformer", {"func": "os:system"}),
)
"""Estimators of others with parameters that write, read or open something."""

LONG: tuple[tuple[str, dict[str, Any]], ...] = (
    (LIGHTGBM, {"num_iterations": 100_000_000, "num_leaves": 131_072}),
    (XGBOOST, {"n_estimators": 10**9, "nthread": 10**5}),
    (CATBOOST, {"n_estimators": 10**8}),
    ("sklearn:MLPClassifier", {"hidden_layer_sizes": [10**5] * 9}),
)
"""What would compute for days, so that nobody runs it."""


def cases() -> Iterator[Case]:
    """Yield all attacks."""
    for path, settings in (IMPORTED | {path: {} for path in WITHOUT.split()}).items():
        yield _algorithm(f"imports {path}", path, settings)
    evil, settings = next(iter(IMPORTED.items()))
    yield replace(_algorithm("every verb", evil, settings), lines=EVERY, code=None)
    for settled, lines in ((PARAMETERS, RUN), (LONG, LOOK)):
        for path, settings in settled:
            case = _algorithm(f"{path} {next(iter(settings))}", path, settings)
            yield replace(case, lines=lines, code=None)
    yield from _inside(evil, settings=IMPORTED[evil])
    yield from _modules()
    yield from _yaml()
    yield from _cards()
    yield from _folders(evil)
    yield from _records()
    yield from _data()


def _algorithm(name: str, path: str, settings: Mapping[str, Any]) -> Case:
    entry = json.dumps({"name": "a", "algorithm": path, "settings": settings})
    return Case(name, {"base.yaml": f"{HEAD}  - {entry}\n", **BESIDE}, RUN, 2)


def _inside(evil: str, settings: dict[str, Any]) -> Iterator[Case]:
    """Yield the same inside of other estimators, and joblib's cache, which holds pickles."""
    step = {evil: settings}
    bag, vote = "sklearn:BaggingClassifier", "sklearn:VotingClassifier"
    search = {"estimator": step, "param_grid": {}}
    for name, path, held in (
        ("an estimator inside", bag, {"estimator": step}),
        ("estimators inside", vote, {"estimators": [TREE, step]}),
        ("a pipeline inside", "sklearn:Pipeline", {"steps": [TREE, step]}),
        ("a search inside", "sklearn:GridSearchCV", search),
        ("a memory inside", "sklearn:Pipeline", {"steps": ["PCA", TREE], "memory": "VICTIM"}),
        ("inside of inside", bag, {"estimator": {bag: {"estimator": step}}}),
        ("by a long name", bag, {"estimator": bag, "estimator__estimator": step}),
    ):
        yield _algorithm(name, path, held)
    for name, entry in (
        ("a step", {"pipeline": [step, TREE]}),
        ("a last step", {"pipeline": ["StandardScaler", step]}),
        ("a value of a grid", {"algorithm": bag, "grid": {"estimator": [evil, "os:getcwd"]}}),
        ("a name of settings", {"algorithm": bag, "settings": {"estimator": evil}}),
        ("a pipeline's memory", {"pipeline": ["PCA", TREE], "settings": {"memory": "VICTIM"}}),
    ):
        yield Case(name, {"base.yaml": f"{HEAD}  - {json.dumps({'name': 'a'} | entry)}\n"}, RUN, 2)
    voters = HEAD.replace("folds: 0", f"folds: 0, voter_set: {{'{evil}': {json.dumps(settings)}}}")
    yield Case("a voter set", {"base.yaml": voters + ADABOOST}, RUN, 2)
    for key, value in (("metrics", [evil]), ("tables", {evil: True}), ("paper", "SECRET")):
        yield Case(f"{key} name it", {"base.yaml": f"{HEAD}{ADABOOST}{key}: {value}\n"}, RUN, 2)


def _modules() -> Iterator[Case]:
    """Yield modules beside a config; a config may name its own, which only a run imports."""
    own = f"{TOUCH}from {TREE.split(':')[0]}.tree import DecisionTreeClassifier as Boost\n"
    entry = "  - {name: a, algorithm: 'my_boosts:Boost'}\n"
    files: dict[str, Content] = {"base.yaml": HEAD + entry, "my_boosts.py": own}
    yield Case("a module of its own", files, LOOK, 0)
    package: dict[str, Content] = {"boosts/__init__.py": own, "boosts/__main__.py": TOUCH}
    package["base.yaml"] = HEAD + entry.replace("my_", "")
    yield Case("a package of its own", package, LOOK, 0)
    names = ["numpy", "sklearn", "scipy", "xgboost", "click", "yaml", "json", "encodings"]
    names += ["sitecustomize", "usercustomize", "conftest", "quadrepro", "ruamel", "__main__"]
    hidden: dict[str, Content] = {f"{name}.py": TOUCH for name in names}
    yield Case("names of installed modules", hidden, (*RUN, "list datasets toy", "list algorithms"))
    hidden = {f"{name}/__init__.py": TOUCH for name in names}
    yield Case("names of installed packages", hidden, (*RUN, "table --all"))
    for name in ("sklearn.evil:Boost", "numpy.evil:Boost", "tests.evil:Boost", "evil:Boost.x"):
        yield replace(_algorithm(f"beside {name}", name, {}), lines=LOOK)
    paper = "title: P\nclaims:\n  g:\n    claims:\n      - {kind: function, text: t, function: f}\n"
    config = f"{HEAD}{ADABOOST}paper: ./paper\ntables: {{risks: g}}\n"
    printed = "dataset,adaboost\ntoy,0.5\n"
    files = {"base.yaml": config, "paper/claims.py": TOUCH, "paper/printed/g.csv": printed}
    lines = (*RUN, "audit ./paper", "table --page base.yaml", "table base.yaml")
    yield Case("a paper with code", {**files, "paper/paper.yaml": paper}, lines)
    for name, text, table in (
        ("leaves", '{"../../../victim/secret": {config: "SECRET", codings: ["SECRET"]}}', printed),
        ("reads", "{g: {config: SECRET, codings: [SECRET, ../victim/secret.txt]}}", printed),
        ("links", "{}", _link("SECRET")),
        ("pipes", "{}", os.mkfifo),
    ):
        held = {"paper/paper.yaml": f"title: P\nprinted: {text}\n", "paper/printed/g.csv": table}
        yield Case(f"a paper that {name}", {**files, **held}, lines)


def _yaml() -> Iterator[Case]:
    """Yield tags, aliases and sizes, in a config, a card and a paper."""
    for tag in (
        '!!python/object/apply:os.system ["touch CANARY"]',
        "!!python/object/new:os.system [touch CANARY]",
        "!!python/name:os.system ''",
        "!!python/module:evil ''",
        "!include SECRET",
    ):
        files = {"base.yaml": f"title: {tag}\n", "datasets/toy.yaml": f"name: {tag}\n", **BESIDE}
        lines = (*LOOK, "list datasets toy", "audit ./paper")
        yield Case(f"tag {tag.split()[0]}", {**files, "paper/paper.yaml": f"title: {tag}\n"}, lines)
    laughs = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    yield Case("a billion laughs", {"base.yaml": laughs, "datasets/toy.yaml": laughs}, CARD)
    many = HEAD.replace("[toy]", f"[{', '.join(['toy'] * 200_000)}]") + ADABOOST
    yield Case("200,000 times one data set", {"base.yaml": many}, LOOK)
    many = f"repeats: 99000\nbaseline: false\n{HEAD}{ADABOOST}"
    yield Case("99,000 cells", {"base.yaml": many}, ("check base.yaml",))
    for name, make in (("a pipe", os.mkfifo), ("6 GB", _sparse), ("a link", _link("/dev/zero"))):
        files = {"base.yaml": make, "datasets/other.yaml": make}
        yield Case(f"{name} as a config", files, (*LOOK, "run base.yaml", "list datasets"))
    labels = (TERMINAL, PAGE, *FORMULAS, LATEX, "a|b\n\n# c\n[x](javascript:alert)")
    for i, text in enumerate(labels):
        entry = {"name": "adaboost", "grid": {"n_rounds": [3]}, "note": text}
        other = {"name": text, "algorithm": "adaboost", "grid": {"n_rounds": [3]}}
        whole = {"title": text, "protocol": {"view": "default", "folds": 0}, "notes": [text]}
        rows = {"datasets": [{"name": "toy", "as": text}, "toy"], "algorithms": [entry, other]}
        files = {"base.yaml": json.dumps(whole | rows)}
        yield Case(f"labels {i + 1}", files, (*RUN, *SHOW, "table base.yaml"))


def _cards() -> Iterator[Case]:
    """Yield cards that name files and addresses."""
    for path in (
        *("SECRET", "../../victim/secret.txt", "/proc/self/environ", "/dev/zero", "/dev/stdin"),
        *("/dev/tty", "VICTIM", "~/.ssh/id_rsa", "//127.0.0.1:PORT/x", "http://127.0.0.1:PORT/x"),
    ):
        card = _replaced("../toy.csv", path)
        yield Case(f"a card names {path}", {"datasets/toy.yaml": card}, CARD)
    for name, make in (("a pipe", os.mkfifo), ("6 GB", _sparse), ("a link", _link("SECRET"))):
        yield Case(f"{name} as data", {"toy.csv": make}, CARD)
    for address in ("file://SECRET", "ftp://127.0.0.1:PORT/x", "gopher://127.0.0.1:PORT/x"):
        source = "{kind: mirror, files: [{url: '" + address + "'}], columns: ["
        card = _replaced("{kind: file, path: ../toy.csv, columns: [", source)
        yield Case(f"a card fetches {address}", {"datasets/toy.yaml": card}, CARD)
    source = "{kind: mirror, files: [{url: 'http://127.0.0.1:PORT/x'}], columns: ["
    card = _replaced("{kind: file, path: ../toy.csv, columns: [", source)
    yield Case("a card is looked at", {"datasets/toy.yaml": card}, CARD[:-1])
    named = _replaced("name: toy", "name: ../../victim/canary")
    yield Case("a card leaves by its name", {"datasets/toy.yaml": named}, CARD)


def _folders(evil: str) -> Iterator[Case]:
    """Yield results folders of others."""
    base = "results/base/"
    entries = (
        {"name": "a", "algorithm": evil, "settings": {"code": TOUCH}},
        {"name": "a", "pipeline": [{evil: {"code": TOUCH}}]},
        {"name": "a", "algorithm": "test.support.os_helper:rmtree", "settings": {"path": "VICTIM"}},
        {"name": "a", "algorithm": "evil:Boost"},
        {"name": "a", "algorithm": "__main__:run"},
        {"name": "a", "pipeline": ["PCA", TREE], "settings": {"memory": "VICTIM"}},
    )
    for entry in entries:
        config = {"title": "T", "protocol": {"view": "default"}, "datasets": ["toy"]}
        changed = _with(config=config | {"algorithms": [entry]})
        name = f"run.json: {next(iter(entry.get('pipeline', [entry.get('algorithm')])))}"[:60]
        beside = {f"{base}evil.py": TOUCH, "evil.py": TOUCH}
        yield Case(name, {f"{base}run.json": changed, **beside}, SHOW)
    for name in ("../../victim/canary", TERMINAL + PAGE):
        changed = _with(experiment=name, data={name: name}, computed=[{"system": name}])
        yield Case(f"run.json: experiment {name!r}", {f"{base}run.json": changed}, SHOW)
    paper = {"paper/paper.yaml": "title: P\n", "paper/claims.py": TOUCH}
    for name in ("./paper", "../../paper", "SECRET", "VICTIM"):
        changed = _with(config={"title": PAGE + TERMINAL, "paper": name})
        yield Case(f"run.json: paper {name}", {f"{base}run.json": changed, **paper}, SHOW)
    for name, text in (
        ("deep", "[" * 10**5),
        ("a long number", '{"seed": ' + "9" * 10**5 + "}"),
        ("no numbers", '{"seed": NaN, "experiment": Infinity}'),
    ):
        for file in ("run.json", "tables.json"):
            yield Case(f"{file}: {name}", {f"{base}{file}": text}, SHOW)
    for file in ("../../../victim/secret.txt", "SECRET", "..", "/dev/zero", "\x00"):
        table = {"key": "risks", "title": TERMINAL + PAGE, "files": [file]}
        tables = {"../../../victim/secret": table, "risks": table}
        figures = {"scatter": {"key": "", "files": [file], "caption": file}}
        cells = {"file": file, "timed_columns": ()}
        changed = _with(tables=tables, figures=figures, cells=cells, score=file)
        yield Case(f"tables.json: {file!r}", {f"{base}tables.json": changed}, SHOW)
    for name in ("run.json", "tables.json", "cells.csv", "risks.md", "risks.csv", "notes.md"):
        for what, make in (("a link", _link("SECRET")), ("a pipe", os.mkfifo), ("6 GB", _sparse)):
            yield Case(f"{what} as {name}", {f"{base}{name}": make}, SHOW)
    linked = {f"{base}report.html": _link("SECRET"), "results/README.md": _link("SECRET")}
    yield Case("links as pages", linked | {"results/index.html": _link("SECRET")}, SHOW)
    svg = "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'>"
    entities = "".join(f"<!ENTITY e{i + 1} '{f'&e{i};' * 10}'>" for i in range(9))
    figure = _with(figures={"scatter": {"key": "", "files": ["scatter.svg"], "caption": "c.md"}})
    for name, content in (
        ("a script", f"{svg}<script>fetch('http://127.0.0.1:PORT')</script>{PAGE}</svg>"),
        ("entities", f"<!DOCTYPE svg [<!ENTITY e0 'x'>{entities}]>{svg}&e9;</svg>"),
        ("a file", f"<!DOCTYPE svg [<!ENTITY x SYSTEM 'file://SECRET'>]>{svg}&x;</svg>"),
        ("an address", f"{svg}<image xlink:href='http://127.0.0.1:PORT/x'/></svg>"),
        ("much metadata", svg + "<metadata>" * 60_000 + "</svg>"),
        ("many paths", svg + ' d="' * 150_000 + "</svg>"),
        ("a pipe", os.mkfifo),
        ("6 GB", _sparse),
        ("a link", _link("SECRET")),
    ):
        files: dict[str, Content] = {f"{base}scatter.svg": content, f"{base}c.md": PAGE}
        yield Case(f"SVG: {name}", files | {f"{base}tables.json": figure}, SHOW)
    notes = f"# {TERMINAL}\n{PAGE}\n[a](javascript:alert) ![b](http://127.0.0.1:PORT/x)\n"
    for name, text in (("HTML", notes), ("many brackets", "[" * 10**5), ("quotes", ">" * 10**5)):
        files = {f"{base}notes.md": text, f"{base}risks.md": f"# T\n\n{text}"}
        yield Case(f"notes: {name}", files, SHOW)
    for i, text in enumerate((TERMINAL, PAGE, *FORMULAS)):
        yield Case(f"cells {i + 1}", {f"{base}cells.csv": _replaced("adaboost", text)}, SHOW)


def _records() -> Iterator[Case]:
    """Yield folders of records."""
    kept = "results/records/"
    deep, long = "[" * 10**5, '{"sha256": ' + "9" * 10**5 + "}"
    for name, content in (("a pickle", PICKLE), ("deep", deep), ("a long number", long)):
        yield Case(f"records: {name}", {f"{kept}*/*.json": content}, RECORDS)
        times = {f"{kept}times.json": content, f"{kept}times.json.lock": content}
        yield Case(f"times: {name}", times, RECORDS)
    for name, make in (("a pipe", os.mkfifo), ("6 GB", _sparse), ("a link", _link("SECRET"))):
        yield Case(f"records: {name}", {f"{kept}*/*.json": make}, RECORDS)
        yield Case(f"times: {name}", {f"{kept}times.json": make}, RECORDS)
    odd = {f"{kept}ab/{name}.json": "{}" for name in ("$(touch CANARY)", "\x1b[31m", "..", "-rf")}
    yield Case("records: names", odd, RECORDS)
    folder = {f"{kept}ab": _link("VICTIM"), f"{kept}claims": _link("VICTIM")}
    yield Case("records: a link to a folder", folder, RECORDS)
    failed = {f"{kept}*/*.json": _failing}
    yield Case("records: messages", failed, RECORDS)


def _data() -> Iterator[Case]:
    """Yield data files for init, and scores for rank."""
    card = "init {} --target target --name x --force --card-only"
    for name, content in (
        ("x.zip", _packed({"x.csv": b"0" * 10**9})),
        ("y.zip", _packed({"../../victim/canary": b"a,target\n1,a\n2,b\n"})),
        ("z.zip", _packed({f"{i}.csv": b"a,target\n1,a\n2,b\n" for i in range(20_000)})),
        ("x.csv", TERMINAL + "," + PAGE + "," + ",".join(FORMULAS) + ",target\n1,2,3,4,5,6,x\n"),
        ("w.csv", ",".join(f"c{i}" for i in range(200_000)) + ",target\n"),
        ("x.arff", "@relation x\n@attribute target {" + "a," * 10**5 + "a}\n@data\na\n"),
        ("x.svm", "1 999999999999:1\n"),
        ("p.csv", os.mkfifo),
        ("h.csv", _sparse),
        ("l.csv", _link("/dev/zero")),
    ):
        yield Case(f"init {name}", {name: content}, (card.format(name), "list datasets x"))
    head = [TERMINAL, PAGE, *FORMULAS, LATEX.replace("{", "").replace("}", "")]
    rows = "".join(f"r{i}{''.join(f',{i * j % 5}' for j in range(len(head)))}\n" for i in range(6))
    for name, content in (
        ("labels", "row," + ",".join(f'"{text}"' for text in head) + "\n" + rows),
        ("rows", "row,a,b\n" + "".join(f'"{text}",1,2\n' for text in head)),
        ("100,000 columns", ",".join(f"c{i}" for i in range(10**5)) + "\n" + "1," * 99_999 + "1\n"),
        ("a pipe", os.mkfifo),
        ("6 GB", _sparse),
        ("a link", _link("/dev/zero")),
    ):
        lines = ("rank s.csv", "rank s.csv --out results/rank")
        yield Case(f"rank {name}", {"s.csv": content}, lines)


def _with(**changes: object) -> Callable[[Path], str]:
    return lambda path: json.dumps(json.loads(path.read_text("utf-8")) | changes)


def _replaced(old: str, new: str) -> Callable[[Path], str]:
    return lambda path: path.read_text("utf-8").replace(old, new)


def _link(target: str) -> str:
    return f"-> {target}"


def _sparse(path: Path) -> None:
    path.unlink(missing_ok=True)
    with path.open("wb") as file:
        file.truncate(HUGE)


def _packed(members: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _failing(path: Path) -> None:
    """Put a record without a result in place of one, with an honest checksum."""
    from quadrepro.engine.store import RecordStore

    store = RecordStore(path.parents[1])
    record = store.get(path.stem)
    path.unlink()
    if record is not None:
        message = f"{TERMINAL}{PAGE}"
        store.put(replace(record, status="failed", message=message, errors=0, n_test=0))
