"""A webhook on loopback: keeps what it was posted, and answers as the test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[int], int | None]
"""The status for the n-th request, from 1; None: no answer at all."""


class Hook:
    def __init__(self, address: str) -> None:
        self.url = f"{address}/services/s3cret-path"
        self.bodies: list[dict[str, Any]] = []
        self.released = threading.Event()

    def events(self) -> list[str]:
        return [body["event"] for body in self.bodies]


@contextmanager
def hook_server(answer: Answer = lambda number: 204) -> Iterator[Hook]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            assert self.headers["Content-Type"] == "application/json"
            hook.bodies.append(json.loads(self.rfile.read(length)))
            status = answer(len(hook.bodies))
            if status is None:
                hook.released.wait(60)
                return
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (as the base has it)
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hook = Hook(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield hook
    finally:
        hook.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
