"""The token for GitHub: from the environment or from `gh`; kept in memory alone, shown nowhere (SEC-3)."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from weft.errors import ProcessError, UsageError
from weft.processes import Completed, capture
from weft.sources.github.repo import PUBLIC_API

VARIABLES = ("GITHUB_TOKEN", "GH_TOKEN")
_FORM = re.compile(r"[\x21-\x7e]{1,2000}")
_TIMEOUT = 20.0
_HIDDEN = "***"

Run = Callable[[Sequence[str], Mapping[str, str]], Awaitable[Completed]]


class Token:
    """A secret that does not show itself: `reveal` is the one way to it."""

    __slots__ = ("_secret", "origin")

    def __init__(self, secret: str, origin: str) -> None:
        self._secret = secret
        self.origin = origin
        """The variable or the program that it came from."""

    def reveal(self) -> str:
        return self._secret

    def hidden_in(self, text: str) -> str:
        """`text` without the secret."""
        return text.replace(self._secret, _HIDDEN)

    def __repr__(self) -> str:
        return f"Token({_HIDDEN} from {self.origin})"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a token is not written anywhere")


async def find_token(environment: Mapping[str, str], api_url: str = PUBLIC_API, run: Run | None = None) -> Token:
    """The first there is; UsageError with what to do where there is none."""
    for name in VARIABLES:
        if environment.get(name, "").strip():
            return _checked(environment[name], f"`{name}`")
    said = await _asked_of_gh(environment, api_url, run or _run)
    if said:
        return _checked(said, "`gh auth token`")
    raise UsageError("no token for GitHub: neither `GITHUB_TOKEN`, `GH_TOKEN` nor `gh auth token` has one", hint=_HINT)


_HINT = "run `gh auth login`, or set `GITHUB_TOKEN` to a token that may write issues, pull requests and contents"


def _checked(text: str, origin: str) -> Token:
    """A token goes into a header: a line break in it would be a second header."""
    secret = text.strip()
    if not _FORM.fullmatch(secret):
        raise UsageError(f"the token for GitHub from {origin} holds spaces or characters that no token has")
    return Token(secret, origin)


async def _asked_of_gh(environment: Mapping[str, str], api_url: str, run: Run) -> str:
    try:
        done = await run(("gh", "auth", "token", "--hostname", _host(api_url)), environment)
    except (ProcessError, TimeoutError):
        return ""
    return done.stdout.decode(errors="replace").strip() if done.status == 0 else ""


async def _run(argv: Sequence[str], environment: Mapping[str, str]) -> Completed:
    return await capture(argv, cwd=Path("/"), env=environment, timeout=_TIMEOUT)


def _host(api_url: str) -> str:
    host = urlsplit(api_url).hostname or ""
    return "github.com" if api_url == PUBLIC_API else host
