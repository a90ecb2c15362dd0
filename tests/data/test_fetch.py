"""Data sets and tasks come over the network into the cache, checked, or not at all."""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from quadrepro.data.cache import TEST, TRAIN, cache_folder, has_splits, hash_of_splits, load_splits
from quadrepro.data.card import Card, load_card
from quadrepro.data.fetch import bring, fetch, fetch_task
from quadrepro.data.source import OpenMLSource, RemoteFile, WebSource
from quadrepro.data.store import locate
from quadrepro.errors import ConfigError, DataError, NoConnectionError
from tests.data import tables
from tests.data.tables import load_dataset, written_card
from tests.make import plan_of, quadrepro, write_config
from tests.server import Server

# pooch leaves the connection of a refused download to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")

HEADER = """@relation toy
@attribute size real
@attribute colour {red, blue}
@attribute target {no, 01}
@data
"""
ARFF = f"{HEADER}1,red,no\n-2.5,?,no\n?,blue,01\n30,red,01\n"
HALF_1, HALF_2 = b"1,red,no\n-2.5,?,no\n", b"?,blue,01\n3e1,red,01\n"
OPENML = OpenMLSource(kind="openml", id=7)


@pytest.fixture
def online_toy(
    toy: Card, server: Server, openml_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> Card:
    """Return the toy card with sources on the server, which has none of them yet."""
    card = with_source(toy, OPENML, web(server, "toy.data", "toy.test"))
    monkeypatch.setattr(tables, "load_card", lambda name: card)
    return card


def web(server: Server, *names: str, known: str | None = None) -> WebSource:
    files = tuple(RemoteFile(url=f"{server.url}/{name}", hash=known) for name in names)
    return WebSource(kind="uci", files=files)


def with_source(card: Card, *sources: OpenMLSource | WebSource) -> Card:
    return card.model_copy(update={"sources": sources})


def refused(call: Callable[..., object], *args: Any) -> str:
    with pytest.raises(DataError) as caught:
        call(*args)
    return str(caught.value)


def test_a_data_set_of_openml_is_kept_and_asked_for_once(online_toy: Card, server: Server) -> None:
    server.put_openml(7, ARFF)
    assert fetch(online_toy) == "OpenML 7"
    dataset = load_dataset("toy")
    assert dataset.origin == "cache (OpenML 7)"
    assert dataset.table.target.tolist() == ["no", "no", "01", "01"]
    [kept] = (path for path in cache_folder().rglob("*") if path.is_file())
    kept.unlink()
    server.asked.clear()
    # The package has a cache of its own.
    fetch(online_toy)
    assert not server.asked


def test_openmls_parquet_file_is_preferred(online_toy: Card, server: Server) -> None:
    frame = {
        "size": [1, -2.5, None, 30],
        "colour": pd.Categorical(["red", None, "blue", "red"]),
        "target": ["no", "no", "01", "01"],
    }
    pd.DataFrame(frame).to_parquet(content := io.BytesIO())
    server.put_openml(7, ARFF, parquet=content.getvalue())
    assert fetch(online_toy) == "OpenML 7"
    assert (server.asked["/datasets/7.pq"], server.asked["/data/download/7.arff"]) == (1, 0)


def test_other_content_is_removed_from_openmls_cache(
    online_toy: Card, server: Server, openml_cache: Path
) -> None:
    server.put_openml(7, ARFF.replace("-2.5", "-2.4"), version=2)
    assert "OpenML 7 differs from the card: content: sha256:" in refused(fetch, online_toy)
    assert not (openml_cache / "7").exists()
    server.put_openml(7, ARFF)
    assert fetch(with_source(online_toy, OPENML)) == "OpenML 7"


def test_the_next_source_is_tried_and_every_failure_is_a_line(
    online_toy: Card, server: Server
) -> None:
    assert "\n  OpenML 7: " in refused(fetch, with_source(online_toy, OPENML))
    server.put_openml(7, ARFF.replace("\n1,red,no", ""))
    server.put("/toy.data", HALF_1)
    first, of_openml, of_uci = refused(fetch, online_toy).splitlines()
    assert first == "toy could not be fetched:"
    assert of_openml.startswith("  toy: OpenML 7 differs from the card: rows: 3 instead of 4; ")
    assert of_uci.startswith(f"  {server.url}/toy.test: 404 Client Error: Not Found")
    assert locate(online_toy).where is None
    server.put("/toy.test", HALF_2)
    assert fetch(online_toy) == f"{server.url}/toy.data + {server.url}/toy.test"
    assert load_dataset("toy").table.n_rows == 4
    # What arrived whole is not asked for again; the other file was asked for three times.
    assert (server.asked["/toy.data"], server.asked["/toy.test"]) == (1, 4)
    assert not (cache_folder() / "downloads" / "toy").exists()


def test_files_with_other_content_are_fetched_again(online_toy: Card, server: Server) -> None:
    card = with_source(online_toy, web(server, "toy.data"))
    server.put("/toy.data", HALF_1 + HALF_2.replace(b"3e1", b"31"))
    assert "differs from the card: content: sha256:" in refused(fetch, card)
    server.put("/toy.data", HALF_1 + HALF_2)
    assert fetch(card) == f"{server.url}/toy.data"
    content = gzip.compress(HALF_1 + HALF_2)
    known = hashlib.md5(content).hexdigest()
    card = with_source(online_toy, web(server, "toy.gz", known=f"md5:{known}"))
    server.put("/toy.gz", content[:-1])
    assert known in refused(fetch, card)
    server.put("/toy.gz", content)
    assert fetch(card) == f"{server.url}/toy.gz"


def test_constants_are_columns_and_files_lie_one_below_the_other(
    online_toy: Card, server: Server
) -> None:
    rows = {"red": b"1,no\n30,01\n", "blue": b",01\n", "?": b"-2.5,no\n"}
    files = tuple(
        RemoteFile(url=server.put(f"/{len(colour)}", content), constants={"colour": colour})
        for colour, content in rows.items()
    )
    columns = ("size", "target", "colour")
    fetch(with_source(online_toy, WebSource(kind="mirror", files=files, columns=columns)))
    assert load_dataset("toy").table.columns["colour"].tolist() == ["", "red", "red", "blue"]


def test_without_a_connection_the_other_data_sets_are_not_tried(online_toy: Card) -> None:
    files = (RemoteFile(url="http://127.0.0.1:9/toy"),)
    lost = with_source(online_toy, WebSource(kind="uci", files=files))
    with pytest.raises(NoConnectionError, match=r"127\.0\.0\.1:9/toy: no connection"):
        fetch(lost)
    with pytest.raises(DataError) as caught:
        fetch(with_source(online_toy, *lost.sources, OPENML))
    assert not isinstance(caught.value, NoConnectionError)
    bring_both = partial(bring, offline=False)
    *_, rest, by_hand = refused(bring_both, [lost, online_toy], [], None).splitlines()
    assert rest == "not tried: toy"
    assert by_hand.startswith("Without a network, save the rows as NAME.csv")


def test_only_what_is_not_here_is_missing_and_some_has_no_source_on_the_network() -> None:
    bring(map(load_card, ["monks", "m1"]), [], None, offline=True)
    told = refused(partial(bring, offline=True), map(load_card, ["monks", "pima", "m1"]), [], None)
    assert told.startswith("1 data set is not here")
    assert "\n  pima: " in told
    assert refused(fetch, load_card("orange")) == "orange has no source on the network"


def test_a_cache_that_cannot_be_written_is_named(
    online_toy: Card, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.put_openml(7, ARFF)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("QUADREPRO_CACHE", str(tmp_path / "file"))
    with pytest.raises(DataError, match=r"toy-\w+.parquet cannot be written to the cache .*file: "):
        fetch(with_source(online_toy, OPENML))


RNG = np.random.default_rng(0)
# Some rows have equal content.
ROWS = [(s, "red" if s % 3 else "blue", "no" if s < 4 else "01") for s in RNG.integers(8, size=30)]
FOLD = RNG.integers(3, size=(2, 30))
ALL = HEADER + "".join(f"{size},{colour},{label}\n" for size, colour, label in ROWS)
NUMBERS = ("rowid", "repeat", "fold", "sample")


def arff(*rows: str, of: int = 3) -> str:
    """Return splits as OpenML has them, with the first of some columns of numbers."""
    names = "".join(f"@ATTRIBUTE {name} NUMERIC\n" for name in NUMBERS[:of])
    head = f"@RELATION splits\n@ATTRIBUTE type {{TRAIN,TEST}}\n{names}@DATA\n"
    return head + "\n".join(rows)


WHOLE = [
    f"{'TEST' if FOLD[repeat, row] == fold else 'TRAIN'},{row},{repeat},{fold}"
    for repeat in range(2)
    for fold in range(3)
    for row in range(30)
]
GROWING = ("TRAIN,0,0,0,0", "TEST,1,0,0,0", "TRAIN,2,0,0,1", "TEST,1,0,0,1")
TASK = {
    "datasets": ["mine"],
    "protocol": {"view": "default", "folds": 2, "split": {"openml_task": 59}},
    "repeats": 6,
}


@pytest.fixture
def card(
    server: Server, openml_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Card:
    """Return the card of a canonical CSV whose rows have another order than at OpenML."""
    monkeypatch.chdir(tmp_path)
    server.put_openml(7, ALL)
    server.put_task(59, 7, arff(*WHOLE))
    rows = sorted(ROWS, reverse=True)
    return written_card("mine", rows, tmp_path / "datasets", kind="openml", id=7)


def test_every_split_has_the_rows_of_the_task_and_there_are_as_many_repeats(card: Card) -> None:
    fetch_task(card, 59)
    splits = load_splits(card, 59)
    table = load_dataset("mine").table
    columns = (table.columns["size"], table.columns["colour"], table.target)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    assert splits.shape == (30, 6)
    for split in range(6):
        tested = FOLD[split // 3] == split % 3
        for part, of_task in ((TEST, tested), (TRAIN, ~tested)):
            found = sorted(rows[i] for i in np.flatnonzero(splits[:, split] == part))
            assert found == sorted(ROWS[i] for i in np.flatnonzero(of_task))
    plan = plan_of(**TASK)
    plan.check_data()
    content = plan.cells[1].content
    assert (content["draws"], content["splits"]) == ((7, "mine", 1), hash_of_splits(card, 59))
    with pytest.raises(ConfigError, match="OpenML task 59 has 6 splits: set repeats to 6, not 3"):
        plan_of(**{**TASK, "repeats": 3}).check_data()


def test_fetch_brings_the_task_of_a_config_and_check_needs_no_network(
    card: Card, server: Server
) -> None:
    write_config(Path(), **TASK)
    missing = quadrepro("check", "small.yaml")
    assert missing.exit_code == 3
    assert "59 (mine); with a network, quadrepro fetch CONFIG fetches them" in missing.output
    assert quadrepro("fetch", "small.yaml", "--offline").exit_code == 3
    assert not server.asked
    fetched = quadrepro("fetch", "small.yaml", QUADREPRO_OFFLINE="")
    assert fetched.exit_code == 0, fetched.output
    server.asked.clear()
    assert quadrepro("check", "small.yaml").exit_code == 0
    assert quadrepro("fetch", "small.yaml", QUADREPRO_OFFLINE="").exit_code == 0
    assert not server.asked


def test_damaged_or_other_splits_are_set_aside_and_fetched_again(
    card: Card, caplog: pytest.LogCaptureFixture
) -> None:
    for end in (b"", b"\0"):
        fetch_task(card, 59)
        [path] = (cache_folder() / "tasks").glob("*.npy")
        path.write_bytes(path.read_bytes()[:-1] + end)
        assert not has_splits(card, 59)
        assert "is damaged and was set aside" in caplog.text
        for read in (load_splits, hash_of_splits):
            with pytest.raises(DataError, match="not in the cache"):
                read(card, 59)
    fetch_task(card, 59)
    assert (load_splits(card, 59) == TEST).sum() == 60


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        (arff("TEST,0,0,0"), "has a split without training or test rows"),
        (arff(*WHOLE, "TRAIN,0,0,0", "TEST,0,0,0"), "both trains and tests on a row"),
        (arff(*WHOLE, "TEST,30,0,0"), "divides row 30, but there are 30 rows"),
        (arff(*GROWING, of=4), "trains on samples of growing size, which are not splits"),
        ("nothing", ""),
    ],
)
def test_splits_that_cannot_be_used_are_refused(
    card: Card, server: Server, splits: str, message: str
) -> None:
    server.put_task(59, 7, splits)
    told = refused(fetch_task, card, 59)
    assert told.replace(": ", " ").startswith(f"OpenML task 59 {message}")
    assert "\n" not in told
    assert not has_splits(card, 59)
    # The next try asks the server again.
    server.put_task(59, 7, arff(*WHOLE))
    fetch_task(card, 59)


def test_a_task_of_other_data_is_refused(card: Card, server: Server) -> None:
    server.put_openml(8, ALL)
    server.put_task(60, 8, arff(*WHOLE))
    assert (
        refused(fetch_task, card, 60)
        == "OpenML task 60 divides OpenML 8, which is not a source of mine"
    )
    assert refused(fetch_task, card, 61).startswith("OpenML task 61: ")
    server.put_openml(7, ALL.replace("@data\n", "@data\n7,red,01\n"))
    assert "differs from the card" in refused(fetch_task, card, 59)
    some = OpenMLSource(kind="openml", id=7, rows=(2, 31))
    few = card.model_copy(update={"sources": (some,)})
    server.put_task(62, 7, arff(*WHOLE, "TEST,30,1,2"))
    assert "divides row 30, but there are 30 rows" in refused(fetch_task, few, 62)
