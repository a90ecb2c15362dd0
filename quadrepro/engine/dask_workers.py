"""Workers of a Dask scheduler, on any number of machines, through joblib's own backend for it.

Workers come and go: the cells of one that is lost are computed by others. The examples of a problem
go to a worker once. Only the parent writes records.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, parallel_config

from quadrepro._typing import FloatArray, NumberArray
from quadrepro.config.cell import Cell
from quadrepro.engine.limits import Limits
from quadrepro.engine.parts import apart, joined
from quadrepro.engine.records import Record
from quadrepro.engine.run import Backend
from quadrepro.engine.timing import run_timed
from quadrepro.errors import ConfigError
from quadrepro.fingerprint import code_hash, versions

SECONDS_TO_CONNECT = 10

COMPARED = ("quadrepro", "numpy", "scipy", "scikit-learn", "highspy", "piqp", "daqp")
"""Packages that workers must have in the parent's versions."""


def on_dask(scheduler: str, limits: Limits) -> Backend:
    """Return what computes cells on the workers of a Dask scheduler.

    Parameters
    ----------
    scheduler : str
        Its address, such as ``tcp://host:8786``, or its scheduler file.
    limits : Limits
        What a cell may use. A limit on time is Dask's to keep, so it is refused.

    Raises
    ------
    ConfigError
        If Dask is not installed, the scheduler cannot be reached, or a worker has other code or
        packages than this process.
    """
    if limits.seconds is not None:
        raise ConfigError("a limit on the time of a cell needs the workers of --backend local")
    try:
        from distributed import Client
    except ImportError:
        raise ConfigError(
            "--backend dask needs Dask: install it with pip install 'quadrepro[dask]'"
        ) from None
    where = {"scheduler_file": scheduler} if Path(scheduler).is_file() else {"address": scheduler}
    try:
        client = Client(**where, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ConfigError(f"the Dask scheduler {scheduler} cannot be reached: {error}") from None
    _check(client)

    def compute_on_dask(cells: Iterable[Cell]) -> Generator[Record, None, None]:
        # If the scheduler is lost, joblib computes the rest in this process. The client stays: a
        # run that shares its folder comes back for cells that others gave up.
        with parallel_config(backend="dask", client=client):
            pool = Parallel(n_jobs=-1, return_as="generator_unordered", batch_size=1)
            # Dask sends an array to a worker once, if it is an argument.
            parts = map(apart, cells)
            yield from pool(delayed(_run)(blob, *arrays, limits.memory) for blob, arrays in parts)

    return compute_on_dask


def _check(client: Any) -> None:
    ours = _made_with()
    for worker, theirs in client.run(_made_with).items():
        for name, value in ours.items():
            if theirs.get(name) != value:
                raise ConfigError(
                    f"worker {worker} has {name} {theirs.get(name)}, but this process has {value}:"
                    " install the same on both"
                )


def _made_with() -> dict[str, str]:
    packages = {name: version for name, version in versions().items() if name in COMPARED}
    return {"code": code_hash(), **packages}


def _run(
    blob: bytes,
    X: NumberArray,
    y: FloatArray,
    truth: FloatArray | None,
    memory: int | None,
) -> Record:
    # An estimator would otherwise give its own work to the scheduler.
    with parallel_config(backend="sequential"):
        return run_timed(joined(blob, (X, y, truth)), memory)
