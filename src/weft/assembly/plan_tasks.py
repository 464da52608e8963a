"""Prompts of a task file or a chain as a plan for the one engine (TASK-1 to TASK-15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from weft.assembly.governing import governed
from weft.assembly.task_phase import Backends, Pipelines, may_write, seconds, task_phase
from weft.assembly.task_places import Place, Places
from weft.assembly.task_warnings import shared_folders, summed
from weft.errors import UsageError
from weft.model.ids import JobKey, RunId, title_slug, unique_slug
from weft.model.job import Job, TaskFacts
from weft.model.phase import Phase
from weft.model.plan import Mode, Order, Plan, StopRule
from weft.pipelines.fence import clean_line
from weft.pipelines.quoting import read_quotes
from weft.settings.environment import Environment
from weft.settings.load import Loaded
from weft.settings.problem import OriginKind, origin_of
from weft.sources.task_fields import Entry, Isolation, StepEntry, TaskEntry
from weft.sources.task_file import Checked, refuse, step_names

E = TypeVar("E", bound=Entry)
_LONGEST_TITLE = 100
NO_EFFECT = "`output_format` has no effect here: `--json` prints one document of all results"


class TasksAsk(msgspec.Struct, frozen=True):
    """Where the plan is made, and for which run."""

    loaded: Loaded
    environment: Environment
    run: RunId
    """Its branches are named after it."""
    where: str
    """The file."""
    command: str = ""
    override_usage: bool = False
    """Let usage limit nothing."""


class TasksPlan(msgspec.Struct, frozen=True):
    plan: Plan
    warnings: tuple[str, ...] = ()
    output_dir: Path | None = None


class _Wanted(msgspec.Struct, Generic[E], frozen=True):
    """A task that can be done."""

    index: int
    entry: E
    phase: Phase
    place: Place
    folder: Path


class _Maker(Generic[E]):
    """Collects what a plan is made of, and what is wrong with it."""

    def __init__(self, ask: TasksAsk, checked: Checked[E]) -> None:
        self.ask = ask
        self.checked = checked
        self.backends = Backends(ask.loaded)
        self.places = Places(ask.environment)
        self.pipelines = Pipelines()
        self.timeout = self._default_timeout()

    def _default_timeout(self) -> float:
        """Of the file before settings, but for what a flag or a variable says."""
        settings = self.ask.loaded.settings.parallel
        given = self.checked.values.get("timeout")
        if given is None or _outranks_file(self.ask.loaded, "timeout"):
            return settings.timeout
        try:
            return seconds(given)
        except ValueError as error:
            self.checked.problems.add("timeout", f": {error}")
            return settings.timeout

    async def wanted(self) -> list[_Wanted[E]]:
        for index, values in self.checked.remains.items():
            self._check_remains(index, values)
        return [found for index, entry in self.checked.good() if (found := await self._wanted(index, entry))]

    def _check_remains(self, index: int, values: Mapping[str, Any]) -> None:
        """Of an entry that is wrong already: what else is."""
        if "backend" in values and (wrong := self.backends.use(values["backend"])):
            self.checked.wrong(index, "backend", values["backend"], wrong)
        try:
            self.places.folder(values.get("workdir"))
        except UsageError as error:
            self.checked.wrong(index, "workdir", values["workdir"], error.message)

    async def _wanted(self, index: int, entry: E) -> _Wanted[E] | None:
        before = len(self.checked.problems)
        phase = self._phase(index, entry)
        where = await self._place(index, entry)
        if where is None or phase is None or len(self.checked.problems) > before:
            return None
        return _Wanted(index, entry, phase, *where)

    def _phase(self, index: int, entry: E) -> Phase | None:
        wrong = self.backends.use(entry.backend)
        if wrong:
            self.checked.wrong(index, "backend", entry.backend, wrong)
            return None
        try:
            phase = task_phase(entry, self.timeout, self.ask.loaded.settings.parallel.stall)
        except ValueError as error:
            self.checked.problems.add(self.checked.path(index, "timeout"), f": {error}", index)
            return None
        for refusal in self.backends.refusals(phase):
            self.checked.problems.add(self.checked.path(index), f": agent `{entry.backend}`: {refusal}", index)
        return phase

    async def _place(self, index: int, entry: E) -> tuple[Place, Path] | None:
        field = "workdir"
        try:
            folder = self.places.folder(entry.workdir)
            if entry.isolation is not Isolation.WORKTREE:
                return self.places.in_place(folder), folder
            field = "isolation"
            return await self.places.isolated(folder), folder
        except UsageError as error:
            if field == "workdir":
                self.checked.wrong(index, field, entry.workdir or ".", error.message)
            else:
                self.checked.problems.add(self.checked.path(index, field), f": {error.message}", index)
            return None

    def job(self, wanted: _Wanted[E], ident: str, body: str) -> Job:
        entry, key = wanted.entry, JobKey(wanted.place.repo, ident)
        name = getattr(entry, "name", None)
        title = clean_line(name or _first_line(entry.prompt), _LONGEST_TITLE)
        return Job(
            key=key,
            title=title,
            lane=str(key),
            body=body,
            branch=self._branch(ident, title) if entry.isolation is Isolation.WORKTREE else None,
            pipeline=self.pipelines.of(wanted.phase),
            labels=entry.tags or (),
            origin=self.ask.where,
            folder=wanted.place.folder,
            task=TaskFacts(
                index=wanted.index,
                id=getattr(entry, "id", None),
                name=name,
                tags=entry.tags or (),
                meta=None if entry.meta is None else msgspec.json.encode(entry.meta).decode(),
            ),
        )

    def _branch(self, ident: str, title: str) -> str:
        prefix = self.ask.loaded.settings.run.branch_prefix
        words = title_slug(title)
        return f"{prefix}{self.ask.run}/{unique_slug(ident)}" + (f"-{words}" if words else "")

    def plan(self, jobs: Sequence[Job], cap: int, stop: StopRule) -> Plan:
        plan = Plan(
            mode=Mode.TASKS,
            jobs=tuple(jobs),
            cap=cap,
            repos=self.places.repos,
            pipelines=self.pipelines.all,
            agents=tuple(self.backends.used.values()),
            stop=stop,
            order=Order.LISTED,
            grace=self.ask.loaded.settings.grace,
            command=self.ask.command,
        )
        return governed(plan, self.ask.loaded, override_usage=self.ask.override_usage)

    def warnings(self, wanted: Sequence[_Wanted[E]]) -> list[str]:
        said = [
            (self.checked.path(one.index), f"agent `{one.phase.agent}`: {caution}")
            for one in wanted
            for caution in self.backends.cautions(one.phase)
        ]
        said += [(self.checked.path(one.index), NO_EFFECT) for one in wanted if one.entry.output_format is not None]
        return summed(said)

    def output_dir(self) -> Path | None:
        given = self.checked.values.get("output_dir")
        if given is None:
            return None
        meant = self.ask.environment.home / given[2:] if given.startswith("~/") else Path(given)
        return self.ask.environment.folder / meant


async def parallel_plan(ask: TasksAsk, checked: Checked[TaskEntry]) -> TasksPlan:
    """UsageError with everything that is wrong with the file."""
    maker = _Maker(ask, checked)
    wanted = await maker.wanted()
    refuse(checked.problems, checked.kind)
    idents = _idents([one.entry.id for one in wanted])
    keys = {one.entry.id: JobKey(one.place.repo, ident) for one, ident in zip(wanted, idents, strict=True)}
    jobs = [
        msgspec.structs.replace(
            maker.job(one, ident, one.entry.prompt), depends_on=tuple(keys[need] for need in one.entry.depends_on or ())
        )
        for one, ident in zip(wanted, idents, strict=True)
    ]
    cap, stop = max_parallel(ask.loaded, checked), fail_fast(ask.loaded, checked)
    writers = [(job, one.folder) for job, one in zip(jobs, wanted, strict=True) if _writes_in_place(one)]
    shared = shared_folders(jobs, writers, checked.path) if cap > 1 else []
    plan = maker.plan(jobs, cap, StopRule.FAIL_FAST if stop else StopRule.CONTINUE)
    return TasksPlan(plan, (*maker.warnings(wanted), *shared), maker.output_dir())


async def chain_plan(ask: TasksAsk, checked: Checked[StepEntry]) -> TasksPlan:
    """Each step waits for the one before it; what it quotes of others is filled in when it starts."""
    maker = _Maker(ask, checked)
    wanted = await maker.wanted()
    names = step_names(checked.entries)
    readings = {index: read_quotes(step.prompt, names[:index], names) for index, step in checked.good()}
    for index, reading in readings.items():
        for problem in reading.problems:
            checked.problems.add(checked.path(index, "prompt"), f": {problem}", index)
    refuse(checked.problems, checked.kind)
    stops = checked.values.get("stop_on_failure", True)
    keys = {names[one.index]: JobKey(one.place.repo, names[one.index]) for one in wanted}
    jobs = []
    for one in wanted:
        reading = readings[one.index]
        before = (keys[names[one.index - 1]],) if one.index else ()
        jobs.append(
            msgspec.structs.replace(
                maker.job(one, names[one.index], reading.text),
                depends_on=before if stops else (),
                after=() if stops else before,
                takes=tuple(keys[name] for name in reading.names),
            )
        )
    plan = maker.plan(jobs, 1, StopRule.STOP if stops else StopRule.CONTINUE)
    return TasksPlan(plan, tuple(maker.warnings(wanted)), maker.output_dir())


def max_parallel(loaded: Loaded, checked: Checked[TaskEntry]) -> int:
    given: int | None = checked.values.get("max_parallel")
    settings = loaded.settings.parallel.max_workers
    return settings if given is None or _outranks_file(loaded, "max_workers") else given


def fail_fast(loaded: Loaded, checked: Checked[TaskEntry]) -> bool:
    given: bool | None = checked.values.get("fail_fast")
    settings = loaded.settings.parallel.fail_fast
    return settings if given is None or _outranks_file(loaded, "fail_fast") else given


def _outranks_file(loaded: Loaded, key: str) -> bool:
    """A flag or a variable counts before the task file, which counts before settings files."""
    return origin_of(loaded.origins, ("parallel", key)).kind in (OriginKind.FLAG, OriginKind.ENVIRONMENT)


def _writes_in_place(wanted: _Wanted[TaskEntry]) -> bool:
    return wanted.entry.isolation is not Isolation.WORKTREE and may_write(wanted.phase)


def _idents(given: Sequence[str | None]) -> list[str]:
    """Each its own; a number from 1 where none is given, unless that is another's."""
    taken = {ident for ident in given if ident is not None}
    idents: list[str] = []
    for number, ident in enumerate(given, 1):
        own = ident if ident is not None else str(number)
        while ident is None and own in taken:
            own = f"task-{own}"
        taken.add(own)
        idents.append(own)
    return idents


def _first_line(prompt: str) -> str:
    return next((line for line in prompt.splitlines() if line.strip()), prompt)
