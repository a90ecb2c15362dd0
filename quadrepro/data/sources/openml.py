"""Data sets and tasks of OpenML, by its REST interface.

The user's configuration of openml-python applies, and its cache is shared.
"""

from __future__ import annotations

import configparser
import contextlib
import os
import re
import shutil
import tempfile
import textwrap
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar
from urllib.parse import urlsplit

import numpy as np
import requests
from numpy.typing import NDArray

from quadrepro.base.types import IntArray
from quadrepro.data.cache import TEST, TRAIN
from quadrepro.data.canonical import Column, Frame, is_text, text_column
from quadrepro.data.sources import web
from quadrepro.data.sources.formats import parquet, read_arff, refuse_bytes, text_of, unpack
from quadrepro.data.sources.schema import OpenMLSource
from quadrepro.errors import DataError

# https://github.com/openml/OpenML, pre.php: "Unknown dataset", "Unknown task".
_UNKNOWN = {"111": "no such data set", "151": "no such task"}
_DATABASE_IS_BUSY = "107"

_TRUTHS = {"true", "false", ""}

_OML = "{http://openml.org/openml}"

T = TypeVar("T")


def read(source: OpenMLSource) -> Frame:
    """Return a data set of OpenML, from openml-python's cache or else from the server."""
    origin = f"OpenML {source.id}"
    with _Client(origin) as client:
        folder = client.cache / "datasets" / str(source.id)
        try:
            about = client.description(f"data/{source.id}", folder / "description.xml")
            frame = _rows(client, about, folder)
        except DataError:
            # A description may be older than the file that it describes.
            shutil.rmtree(folder, ignore_errors=True)
            raise
    version = about.findtext(f"{_OML}version")
    if source.version is not None and version != str(source.version):
        raise DataError(
            f"{origin}: version {version} at OpenML, but version {source.version} in the card"
        )
    return Frame(tuple(map(_truths, frame.columns)), origin, frame.names, frame.lines)


def _rows(client: _Client, about: ET.Element, folder: Path) -> Frame:
    origin = client.origin
    url = about.findtext(f"{_OML}parquet_url")
    if url and os.environ.get("OPENML_SKIP_PARQUET", "").lower() != "true":
        # OpenML has every data set as ARFF, but not always as parquet.
        with contextlib.suppress(DataError):
            path = folder / f"dataset_{folder.name}.pq"
            return client.parsed(url, path, lambda content: parquet(content, origin))
    url, md5 = about.findtext(f"{_OML}url"), about.findtext(f"{_OML}md5_checksum")
    if not url:
        raise DataError(f"{origin}: the server has no file of this data set")
    known = f"md5:{md5}" if md5 else None
    return client.parsed(url, folder / "dataset.arff", client.arff, known)


def _truths(column: Column) -> Column:
    """Return a column with True and False as openml-python writes them, if it has nothing else."""
    texts = column.tolist()
    if not is_text(column) or not {text.lower() for text in {*texts}} <= _TRUTHS:
        return column
    return text_column(text.capitalize() for text in texts)


