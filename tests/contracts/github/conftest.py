"""A loopback server with one repo, and a client of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.git_repo import GitRepo
from tests.support.github_client import Visitor, repo_on
from tests.support.github_server import GithubServer, Repo

from weft.sources.github.repo import GithubRepo


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GithubServer]:
    with GithubServer(tmp_path) as server:
        yield server


@pytest.fixture
def shop(github: GithubServer) -> Repo:
    return github.repo("acme/shop")


@pytest.fixture
def repo(github: GithubServer) -> GithubRepo:
    return repo_on(github)


@pytest.fixture
async def visitor(github: GithubServer) -> AsyncIterator[Visitor]:
    visitor = Visitor(github)
    async with visitor.client:
        yield visitor


@pytest.fixture
def local(tmp_path: Path) -> GitRepo:
    """The user's clone."""
    return GitRepo(tmp_path / "shop", tmp_path / "home")
