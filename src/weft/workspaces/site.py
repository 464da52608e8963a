"""Where one repo's workspaces live, and how its git is run."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from weft.model.ids import JobKey, slug
from weft.model.plan import WorkspaceSetup
from weft.workspaces.git import Git
from weft.workspaces.repository import RepoFacts
from weft.workspaces.safe_git import SafeGit
from weft.workspaces.turns import Turns

MAKING = ".making"
"""How the name of a mark ends that is there before its worktree."""


class Site:
    """A folder outside the repo, named for it; a hash of the checkout's path tells two of one name apart."""

    def __init__(self, workspaces: Path, facts: RepoFacts, git: Git, setup: WorkspaceSetup) -> None:
        self.facts = facts
        self.root = facts.root
        self.setup = setup
        self.common_dir = facts.common_dir
        self.folder = workspaces / f"{slug(facts.name)}-{_short_hash(str(facts.root))}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.trash = self.folder / ".trash"
        self.admin_trash = facts.common_dir / "weft-trash"
        """On the file system of the repo, so that a rename can move a worktree's admin folder there."""
        self.turns = Turns(self.folder / ".turns")
        self.git = SafeGit(git, facts, setup, self.folder)

    def path(self, job: JobKey) -> Path:
        return self.folder / folder_name(job)

    def intent(self, job: JobKey) -> Path:
        """A mark for a worktree whose making is not finished: there before it, gone after."""
        return self.folder / f"{folder_name(job)}{MAKING}"


def folder_name(job: JobKey) -> str:
    """The job's folder and its part of a ref. Git allows no ref that ends in `.lock`; `.making` is an intent's."""
    return f"{job.slug}+" if job.slug.endswith((".lock", MAKING)) else job.slug


def _short_hash(text: str) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:8]
