"""Splits of OpenML tasks reach the canonical rows, however these are sorted."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from quadrepro.config.config import load_experiment
from quadrepro.config.plan import Plan, make_plan
from quadrepro.data.cache import (
    TEST,
    TRAIN,
    cache_folder,
    find_splits,
    hash_of_splits,
    keep_splits,
    load_splits,
)
from quadrepro.data.card import Card
from quadrepro.data.fetch import fetch_task
from quadrepro.data.inspection import inspect_file, write_card
from quadrepro.data.sources.schema import OpenMLSource
from quadrepro.errors import ConfigError, DataError, NoConnectionError
from tests.cli.call import quadrepro
from tests.server import Reply, Server, Table, configure_openml, failure, openml_error

RNG = np.random.default_rng(0)
# Some rows have equal content.
SIZES = RNG.integers(8, size=30)
ROWS = [(str(s), "red" if s % 3 else "blue", "no" if s < 4 else "yes") for s in SIZES.tolist()]
FOLD = RNG.integers(3, size=(2, 30))
ATTRIBUTES = {"size": "numeric", "colour": ("red", "blue"), "target": ("no", "yes")}
HEAD = """@RELATION splits
@ATTRIBUTE type {TRAIN,TEST}
@ATTRIBUTE rowid NUMERIC
@ATTRIBUTE repeat NUMERIC
@ATTRIBUTE fold NUMERIC
@DATA
"""


SPLITS = HEAD + "\n".join(
    f"{'TEST' if FOLD[repeat, row] == fold else 'TRAIN'},{row},{repeat},{fold}"
    for repeat in range(2)
    for fold in range(3)
    for row in range(30)
)

CONFIG = """title: Task
protocol: {view: default, folds: 2, split: {openml_task: 59}}
repeats: 6
baseline: false
datasets: [mine]
algorithms: [{name: adaboost, grid: {n_rounds: [1, 5]}}]
"""


@pytest.fixture
def card(
    server: Server, openml_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Card:
    """Return the card of a file whose rows have another order than at OpenML."""
    monkeypatch.chdir(tmp_path)
    server.put_openml(7, Table(ATTRIBUTES, ROWS))
    server.put_task(59, 7, SPLITS)
    texts = [",".join(row) for row in [tuple(ATTRIBUTES), *sorted(ROWS, reverse=True)]]
    path = tmp_path / "mine.csv"
    path.write_text("\n".join(texts))
    found = inspect_file(path, "target", nominal=["colour"])
    source = OpenMLSource(kind="openml", id=7)
    found = found.model_copy(update={"sources": (*found.sources, source)})
    write_card(found, tmp_path / "datasets" / "mine.yaml")
    return found


def planned(config: str = CONFIG) -> Plan:
    Path("mine.yaml").write_text(config)
    return make_plan(load_experiment(Path("mine.yaml")))


def refusal(card: Card, task: int = 59) -> str:
    with pytest.raises(DataError) as caught:
        fetch_task(card, task)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_every_split_has_the_rows_of_the_task(card: Card) -> None:
    fetch_task(card, 59)
    splits = load_splits(card, 59)
    assert splits.shape == (30, 6)
    plan = planned()
    plan.check_data()
    [positive] = card.view("default").positive
    examples = [(float(size), label == positive) for size, _, label in ROWS]
    for cell in plan.cells:
        repeat, fold = divmod(cell.repeat, 3)
        tested = FOLD[repeat] == fold
        X, y, split = cell.problem.X, cell.problem.y, cell.problem.split
        for rows, of_task in ((split.test, tested), (split.train, ~tested)):
            found = zip(X[rows, 0].tolist(), (y[rows] > 0).tolist(), strict=True)
            assert sorted(found) == sorted(examples[i] for i in np.flatnonzero(of_task))
    assert len({cell.key for cell in plan.cells}) == 6
    content = plan.cells[1].content
    assert content["protocol"]["split"] == {"openml_task": 59}
    named = {"draws": (0, "mine", 1), "splits": hash_of_splits(card, 59)}
    assert content["division"] == named


def test_other_splits_of_the_task_give_other_keys(card: Card, server: Server) -> None:
    def key() -> str:
        fetch_task(card, 59)
        return planned().cells[0].key

    first = key()
    assert key() == first
    [kept] = (cache_folder() / "tasks").iterdir()
    kept.unlink()
    shutil.rmtree(Path("openml"))
    server.put_task(59, 7, SPLITS.replace("TEST,0,", "TRAIN,0,"))
    assert key() != first
    for path in (cache_folder() / "tasks").iterdir():
        path.rename(path.with_stem(f"{path.stem[:-1]}x"))
    assert find_splits(card, 59) is None
    with pytest.raises(DataError, match="not in the cache"):
        hash_of_splits(card, 59)


def test_fetch_brings_the_task_of_a_config_and_check_needs_no_network(
    card: Card, server: Server
) -> None:
    Path("mine.yaml").write_text(CONFIG)
    missing = quadrepro("check", "mine.yaml")
    assert missing.exit_code == 3
    assert "splits of OpenML tasks are not in the cache" in missing.output
    assert "59 (mine); with a network, quadrepro fetch CONFIG fetches them" in missing.output
    fetched = quadrepro("fetch", "mine.yaml", QUADREPRO_OFFLINE="")
    assert fetched.exit_code == 0, fetched.output
    kept = {path.name for path in Path("openml").rglob("*") if path.is_file()}
    assert kept == {"dataset.arff", "description.xml"}
    server.asked.clear()
    assert quadrepro("check", "mine.yaml").exit_code == 0
    assert not server.asked


def test_splits_that_are_damaged_are_set_aside_and_fetched_again(
    card: Card, caplog: pytest.LogCaptureFixture
) -> None:
    fetch_task(card, 59)
    [path] = (cache_folder() / "tasks").iterdir()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    assert find_splits(card, 59) is None
    assert "is damaged and set aside" in caplog.text
    assert not path.exists()
    with pytest.raises(DataError, match="not in the cache"):
        load_splits(card, 59)
    fetch_task(card, 59)
    assert (load_splits(card, 59) == TEST).sum() == 60


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        (HEAD + "TEST,0,0,0", " has a split without training or test rows"),
        (f"{SPLITS}\nTRAIN,0,0,0\nTEST,0,0,0", " both trains and tests on a row"),
        (f"{SPLITS}\nTEST,30,0,0", " divides row 30, but there are 30 rows"),
        (f"{SPLITS}\nTEST,-1,0,0", ": the splits have a row, repeat or fold that is not a number"),
        (f"{SPLITS}\nTEST,0,0,1e12", ": the splits have a row, repeat or fold that is too large"),
        (SPLITS.replace("rowid", "row"), ": the splits lack the column rowid"),
        (HEAD, ": the file has no rows"),
        ("nothing", ": "),
        (None, " has no splits"),
    ],
)
def test_splits_that_cannot_be_used_are_refused(
    card: Card, server: Server, splits: str | None, message: str
) -> None:
    server.put_task(59, 7, splits)
    assert refusal(card).startswith(f"OpenML task 59{message}")
    assert find_splits(card, 59) is None


def test_samples_of_growing_size_are_refused(card: Card, server: Server) -> None:
    head = HEAD.replace("@DATA", "@ATTRIBUTE sample NUMERIC\n@DATA")
    server.put_task(59, 7, f"{head}TRAIN,0,0,0,0\nTRAIN,1,0,0,1\nTEST,2,0,0,1")
    assert "samples of growing size, which is not a split" in refusal(card)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (openml_error(151, "Unknown task"), "no such task"),
        (failure(500), "/59: the server answered HTTP 500"),
        (Reply(b"<html>", sent="nothing"), "dropped"),
    ],
)
def test_a_server_that_fails_is_named_in_one_line(
    card: Card, server: Server, reply: Reply, message: str
) -> None:
    server.scripts["/api/v1/xml/task/59"] = [reply] * 9
    said = refusal(card)
    assert said.startswith("OpenML task 59")
    assert message in said
    server.scripts.clear()
    fetch_task(card, 59)


def test_a_task_of_other_data_is_refused(card: Card, server: Server) -> None:
    server.put_openml(8, Table(ATTRIBUTES, ROWS))
    server.put_task(60, 8, SPLITS)
    assert "divides data set 8 of OpenML, which is not a source of mine" in refusal(card, 60)
    changed = [*ROWS[:-1], ("99", "red", "no")]
    server.put_openml(7, Table(ATTRIBUTES, changed))
    assert "differs from the card" in refusal(card)


def test_a_task_on_rows_that_the_card_leaves_out_is_refused(card: Card) -> None:
    source = OpenMLSource(kind="openml", id=7, rows=(2, 30))
    some = card.model_copy(update={"sources": (source,)})
    assert "task 59 also divides rows that are not in mine" in refusal(some)


def test_other_repeats_than_splits_are_refused(card: Card) -> None:
    fetch_task(card, 59)
    plan = planned(CONFIG.replace("repeats: 6", "repeats: 3"))
    with pytest.raises(ConfigError, match="OpenML task 59 has 6 splits: set repeats to 6, not 3"):
        plan.check_data()


def test_each_row_is_in_every_split(card: Card) -> None:
    fetch_task(card, 59)
    splits = load_splits(card, 59)
    assert ((splits == TEST) | (splits == TRAIN)).all()
    assert ((splits == TEST).reshape(30, 2, 3).sum(axis=2) == 1).all()


def test_without_a_connection_that_is_said(card: Card) -> None:
    configure_openml(server="http://127.0.0.1:9/api/v1/xml")
    with pytest.raises(NoConnectionError, match="OpenML task 59"):
        fetch_task(card, 59)


def test_a_cache_that_cannot_keep_splits_is_named(
    card: Card, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUADREPRO_CACHE", str(tmp_path / "mine.csv"))
    with pytest.raises(DataError, match=r"cannot be written to the cache .*mine\.csv: Not a dir"):
        keep_splits(card, 59, np.ones((30, 2), dtype=np.uint8))
