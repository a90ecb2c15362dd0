"""Splits of OpenML tasks reach the canonical rows, however these are sorted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import Plan, make_plan
from quadrepro.data.cache import TEST, TRAIN, cache_folder, has_splits, hash_of_splits, load_splits
from quadrepro.data.card import Card
from quadrepro.data.fetch import fetch_task
from quadrepro.data.source import OpenMLSource
from quadrepro.data.store import load_dataset
from quadrepro.errors import ConfigError, DataError
from tests.cli.call import quadrepro
from tests.data.tables import written_card
from tests.server import Server

pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")

RNG = np.random.default_rng(0)
# Some rows have equal content.
ROWS = [(s, "red" if s % 3 else "blue", "no" if s < 4 else "01") for s in RNG.integers(8, size=30)]
FOLD = RNG.integers(3, size=(2, 30))
ARFF = (
    "@relation mine\n@attribute size real\n@attribute colour {red, blue}\n"
    "@attribute target {no, 01}\n@data\n"
) + "".join(f"{size},{colour},{label}\n" for size, colour, label in ROWS)
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
    """Return the card of a canonical CSV whose rows have another order than at OpenML."""
    monkeypatch.chdir(tmp_path)
    server.put_openml(7, ARFF)
    server.put_task(59, 7, arff(*WHOLE))
    rows = sorted(ROWS, reverse=True)
    return written_card("mine", rows, tmp_path / "datasets", kind="openml", id=7)


def planned(config: str = CONFIG) -> Plan:
    Path("mine.yaml").write_text(config)
    return make_plan(load_experiment(Path("mine.yaml")))


def refusal(card: Card, task: int = 59) -> str:
    with pytest.raises(DataError) as caught:
        fetch_task(card, task)
    assert "\n" not in str(caught.value)
    return str(caught.value)


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
    plan = planned()
    plan.check_data()
    content = plan.cells[1].content
    assert (content["draws"], content["splits"]) == ((0, "mine", 1), hash_of_splits(card, 59))
    with pytest.raises(ConfigError, match="OpenML task 59 has 6 splits: set repeats to 6, not 3"):
        planned(CONFIG.replace("repeats: 6", "repeats: 3")).check_data()


def test_fetch_brings_the_task_of_a_config_and_check_needs_no_network(
    card: Card, server: Server
) -> None:
    Path("mine.yaml").write_text(CONFIG)
    missing = quadrepro("check", "mine.yaml")
    assert missing.exit_code == 3
    assert "59 (mine); with a network, quadrepro fetch CONFIG fetches them" in missing.output
    assert quadrepro("fetch", "mine.yaml", "--offline").exit_code == 3
    assert not server.asked
    fetched = quadrepro("fetch", "mine.yaml", QUADREPRO_OFFLINE="")
    assert fetched.exit_code == 0, fetched.output
    server.asked.clear()
    assert quadrepro("check", "mine.yaml").exit_code == 0
    assert quadrepro("fetch", "mine.yaml", QUADREPRO_OFFLINE="").exit_code == 0
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
    assert refusal(card).replace(": ", " ").startswith(f"OpenML task 59 {message}")
    assert not has_splits(card, 59)
    # The next try asks the server again.
    server.put_task(59, 7, arff(*WHOLE))
    fetch_task(card, 59)


def test_a_task_of_other_data_is_refused(card: Card, server: Server) -> None:
    server.put_openml(8, ARFF)
    server.put_task(60, 8, arff(*WHOLE))
    assert refusal(card, 60) == "OpenML task 60 divides OpenML 8, which is not a source of mine"
    assert refusal(card, 61).startswith("OpenML task 61: ")
    server.put_openml(7, ARFF.replace("@data\n", "@data\n7,red,01\n"))
    assert "differs from the card" in refusal(card)
    some = OpenMLSource(kind="openml", id=7, rows=(2, 31))
    few = card.model_copy(update={"sources": (some,)})
    server.put_task(62, 7, arff(*WHOLE, "TEST,30,1,2"))
    assert "divides row 30, but there are 30 rows" in refusal(few, 62)
