"""`fetch`, `run` if data are missing, and `init`: data come from a server or a user's own file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from quadrepro import reproduce
from quadrepro.config.first_config import SCHEMA
from quadrepro.config.loading import load_experiment
from quadrepro.config.reference import schema_of
from quadrepro.data import cache
from quadrepro.data.card import load_card_file
from quadrepro.errors import DataError
from tests.data.tables import written_card
from tests.make import quadrepro, write_config
from tests.server import Server

pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")

BOTH = {"/one.data": 1, "/two.data": 1}


@pytest.fixture
def project(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enter a folder with a config and with cards of data sets that only the server has."""
    monkeypatch.delenv("QUADREPRO_OFFLINE")
    rows = [(float(i), "red" if i % 3 else "blue", "no" if i % 5 else "01") for i in range(40)]
    for name in ("one", "two"):
        files = [{"url": f"{server.url}/{name}.data"}]
        written_card(name, rows, tmp_path / "datasets", kind="mirror", skip=1, files=files)
        csv = tmp_path / "datasets" / f"{name}.csv"
        server.put(f"/{name}.data", csv.read_bytes())
        csv.unlink()
    protocol = {"view": "default", "folds": 2}
    write_config(tmp_path, datasets=["one", "two"], protocol=protocol, repeats=2)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_named_data_sets_come_into_the_cache_once(project: Path, server: Server) -> None:
    assert "no; fetch with: quadrepro fetch one" in quadrepro("list", "datasets", "one").output
    result = quadrepro("fetch", "one", "wine")
    assert result.exit_code == 0, result.output
    assert result.stdout == "Available and as described by the cards: one, wine\n"
    assert result.stderr == f"one: fetched from {server.url}/one.data (1 of 1)\n"
    again = quadrepro("fetch", "one")
    assert (again.exit_code, again.stderr) == (0, "")
    card = quadrepro("list", "datasets", "one").output
    assert f"# here: cache ({server.url}/one.data)\n" in card
    assert quadrepro("fetch", "small.yaml").exit_code == 0
    assert server.asked == BOTH


def test_what_cannot_be_had_is_named_after_all_others_were_fetched(
    project: Path, server: Server
) -> None:
    server.put("/one.data", 404)
    result = quadrepro("fetch", "one", "two")
    assert result.exit_code == 3
    fetched, failed, *_ = result.stderr.splitlines()
    assert fetched.startswith("two: fetched from")
    assert failed == "error: one could not be fetched:"