class _Client(web.Client):
    """Downloads what a server of OpenML has, with the settings of openml-python."""

    def __init__(self, origin: str) -> None:
        path = Path(os.environ.get("XDG_CONFIG_HOME", "~/.config"), "openml", "config").expanduser()
        parser = configparser.RawConfigParser(
            {
                "server": "https://www.openml.org/api/v1/xml",
                "apikey": "",
                "cachedir": str(Path(os.environ.get("XDG_CACHE_HOME", "~/.cache"), "openml")),
                "connection_n_retries": str(web.TRIES),
            }
        )
        try:
            written = path.read_text(encoding="utf-8") if path.is_file() else ""
            parser.read_string(f"[openml]\n{written}")
            settings = parser["openml"]
            tries = int(settings["connection_n_retries"])
        except (OSError, ValueError, configparser.Error) as error:
            reason = textwrap.shorten(str(error), 200)
            raise DataError(f"{path}: not a configuration of openml-python: {reason}") from error
        super().__init__(origin, tries=min(max(tries, 1), web.TRIES))
        self.server, self.key = settings["server"].rstrip("/"), settings["apikey"]
        # The folder of www.openml.org is org/openml/www.
        host = urlsplit(self.server).netloc.split(".")[::-1]
        root = os.environ.get("OPENML_CACHE_DIR", settings["cachedir"])
        self.cache = Path(root, *host).expanduser()

    def description(self, what: str, path: Path) -> ET.Element:
        """Return the server's description of a data set or a task."""
        return self.parsed(f"{self.server}/{what}", path, self._xml)

    def arff(self, content: bytes) -> Frame:
        """Return the rows of an ARFF file."""
        return read_arff(text_of(content, self.origin), self.origin)

    def parsed(
        self, url: str, path: Path, parse: Callable[[bytes], T], known: str | None = None
    ) -> T:
        """Return the content of a file, from the cache or else from the server."""
        known_host = urlsplit(url).netloc == urlsplit(self.server).netloc
        query = {"api_key": self.key} if self.key and known_host else None
        self.fetch(url, path, known, query)
        try:
            return parse(unpack(path)[1])
        except DataError:
            # The file in the cache may be damaged.
            with contextlib.suppress(OSError):
                path.unlink()
        self.fetch(url, path, known, query)
        return parse(unpack(path)[1])

    def refusal(self, answer: requests.Response) -> tuple[str, bool]:
        """Return the server's message of an error, and whether the error may be temporary."""
        with contextlib.suppress(DataError):
            error = self._xml(next(answer.iter_content(1 << 16), b""))
            code, message, more = (
                textwrap.shorten(error.findtext(f"{_OML}{name}") or "", 200)
                for name in ("code", "message", "additional_information")
            )
            if error.tag == f"{_OML}error":
                said = f"{message} - {more}" if more else message
                words = _UNKNOWN.get(code, "the server refuses it")
                return f"{words} (server says: {said})", code == _DATABASE_IS_BUSY
        return super().refusal(answer)

    def _xml(self, content: bytes) -> ET.Element:
        try:
            root = ET.fromstring(content, ET.XMLParser(target=_WithoutEntities()))
        except (ET.ParseError, ValueError, LookupError) as error:
            raise DataError(f"{self.place}: the XML that arrived is damaged ({error})") from error
        if not root.tag.startswith(_OML):
            raise DataError(f"{self.place}: the XML that arrived is not of OpenML ({root.tag})")
        return root


class _WithoutEntities(ET.TreeBuilder):
    """Refuses a document that declares entities, which could be expanded without end."""

    def doctype(self, *_: object) -> NoReturn:
        """Refuse the declaration."""
        raise ValueError("it has a DOCTYPE")


def read_task(number: int) -> tuple[int, Frame]:
    """Return the data set of a task, and the rows that each split trains and tests on."""
    origin = f"OpenML task {number}"
    # quadrepro keeps the splits itself, for its own order of the rows.
    with _Client(origin) as client, tempfile.TemporaryDirectory() as folder:
        about = client.description(f"task/{number}", Path(folder, "task.xml"))
        dataset = about.findtext(f".//{_OML}data_set_id") or ""
        url = about.findtext(f".//{_OML}data_splits_url")
        if not url or not re.fullmatch(r"\d{1,9}", dataset):
            raise DataError(f"{origin} has no splits")
        lines = client.parsed(url, Path(folder, "splits.arff"), client.arff)
    return int(dataset), lines


def splits(frame: Frame, n_rows: int) -> NDArray[np.uint8]:
    """Return what each split of a task makes of each row."""
    columns = dict(zip(frame.names or (), frame.columns, strict=True))
    if lacking := {"type", "rowid", "repeat", "fold"} - set(columns):
        raise DataError(f"{frame.origin}: the splits lack the column {min(lacking)}")
    row, repeat, fold = (_whole(frame, columns[name]) for name in ("rowid", "repeat", "fold"))
    if "sample" in columns and _whole(frame, columns["sample"]).any():
        raise DataError(f"{frame.origin} trains on samples of growing size, which is not a split")
    if row.max() >= n_rows:
        raise DataError(f"{frame.origin} divides row {row.max()}, but there are {n_rows} rows")
    n_folds, n_repeats = int(fold.max()) + 1, int(repeat.max()) + 1
    refuse_bytes(n_rows * n_repeats * n_folds, f"{frame.origin}: the table of splits")
    found = np.zeros((n_rows, n_repeats * n_folds), dtype=np.uint8)
    place = row, repeat * n_folds + fold
    tested = columns["type"] == "TEST"
    for kind, of_kind in ((TRAIN, ~tested), (TEST, tested)):
        at = place[0][of_kind], place[1][of_kind]
        if found[at].any():
            raise DataError(f"{frame.origin} both trains and tests on a row")
        found[at] = kind
    if not ((found == TRAIN).any(axis=0) & (found == TEST).any(axis=0)).all():
        raise DataError(f"{frame.origin} has a split without training or test rows")
    return found


def _whole(frame: Frame, column: object) -> IntArray:
    values = np.asarray(column)
    if values.dtype.kind != "f" or not (values == np.rint(values)).all() or (values < 0).any():
        raise DataError(
            f"{frame.origin}: the splits have a row, repeat or fold that is not a number"
        )
    if (values >= 2**31).any():
        raise DataError(f"{frame.origin}: the splits have a row, repeat or fold that is too large")
    return values.astype(np.intp)
