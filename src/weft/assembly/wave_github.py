"""A wave over GitHub: the same milestone in each repo, or the issues that a plan file names (WAVE-3, WAVE-11)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from weft.assembly.foreign import foreign_states
from weft.assembly.github_planning import github_for, merge_mode, publish_to
from weft.assembly.ground import Ground
from weft.assembly.wave import Wave
from weft.errors import UsageError
from weft.model.plan import PublishTo
from weft.ports import Issue, Say
from weft.settings.environment import Environment
from weft.settings.kinds import IssueOrigin, MergeMode

if TYPE_CHECKING:  # its client takes long to load
    from weft.assembly.github import Github

structs = msgspec.structs


class WaveGithub:
    """Doors to the GitHub repos of a wave, by the repo's name; empty where it has none."""

    def __init__(self, hubs: dict[str, Github], publishes: frozenset[str]) -> None:
        self._hubs = hubs
        self._publishes = publishes

    @property
    def calls(self) -> int:
        return sum(hub.client.calls for hub in self._hubs.values())

    async def read(self, wave: Wave, grounds: Sequence[Ground]) -> list[Ground]:
        """The grounds with their issues; dependencies from one repo of the wave on another are known too."""
        read = [await self._with_issues(wave, ground) for ground in grounds]
        return [await self._with_needed(ground, read) for ground in read]

    async def _with_issues(self, wave: Wave, ground: Ground) -> Ground:
        from weft.sources.github.selection import Selection

        hub = self._hubs.get(ground.name)
        if hub is None or ground.loaded.settings.issues.source is not IssueOrigin.GITHUB:
            return ground
        jobs = wave.file.jobs if wave.file else ()
        numbers = tuple(job.issue for job in jobs if job.repo == ground.name and job.issue is not None)
        milestone = None if wave.file else wave.name
        selection = Selection(numbers, milestone=milestone, must_exist=False)
        source = await hub.issues(selection, ground.loaded.settings.issues.comments)
        return structs.replace(ground, source=source, full_name=hub.address.repo.full_name)

    async def _with_needed(self, ground: Ground, grounds: Sequence[Ground]) -> Ground:
        """What others of the wave depend on here, though it is no part of the wave."""
        from weft.sources.github.issues import GithubIssues
        from weft.sources.github.reading import Reader
        from weft.sources.github.selection import Selection

        hub = self._hubs.get(ground.name)
        if hub is None or not isinstance(ground.source, GithubIssues):
            return ground
        names = {name.lower() for name in (ground.name, ground.full_name or "", hub.address.repo.name)}
        needs = [need.rpartition("#") for issue in self.issues(grounds) for need in issue.depends_on]
        numbers = {int(number) for repo, _, number in needs if repo.lower() in names and number.isdecimal()}
        missing = tuple(sorted(number for number in numbers if ground.source.find(str(number)) is None))
        if not missing:
            return ground
        more = await Reader(hub.client, hub.address.repo).read_plain(Selection(numbers=missing))
        return structs.replace(ground, source=structs.replace(ground.source, known={**ground.source.known, **more}))

    def issues(self, grounds: Sequence[Ground]) -> list[Issue]:
        """Those that were asked for."""
        from weft.sources.github.issues import GithubIssues

        return [
            issue for ground in grounds if isinstance(ground.source, GithubIssues) for issue in ground.source.chosen
        ]

    async def foreign(self, grounds: Sequence[Ground]) -> dict[str, bool]:
        """Dependencies on repos outside of the wave: whether they are closed."""
        if not self._hubs:
            return {}
        own = [name for ground in grounds for name in (ground.name, ground.full_name) if name]
        return await foreign_states(next(iter(self._hubs.values())), self.issues(grounds), own)

    async def publish(self, ground: Ground, target: str) -> PublishTo | None:
        """Where the hand-off of a repo goes; the base is never landed on, since that would be pushed."""
        hub = self._hubs.get(ground.name)
        if hub is None or ground.name not in self._publishes:
            return None
        to = await publish_to(hub, ground, ground.loaded)
        if target == to.base:
            raise UsageError(
                f"repo `{ground.name}`: `{target}` is the branch that the pull request goes to",
                hint="set another `merge.target`: Weft never pushes to the base",
            )
        return to


@asynccontextmanager
async def wave_github(grounds: Sequence[Ground], environment: Environment, say: Say) -> AsyncIterator[WaveGithub]:
    async with AsyncExitStack() as stack:
        hubs: dict[str, Github] = {}
        publishes: set[str] = set()
        for ground in grounds:
            merge = await merge_mode(ground.loaded, ground)
            hub = await stack.enter_async_context(github_for(ground, environment, say, merge))
            if hub is not None:
                hubs[ground.name] = hub
            if merge is MergeMode.PR or (merge is MergeMode.QUEUE and await _has_github_remote(ground)):
                publishes.add(ground.name)
        yield WaveGithub(hubs, frozenset(publishes))


async def _has_github_remote(ground: Ground) -> bool:
    """A wave always merges by the queue, so `queue` says nothing against its hand-off; `none` does."""
    return ground.loaded.settings.issues.source is IssueOrigin.GITHUB and bool(await ground.repository.remotes())
