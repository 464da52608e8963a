"""The server itself: tokens, limits, faults, ETags and pages around the routes."""

from __future__ import annotations

import hashlib
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.support.github_server.bare_repo import BareRepo
from tests.support.github_server.faults import Fault, What
from tests.support.github_server.handler import Handler
from tests.support.github_server.limits import RateLimit
from tests.support.github_server.seen import Seen
from tests.support.github_server.world import Repo

TOKEN = "ghs_" + hashlib.sha256(b"a token for tests").hexdigest()[:36]


class GithubServer(ThreadingHTTPServer):
    """An Enterprise server in its addresses: the API is below `/api/v3`, git beside it."""

    daemon_threads = True

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.token = TOKEN
        self.clock = clock
        self.limit = RateLimit()
        self.faults: list[Fault] = []
        self.seen: list[Seen] = []
        self.repos: dict[str, Repo] = {}
        self.lock = threading.RLock()
        self.git_root = folder / "github"
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), name="github server", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def api_url(self) -> str:
        return f"{self.url}/api/v3"

    def repo(self, full_name: str) -> Repo:
        owner, _, name = full_name.partition("/")
        made = Repo(owner, name, BareRepo(self.git_root / owner / f"{name}.git"), self.url)
        self.repos[full_name.lower()] = made
        return made

    def fail(self, what: What, method: str = "", path: str = "", *, times: int = 1, skip: int = 0) -> None:
        with self.lock:
            self.faults.append(Fault(what, method, path, skip, times))

    def fault_for(self, method: str, path: str) -> What | None:
        with self.lock:
            return next((fault.what for fault in self.faults if fault.meets(method, path)), None)

    def asked(self, method: str = "", path: str = "") -> list[Seen]:
        """API requests so far, git's left out."""
        with self.lock:
            return [
                seen
                for seen in self.seen
                if seen.path.startswith("/api/") and method in ("", seen.method) and path in seen.path
            ]

    def is_known(self, authorization: str) -> bool:
        basic = b64encode(f"x-access-token:{self.token}".encode()).decode()
        return authorization in (f"token {self.token}", f"Bearer {self.token}", f"Basic {basic}")

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error."""

    def __enter__(self) -> GithubServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()
