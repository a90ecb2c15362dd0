"""`quadrepro fetch`, and `run` if data are missing, against a server on the loopback interface."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from quadrepro import reproduce
from quadrepro.data import cache
from quadrepro.errors import DataError
from tests.make import quadrepro
from tests.data.tables import written_card
from tests.make import write_config
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
