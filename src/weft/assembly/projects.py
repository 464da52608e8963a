"""A look at every project: what is to do there, or why nothing is. Reads all, changes nothing."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from weft.assembly.maintenance import MaintenanceTask, catalogue
from weft.assembly.project_base import base_commit
from weft.assembly.project_places import Place, places
from weft.assembly.project_tasks import Clocks, Due, Past, why_not
from weft.assembly.repo import repo_of
from weft.assembly.windows import parse_window
from weft.assembly.zones import zone_of
from weft.errors import GitError, SettingsError, UsageError
from weft.model.job import Job
from weft.model.plan import Repo
from weft.model.project import LeftOut, Project
from weft.settings.environment import Environment
from weft.settings.files import find_file
from weft.settings.load import Loaded, load
from weft.workspaces.git import Git
from weft.workspaces.repository import Repository, find_repo


class ProjectsAsk(msgspec.Struct, frozen=True):
    """The command line, but for what settings hold."""

    tasks: tuple[str, ...] = ()
    again: bool = False
    command: str = ""


class Candidate(msgspec.Struct, frozen=True):
    """A project, and where something is to do there, what."""

    project: Project
    lane: str = ""
    """The repo's own folder: the same for every path that leads to it."""
    backend: str | None = None
    repo: Repo | None = None
    tasks: tuple[MaintenanceTask, ...] = ()
    jobs: tuple[Job, ...] = ()

    @property
    def eligible(self) -> bool:
        return bool(self.jobs)

    def left(self, why: str) -> Candidate:
        """The same with nothing to do."""
        project = msgspec.structs.replace(self.project, skipped=why)
        return msgspec.structs.replace(self, project=project, jobs=(), tasks=())


class Survey:
    """Looks at projects by the same settings and the same moment."""

    def __init__(self, ask: ProjectsAsk, loaded: Loaded, environment: Environment, past: Past) -> None:
        self._ask = ask
        self._loaded = loaded
        self._environment = environment
        self._past = past
        self._git = Git(environment.variables)
        self._tasks = catalogue(loaded)
        _refuse_unknown(ask.tasks, self._tasks)
        self._clocks = clocks(loaded, environment, time.time())

    def places(self) -> list[Place]:
        return places(self._loaded, self._environment)

    async def look(self, place: Place, seen: Sequence[Candidate] = ()) -> Candidate:
        """`seen`: those looked at before; what is done for the same repo there is not done here again."""
        project = Project(name=place.name, path=str(place.path))
        try:
            return await self._look(place, project, seen)
        except (UsageError, GitError) as error:
            hint = f" (hint: {error.hint})" if error.hint and not isinstance(error, SettingsError) else ""
            problem = error.message.replace("\n", "; ") + hint
            return Candidate(msgspec.structs.replace(project, problem=problem))

    async def _look(self, place: Place, project: Project, seen: Sequence[Candidate]) -> Candidate:
        facts = await find_repo(self._git, place.path)
        repository = Repository(self._git, facts)
        settings = self._loaded.settings
        await repository.check_branch_prefix(settings.run.branch_prefix)
        base = await base_commit(repository, place.said.branch)
        due = Due(
            repo_path=str(facts.root),
            name=place.name,
            base=base,
            prefix=settings.run.branch_prefix,
            only=self._ask.tasks,
            again=self._ask.again,
        )
        elsewhere = [candidate for candidate in seen if candidate.lane == str(facts.common_dir)]
        tasks, left_out = await self._divide(place, due, repository, elsewhere)
        project = msgspec.structs.replace(project, left_out=left_out, skipped=None if tasks else _why(place, left_out))
        return Candidate(
            project=project,
            lane=str(facts.common_dir),
            backend=place.said.backend,
            repo=self._repo(place, facts.root, base),
            tasks=tuple(tasks),
            jobs=tuple(_job(task, due, place) for task in tasks),
        )

    async def _divide(
        self, place: Place, due: Due, repository: Repository, elsewhere: Sequence[Candidate]
    ) -> tuple[list[MaintenanceTask], tuple[LeftOut, ...]]:
        """Those that are due, and the others with why they are not."""
        tasks: list[MaintenanceTask] = []
        left_out: list[LeftOut] = []
        for name in dict.fromkeys(place.said.tasks):
            task = self._tasks[name]
            twin = next((one for one in elsewhere if name in (job.key.id for job in one.jobs)), None)
            if twin is not None:
                why: str | None = f"`{twin.project.name}` is the same repo and does it"
            else:
                why = await why_not(task, due, self._past, self._clocks, repository)
            if why is None:
                tasks.append(task)
            else:
                left_out.append(LeftOut(name, why))
        return tasks, tuple(left_out)

    def _repo(self, place: Place, root: Path, base: str) -> Repo:
        """Gates and workspaces are as the project's own `weft.toml` says, where it has one."""
        return repo_of(self._own(place.path, root).settings, self._environment, root, place.name, base)

    def _own(self, path: Path, root: Path) -> Loaded:
        file = find_file(path.resolve())
        inside = file is not None and file.resolve().is_relative_to(root)
        return load(self._environment, path.resolve()) if inside else self._loaded


def clocks(loaded: Loaded, environment: Environment, now: float) -> Clocks:
    schedule = loaded.settings.schedule
    zone = zone_of(schedule.timezone, environment)
    scheduled = schedule.cron or schedule.every is not None or ("schedule", "window") in loaded.origins
    window = parse_window(schedule.window) if scheduled else None
    return Clocks(now, zone, window)


def _refuse_unknown(asked: Sequence[str], known: Mapping[str, MaintenanceTask]) -> None:
    wrong = [name for name in asked if name not in known]
    if wrong:
        listed = ", ".join(f"`{name}`" for name in known)
        raise UsageError(f"Unknown task {', '.join(f'`{name}`' for name in wrong)}", hint=f"known are {listed}")


def _why(place: Place, left_out: tuple[LeftOut, ...]) -> str:
    """In one line: the one reason all have, or each its own."""
    if not place.said.tasks:
        return "it has no `tasks`"
    reasons = dict.fromkeys(one.why for one in left_out if one.why != "not asked for")
    if not reasons:
        return "it does not have the task"
    if len(reasons) == 1:
        return next(iter(reasons))
    return "; ".join(f"{one.task}: {one.why}" for one in left_out if one.why in reasons)


def _job(task: MaintenanceTask, due: Due, place: Place) -> Job:
    return Job(
        key=due.key(task.name),
        title=task.title,
        lane="",
        body=task.prompt,
        branch=due.branch(task.name),
        priority=place.said.priority,
        origin=task.origin,
        gates=task.gates,
    )
