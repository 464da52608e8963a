"""The environment of agents (AGENT-7): an allow-list, what settings name, and Weft's own variables.

The tokens Weft itself uses never get there, not even when settings name them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from weft.ports import SessionRequest

ALLOWED = frozenset(
    """
    PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM TMPDIR TZ
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
    SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS GIT_SSL_CAINFO
    """.split()  # noqa: SIM905 a list of 24 quoted names is harder to read
)
ALLOWED_PREFIXES = ("LC_", "XDG_")

_FORBIDDEN = frozenset({"GITHUB_TOKEN", "GH_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_ENTERPRISE_TOKEN"})
_FORBIDDEN_PREFIX = "WEFT_"


def agent_environment(base: Mapping[str, str], named: Iterable[str], given: Mapping[str, str]) -> dict[str, str]:
    """Of `base` what is allowed and what is `named`, where set; then `given`, which always goes in."""
    wanted = set(named)
    kept = {name: value for name, value in base.items() if (_allowed(name) or name in wanted) and not forbidden(name)}
    return kept | dict(given)


def forbidden(name: str) -> bool:
    """Whether agents never get it: Weft's tokens and its own settings."""
    return name in _FORBIDDEN or name.startswith(_FORBIDDEN_PREFIX)


def session_variables(request: SessionRequest) -> dict[str, str]:
    """What every agent is told of the session it is."""
    return {
        "WEFT_RUN": str(request.attempt.run),
        "WEFT_JOB": str(request.job.key),
        "WEFT_PHASE": request.phase.name,
        "WEFT_ATTEMPT": str(request.attempt),
        "WEFT_WORKDIR": str(request.workdir),
        "WEFT_ISSUE_FILE": str(request.issue_file),
        "WEFT_PROMPT_FILE": str(request.prompt_file),
    }


def session_environment(request: SessionRequest, own: Iterable[str] = ()) -> dict[str, str]:
    """`own`: names that the agent's program itself knows, its keys and folders."""
    named = [*own, *request.agent.env]
    return agent_environment(request.environment, named, session_variables(request))


def _allowed(name: str) -> bool:
    return name in ALLOWED or name.startswith(ALLOWED_PREFIXES)
