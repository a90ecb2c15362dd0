"""A web server on the loopback interface that plays UCI's archive and OpenML."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


def tags(**values: object) -> str:
    """Return OpenML's elements with some contents."""
    return "".join(f"<oml:{name}>{value}</oml:{name}>" for name, value in values.items())


def document(name: str, content: str) -> bytes:
    return f'<oml:{name} xmlns:oml="http://openml.org/openml">{content}</oml:{name}>'.encode()


UNKNOWN = document("error", tags(code=111, message="Unknown"))


class Server:
    """Serves `files` by their path, and counts the requests; a number is the status of an error."""

    def __init__(self) -> None:
        self.files: dict[str, bytes | int] = {}
        self.asked: Counter[str] = Counter()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._http.owner = self  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def put(self, path: str, content: bytes | int) -> str:
        """Serve a file; return its address."""
        self.files[path] = content
        return self.url + path

    def put_openml(self, number: int, arff: str, *, parquet: bytes = b"", version: int = 1) -> None:
        """Serve a data set of OpenML, as parquet as well if that is given."""
        url = self.put(f"/data/download/{number}.arff", arff.encode())
        other = self.put(f"/datasets/{number}.pq", parquet)
        about = tags(id=number, name="toy", version=version, description="none", format="ARFF")
        about += tags(url=url, md5_checksum=hashlib.md5(arff.encode()).hexdigest())
        about += tags(parquet_url=other) if parquet else ""
        target = tags(index=0, name="target", data_type="nominal", nominal_value="no")
        feature = tags(feature=target + tags(number_of_missing_values=0))
        self.put(f"/api/v1/xml/data/{number}", document("data_set_description", about))
        self.put(f"/api/v1/xml/data/features/{number}", document("data_features", feature))

    def put_task(self, number: int, dataset: int, splits: str) -> None:
        """Serve a task of a data set, with its splits as ARFF."""
        url = self.put(f"/splits/{number}.arff", splits.encode())
        data = tags(data_set=tags(data_set_id=dataset, target_feature="target"))
        procedure = tags(id=1, type="crossvalidation", data_splits_url=url)
        for name, value in (("number_repeats", 2), ("number_folds", 3)):
            procedure += f'<oml:parameter name="{name}">{value}</oml:parameter>'
        procedure = tags(estimation_procedure=procedure)
        about = tags(task_id=number, task_type_id=1, task_type="Supervised Classification")
        for name, inputs in (("source_data", data), ("estimation_procedure", procedure)):
            about += f'<oml:input name="{name}">{inputs}</oml:input>'
        self.put(f"/api/v1/xml/task/{number}", document("task", about))


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        owner: Server = self.server.owner  # type: ignore[attr-defined]
        path = self.path.partition("?")[0]
        content = owner.files.get(path, 404)
        owner.asked[path] += self.command == "GET"
        status, body = (200, content) if isinstance(content, bytes) else (content, b"")
        if path.startswith("/api/") and not body:
            status, body = 412, UNKNOWN
        self.send_response(status)
        if "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"0"')
        self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Print nothing."""
