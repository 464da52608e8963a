"""One request: who asks, whether it is to fail, and the answer with the headers that GitHub sends."""

from __future__ import annotations

import hashlib
import json
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from tests.support.github_server import git_http
from tests.support.github_server.faults import Answer, DoneButFailed, Drop, Slow
from tests.support.github_server.paging import page_of
from tests.support.github_server.routes import Refused, answer
from tests.support.github_server.seen import Seen

if TYPE_CHECKING:
    from tests.support.github_server.server import GithubServer


class Handler(BaseHTTPRequestHandler):
    server: GithubServer
    protocol_version = "HTTP/1.1"
    sys_version = ""
    server_version = "github.test"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (as its base has it)
        pass

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_PATCH(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        body = self._body()
        if not parts.path.startswith("/api/"):
            self._git(parts.path, parts.query, body)
            return
        fault = self.server.fault_for(self.command, parts.path)
        if isinstance(fault, Slow):
            fault.asked.set()
            fault.go_on.wait()
        if isinstance(fault, Answer):
            self._send(fault.status, {"message": fault.message}, dict(fault.headers))
        elif isinstance(fault, Drop) and not fault.after:
            self._drop()
        else:
            status, content, headers = self._api(parts.path, dict(parse_qsl(parts.query)), body)
            if isinstance(fault, Drop):
                self._drop()
            elif isinstance(fault, DoneButFailed):
                self._send(fault.status, {"message": "Server Error"}, {})
            else:
                self._send(status, content, headers)

    def _api(self, path: str, query: dict[str, str], body: bytes) -> tuple[int, Any, dict[str, str]]:
        with self.server.lock:
            if not self.server.is_known(self.headers.get("Authorization", "")):
                return 401, {"message": "Bad credentials"}, {}
            if not self.server.limit.count(self.server.clock()):
                return 403, {"message": "API rate limit exceeded for user ID 1."}, {}
            try:
                sent = json.loads(body or b"{}")
                status, content = answer(self.command, path, query, sent, self.server.repos)
            except Refused as refused:
                return refused.status, refused.body, {}
            link = None
            if isinstance(content, list) and self.command == "GET":
                content, link = page_of(content, query, f"{self.server.url}{path}")
            return status, content, {"Link": link} if link else {}

    def _send(self, status: int, content: Any, headers: dict[str, str]) -> None:
        data = json.dumps(content).encode()
        if status == 200 and self.command == "GET":
            headers["ETag"] = f'W/"{hashlib.sha256(data).hexdigest()}"'
            if self.headers.get("If-None-Match") == headers["ETag"]:
                self.server.limit.give_back()
                status, data = 304, b""
        self._note(status)
        self._write(
            status, {"Content-Type": "application/json; charset=utf-8", **self.server.limit.headers(), **headers}, data
        )

    def _git(self, path: str, query: str, body: bytes) -> None:
        if not self.server.is_known(self.headers.get("Authorization", "")):
            self._note(401)
            self._write(401, {"WWW-Authenticate": 'Basic realm="GitHub"'}, b"")
            return
        fault = self.server.fault_for(self.command, path)
        if isinstance(fault, Answer):
            self._note(fault.status)
            self._write(fault.status, {}, fault.message.encode())
            return
        status, headers, content = git_http.serve(
            self.server.git_root, self.command, path, query, dict(self.headers.items()), body
        )
        self._note(status)
        self._write(status, headers, content)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "") == "chunked":
            return b"".join(iter(self._chunk, b""))
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _chunk(self) -> bytes:
        data = self.rfile.read(int(self.rfile.readline(), 16))
        self.rfile.readline()
        return data

    def _drop(self) -> None:
        self._note(0)
        self.close_connection = True

    def _note(self, status: int) -> None:
        parts = urlsplit(self.path)
        with self.server.lock:
            self.server.seen.append(Seen(self.command, parts.path, parts.query, status))

    def date_time_string(self, timestamp: float | None = None) -> str:
        return formatdate(self.server.clock() if timestamp is None else timestamp, usegmt=True)

    def _write(self, status: int, headers: dict[str, str], data: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
