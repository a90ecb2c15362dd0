"""`quadrepro fetch`, and `run` where data are not here, against a server on loopback."""

from __future__ import annotations

from pathlib import Path

import pytest
from quadrepro.data.sources.schema import RemoteFile, WebSource

from quadrepro import reproduce
from quadrepro.data.card import ANY_VIEW, load_card
from quadrepro.data.inspection import write_card
from quadrepro.data.schema import View
from quadrepro.data.store import load_dataset
from quadrepro.errors import DataError
from tests.cli.call import quadrepro
from tests.server import Server, failure

CONFIG = """title: Mine
repeats: 2
protocol: {view: default, folds: 2}
datasets: [one, two]
algorithms:
  - {name: quadboost-l2, grid: {n_rounds: 10, lam: 1}}
baseline: false
"""


@pytest.fixture
def project(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enter a folder with a config and with cards of data sets that only the server has."""
    monkeypatch.delenv("QUADREPRO_OFFLINE")
    table = load_dataset("balance").table
    names = [*table.columns]
    rows = zip(
        *(table.columns[n].astype(int).astype(str) for n in names), table.target, strict=True
    )
    content = "\n".join(map(",".join, rows)).encode()
    for name in ("one", "two"):
        url = server.put(f"/{name}.data", content)
        card = load_card("balance").model_copy(
            update={
                "name": name,
                "sources": (WebSource(kind="mirror", files=(RemoteFile(url=url),)),),
                "views": {ANY_VIEW: View(positive=("L",))},
            }
        )
        write_card(card, tmp_path / "datasets" / f"{name}.yaml")
    (tmp_path / "mine.yaml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_named_data_sets_come_into_the_cache(project: Path, server: Server) -> None:
    result = quadrepro("fetch", "one", "wine")
    assert result.exit_code == 0
    assert result.stdout == "2 data sets are available and as described by the cards\n"
    assert result.stderr == f"one: fetched from {server.url}/one.data (1 of 1)\n"
    again = quadrepro("fetch", "one")
    assert (again.exit_code, again.stderr) == (0, "")
    assert server.asked["/one.data"] == 1


def test_the_data_sets_of_a_config_are_fetched(project: Path, server: Server) -> None:
    assert quadrepro("fetch", "mine.yaml").exit_code == 0
    assert server.asked == {"/one.data": 1, "/two.data": 1}
    assert "cache (" in quadrepro("check", "mine.yaml").output


def test_what_cannot_be_had_is_named_after_all_others_were_fetched(
    project: Path, server: Server
) -> None:
    server.put("/one.data", failure(404))
    result = quadrepro("fetch", "one", "two")
    assert result.exit_code == 3
    assert "two: fetched from" in result.stderr
    assert f"one could not be fetched:\n  {server.url}/one.data: the server ans" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("words", [("fetch", "mine.yaml"), ("run", "mine.yaml")])
def test_offline_nothing_is_asked_for_and_all_that_is_missing_is_named(
    project: Path, server: Server, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for offline in ("option", "environment"):
        if offline == "environment":
            monkeypatch.setenv("QUADREPRO_OFFLINE", "1")
        result = quadrepro(*words, *(["--offline"] if offline == "option" else []))
        assert result.exit_code == 3
        assert "2 data sets are not here" in result.stderr
        assert f"  one: {server.url}/one.data" in result.stderr
        assert "in a folder that --data or QUADREPRO_DATA names" in result.stderr
    assert not server.asked


@pytest.mark.parametrize("word", ["", "0", "false", "no"])
def test_the_environment_allows_the_network_to_both_doors(
    project: Path, server: Server, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.setenv("QUADREPRO_OFFLINE", word)
    assert quadrepro("fetch", "one").exit_code == 0
    reproduce("mine.yaml", jobs=0, progress=False)
    assert server.asked == {"/one.data": 1, "/two.data": 1}


def test_the_environment_forbids_the_network_to_both_doors(
    project: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUADREPRO_OFFLINE", "yes")
    assert quadrepro("fetch", "one").exit_code == 3
    with pytest.raises(DataError, match="2 data sets are not here"):
        reproduce("mine.yaml", jobs=0, progress=False)
    assert not server.asked


def test_a_run_fetches_what_is_not_here_and_other_verbs_do_not(
    project: Path, server: Server
) -> None:
    assert quadrepro("check", "mine.yaml").exit_code == 3
    # Tables need what has been computed, not the data.
    assert quadrepro("table", "mine.yaml").exit_code == 1
    assert "no; fetch with: quadrepro fetch one" in quadrepro("list", "datasets", "one").output
    assert not server.asked
    result = quadrepro("run", "mine.yaml", "--jobs", 0)
    assert result.exit_code == 0
    assert sum(server.asked.values()) == 2
    assert "| one" in result.stdout
    assert quadrepro("run", "mine.yaml", "--jobs", 0).exit_code == 0
    assert sum(server.asked.values()) == 2


def test_an_interruption_tells_how_to_go_on(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("quadrepro.data.fetch.fetch", interrupted)
    monkeypatch.setattr("sys.argv", ["quadrepro", "fetch", "one"])
    result = quadrepro("fetch", "one")
    assert result.exit_code == 130
    assert result.stderr.endswith("finished work is kept; continue with: quadrepro fetch one\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name data sets or configs, or use --all"),
        (("wines",), "unknown data set or config 'wines'; did you mean 'wine'?"),
        (("table",), "unknown data set or config 'table'; did you mean 'table1'?"),
    ],
)
def test_what_cannot_be_meant_is_refused(words: tuple[str, ...], message: str) -> None:
    result = quadrepro("fetch", *words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_all_data_sets_are_named_where_all_are_asked_for_offline() -> None:
    result = quadrepro("fetch", "--all", "--offline")
    assert result.exit_code == 3
    assert "\n  mnist: https://" in result.stderr
    assert "\n  wine: " not in result.stderr


def test_a_long_download_says_now_and_then_how_far_it_is(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quadrepro.engine.progress.SECONDS_BETWEEN_LINES", 0.0)
    lines = quadrepro("fetch", "one").stderr.splitlines()
    assert lines[0] == "one: 0.0 of 0.0 MB"
    assert lines[-1].startswith("one: fetched from")
