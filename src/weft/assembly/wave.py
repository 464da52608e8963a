"""What a wave is made of, before its repos are looked into: a name, repos, and which of their issues."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from weft.errors import UsageError
from weft.model.ids import JobKey
from weft.ports import IssueSource
from weft.settings.check import check_entries
from weft.settings.environment import Environment
from weft.settings.load import Loaded
from weft.settings.problem import Origin, OriginKind
from weft.settings.sections import RepoSettings
from weft.sources.milestone import issues_of_milestone
from weft.sources.wave_file import PlanFile, is_plan_file, read_plan_file
from weft.sources.wave_issues import Chosen, chosen_issues

NO_REPOS_HINT = "list them in weft.toml, each as `[[repos]]` with its `path`"


class Wave(msgspec.Struct, frozen=True):
    name: str
    repos: tuple[RepoSettings, ...]
    folder: Path
    """What relative paths of repos are meant from."""
    shown_as: str
    """What the user called it."""
    file: PlanFile | None = None
    """Which jobs; None: those of the milestone of that name."""
    listed_in: str = "weft.toml"
    """The file that lists the repos."""

    @property
    def cap(self) -> int:
        """WAVE-2: as many as there are repos."""
        return (self.file.cap if self.file else None) or len(self.repos)


def wave_named(written: str, loaded: Loaded, environment: Environment) -> Wave:
    """A milestone in every repo that settings list, or a plan file."""
    if not is_plan_file(written):
        return _milestone_wave(written, loaded)
    path = environment.folder / written
    file = read_plan_file(path, written)
    if file.repos is None:
        return Wave(file.name, _repos(loaded), loaded.folder, written, file)
    repos = check_entries(RepoSettings, "repos", file.repos, Origin(OriginKind.FILE, written))
    if not repos:
        raise UsageError(f"{written}: repos = []: must have at least one repo", hint="leave it out for weft.toml's")
    return Wave(file.name, repos, path.parent, written, file, written)


def _milestone_wave(name: str, loaded: Loaded) -> Wave:
    return Wave(name, _repos(loaded), loaded.folder, name)


def _repos(loaded: Loaded) -> tuple[RepoSettings, ...]:
    if not loaded.settings.repos:
        raise UsageError("No repos are set for a wave", hint=NO_REPOS_HINT)
    return loaded.settings.repos


def wave_issues(wave: Wave, sources: Mapping[str, IssueSource]) -> Chosen:
    """The wave's jobs; `sources`: by repo, in the wave's order."""
    if wave.file is not None:
        return chosen_issues(wave.file, wave.shown_as, sources)
    found = issues_of_milestone(list(sources.values()), wave.name)
    pairs = [(JobKey(repo, issue.id), issue) for repo, issues in zip(sources, found, strict=True) for issue in issues]
    return Chosen(dict(pairs), {})


def folder_of(repo: RepoSettings, wave: Wave, environment: Environment) -> Path:
    return repo_folder(repo, wave.folder, environment)


def repo_folder(repo: RepoSettings, folder: Path, environment: Environment) -> Path:
    """`folder`: what a relative path is meant from. `~` is the user's home."""
    if repo.path == "~" or repo.path.startswith("~/"):
        return environment.home / repo.path[2:]
    return folder / repo.path
