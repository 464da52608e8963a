"""GitHub before a run: issues are read, pull requests looked up, where new ones go is settled; nothing is written."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from weft.assembly.ground import Ground
from weft.errors import UsageError
from weft.model.job import PullRequestRef
from weft.model.plan import PublishTo
from weft.ports import Issue, Say
from weft.settings.environment import Environment
from weft.settings.kinds import IssueOrigin, MergeMode
from weft.settings.load import Loaded
from weft.sources.reference import InRepo, Numbered, parse_reference

if TYPE_CHECKING:  # its client takes long to load
    from weft.assembly.github import Github
    from weft.sources.github.issues import GithubIssues


class IssueSearch(msgspec.Struct, frozen=True):
    """Issues that are not named one by one."""

    labels: tuple[str, ...] = ()
    milestone: str | None = None
    limit: int | None = None

    @property
    def asked(self) -> bool:
        return bool(self.labels) or self.milestone is not None

    def found_in(self, issues: Sequence[Issue]) -> list[Issue]:
        """The open ones that meet it, for sources that have all issues at hand."""
        wanted = set(self.labels)
        found = [
            issue
            for issue in issues
            if not issue.closed
            and wanted <= set(issue.labels)
            and (self.milestone is None or issue.milestone == self.milestone)
        ]
        return found[: self.limit]


@asynccontextmanager
async def github_for(
    ground: Ground, environment: Environment, say: Say, merge: MergeMode
) -> AsyncIterator[Github | None]:
    """A door to GitHub, where issues come from there or pull requests go there; else None."""
    from_github = ground.loaded.settings.issues.source is IssueOrigin.GITHUB
    if not from_github and merge is not MergeMode.PR:
        yield None
        return
    from weft.assembly.github import address_of, open_github
    from weft.engine.clock import SteadyClock

    address = await address_of(ground.loaded.settings.issues, ground.repository)
    async with open_github(address, environment, SteadyClock(0.0), say) as hub:
        yield hub


async def merge_mode(loaded: Loaded, ground: Ground) -> MergeMode:
    """As settings say; by default pull requests where issues come from GitHub and there is a remote."""
    settings = loaded.settings
    if settings.run.merge is not None:
        return settings.run.merge
    if settings.issues.source is not IssueOrigin.GITHUB:
        return MergeMode.NONE
    return MergeMode.PR if await ground.repository.remotes() else MergeMode.NONE


async def read_named(
    hub: Github, ground: Ground, references: Sequence[str], search: IssueSearch, environment: Environment
) -> tuple[Ground, GithubIssues]:
    """The ground with all issues that were asked for, and what they depend on."""
    from weft.sources.github.selection import Selection

    parsed = [parse_reference(written, environment.folder) for written in references]
    numbers = [
        int(one.id)
        for one in parsed
        if isinstance(one, Numbered) or (isinstance(one, InRepo) and _is_meant(one.repo, hub, ground))
    ]
    selection = Selection(tuple(numbers), search.labels, search.milestone, search.limit)
    read = await hub.issues(selection, ground.loaded.settings.issues.comments)
    return msgspec.structs.replace(ground, source=read, full_name=hub.address.repo.full_name), read


def _is_meant(repo: str, hub: Github, ground: Ground) -> bool:
    own = hub.address.repo
    return own.is_same(repo) or repo.rpartition("/")[2] in (ground.name, own.name)


async def publish_to(hub: Github, ground: Ground, loaded: Loaded) -> PublishTo:
    """Where pull requests of the repo go; a template that cannot be used is refused here."""
    settings, address = loaded.settings.github, hub.address
    return PublishTo(
        repo=address.repo.full_name,
        api_url=address.repo.api_url,
        push_url=address.push_url,
        base=await _base_branch(hub, ground),
        draft=settings.draft,
        template=_template(loaded),
        comment=settings.comment,
        label=settings.label,
    )


async def _base_branch(hub: Github, ground: Ground) -> str:
    """The name on GitHub of the branch that work starts from; where that is none, the default branch."""
    repository = ground.repository
    ref = ground.loaded.settings.run.base or await repository.default_base()
    short = ref.removeprefix("refs/heads/")
    if await repository.branch_exists(short):
        return short
    for remote in await repository.remotes():
        name = ref.removeprefix(f"refs/remotes/{remote}/").removeprefix(f"{remote}/")
        if name != ref and await repository.resolve(f"refs/remotes/{remote}/{name}"):
            return name
    return (await hub.rights()).default_branch


def _template(loaded: Loaded) -> str:
    from weft.pipelines.template import Template
    from weft.sources.github.pull_request_text import template_problems

    written = loaded.settings.github.template
    if written is None:
        return ""
    path = loaded.folder / written
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"github.template = `{written}`: cannot be read: {error}") from None
    if problems := template_problems(Template(written, text)):
        raise UsageError("\n".join(problems))
    return text


async def open_pulls(hub: Github, branches: Sequence[str]) -> dict[str, PullRequestRef]:
    """RUN-20: a job with an open pull request is finished."""
    found = await hub.open_pull_requests(list(dict.fromkeys(branches)))
    return {branch: PullRequestRef(pull.number, pull.url) for branch, pull in found.items()}
