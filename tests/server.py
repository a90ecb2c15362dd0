"""A web server on the loopback interface that speaks OpenML's API, and fails as it is told to.

It answers as www.openml.org does: descriptions, features and qualities as XML under
``/api/v1/xml/data``, ARFF files under ``/data/download``, parquet files from buckets, and errors as
XML with the status 412.
"""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import io
import os
import threading
from collections import Counter
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

PAGE = b"\n<!DOCTYPE html>\n<html><body><p>Sorry, please come back.<br></body></html>\n"
XML = 'xmlns:oml="http://openml.org/openml"'


@dataclasses.dataclass(frozen=True)
class Reply:
    """An answer, and how much of it is sent.

    All, half of the body, nothing, nothing in time, or ten bytes a second ("slowly").
    """

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    sent: str = "all"

    def but(self, **changes: Any) -> Reply:
        return dataclasses.replace(self, **changes)


def failure(status: int, body: bytes = PAGE) -> Reply:
    return Reply(body, status)


def openml_error(code: int, message: str, more: str = "") -> Reply:
    about = f"<oml:additional_information>{more}</oml:additional_information>" if more else ""
    return Reply(
        f"<oml:error {XML}>\n  <oml:code>{code}</oml:code>\n"
        f"  <oml:message>{message}</oml:message>\n  {about}\n</oml:error>\n".encode(),
        412,
    )


def redirect(to: str) -> Reply:
    return Reply(status=302, headers=(("Location", to),))


@dataclasses.dataclass(frozen=True)
class Table:
    """A small table as an ARFF file writes it; ``?`` is a missing value."""

    attributes: dict[str, str | Sequence[str]]
    rows: Sequence[Sequence[str]]

    def arff(self) -> bytes:
        lines = ["% made for a test", "@relation small"]
        for name, kind in self.attributes.items():
            written = kind if isinstance(kind, str) else f"{{{', '.join(kind)}}}"
            lines.append(f"@attribute '{name}' {written}")
        return "\n".join([*lines, "@data", *map(",".join, self.rows), ""]).encode()

    def features(self) -> bytes:
        items = []
        for j, (name, kind) in enumerate(self.attributes.items()):
            codes = () if isinstance(kind, str) else kind
            written = "".join(f"<oml:nominal_value>{c}</oml:nominal_value>" for c in codes)
            data_type = "nominal" if codes else "string" if kind == "string" else "numeric"
            items.append(
                f"<oml:feature><oml:index>{j}</oml:index><oml:name>{escape(name)}</oml:name>"
                f"<oml:data_type>{data_type}</oml:data_type>{written}"
                f"<oml:number_of_missing_values>{[r[j] for r in self.rows].count('?')}"
                "</oml:number_of_missing_values></oml:feature>"
            )
        return f"<oml:data_features {XML}>{''.join(items)}</oml:data_features>".encode()

    def qualities(self) -> bytes:
        counts = {"NumberOfFeatures": len(self.attributes), "NumberOfInstances": len(self.rows)}
        items = "".join(
            f"<oml:quality><oml:name>{name}</oml:name><oml:value>{value}.0</oml:value></oml:quality>"
            for name, value in counts.items()
        )
        return f"<oml:data_qualities {XML}>{items}</oml:data_qualities>".encode()

    def parquet(self) -> bytes:
        """Return what OpenML makes of the ARFF file: codes become categories."""
        import pandas as pd

        columns: dict[str, Any] = {}
        for (name, kind), values in zip(
            self.attributes.items(), zip(*self.rows, strict=True), strict=True
        ):
            known = [None if value == "?" else value for value in values]
            if kind == "string":
                columns[name] = known
            elif isinstance(kind, str):
                columns[name] = [None if value is None else float(value) for value in known]
            else:
                columns[name] = pd.Categorical(known, categories=list(kind))
        buffer = io.BytesIO()
        pd.DataFrame(columns).to_parquet(buffer)
        return buffer.getvalue()


