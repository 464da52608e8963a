"""GitHub for one repo: which it is, the token, what is read and written there. Imported only where it is used."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from weft.errors import UsageError
from weft.model.plan import PublishTo
from weft.ports import Clock
from weft.settings.environment import Environment
from weft.settings.sections import Issues
from weft.sources.comments import CommentsFrom
from weft.sources.github.answers import AnswersOnDisk
from weft.sources.github.client import Client
from weft.sources.github.credentials import git_credentials
from weft.sources.github.issues import GithubIssues
from weft.sources.github.pull_requests import (
    PullRequest,
    PullRequestAsk,
    ensure_pull_request,
    find_pull_request,
    find_pull_requests,
)
from weft.sources.github.reading import Reader
from weft.sources.github.repo import GithubRepo, repo_of, repo_of_remote
from weft.sources.github.rights import Rights, missing_rights, rights_of
from weft.sources.github.selection import Selection
from weft.sources.github.token import Token, find_token
from weft.sources.github.tracker import Tracker
from weft.workspaces.git import Git
from weft.workspaces.push import Push, ensure_pushed, push_url
from weft.workspaces.repository import Repository

ANSWERS = "github"
"""The folder of kept answers in the state folder."""


class Address:
    """Which repo on GitHub, and where its branches are pushed: asked before any agent begins."""

    def __init__(self, repo: GithubRepo, url: str) -> None:
        self.repo = repo
        self.push_url = push_url(url)


async def address_of(issues: Issues, repository: Repository) -> Address:
    """As settings say, else as the first remote on GitHub says; UsageError where neither does."""
    urls = [await repository.remote_url(name) for name in await repository.remotes()]
    remotes = [(found, url) for url in urls if (found := repo_of_remote(url, issues.api_url))]
    if issues.repo is not None:
        wanted = repo_of(issues.repo, issues.api_url)
        urls = [url for found, url in remotes if wanted.is_same(found.full_name)]
        return Address(wanted, urls[0] if urls else wanted.clone_url)
    if not remotes:
        raise UsageError(
            f"`{repository.facts.root}` has no remote on GitHub", hint='set `issues.repo = "owner/name"` in weft.toml'
        )
    return Address(*remotes[0])


def address_to(to: PublishTo) -> Address:
    """As a plan has it."""
    return Address(repo_of(to.repo, to.api_url), to.push_url)


class Github:
    """What Weft does there. Everything that writes is safe to repeat."""

    def __init__(self, address: Address, client: Client, token: Token, clock: Clock) -> None:
        self.address = address
        self.client = client
        self.tracker = Tracker(client, address.repo, clock)
        self._token = token
        self._clock = clock

    async def issues(self, selection: Selection, comments: CommentsFrom = CommentsFrom.WRITERS) -> GithubIssues:
        return await Reader(self.client, self.address.repo, comments).read(selection)

    async def push(
        self, git: Git, at: Path, branch: str, commit: str, environment: Environment, known: tuple[str, ...] = ()
    ) -> bool:
        """The branch is on the remote at this commit; False where it was already."""
        ask = Push(self.address.push_url, branch, commit, known)
        credentials = git_credentials(self._token, ask.url)
        return await ensure_pushed(git, at, ask, environment.variables, credentials)

    async def pull_request(self, ask: PullRequestAsk) -> PullRequest:
        """The branch's one open pull request; the branch must have been pushed."""
        return await ensure_pull_request(self.client, self.address.repo, self._clock, ask)

    async def open_pull_request(self, branch: str) -> PullRequest | None:
        return await find_pull_request(self.client, self.address.repo, branch)

    async def open_pull_requests(self, branches: Sequence[str]) -> dict[str, PullRequest]:
        """Of those branches that have one."""
        return await find_pull_requests(self.client, self.address.repo, branches)

    async def rights(self) -> Rights:
        return await rights_of(self.client, self.address.repo)

    async def missing_rights(self, rights: Rights) -> list[str]:
        """What the token may not and Weft needs."""
        return await missing_rights(self.client, self.address.repo, rights)

    @property
    def token_origin(self) -> str:
        """Where the token came from; never the token."""
        return self._token.origin


@asynccontextmanager
async def open_github(
    address: Address, environment: Environment, clock: Clock, say: Callable[[str], None]
) -> AsyncIterator[Github]:
    """With the token of the environment or of `gh`; UsageError where there is none. `say` is told of every wait."""
    token = await find_token(environment.variables, address.repo.api_url)
    answers = AnswersOnDisk(environment.state_folder / ANSWERS)
    async with Client(token, clock, api_url=address.repo.api_url, say=say, answers=answers) as client:
        yield Github(address, client, token, clock)
