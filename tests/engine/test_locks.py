from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.config.config import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.core.cell import Cell
from quadrepro.engine.store import Reservations

HOLD = """
import sys
from filelock import FileLock
lock = FileLock(sys.argv[1])
lock.acquire()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def cell(small_config: Callable[..., Path]) -> Cell:
    return make_plan(load_experiment(small_config())).cells[0]


def test_only_one_takes_a_cell_until_it_is_released(cell: Cell, tmp_path: Path) -> None:
    one, two = Reservations(tmp_path / "claims"), Reservations(tmp_path / "claims")
    assert one.take(cell)
    assert not two.take(cell)
    one.release(cell.key)
    assert two.take(cell)
    two.release_all()
    assert list((tmp_path / "claims").iterdir()) == []


def test_a_claim_that_a_full_disk_does_not_take_is_named(
    cell: Cell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", fail)
    claims = Reservations(tmp_path)
    with pytest.raises(OSError, match="No space left") as caught:
        claims.take(cell)
    assert caught.value.filename == str(tmp_path / f"{cell.key}.claim")
    claims.release_all()


def test_claims_say_which_process_has_which_cell(cell: Cell, tmp_path: Path) -> None:
    claims = Reservations(tmp_path)
    claims.take(cell)
    [claim] = Reservations(tmp_path).current()
    assert (claim.cell, claim.pid) == ("monks, quadboost-l2, repeat 0", os.getpid())
    claims.release_all()
    assert list(Reservations(tmp_path).current()) == []


def test_the_claim_of_a_process_that_was_killed_is_free(cell: Cell, tmp_path: Path) -> None:
    lock = tmp_path / f"{cell.key}.lock"
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        assert not Reservations(tmp_path).take(cell)
        process.kill()
        process.wait()
    claims = Reservations(tmp_path)
    assert claims.take(cell)
    claims.release_all()