class Server:
    """Serves what it was given, packed for the way where `packs`, and counts the requests."""

    def __init__(self) -> None:
        self.replies: dict[str, Reply] = {}
        self.scripts: dict[str, list[Reply]] = {}
        self.asked: Counter[str] = Counter()
        self.queries: list[str] = []
        self.packs = True
        self.closing = threading.Event()
        self._http = _HTTPServer(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def put(self, path: str, reply: Reply | bytes) -> str:
        """Serve a reply under a path from now on; return its address."""
        self.replies[path] = reply if isinstance(reply, Reply) else Reply(reply)
        return self.url + path

    def first(self, path: str, *replies: Reply) -> None:
        """Answer the next requests for a path so, before the reply that is there."""
        self.scripts[path] = [*replies]

    def put_openml(
        self, number: int, table: Table, *, version: int = 1, parquet: bool = False
    ) -> OpenMLPaths:
        """Serve a table as OpenML's data set of this number."""
        paths = OpenMLPaths(number)
        arff = table.arff()
        parquet_url = f"<oml:parquet_url>{self.url}{paths.parquet}</oml:parquet_url>"
        self.put(
            paths.description,
            f"<oml:data_set_description {XML}>\n  <oml:id>{number}</oml:id>\n"
            f"  <oml:name>small</oml:name>\n  <oml:version>{version}</oml:version>\n"
            f"  <oml:description>**Author**: nobody</oml:description>\n"
            f"  <oml:format>ARFF</oml:format>\n  <oml:url>{self.url}{paths.arff}</oml:url>\n"
            f"  {parquet_url * parquet}\n  <oml:file_id>9</oml:file_id>\n"
            f"  <oml:ignore_attribute>weight</oml:ignore_attribute>\n"
            f"  <oml:row_id_attribute>row</oml:row_id_attribute>\n"
            f"  <oml:status>active</oml:status>\n"
            f"  <oml:md5_checksum>{hashlib.md5(arff).hexdigest()}</oml:md5_checksum>\n"
            "</oml:data_set_description>\n".encode(),
        )
        self.put(paths.arff, arff)
        self.put(paths.features, table.features())
        self.put(paths.qualities, table.qualities())
        if parquet:
            self.put(paths.parquet, table.parquet())
        return paths

    def put_task(self, number: int, dataset: int, splits: str | None) -> str:
        """Serve a task of a data set with its splits as ARFF; return where these are."""
        path = f"/api_splits/get/{number}/Task_{number}_splits.arff"
        url = f"<oml:data_splits_url>{self.url}{path}</oml:data_splits_url>"
        procedure = (
            "<oml:estimation_procedure><oml:id>1</oml:id><oml:type>crossvalidation</oml:type>"
            f'{url}<oml:parameter name="number_repeats">1</oml:parameter>'
            '<oml:parameter name="number_folds">3</oml:parameter></oml:estimation_procedure>'
        )
        kind, estimated = (1, procedure) if splits is not None else (5, "")
        self.put(
            f"/api/v1/xml/task/{number}",
            f"<oml:task {XML}><oml:task_id>{number}</oml:task_id>"
            f"<oml:task_name>Task {number}</oml:task_name><oml:task_type_id>{kind}"
            "</oml:task_type_id><oml:task_type>Supervised Classification</oml:task_type>"
            '<oml:input name="source_data"><oml:data_set>'
            f"<oml:data_set_id>{dataset}</oml:data_set_id>"
            "<oml:target_feature>target</oml:target_feature></oml:data_set></oml:input>"
            f'<oml:input name="estimation_procedure">{estimated}</oml:input></oml:task>'.encode(),
        )
        if splits is not None:
            self.put(path, splits.encode())
        return path


def configure_openml(**settings: str) -> None:
    """Write a configuration of openml-python where it is looked for."""
    path = Path(os.environ["XDG_CONFIG_HOME"], "openml", "config")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{name} = {value}\n" for name, value in settings.items()))


@dataclasses.dataclass(frozen=True)
class OpenMLPaths:
    """Where on the server the parts of a data set are."""

    number: int

    @property
    def description(self) -> str:
        return f"/api/v1/xml/data/{self.number}"

    @property
    def features(self) -> str:
        return f"/api/v1/xml/data/features/{self.number}"

    @property
    def qualities(self) -> str:
        return f"/api/v1/xml/data/qualities/{self.number}"

    @property
    def arff(self) -> str:
        return f"/data/download/9/small_{self.number}.arff"

    @property
    def parquet(self) -> str:
        return f"/datasets/{self.number}/dataset_{self.number}.pq"


class _HTTPServer(ThreadingHTTPServer):
    owner: Server
    daemon_threads = False

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that went away."""


class _Handler(BaseHTTPRequestHandler):
    server: _HTTPServer

    def do_GET(self) -> None:
        owner = self.server.owner
        # A proxy is asked for whole addresses.
        path = urlsplit(self.path).path
        owner.queries.append(urlsplit(self.path).query)
        owner.asked[path] += 1
        script = owner.scripts.get(path)
        unknown = openml_error(111, "Unknown dataset", "not found in the database")
        absent = unknown if path.startswith("/api/") else failure(404)
        reply = script.pop(0) if script else owner.replies.get(path, absent)
        if reply.sent == "late":
            owner.closing.wait(10)
        if reply.sent in ("late", "nothing"):
            return
        body, headers = reply.body, [*reply.headers]
        if owner.packs and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body)
            headers.append(("Content-Encoding", "gzip"))
        self.send_response(reply.status)
        for header in (*headers, ("Content-Length", str(len(body)))):
            self.send_header(*header)
        self.end_headers()
        if self.command != "HEAD":
            if reply.sent == "slowly":
                for i in range(len(body)):
                    owner.closing.wait(0.1)
                    self.wfile.write(body[i : i + 1])
            else:
                self.wfile.write(body[: len(body) // 2] if reply.sent == "half" else body)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Print nothing."""
