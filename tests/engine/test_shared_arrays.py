from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from quadrepro.engine.workers import (
    LEAST_BYTES,
    Arrays,
    Places,
    SharedArrays,
    _can_share,
    fetch,
)

N = LEAST_BYTES
linux = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="this system has no such memory")


def examples(X: Any) -> Arrays:
    return cast(Arrays, (X, np.arange(10.0), None))


def n_open() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    _can_share.cache_clear()
    yield
    _can_share.cache_clear()


@linux
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_an_array_is_shared_from_the_second_time_on_and_found_as_it_is(
    order: Any, dtype: Any
) -> None:
    X = np.asarray(np.arange(3 * N).reshape(3, N) % 251, dtype=dtype, order=order)
    with SharedArrays() as shared:
        first = shared.places(examples(X))
        assert first[0] is X
        places = shared.places(examples(X))
        assert isinstance(places[0], Path)
        assert len(pickle.dumps(places)) < 1000
        assert shared.places(examples(X))[0] is places[0]
        found, y, truth = fetch(pickle.loads(pickle.dumps(places)))
    assert type(found) is np.ndarray
    assert (found.dtype, found.strides) == (X.dtype, X.strides)
    np.testing.assert_array_equal(found, X)
    np.testing.assert_array_equal(y, np.arange(10.0))
    assert truth is None
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0] = 1


@linux
def test_another_process_finds_the_array() -> None:
    X = np.arange(2 * N).reshape(2, N)
    code = (
        "import pickle, sys; from quadrepro.engine.workers import fetch;"
        "print(fetch(pickle.load(sys.stdin.buffer))[0].sum())"
    )
    with SharedArrays() as shared:
        shared.places(examples(X))
        blob = pickle.dumps(shared.places(examples(X)))
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=blob,
            capture_output=True,
            check=True,
            cwd=Path(__file__).parents[2],
        )
    assert int(done.stdout) == X.sum()


@linux
def test_memory_is_given_back_with_the_array_or_at_the_end() -> None:
    before = n_open()
    with SharedArrays() as shared:
        X, Z = np.zeros((2, N)), np.ones((2, N))
        for _ in range(3):
            places = [shared.places(examples(array)) for array in (X, Z)]
        assert n_open() == before + 2
        del X
        gc.collect()
        assert n_open() == before + 1
        np.testing.assert_array_equal(fetch(places[1])[0], Z)
    assert n_open() == before


@pytest.mark.parametrize(
    "X",
    [
        pytest.param(np.zeros((1, N - 1), dtype=np.uint8), id="small"),
        pytest.param(np.zeros((N, 4))[::2, ::2], id="not in one piece"),
    ],
)
def test_other_arrays_are_sent(X: Any) -> None:
    with SharedArrays() as shared:
        for _ in range(3):
            assert shared.places(examples(X))[0] is X


@pytest.mark.parametrize("fault", ["no such memory", "no processes to see", "too many files"])
def test_arrays_are_sent_where_they_cannot_be_shared(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str) -> int:
        raise OSError(24, "Too many open files")

    if fault == "no such memory":
        monkeypatch.delattr(os, "memfd_create", raising=False)
    elif fault == "no processes to see":
        monkeypatch.setattr(os.path, "isdir", lambda path: False)
    else:
        monkeypatch.setattr(os, "memfd_create", refuse, raising=False)
    X = np.zeros((2, N))
    places: Places = ()
    with SharedArrays() as shared:
        for _ in range(3):
            places = shared.places(examples(X))
    assert places[0] is X
    assert fetch(places)[0] is X
