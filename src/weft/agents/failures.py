"""Which class a failure has (AGENT-4), by the provider's status where it is known, else by the words."""

from __future__ import annotations

import re

from weft.model.phase import FailureClass

_BY_STATUS = {
    400: FailureClass.WORK,
    401: FailureClass.AUTH,
    402: FailureClass.BILLING,
    403: FailureClass.AUTH,
    404: FailureClass.WORK,
    408: FailureClass.TRANSIENT,
    409: FailureClass.TRANSIENT,
    413: FailureClass.WORK,
    422: FailureClass.WORK,
    425: FailureClass.TRANSIENT,
    429: FailureClass.RATE_LIMITED,
}

_WORDS: tuple[tuple[FailureClass, str], ...] = (
    # The first that fits: an account without money is told with a 429 as well.
    (FailureClass.BILLING, r"credit balance|insufficient_quota|billing|payment required|out of credits"),
    (FailureClass.QUOTA, r"usage limit|quota_exhausted|quota will reset|daily quota|limit reached.*reset"),
    (
        FailureClass.RATE_LIMITED,
        r"\b429\b|rate.?limit|too many requests|exceeded your current quota|resource_exhausted|quota increase",
    ),
    (
        FailureClass.AUTH,
        (
            r"\b40[13]\b|unauthori[sz]ed|unauthenticated|invalid api key|api key not valid|incorrect api key"
            r"|failed to authenticate|not logged in|please run /login|invalid auth method|missing environment variable"
            r"|must specify the \w*_api_key|oauth token|login required|permission_denied"
        ),
    ),
    (FailureClass.BAD_OUTPUT, r"empty response"),
    (
        FailureClass.TRANSIENT,
        (
            r"\b(408|5\d\d)\b|overloaded|at capacity|high demand|temporarily|try again (later|in a moment)|timed? ?out"
            r"|econn(refused|reset|aborted)|enotfound|eai_again|etimedout|epipe|fetch failed|socket hang up"
            r"|terminated\]|connection (failed|to the api was lost|error|reset|refused)|network error"
            r"|stream (disconnected|ended)"
            r"|malformed response|json parse error|incomplete json|is not valid json"
        ),
    ),
)
_COMPILED = tuple((kind, re.compile(words, re.IGNORECASE)) for kind, words in _WORDS)
_LOOKED_AT = 4000


def by_status(status: int | None) -> FailureClass | None:
    """The class of an HTTP status; None if it says nothing."""
    if status is None or not 400 <= status < 600:
        return None
    return _BY_STATUS.get(status, FailureClass.TRANSIENT if status >= 500 else FailureClass.WORK)


def by_words(words: str) -> FailureClass | None:
    """The class of what was said; None if nothing in it tells."""
    words = words[-_LOOKED_AT:]
    return next((kind for kind, pattern in _COMPILED if pattern.search(words)), None)


def classify(status: int | None, words: str) -> FailureClass:
    """Money and quotas are told by words alone; else the status counts before the words."""
    said = by_words(words)
    if said in (FailureClass.BILLING, FailureClass.QUOTA):
        return said
    return by_status(status) or said or FailureClass.WORK