def test_offline_nothing_is_asked_for_and_all_that_is_missing_is_named(
    project: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = [quadrepro(verb, "small.yaml", "--offline") for verb in ("fetch", "run")]
    monkeypatch.setenv("QUADREPRO_OFFLINE", "yes")
    results += [quadrepro(verb, "small.yaml") for verb in ("fetch", "run")]
    for result in results:
        assert result.exit_code == 3
        assert "2 data sets are not here" in result.stderr
        assert "\n  one: mirror\n  two: mirror\n" in result.stderr
    with pytest.raises(DataError, match="2 data sets are not here"):
        reproduce("small.yaml", jobs=1, progress=False)
    assert not server.asked


def test_the_environment_allows_the_network_to_both_doors(
    project: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUADREPRO_OFFLINE", "no")
    assert quadrepro("fetch", "one").exit_code == 0
    reproduce("small.yaml", jobs=1, progress=False)
    assert server.asked == BOTH


def test_a_run_fetches_what_is_not_here_and_other_verbs_do_not(
    project: Path, server: Server
) -> None:
    assert quadrepro("check", "small.yaml").exit_code == 3
    # Tables need records, not the data.
    assert quadrepro("table", "small.yaml").exit_code == 1
    assert not server.asked
    for _ in range(2):
        result = quadrepro("run", "small.yaml", "--jobs", 1)
        assert result.exit_code == 0
        assert "| one" in result.stdout
    assert server.asked == BOTH


def test_quiet_prints_errors_alone_and_verbose_every_place_that_is_asked(
    project: Path, server: Server
) -> None:
    usual, quiet, verbose = (), ("-q",), ("-v",)
    printed = {}
    for level in (verbose, usual, quiet):
        shutil.rmtree(cache.cache_folder(), ignore_errors=True)
        result = quadrepro("fetch", "one", *level)
        assert result.exit_code == 0
        printed[level] = result.stderr.splitlines(), bool(result.stdout)
    assert printed[quiet] == ([], False)
    [fetched], _ = printed[usual]
    assert fetched.startswith("one: fetched from ")
    lines, _ = printed[verbose]
    assert fetched in lines
    assert lines[0].startswith("one: asking for http")
    assert lines[-1].startswith("one: cache (http")
    assert quadrepro("fetch", "wines", "-q").stderr.startswith("error: ")


def test_all_is_what_is_not_here() -> None:
    result = quadrepro("fetch", "--all", "--offline")
    assert result.exit_code == 3
    assert "\n  mnist: mirror, OpenML 554\n" in result.stderr
    assert "\n  wine: " not in result.stderr


TOY = "id,size,zip,label\n7,1.5,10,yes\n8,,10,no\n9,-2e1,11,no\n10,7,12,no\n"
INIT = ("init", "my.csv", "--target", "label")


@pytest.fixture
def _my_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Enter a folder with a file of one's own."""
    monkeypatch.chdir(tmp_path)
    Path("my.csv").write_text(TOY, encoding="utf-8")


def write_churn() -> None:
    """Write churn.csv as a German spreadsheet would, with a tenth of positive rows."""
    rng = np.random.default_rng(0)
    n = 200
    income, age = rng.lognormal(7, 0.5, n), rng.integers(18, 80, n)
    city = rng.choice(["Köln", "Zürich"], n)
    left = np.where(income / age > np.quantile(income / age, 0.9), "ja", "nein")
    left[:5] = ""
    ids = rng.permutation(90_000)[:n]
    rows = ["customer_id;seit;Stadt;Einkommen;Alter;Kündigung"]
    for i in range(n):
        euros = f"{income[i]:,.2f}".translate(str.maketrans(",.", ".,"))
        rows.append(f"{ids[i]};{i % 27 + 1}.{i % 12 + 1}.2024;{city[i]};{euros};{age[i]};{left[i]}")
    Path("churn.csv").write_text("\n".join(rows), encoding="cp1252")


@pytest.mark.slow
def test_a_file_leads_to_tables_in_two_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_churn()
    options = ("--decimal", ",", "--drop-missing-target")
    result = quadrepro("init", "churn.csv", "--target", "Kündigung", *options)
    assert result.exit_code == 0, result.output
    card = load_card_file(Path("datasets/churn.yaml"))
    assert (card.rows, sum(card.target.labels.values())) == (195, 195)
    assert card.view("default").exclude == ("customer_id", "seit")
    assert [a.name for a in card.attributes if a.kind == "numeric"][1:] == ["Einkommen", "Alter"]
    result = quadrepro("run", "churn.yaml", "--repeats", 1, "--jobs", 1, "--quiet")
    assert result.exit_code == 0, result.output
    cells = pd.read_csv("results/churn/cells.csv")
    assert set(cells["status"]) == {"ok"}
    assert cells["algorithm"].nunique() == 5


@pytest.mark.usefixtures("_my_csv")
def test_it_prints_what_was_found_and_what_is_next() -> None:
    text = quadrepro(*INIT).stdout
    assert text.startswith("Wrote datasets/my.yaml and my.yaml\n\ntask: classification\nrows: 4\n")
    assert (
        "attributes: 2 numeric, 0 nominal, 1 left out\nmissing cells: 1\nlabel: no (3), yes (1)\n"
        in text
    )
    assert "\npositive: yes (The rarer of the two labels.)\nRead as utf-8, separator ',', " in text
    assert "they look like codes: if they are, add --nominal NAME (zip).\n" in text
    assert "\nquadrepro run my.yaml " in text
    assert json.loads(Path(SCHEMA).read_text(encoding="utf-8")) == schema_of("config")


@pytest.mark.usefixtures("_my_csv")
def test_a_card_alone_can_be_named_in_a_config() -> None:
    words = ("--card-only", "--name", "mine", "--task", "regression", "--nominal", "zip")
    result = quadrepro("init", "my.csv", "--target", "id", *words)
    assert result.stdout.endswith("protocol: {view: default}\ndatasets:\n  - mine\n")
    assert "\nid: from 7 to 10\n" in result.stdout
    written = sorted(str(path) for path in Path().rglob("*.*") if path.is_file())
    assert written == ["datasets/mine.yaml", "my.csv"]
    text = (
        "title: Mine\nalgorithms: [boosting]\n" + result.stdout[result.stdout.index("protocol:") :]
    )
    Path("a.yaml").write_text(text, encoding="utf-8")
    load_experiment(Path("a.yaml"))


@pytest.mark.usefixtures("_my_csv")
@pytest.mark.parametrize("there", ["my.yaml", "datasets/my.yaml"])
def test_nothing_is_replaced_unless_it_is_forced(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("datasets").mkdir()
    Path(there).write_text("mine", encoding="utf-8")
    result = quadrepro(*INIT)
    assert result.stderr.startswith(f"error: {there} exists; --force replaces it")
    assert (result.exit_code, [str(p) for p in Path().rglob("*.yaml")]) == (2, [there])
    monkeypatch.setattr("quadrepro.cli.init.cards_folder", lambda: tmp_path / "datasets")
    assert quadrepro(*INIT, "--force").exit_code == 0
    assert load_card_file(Path("datasets/my.yaml")).name == "my"


@pytest.mark.usefixtures("_my_csv")
@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("my.csv", "--target", "lable"), 2, "my.csv: unknown column 'lable'; did you mean"),
        (("no.csv", "--target", "label"), 3, "no.csv: No such file or directory"),
        (("my.csv", "--target", "label", "--name", "monks"), 2, "monks ships with quadrepro;"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing(
    words: tuple[str, ...], code: int, message: str
) -> None:
    result = quadrepro("init", *words)
    assert (result.exit_code, result.stderr.count("\n")) == (code, 1)
    assert result.stderr.startswith(f"error: {message}")
    assert [p.name for p in Path().iterdir()] == ["my.csv"]
