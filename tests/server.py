"""A web server on the loopback interface that plays UCI's archive and OpenML."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

XML = 'xmlns:oml="http://openml.org/openml"'
UNKNOWN = f"<oml:error {XML}><oml:code>111</oml:code><oml:message>Unknown</oml:message></oml:error>"


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
        parquet_url = f"<oml:parquet_url>{other}</oml:parquet_url>" if parquet else ""
        checksum = hashlib.md5(arff.encode()).hexdigest()
        self.put(
            f"/api/v1/xml/data/{number}",
            f"<oml:data_set_description {XML}><oml:id>{number}</oml:id><oml:name>toy</oml:name>"
            f"<oml:version>{version}</oml:version><oml:description>none</oml:description>"
            f"<oml:format>ARFF</oml:format><oml:url>{url}</oml:url>{parquet_url}"
            f"<oml:md5_checksum>{checksum}</oml:md5_checksum>"
            "</oml:data_set_description>".encode(),
        )
        self.put(
            f"/api/v1/xml/data/features/{number}",
            f"<oml:data_features {XML}><oml:feature><oml:index>0</oml:index>"
            "<oml:name>target</oml:name><oml:data_type>nominal</oml:data_type>"
            "<oml:nominal_value>no</oml:nominal_value><oml:number_of_missing_values>0"
            "</oml:number_of_missing_values></oml:feature></oml:data_features>".encode(),
        )

    def put_task(self, number: int, dataset: int, splits: str) -> None:
        """Serve a task of a data set, with its splits as ARFF."""
        url = self.put(f"/splits/{number}.arff", splits.encode())
        self.put(
            f"/api/v1/xml/task/{number}",
            f"<oml:task {XML}><oml:task_id>{number}</oml:task_id><oml:task_type_id>1"
            "</oml:task_type_id><oml:task_type>Supervised Classification</oml:task_type>"
            '<oml:input name="source_data"><oml:data_set>'
            f"<oml:data_set_id>{dataset}</oml:data_set_id>"
            "<oml:target_feature>target</oml:target_feature></oml:data_set></oml:input>"
            '<oml:input name="estimation_procedure"><oml:estimation_procedure><oml:id>1</oml:id>'
            "<oml:type>crossvalidation</oml:type>"
            f"<oml:data_splits_url>{url}</oml:data_splits_url>"
            '<oml:parameter name="number_repeats">2</oml:parameter>'
            '<oml:parameter name="number_folds">3</oml:parameter></oml:estimation_procedure>'
            "</oml:input></oml:task>".encode(),
        )


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        owner: Server = self.server.owner  # type: ignore[attr-defined]
        path = self.path.partition("?")[0]
        content = owner.files.get(path, 404)
        if self.command == "GET":
            owner.asked[path] += 1
        is_api = path.startswith("/api/")
        status = 200 if isinstance(content, bytes) else 412 if is_api else content
        body = content if isinstance(content, bytes) else UNKNOWN.encode() if is_api else b""
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
