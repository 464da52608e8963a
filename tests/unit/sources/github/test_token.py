"""Where the token comes from, and that it shows nowhere."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence

import pytest

from weft.errors import ProcessError, UsageError
from weft.processes import Completed
from weft.sources.github.credentials import git_credentials
from weft.sources.github.token import Token, find_token


class Gh:
    """A `gh` that answers so, and remembers what it was asked."""

    def __init__(self, status: int, stdout: bytes) -> None:
        self._done = Completed(status, stdout, b"")
        self.asked: list[tuple[str, ...]] = []

    async def __call__(self, argv: Sequence[str], environment: Mapping[str, str]) -> Completed:
        self.asked.append(tuple(argv))
        return self._done


async def test_the_first_there_is() -> None:
    """`GITHUB_TOKEN`, `GH_TOKEN`, then `gh auth token`; an empty variable counts as not set."""
    gh = Gh(0, b"from-gh\n")
    both = {"GITHUB_TOKEN": "one", "GH_TOKEN": "two"}
    assert (await find_token(both, run=gh)).reveal() == "one"
    assert (await find_token({**both, "GITHUB_TOKEN": " "}, run=gh)).reveal() == "two"
    assert gh.asked == []
    found = await find_token({}, run=gh)
    assert (found.reveal(), found.origin) == ("from-gh", "`gh auth token`")
    assert gh.asked == [("gh", "auth", "token", "--hostname", "github.com")]


async def test_gh_is_asked_for_the_right_host() -> None:
    """An Enterprise server has its own login."""
    gh = Gh(0, b"from-gh")
    await find_token({}, "https://ghe.example.com/api/v3", run=gh)
    assert gh.asked[0][-1] == "ghe.example.com"


async def test_none() -> None:
    """Exit 2 with what to do, whether `gh` says no or is not there."""

    async def no_gh(argv: Sequence[str], environment: Mapping[str, str]) -> Completed:
        raise ProcessError("`gh` is not installed")

    for run in (Gh(1, b""), no_gh):
        with pytest.raises(UsageError, match="no token for GitHub") as caught:
            await find_token({}, run=run)
        assert caught.value.hint is not None
        assert "gh auth login" in caught.value.hint


@pytest.mark.parametrize("odd", ["two words", "a\nHost: evil", "é", "x" * 3000])
async def test_what_is_no_token(odd: str) -> None:
    """SEC-3: a line break would be a header of its own; the value is not shown."""
    with pytest.raises(UsageError, match="from `GITHUB_TOKEN` holds") as caught:
        await find_token({"GITHUB_TOKEN": odd})
    assert odd not in caught.value.message


def test_it_does_not_show() -> None:
    """SEC-3: not when printed, not when pickled."""
    token = Token("s3cret", "`GH_TOKEN`")
    assert "s3cret" not in f"{token!r} {token} {[token]}"
    assert token.hidden_in("the s3cret is s3cret") == "the *** is ***"
    with pytest.raises(TypeError):
        pickle.dumps(token)


def test_credentials_are_for_one_address() -> None:
    """SEC-3: the header goes to that address alone; other ways of reaching a remote get none."""
    variables = git_credentials(Token("s3cret", "x"), "https://github.com/acme/shop.git")
    assert variables["GIT_CONFIG_COUNT"] == "3"
    assert variables["GIT_CONFIG_KEY_1"] == "http.https://github.com/acme/shop.git.extraHeader"
    assert "s3cret" not in str(variables)
    assert git_credentials(Token("s3cret", "x"), "git@github.com:acme/shop.git") == {}
