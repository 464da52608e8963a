"""A run on the terminal: shown as it goes, stopped by Ctrl-C, summed up at its end. For `run`, `recover`, `demo`."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

import click
import msgspec

from weft.assembly.local import LocalEngine
from weft.board.board import Board
from weft.board.document import run_document
from weft.board.log import event_document
from weft.board.views import RunView
from weft.cli.planned import told_all_calls
from weft.cli.printing import note
from weft.cli.verbose import Transcripts
from weft.engine.run import Run
from weft.errors import DefectError, ExitCode
from weft.model.events import AnyEvent, TrackerWaits
from weft.model.plan import Mode
from weft.settings.environment import Environment
from weft.terminal.glyphs import glyphs_for
from weft.terminal.project_summary import project_summary
from weft.terminal.reporter import Reporter
from weft.terminal.screen import Screen
from weft.terminal.summary import summary

TICK = 1.0
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Show(Enum):
    """What of a run is shown while it goes and at its end."""

    LINES = "lines"
    BOARD = "board"
    QUIET = "quiet"
    JSON = "json"
    JSON_STREAM = "json_stream"


class Display(msgspec.Struct, frozen=True):
    show: Show = Show.LINES
    verbose: bool = False


async def drive(local: LocalEngine, run: Run, display: Display, environment: Environment) -> ExitCode:
    """See the run through and sum it up; answer its exit code."""
    return conclude(await see_through(local, run, display, environment), display)


async def see_through(local: LocalEngine, run: Run, display: Display, environment: Environment) -> Board:
    """Show the run until it is over."""
    with stopping_on_signals(local, run):
        shown = asyncio.create_task(_show(local, run, display, environment), name="display")
        try:
            await run.finished()
            return await shown
        finally:
            shown.cancel()
            await asyncio.gather(shown, return_exceptions=True)


async def _show(local: LocalEngine, run: Run, display: Display, environment: Environment) -> Board:
    if display.show is Show.BOARD:
        return await _show_board(run, environment)
    return await _show_lines(local, run, display, environment)


async def _show_lines(local: LocalEngine, run: Run, display: Display, environment: Environment) -> Board:
    tty = sys.stderr.isatty()
    screen = Screen(sys.stderr, tty=tty, color=tty and environment.wants_colour)
    reporter = Reporter(run.id, screen, quiet=display.show is not Show.LINES)
    transcripts = Transcripts(local.layout, reporter.transcript) if display.verbose else None
    ticking = asyncio.create_task(_tick(reporter, run), name="heartbeat")
    try:
        shown = 0
        async for event in run.events():
            shown += 1
            if shown <= run.past:
                reporter.replay(event)
                continue
            if isinstance(event, TrackerWaits) and display.show in (Show.JSON, Show.JSON_STREAM):
                note(event.why)
            if display.show is Show.JSON_STREAM:
                click.echo(json.dumps(event_document(run.id, event), ensure_ascii=False))
            if transcripts is not None:
                await transcripts.take(event)
            reporter.show(event)
    finally:
        ticking.cancel()
        if transcripts is not None:
            await transcripts.close()
        reporter.close()
    return reporter.board


async def _tick(reporter: Reporter, run: Run) -> None:
    while True:
        await asyncio.sleep(TICK)
        reporter.tick(run.now())


async def _show_board(run: Run, environment: Environment) -> Board:
    from weft.terminal.live import LiveBoard

    board = Board(run.id)
    with LiveBoard(sys.stderr, color=environment.wants_colour, glyphs=glyphs_for(sys.stderr.encoding)) as live:
        async for event in _with_ticks(run.events()):
            if event is not None:
                board.apply(event)
            live.update([board.view], run.now())
    return board


async def _with_ticks(events: AsyncIterator[AnyEvent]) -> AsyncIterator[AnyEvent | None]:
    """The events, and None whenever a while passes without one, so that times on the board go on."""
    pending: asyncio.Task[AnyEvent] | None = None
    try:
        while True:
            pending = pending or asyncio.create_task(_next(events), name="next event")
            done, _ = await asyncio.wait({pending}, timeout=TICK)
            if not done:
                yield None
                continue
            finished, pending = pending, None
            try:
                yield finished.result()
            except StopAsyncIteration:
                return
    finally:
        if pending is not None:
            pending.cancel()


async def _next(events: AsyncIterator[AnyEvent]) -> AnyEvent:
    return await anext(events)


def conclude(board: Board, display: Display, reports: Sequence[Path] = ()) -> ExitCode:
    return conclude_view(board.view, display, reports)


def conclude_view(view: RunView, display: Display, reports: Sequence[Path] = ()) -> ExitCode:
    """`reports`: where it was written down for later."""
    code = view.exit_code
    if code is None:
        raise DefectError(f"run {view.run} has no end")
    match display.show:
        case Show.JSON:
            written = {"reports": [str(path) for path in reports]} if reports else {}
            click.echo(json.dumps(run_document(view, code) | written, indent=2, ensure_ascii=False))
        case Show.JSON_STREAM:
            pass
        case _:
            click.echo(_summary(view, reports), nl=False)
            if display.show is not Show.QUIET:
                told_all_calls(view)
    return code


def _summary(view: RunView, reports: Sequence[Path]) -> str:
    glyphs = glyphs_for(sys.stdout.encoding)
    if view.mode is not Mode.PROJECTS:
        return summary(view, glyphs)
    # Click takes the colours out again where they are not wanted.
    return project_summary(view, glyphs, colour=sys.stdout.isatty(), reports=reports)


@contextmanager
def stopping_on_signals(local: LocalEngine, run: Run) -> Iterator[None]:
    """The first signal ends the run in order; a second one does not wait."""
    loop = asyncio.get_running_loop()
    asked: list[asyncio.Task[None]] = []

    def on_signal(number: signal.Signals) -> None:
        if not asked:
            asked.append(loop.create_task(run.stop(number), name="stop"))
        else:
            local.kill_all()

    for number in SIGNALS:
        loop.add_signal_handler(number, on_signal, number)
    try:
        yield
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)
