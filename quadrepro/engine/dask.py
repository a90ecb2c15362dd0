"""The workers of a Dask scheduler, on any number of machines."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from joblib import parallel_config

from quadrepro.engine.keys import PACKAGES
from quadrepro.engine.run import LostWorkersError
from quadrepro.errors import ConfigError

SECONDS_TO_CONNECT = 10
"""Time for a scheduler to answer."""


@contextmanager
def workers_of(scheduler: str | None) -> Iterator[None]:
    """Let joblib compute on the workers of a scheduler, if one is given by its address or file.

    Cells of a worker that is lost are computed by others. joblib computes in this process if the
    workers have only one thread in all.
    """
    if scheduler is None:
        yield
        return
    try:
        from distributed import CancelledError, Client, KilledWorker
        from distributed.comm import CommClosedError
    except ImportError:
        raise ConfigError("--dask needs Dask: pip install distributed") from None
    where = {"scheduler_file": scheduler} if Path(scheduler).is_file() else {"address": scheduler}
    try:
        client = Client(**where, timeout=SECONDS_TO_CONNECT)
        client.get_versions(check=True, packages=[*PACKAGES])
    except (OSError, ValueError) as error:
        raise ConfigError(f"the Dask scheduler {scheduler} cannot be used: {error}") from None
    # A lost scheduler is an error of ours, without its traceback.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    try:
        with client, parallel_config("dask"):
            yield
    except (CancelledError, CommClosedError, KilledWorker, LostWorkersError) as error:
        reason = str(error).partition("\n")[0]
        raise LostWorkersError(
            f"the Dask workers were lost ({reason}); run the same line again: finished cells are"
            " kept"
        ) from None
