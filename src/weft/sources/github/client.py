"""Requests to GitHub's API: limits are waited out, faults are tried again, and every request is counted."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any

import httpx
import msgspec
from githubkit import GitHub, TokenAuthStrategy
from githubkit.exception import GitHubException, RequestError, RequestFailed
from githubkit.response import Response
from githubkit.throttling import LocalThrottler

from weft.errors import GithubError
from weft.ports import Clock
from weft.sources.github.answers import Answer, Answers, AnswersInMemory
from weft.sources.github.refusals import NOT_REACHED, refusal, said_by
from weft.sources.github.repo import PUBLIC_API
from weft.sources.github.token import Token
from weft.sources.github.waits import Reason, Wait, back_off, used_up, wait_after
from weft.version import __version__

PER_PAGE = 100
_BETWEEN_WRITES = 1.0
"""Seconds; GitHub asks for as much between changes, one at a time."""
_SAME = 2.0
"""Seconds by which two refusals of one limit may differ."""
_AT_ONCE = 8
"""GitHub asks for few requests at the same time."""
_NEXT = re.compile(r'<([^<>]+)>;\s*rel="next"')
_TIMEOUT = httpx.Timeout(30.0, connect=10.0)
_API_VERSION = "2022-11-28"
"""Known to GitHub and to Enterprise servers of the last years; older ones take no notice."""

Query = Mapping[str, str | int]


class UnclearError(GithubError):
    """No answer came to a request that must not be made twice: it may have been carried out."""


class Client:
    """One per API; used as a context manager. Tells of waits through `say`."""

    def __init__(
        self,
        token: Token,
        clock: Clock,
        *,
        api_url: str = PUBLIC_API,
        say: Callable[[str], None] = lambda text: None,
        answers: Answers | None = None,
    ) -> None:
        self.calls = 0
        """Requests made so far, those for which nothing had changed and those made again included."""
        self.unchanged = 0
        """How many of them GitHub answered with "not modified", which are free."""
        self._token = token
        self._clock = clock
        self._say = say
        self._answers = answers or AnswersInMemory()
        self._wire = _Wire(token, api_url, self._counted)
        self._closed_until = 0.0
        self._closed_by: Wait | None = None
        """Why, as long as nobody was told."""
        self._writing = asyncio.Lock()
        self._next_write = 0.0

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._wire.close()

    async def get(self, path: str, query: Query | None = None) -> bytes:
        return (await self._read(self._wire.url(path, query or {}))).body

    async def pages(self, path: str, query: Query | None = None) -> AsyncIterator[bytes]:
        """Every page of a list, one after the other."""
        url: str | None = self._wire.url(path, {**(query or {}), "per_page": PER_PAGE})
        read: set[str] = set()
        while url and url not in read:
            read.add(url)
            answer = await self._read(url)
            yield answer.body
            url = self._wire.own(_next_of(answer.link))

    async def send(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, *, repeat: bool = True
    ) -> bytes:
        """Change something. `repeat=False`: not made twice, but UnclearError where it is not known whether it was."""
        async with self._writing:
            await self._clock.sleep(max(self._next_write - self._clock.now(), 0.0))
            self._next_write = self._clock.now() + _BETWEEN_WRITES
            return (await self._ask(method, self._wire.url(path, {}), body=body, repeat=repeat)).content

    async def _read(self, url: str) -> Answer:
        kept = await self._answers.get(url)
        response = await self._ask("GET", url, headers={"If-None-Match": kept.etag} if kept else {})
        if kept and response.status_code == httpx.codes.NOT_MODIFIED:
            self.unchanged += 1
            return kept
        answer = Answer(response.headers.get("etag", ""), response.content, response.headers.get("link"))
        if answer.etag:
            await self._answers.put(url, answer)
        return answer

    async def _ask(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        repeat: bool = True,
    ) -> Response[Any]:
        tries = 0
        while True:
            await self._turn()
            tries += 1
            try:
                response = await self._wire.arequest(method, url, headers=dict(headers or {}), json=body)
            except GitHubException as error:
                await self._mind(error, method, url, tries, repeat=repeat)
            else:
                self._close(used_up(response.headers, self._clock.now()))
                return response

    async def _mind(self, error: GitHubException, method: str, url: str, tries: int, *, repeat: bool) -> None:
        """Wait until it makes sense to ask again, or raise what the user is to know. The library's own error holds the
        request with its headers, so it goes no further.
        """
        wait = self._wait_after(error, tries)
        told = refusal(error, method, url, self._token)
        if wait and not wait.is_limit and not repeat and not isinstance(_cause(error), NOT_REACHED):
            raise UnclearError(told.message, hint=told.hint, status=told.status) from None
        if wait is None:
            raise told from None
        if wait.is_limit:
            self._close(wait)
        else:
            self._say(str(wait))
            await self._clock.sleep(wait.seconds)

    def _wait_after(self, error: GitHubException, tries: int) -> Wait | None:
        if isinstance(error, RequestFailed):
            response = error.response
            return wait_after(response.status_code, response.headers, said_by(response), self._clock.now(), tries)
        return back_off(tries, Reason.NETWORK) if isinstance(_cause(error), httpx.TransportError) else None

    async def _turn(self) -> None:
        """While a limit holds, nobody asks: that would make it longer. The first who waits tells of it."""
        while (left := self._closed_until - self._clock.now()) > 0:
            if self._closed_by:
                self._say(str(Wait(left, self._closed_by.reason)))
                self._closed_by = None
            await self._clock.sleep(left)

    def _close(self, wait: Wait | None) -> None:
        until = self._clock.now() + wait.seconds if wait else 0.0
        if until > self._closed_until + _SAME:
            self._closed_until, self._closed_by = until, wait

    async def _counted(self, request: httpx.Request) -> None:
        self.calls += 1


class _Wire(GitHub[TokenAuthStrategy]):
    """githubkit with one connection pool for all tasks; it would make one for each that it does not know."""

    def __init__(self, token: Token, api_url: str, counted: Callable[[httpx.Request], Any]) -> None:
        super().__init__(
            TokenAuthStrategy(token.reveal()),
            base_url=api_url,
            user_agent=f"weft/{__version__}",
            timeout=_TIMEOUT,
            http_cache=False,
            auto_retry=False,
            throttler=LocalThrottler(_AT_ONCE),
            async_event_hooks={"request": [counted]},
        )
        self._client: httpx.AsyncClient | None = None

    @asynccontextmanager
    async def get_async_client(self) -> AsyncGenerator[httpx.AsyncClient, None]:
        if self._client is None:
            self._client = await self._create_async_client()
            self._client.headers["X-GitHub-Api-Version"] = _API_VERSION
        yield self._client

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    def url(self, path: str, query: Query) -> str:
        """The whole address, which is also what answers are kept by."""
        base = str(self.config.base_url).rstrip("/")
        return str(httpx.URL(f"{base}{path}", params=dict(sorted(query.items())))) if query else f"{base}{path}"

    def own(self, url: str | None) -> str | None:
        """An address that the server gave; the token goes to no other server."""
        base = self.config.base_url
        if url is not None and (found := httpx.URL(url)) and (found.scheme, found.netloc) != (base.scheme, base.netloc):
            raise GithubError(f"GitHub's next page is on another server: `{found.host}`")
        return url


def _next_of(link: str | None) -> str | None:
    match = _NEXT.search(link or "")
    return match[1] if match else None


def _cause(error: GitHubException) -> Exception | None:
    return error.exc if isinstance(error, RequestError) else None


def decoded(body: bytes, kind: type[Any], what: str) -> Any:
    """What was asked for, of the shape that GitHub describes; no more than Weft needs is looked at."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as error:
        raise GithubError(f"GitHub's answer for {what} is not what its documentation says: {error}") from None
