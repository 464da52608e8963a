"""Agents get a clean environment (AGENT-7)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.agents.environment import agent_environment, session_environment
from weft.ports import SessionRequest

SECRETS = ("GITHUB_TOKEN", "GH_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "WEFT_FLEET_KEY", "WEFT_HOME")


def test_only_what_is_allowed_or_named_passes() -> None:
    """The allow-list, what settings name where it is set, and what Weft gives (AGENT-7)."""
    base = {"PATH": "/bin", "LC_ALL": "C", "XDG_CACHE_HOME": "/c", "https_proxy": "p", "MY_KEY": "k", "AWS_SECRET": "s"}
    found = agent_environment(base, ["MY_KEY", "NOT_SET"], {"WEFT_RUN": "r-1"})
    assert found == {name: value for name, value in base.items() if name != "AWS_SECRET"} | {"WEFT_RUN": "r-1"}


@pytest.mark.parametrize("name", SECRETS)
def test_wefts_own_secrets_never_pass(name: str) -> None:
    """Not even when settings name them (AGENT-7)."""
    assert agent_environment({name: "secret"}, [name], {}) == {}


@given(
    st.dictionaries(st.sampled_from([*SECRETS, "PATH", "HOME", "X", "Y"]), st.text()),
    st.lists(st.sampled_from([*SECRETS, "X"])),
)
def test_no_mixture_lets_a_secret_through(base: dict[str, str], named: list[str]) -> None:
    """What comes out is from the base, and none of it is Weft's own (AGENT-7)."""
    found = agent_environment(base, named, {})
    assert not set(found) & set(SECRETS)
    assert found.items() <= base.items()
    assert ("X" in found) == ("X" in base and "X" in named)


def test_a_session_knows_who_it_is(make_request: Callable[..., SessionRequest]) -> None:
    """Run, job key, phase, attempt, workspace and issue file are always there."""
    request = make_request(environment={"PATH": "/bin", "WEFT_JOB": "forged"})
    assert session_environment(request) == {
        "PATH": "/bin",
        "WEFT_RUN": "r-1",
        "WEFT_JOB": "shop#101",
        "WEFT_PHASE": "exec",
        "WEFT_ATTEMPT": "r-1/shop#101/exec/2",
        "WEFT_WORKDIR": str(request.workdir),
        "WEFT_ISSUE_FILE": str(request.issue_file),
        "WEFT_PROMPT_FILE": str(request.prompt_file),
    }
