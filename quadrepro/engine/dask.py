"""The workers of a Dask scheduler, on any number of machines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from joblib import parallel_config

from quadrepro.engine.keys import PACKAGES
from quadrepro.errors import ConfigError, QuadreproError

SECONDS_TO_CONNECT = 10
"""Time for a scheduler to answer."""


@contextmanager
def workers_of(scheduler: str | None) -> Iterator[None]:
    """Let joblib compute on the workers of a scheduler, if one is given by its address or file."""
    if scheduler is None:
        yield
        return
    try:
        from distributed import CancelledError, Client, KilledWorker
    except ImportError:
        raise ConfigError("--dask needs Dask: pip install 'quadrepro[dask]'") from None
    where = {"scheduler_file": scheduler} if Path(scheduler).is_file() else {"address": scheduler}
    try:
        client = Client(**where, timeout=SECONDS_TO_CONNECT)
        client.get_versions(check=True, packages=[*PACKAGES])
    except (OSError, ValueError) as error:
        raise ConfigError(f"the Dask scheduler {scheduler} cannot be used: {error}") from None
    try:
        with client, parallel_config("dask"):
            yield
    except (CancelledError, KilledWorker, OSError) as error:
        raise QuadreproError(
            f"the Dask workers were lost ({error}); finished cells are kept, so run it again"
        ) from None
