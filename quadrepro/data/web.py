"""Files of UCI's archive and of mirrors, downloaded by pooch."""

from __future__ import annotations

import hashlib
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

import pandas as pd
import pooch
import requests

from quadrepro.data.files import read_file, read_idx
from quadrepro.data.source import WebSource
from quadrepro.errors import DataError, NoConnectionError

RETRIES = 2
"""Number of further attempts if a download fails."""


def download(source: WebSource, folder: Path) -> list[Path]:
    """Download the files of a source into a folder; a file that is there is not asked for again."""
    return [_download(file.url, file.hash, folder) for file in source.files]


def _download(url: str, known_hash: str | None, folder: Path) -> Path:
    # The hash makes the name unique; the end of the address shows how the file is packed.
    hashed = hashlib.sha256(url.encode()).hexdigest()[:8]
    name = f"{hashed}-{PurePosixPath(urlsplit(url).path).name}"
    store = pooch.create(
        folder, "", registry={name: known_hash}, urls={name: url}, retry_if_failed=RETRIES
    )
    pooch.get_logger().setLevel("WARNING")
    try:
        return Path(store.fetch(name, progressbar=sys.stderr.isatty()))
    except (OSError, ValueError) as error:
        raise failure(url, error) from error


def failure(subject: str, error: Exception) -> DataError:
    """Return the error for a download that failed, in one line."""
    if isinstance(error, requests.ConnectionError):
        return NoConnectionError(f"{subject}: no connection; is there a network?")
    said, _, _ = str(error).partition(" for url: ")
    reason = textwrap.shorten(said or type(error).__name__, 200)
    return DataError(f"{subject}: {reason}")


def read(source: WebSource, paths: Sequence[Path]) -> pd.DataFrame:
    """Return the rows of downloaded files, one file below the other."""
    if source.format == "idx":
        return read_idx(paths)
    frames = []
    for path, file in zip(paths, source.files, strict=True):
        frame = read_file(path, source, member=file.member)
        frames.append(frame.assign(**file.constants))
    if len(frames) == 1:
        return frames[0]
    rows = pd.concat(frames, ignore_index=True)
    return rows.set_index(pd.RangeIndex(1, len(rows) + 1, name="row"))
