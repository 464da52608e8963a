"""A repo that jobs are made in: where it is, its settings, its issues, and where its branches start."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from weft.assembly.jobs import History, JobMaker
from weft.assembly.repo import repo_of
from weft.errors import UsageError
from weft.model.job import PullRequestRef
from weft.model.plan import MergeInto, PublishTo, Repo
from weft.ports import IssueSource
from weft.settings.environment import Environment
from weft.settings.kinds import IssueOrigin
from weft.settings.load import Loaded
from weft.sources.folder import FolderSource
from weft.sources.github.issues import GithubIssues
from weft.workspaces.git import Git
from weft.workspaces.repository import Repository, find_repo


class Ground(msgspec.Struct, frozen=True):
    name: str
    loaded: Loaded
    repository: Repository
    source: IssueSource
    base: str
    """A commit: a branch that moves during the run does not move the run."""
    full_name: str | None = None
    """`owner/name` on GitHub, where its issues come from there."""

    @property
    def root(self) -> Path:
        return self.repository.facts.root

    def repo(self, environment: Environment, merge: MergeInto | None = None, publish: PublishTo | None = None) -> Repo:
        """As a plan has it."""
        repo = repo_of(self.loaded.settings, environment, self.root, self.name, self.base)
        return msgspec.structs.replace(repo, merge=merge, publish=publish)

    def maker(
        self,
        phases: tuple[str, ...],
        history: History,
        *,
        force: bool = False,
        lands_on: str | None = None,
        merged_into: str | None = None,
        pulls: Mapping[str, PullRequestRef] | None = None,
    ) -> JobMaker:
        settings = self.loaded.settings
        return JobMaker(
            repo=self.name,
            repo_path=str(self.root),
            base=self.base,
            branch_prefix=settings.run.branch_prefix,
            phases=phases,
            source=self.source,
            history=history,
            branches=self.repository,
            force=force,
            full_name=self.full_name or settings.issues.repo,
            lands_on=lands_on,
            merged_into=merged_into,
            pulls=pulls,
        )


async def open_repository(environment: Environment, folder: Path | None = None) -> Repository:
    """The repo of a folder, by default of the current one: its main checkout, also when called from one of its
    worktrees.
    """
    git = Git(environment.variables)
    return Repository(git, await find_repo(git, folder or environment.folder))


async def open_ground(loaded: Loaded, repository: Repository, name: str, shown_from: Path | None = None) -> Ground:
    """`shown_from`: the folder that issue files are named from in messages."""
    settings = loaded.settings
    source = _source(loaded, shown_from)
    await repository.check_branch_prefix(settings.run.branch_prefix)
    base = await _base_commit(repository, settings.run.base)
    return Ground(name, loaded, repository, source, base)


def _source(loaded: Loaded, shown_from: Path | None) -> IssueSource:
    """Issues on GitHub are read later, once it is known which ones are wanted."""
    issues = loaded.settings.issues
    if issues.source is IssueOrigin.GITHUB:
        return GithubIssues(issues.repo or "", {})
    return FolderSource(loaded.folder / issues.path, shown_from)


async def _base_commit(repository: Repository, wanted: str | None) -> str:
    if wanted is not None:
        commit = await repository.resolve(wanted)
        if commit is None:
            raise UsageError(f"run.base = `{wanted}`: not a branch or commit of `{repository.facts.root}`")
        return commit
    commit = await repository.resolve(await repository.default_base())
    if commit is None:
        raise UsageError(f"`{repository.facts.root}` has no commit yet", hint="commit something, then try again")
    return commit
