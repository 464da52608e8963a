"""What the merge queue does with git."""

from __future__ import annotations

from pathlib import Path

from weft.errors import DefectError
from weft.model.ids import AttemptId, RunId
from weft.model.plan import MergeInto, Repo
from weft.ports import Landing, Merged, TargetTip
from weft.workspaces.furnish import RunSetup
from weft.workspaces.git import Git
from weft.workspaces.landing import land
from weft.workspaces.merge_worktree import MergeWorktree, make_merge_worktree
from weft.workspaces.merging import make_merge
from weft.workspaces.reasons import explained
from weft.workspaces.site import Site
from weft.workspaces.sites import Sites
from weft.workspaces.target import read_target


class GitMerges:
    """Shares its view of the repos with the jobs' workspaces."""

    def __init__(self, sites: Sites, run_setup: RunSetup) -> None:
        self._sites = sites
        self._run_setup = run_setup

    async def read_target(self, repo: Repo, run: RunId) -> TargetTip:
        into = _into(repo)
        with explained(f"reading `{into.target}`", Path(repo.path)):
            git, site = await self._at(repo, f"{run}/target")
            return await read_target(git, site, repo, into)

    async def merge(self, repo: Repo, attempt: AttemptId, source: str, onto: str, message: str) -> Merged:
        with explained(f"merging {attempt.job}", Path(repo.path)):
            git, site = await self._at(repo, str(attempt))
            return await make_merge(git, site, source, onto, message)

    async def check_out(self, repo: Repo, attempt: AttemptId, commit: str) -> MergeWorktree:
        with explained(f"making the merged tree of {attempt.job}", Path(repo.path)):
            self._sites.check_disk()
            git, site = await self._at(repo, str(attempt))
            return await make_merge_worktree(git, site, attempt, commit, self._sites.writers, self._run_setup)

    async def land(self, repo: Repo, attempt: AttemptId, commit: str, expected: str) -> Landing:
        into = _into(repo)
        with explained(f"landing {attempt.job} on `{into.target}`", Path(repo.path)):
            git, site = await self._at(repo, str(attempt))
            return await land(git, site, into, commit, expected)

    async def _at(self, repo: Repo, label: str) -> tuple[Git, Site]:
        """Git's processes are marked, should Weft be killed under them."""
        site = await self._sites.of(repo)
        return (await site.git.get()).with_environment({"WEFT_ATTEMPT": label}), site


def _into(repo: Repo) -> MergeInto:
    if repo.merge is None:
        raise DefectError(f"repo `{repo.name}` has no merge queue")
    return repo.merge
