"""A run of tasks on the terminal: shown as it goes, stopped by Ctrl-C, summed up at its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any

import click
import msgspec

from weft.assembly.local import LocalEngine
from weft.assembly.task_outputs import TaskOutputs
from weft.board.durations import whole_duration_text
from weft.board.task_document import Document, tasks_document
from weft.board.task_results import Counts, TaskBoard, TaskResult, TaskStatus, counts_of
from weft.board.views import JobView
from weft.cli.drive import stopping_on_signals
from weft.cli.output_folder import OutputFolder
from weft.cli.printing import note, stdout_glyphs
from weft.engine.run import Run
from weft.errors import DefectError, ExitCode
from weft.model.events import AnyEvent, JobEnded, RunStarted, StopRequested
from weft.settings.environment import Environment
from weft.terminal.reporter import HEARTBEAT, STOPPING
from weft.terminal.tasks import output_line, running_line, steps_line, table, total_line

TICK = 1.0


class Show(Enum):
    LINES = "lines"
    QUIET = "quiet"
    JSON = "json"


class TasksDisplay(msgspec.Struct, frozen=True):
    show: Show = Show.LINES
    aggregate: bool = True
    """Whether the first line of each output is shown."""
    output_dir: Path | None = None
    stepwise: bool = False
    """For a chain."""


class Finished(msgspec.Struct, frozen=True):
    """A run of tasks that is over."""

    board: TaskBoard
    results: list[TaskResult]
    counts: Counts
    outputs: TaskOutputs

    @property
    def exit_code(self) -> ExitCode:
        code = self.board.board.view.exit_code
        if code is None:
            raise DefectError(f"run {self.board.board.view.run} has no end")
        return code

    def not_run(self) -> list[str]:
        return [result.key.id for result in self.results if result.status is TaskStatus.NOT_RUN]


Earlier = Callable[[TaskResult], TaskResult]
"""A task that an earlier run did, as that run has it."""
Conclude = Callable[[Finished, Show], Coroutine[Any, Any, None]]


class TasksDriver:
    """Follows one run; prints what its display asks for."""

    def __init__(
        self, local: LocalEngine, run: Run, display: TasksDisplay, environment: Environment, earlier: Earlier
    ) -> None:
        self._run = run
        self._display = display
        self._board = TaskBoard(run.id, stepwise=display.stepwise)
        self._outputs = TaskOutputs(local.layout, environment, self._board.board.view)
        self._earlier = earlier
        self._folder = OutputFolder(display.output_dir) if display.output_dir else None
        self._glyphs = stdout_glyphs()
        self._said_at = run.now()

    async def follow(self) -> Finished:
        beating = asyncio.create_task(self._beat(), name="heartbeat")
        try:
            async for event in self._run.events():
                self._board.apply(event)
                await self._take(event)
            await self._run.finished()
        finally:
            beating.cancel()
            with suppress(asyncio.CancelledError):
                await beating
        results = [self._known(result) for result in self._board.results()]
        finished = Finished(self._board, results, counts_of(results, len(results)), self._outputs)
        if self._folder is not None:
            self._folder.write_summary(await document(finished, self._folder))
        return finished

    async def _take(self, event: AnyEvent) -> None:
        match event:
            case RunStarted(plan=plan):
                count = sum(1 for job in plan.jobs if job.task and job.task.index >= 0)
                said = steps_line(count) if self._display.stepwise else running_line(count, plan.cap)
                self._print(said, "")
            case JobEnded(job=key):
                await self._ended(self._board.board.view.jobs[key])
            case StopRequested():
                note(STOPPING)

    async def _ended(self, job: JobView) -> None:
        result = self._known(self._board.result(job))
        if result.facts.index < 0:
            return  # a judge is no task
        if self._folder is not None and result.status is not TaskStatus.NOT_RUN:
            encoded = await self._outputs.document(result)
            await asyncio.to_thread(self._folder.write_result, result, encoded)
            await asyncio.to_thread(self._folder.write_summary, self._so_far())
        shown = self._display.show is Show.LINES and self._display.aggregate
        if shown and result.began and not self._is_earlier(result):
            self._print(output_line(result, self._outputs.beginning(result), self._glyphs))

    def _so_far(self) -> Document:
        assert self._folder is not None
        view = self._board.board.view
        results = self._board.results()
        return tasks_document(view, counts_of(results, len(view.jobs)), self._folder.encoded())

    def _known(self, result: TaskResult) -> TaskResult:
        return self._earlier(result) if self._is_earlier(result) else result

    def _is_earlier(self, result: TaskResult) -> bool:
        return result.attempt is not None and result.attempt.run != self._run.id

    def _print(self, *lines: str) -> None:
        if self._display.show is Show.LINES:
            for line in lines:
                click.echo(line)
            self._said_at = self._run.now()

    async def _beat(self) -> None:
        """On stderr, when nothing was said for long: a terminal that shows nothing looks frozen."""
        while self._display.show is Show.LINES:
            await asyncio.sleep(TICK)
            now = self._run.now()
            if now - self._said_at >= HEARTBEAT:
                view = self._board.board.view
                done = f"{view.ended} of {len(view.jobs)} tasks ended"
                note(f"Still running... ({whole_duration_text(view.duration(now))} elapsed, {done})")
                self._said_at = now


async def document(finished: Finished, folder: OutputFolder | None = None) -> Document:
    """Of a chain, steps that did not run are apart (TASK-7b)."""
    ran = [result for result in finished.results if result.status is not TaskStatus.NOT_RUN]
    encoded = folder.encoded() if folder else [await finished.outputs.document(result) for result in ran]
    made = tasks_document(finished.board.board.view, finished.counts, encoded)
    return made | ({"not_run": finished.not_run()} if finished.board.stepwise else {})


def print_document(made: Document) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(made), indent=2))


def print_total(finished: Finished) -> None:
    click.echo(total_line(finished.counts, finished.board.board.view.duration()))


def print_table(finished: Finished) -> None:
    for line in ("", *table(finished.results, stdout_glyphs()), ""):
        click.echo(line)


async def drive_tasks(
    local: LocalEngine,
    run: Run,
    display: TasksDisplay,
    environment: Environment,
    *,
    earlier: Earlier,
    conclude: Conclude | None = None,
) -> ExitCode:
    """See the run through and sum it up; answer its exit code."""
    with stopping_on_signals(local, run):
        finished = await TasksDriver(local, run, display, environment, earlier).follow()
        await (conclude or conclude_tasks)(finished, display.show)
    return finished.exit_code


async def conclude_tasks(finished: Finished, show: Show) -> None:
    match show:
        case Show.JSON:
            print_document(await document(finished))
        case Show.QUIET:
            print_total(finished)
        case Show.LINES:
            if finished.board.stepwise:
                await print_last(finished)
            print_table(finished)
            print_total(finished)


async def print_last(finished: Finished) -> None:
    """What a chain comes to: the output of its last step, whole."""
    last = finished.results[-1]
    if last.status is TaskStatus.COMPLETED:
        said = await asyncio.to_thread(finished.outputs.whole, last)
        click.echo(f"\nOutput of {last.key.id}:\n{said}")
