"""One run over projects, as `weft projects run` does it, told to the log; a stop drains it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable

import msgspec

from weft.assembly.history import History
from weft.assembly.local import LocalEngine, layout_of, open_journal
from weft.assembly.perform_projects import Performed, perform
from weft.assembly.plan_projects import projects_plan
from weft.assembly.preflight import Preflight, look_ahead
from weft.assembly.project_run import ProjectRun
from weft.assembly.projects import ProjectsAsk
from weft.board.board import Board
from weft.board.projects import ProjectView, project_views
from weft.board.views import RunView
from weft.daemon.stopping import Stopping
from weft.engine.run import Run
from weft.errors import ExitCode
from weft.model.events import JobEnded
from weft.settings.environment import Environment
from weft.settings.load import Loaded
from weft.terminal.lines import Lines
from weft.terminal.preflight import preflight_text
from weft.terminal.project_summary import project_summary

COMMAND = "weft daemon"
Say = Callable[[str], None]


class Night(msgspec.Struct, frozen=True):
    """What came of it."""

    outcome: str
    """In one line."""
    code: ExitCode = ExitCode.OK
    view: RunView | None = None


async def one_night(loaded: Loaded, environment: Environment, say: Say, stopping: Stopping) -> Night:
    with open_journal(environment) as journal:
        projects = ProjectRun(ProjectsAsk(command=COMMAND), loaded, environment, journal)
        for problem in await projects.fetch():
            say(f"warning: {problem}")
        candidates = await projects.look()
        plan = projects_plan(candidates, loaded, environment, COMMAND)
        found = look_ahead(candidates, plan, loaded, History(journal, layout_of(environment)))
        say(preflight_text(found))
        if found.nothing is not None:
            return _nothing(found, say)
        done = await perform(projects, lambda local, run: _watch(local, run, loaded, say, stopping), say)
        if done.view is None:
            return _nothing(msgspec.structs.replace(found, candidates=done.candidates), say)
    return _summed_up(done, say)


def _nothing(found: Preflight, say: Say) -> Night:
    outcome = f"Nothing ran because: {found.nothing}"
    say(outcome)
    return Night(outcome, found.code_of_nothing)


def _summed_up(done: Performed, say: Say) -> Night:
    assert done.view is not None
    say(project_summary(done.view, reports=done.reports))
    words = [_word(project) for project in project_views(done.view)]
    counts = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
    code = done.view.exit_code
    assert code is not None
    return Night(f"run {done.view.run} {done.view.status.value}: {counts}", code, done.view)


def _word(project: ProjectView) -> str:
    return project.status.value.replace("_", " ") if project.status else "unfinished"


async def _watch(local: LocalEngine, run: Run, loaded: Loaded, say: Say, stopping: Stopping) -> RunView:
    board = Board(run.id)
    lines = Lines(board.view)
    say(f"run {run.id} started")
    asked = asyncio.create_task(_drain(run, board, loaded.settings.grace, stopping), name="drain")
    hurried = asyncio.create_task(_end_all(local, stopping), name="hurry")
    try:
        async for event in run.events():
            board.apply(event)
            if isinstance(event, JobEnded):
                say(lines.job_ended(board.view.jobs[event.job]))
        await run.finished()
    finally:
        asked.cancel()
        hurried.cancel()
        await asyncio.gather(asked, hurried, return_exceptions=True)
    return board.view


async def _drain(run: Run, board: Board, grace: float, stopping: Stopping) -> None:
    """Once told to stop: nothing new starts, what runs has the grace period to come to its end, then it is stopped."""
    await stopping.asked.wait()
    await run.pause()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(grace):
            async for _ in run.events():
                if not board.view.in_flight or stopping.hurried.is_set():
                    break
    await run.stop(signal.SIGTERM)


async def _end_all(local: LocalEngine, stopping: Stopping) -> None:
    await stopping.hurried.wait()
    local.kill_all()
