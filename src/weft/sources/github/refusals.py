"""What GitHub's refusals mean, in words for people and without secrets."""

from __future__ import annotations

import httpx
import msgspec
from githubkit.exception import GitHubException, RequestError, RequestFailed
from githubkit.response import Response

from weft.errors import GithubError
from weft.pipelines.fence import clean_line
from weft.sources.github.token import Token

NOT_REACHED = (httpx.ConnectError, httpx.ConnectTimeout)
"""Nothing was sent, so nothing was done."""


class Detail(msgspec.Struct, frozen=True):
    message: str = ""
    code: str = ""
    field: str = ""
    resource: str = ""


class Refused(msgspec.Struct, frozen=True):
    """The body of an answer that is no success."""

    message: str = ""
    errors: tuple[Detail | str, ...] = ()


def said_by(response: Response[object]) -> str:
    """All that the server said, in one line."""
    try:
        refused = msgspec.json.decode(response.content, type=Refused)
    except msgspec.MsgspecError:
        return ""
    return clean_line("; ".join([refused.message, *filter(None, map(_detail, refused.errors))]), 500)


def _detail(detail: Detail | str) -> str:
    if isinstance(detail, str):
        return detail
    return detail.message or " ".join(filter(None, (detail.resource, detail.field, detail.code)))


def refusal(error: GitHubException, method: str, url: str, token: Token) -> GithubError:
    """The error that the user sees."""
    asked = f"`{method} {httpx.URL(url).path}`"
    if isinstance(error, RequestFailed):
        status = error.response.status_code
        said = said_by(error.response) or error.response.reason_phrase or "nothing"
        message = f"GitHub answered {asked} with {status}: {said}"
        return GithubError(token.hidden_in(message), hint=_hint(status, said, token), status=status)
    cause = error.exc if isinstance(error, RequestError) else error
    host = httpx.URL(url).netloc.decode()
    said = clean_line(str(cause)) or type(cause).__name__
    return GithubError(token.hidden_in(f"GitHub at `{host}` did not answer {asked}: {said}"), hint=_NETWORK)


def _hint(status: int, said: str, token: Token) -> str | None:
    if status == httpx.codes.UNAUTHORIZED:
        return f"the token from {token.origin} is wrong or has expired: `gh auth login`, or set `GITHUB_TOKEN`"
    if status == httpx.codes.FORBIDDEN and "saml" in said.lower():
        return f"authorise the token from {token.origin} for the organisation's single sign-on"
    if status == httpx.codes.FORBIDDEN:
        return f"the token from {token.origin} needs the right to read and write issues, pull requests and contents"
    if status == httpx.codes.NOT_FOUND:
        return f"it does not exist, or the token from {token.origin} may not see it"
    return None


_NETWORK = "look at the network and at `issues.api_url`"
