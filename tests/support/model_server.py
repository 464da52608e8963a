"""A model server on loopback for the real agent CLIs. Each test has an address of its own and says what the model does.

with ModelServer() as server:
    address = server.serve(script(Write("a.txt", "hello"), Say("done")))
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from tests.support.model_answers import Cut, Fail, Garbage, Hang, Model, Reply, Say, Turn
from tests.support.model_protocols import WIRES, Wire


class Served:
    """One address: what is asked there is answered by one model, and kept."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.turns: list[Turn] = []
        self._lock = threading.Lock()

    def ask(self, wire: Wire, body: dict[str, Any]) -> Reply:
        with self._lock:
            turn = Turn(wire.prompt(body), wire.results(body), len(self.turns) + 1, body)
            self.turns.append(turn)
        return self.model(turn)


class ModelServer:
    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, name="model server", daemon=True)

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def serve(self, model: Model) -> str:
        """The address under which this model answers, whichever provider's way it is asked."""
        key = f"m{len(self._server.served)}"
        self._server.served[key] = Served(model)
        return f"http://127.0.0.1:{self._server.server_port}/{key}"

    def turns(self, address: str) -> list[Turn]:
        """What was asked there, in order."""
        return self._server.served[address.rsplit("/", 1)[1]].turns

    @property
    def strangers(self) -> list[str]:
        """Requests to no model's address: what an agent should not have asked for."""
        return self._server.strangers


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self.served: dict[str, Served] = {}
        self.strangers: list[str] = []
        self.closing = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (as its base has it)
        pass

    def do_GET(self) -> None:
        self.server.strangers.append(self.path)
        self._send(404, b"{}", "application/json")

    def do_POST(self) -> None:
        path = urlsplit(self.path).path
        served = self.server.served.get(path.split("/")[1])
        wire = next((wire for wire in WIRES if wire.fits(path)), None)
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        if served is None or wire is None:
            self.server.strangers.append(self.path)
            self._send(404, b"{}", "application/json")
        else:
            reply = Say("A title") if wire.is_aside(body) else served.ask(wire, body)
            self._answer(wire, reply, body)

    def _answer(self, wire: Wire, reply: Reply, body: dict[str, Any]) -> None:
        match reply:
            case Fail():
                error = json.dumps(wire.error(reply)).encode()
                self._send(reply.status, error, "application/json", reply.headers)
            case Garbage():
                self._send(200, b"<html><body>Please log in</body></html>", "text/html")
            case Hang():
                self._wait_until_gone()
            case Cut():
                pieces = list(wire.events(Say("never to be said to the end"), body))
                self._stream(pieces[: len(pieces) // 2], whole=False)
            case _:
                at_once = wire.whole(reply, body)
                if at_once is None:
                    self._stream(list(wire.events(reply, body)), whole=True)
                else:
                    self._send(200, json.dumps(at_once).encode(), "application/json")

    def _send(self, status: int, data: bytes, kind: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(data))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, pieces: list[bytes], *, whole: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        if whole:
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = not whole

    def _wait_until_gone(self) -> None:
        """A byte, or the end, comes when the other side has given up."""
        self.connection.settimeout(0.2)
        while not self.server.closing.is_set():
            try:
                if not self.connection.recv(1):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        self.close_connection = True
