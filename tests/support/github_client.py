"""A client of the loopback server, on a clock that no test waits for."""

from __future__ import annotations

from tests.support.github_server import GithubServer

from weft.sources.github.answers import Answers
from weft.sources.github.client import Client
from weft.sources.github.repo import GithubRepo, repo_of
from weft.sources.github.token import Token


class LeapingClock:
    """Sleeping takes no time: the clock goes on, for the server too."""

    def __init__(self) -> None:
        self.time = 1_700_000_000.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        if seconds > 0:
            self.slept.append(seconds)
            self.time += seconds


class Visitor:
    """What a test of the client needs: the clock, what was said, and the client."""

    def __init__(self, server: GithubServer, *, token: str | None = None, answers: Answers | None = None) -> None:
        self.clock = LeapingClock()
        server.clock = self.clock.now
        self.said: list[str] = []
        self.token = Token(token or server.token, "`GITHUB_TOKEN`")
        self.client = Client(self.token, self.clock, api_url=server.api_url, say=self.said.append, answers=answers)


def repo_on(server: GithubServer, full_name: str = "acme/shop") -> GithubRepo:
    return repo_of(full_name, server.api_url)
