"""A run as it is followed on stderr."""

from __future__ import annotations

import io

import pytest
from tests.unit.board.events_builder import RUN, START, Tale, key
from tests.unit.terminal.emulator import Recorder, Terminal

from weft.model.events import AnyEvent, RunStarted
from weft.model.job import JobStatus
from weft.model.outcome import PhaseStatus
from weft.model.plan import Mode
from weft.terminal.reporter import Reporter
from weft.terminal.screen import Screen


def shown(events: list[AnyEvent], *, quiet: bool = False, color: bool = False) -> list[str]:
    stream = Recorder()
    reporter = Reporter(RUN, Screen(stream, color=color), quiet=quiet)
    for event in events:
        reporter.show(event)
    return stream.getvalue().splitlines()


def test_the_lines_of_a_run() -> None:
    """RUN-10, RUN-11: the texts, to the letter and in order, with the progress line before the first phase and after
    each completion."""
    tale = Tale("#100", "#101", "#102").admit("#100").phase("#100", "spec", 246).phase("#100", "exec", 400)
    tale.phase("#100", "qa", 89).close("#100").end("#100")
    tale.admit("#101").begin("#101", "exec").wait(45).finish("#101", "exec", PhaseStatus.FAILED, "exit status 1")
    tale.close("#101").end("#101", JobStatus.FAILED, "Phase exec failed", "exit status 1")
    assert shown(tale.events) == [
        "Progress: #100 ⏳ #101 ⏳ #102 ⏳",
        "● #100: spec started",
        "● #100: spec ✓ (4m 6s)",
        "● #100: exec started",
        "● #100: exec ✓ (6m 40s)",
        "● #100: qa started",
        "● #100: qa ✓ (1m 29s)",
        "✓ Issue #100 completed (12m 15s)",
        "Progress: #100 ✓ #101 ⏳ #102 ⏳",
        "● #101: exec started",
        "● #101: exec ✗",
        "✗ Issue #101 failed (45s): Phase exec failed",
        "Progress: #100 ✓ #101 ✗ #102 ⏳",
    ]


@pytest.mark.parametrize(
    ("status", "line"),
    [
        (JobStatus.LOCKED, "⚠ Issue #1 locked: why"),
        (JobStatus.PARKED, "⚠ Issue #1 parked: why"),
        (JobStatus.NO_CHANGE, "– Issue #1 made no change: why"),
        (JobStatus.NOT_RUN, "– Issue #1 not run: why"),
        (JobStatus.SKIPPED, "– Issue #1 skipped: why"),
        (JobStatus.CANCELLED, "– Issue #1 cancelled: why"),
        (JobStatus.FAILED, "✗ Issue #1 failed: why"),
    ],
)
def test_other_endings(status: JobStatus, line: str) -> None:
    """RUN-11: every way to end has its line; one that never began has no duration."""
    assert shown(Tale("#1", "#2").end("#1", status, "why").events)[1] == line


def test_a_workspace_that_cannot_be_made_says_why() -> None:
    """RUN-6: the issue fails with the reason."""
    tale = Tale("#1", "#2").end("#1", JobStatus.FAILED, "Workspace failed", "fatal: disk full\nmore")
    assert shown(tale.events)[1] == "✗ Issue #1 failed: Workspace failed: fatal: disk full"


def test_phases_that_come_again() -> None:
    """RUN-9, RECOVER-3: a retry and a phase lost in a crash say that they come again."""
    tale = Tale("#1", "#2").admit("#1").begin("#1", "spec")
    tale.finish("#1", "spec", PhaseStatus.RETRYING, "429", tale.now + 5).finish("#1", "spec", PhaseStatus.LOST)
    tale.finish("#1", "spec", PhaseStatus.CANCELLED)
    assert shown(tale.events)[2:] == [
        "● #1: spec ✗ · again in 5s",
        "● #1: spec ✗ · lost in a crash, starts again",
        "● #1: spec – cancelled",
    ]


def test_one_job_at_a_time_shows_more() -> None:
    """RUN-3: each phase's agent, model, attempt and gate results, below lines that stay as they are."""
    tale = Tale("#1", "#2", mode=Mode.SEQUENTIAL, cap=1).admit("#1").begin("#1", "qa").wait(13)
    tale.gates("#1", passed=False).finish("#1", "qa", PhaseStatus.FAILED, "gate test failed\nmore")
    assert shown(tale.events)[1:] == [
        "● #1: qa started",
        "    agent claude · model opus · attempt 1",
        "    gate test ✗ (exit status 1, 12s)",
        "● #1: qa ✗",
        "    gate test failed",
    ]


def test_several_at_once_do_not() -> None:
    """RUN-3: only with one job at a time; else nobody could tell whose gate it was."""
    tale = Tale("#1", "#2").admit("#1").begin("#1", "qa").gates("#1")
    assert shown(tale.events)[1:] == ["● #1: qa started"]


def test_labels_of_several_repos() -> None:
    """RUN-11: `repo#100` where there is more than one repo."""
    assert shown(Tale("shop#1", "api#1").admit("api#1").begin("api#1", "spec").events) == [
        "Progress: shop#1 ⏳ api#1 ⏳",
        "● api#1: spec started",
    ]


def test_quiet_shows_nothing() -> None:
    """RUN-13: `--quiet` prints the summary alone."""
    assert shown(Tale("#1").whole("#1").over(), quiet=True) == []


def test_every_line_is_one_write() -> None:
    """RUN-13: lines never interleave within a line, so each goes out whole."""
    stream = Recorder()
    reporter = Reporter(RUN, Screen(stream))
    for event in Tale("#1", "#2").whole("#1").failing("#2").over():
        reporter.show(event)
    assert all(write.endswith("\n") and write.count("\n") == 1 for write in stream.writes)


def test_colour_leaves_the_text_alone() -> None:
    """Readable without colour: it goes around a line, never inside."""
    plainly = shown(Tale("#1").whole("#1").over())
    painted = shown(Tale("#1").whole("#1").over(), color=True)
    assert plainly != painted
    assert all(one in other for one, other in zip(plainly, painted, strict=True))


def test_heartbeat() -> None:
    """RUN-12: after 60 s without a phase event, and every 60 s again; a phase event starts the wait anew."""
    stream = Recorder()
    reporter = Reporter(RUN, Screen(stream))
    tale = Tale("#1", "#2").wait(75).admit("#1").begin("#1", "spec")
    for event in tale.events:
        reporter.show(event)
    begun = stream.getvalue()
    reporter.tick(START + 75 + 59)
    assert stream.getvalue() == begun
    assert reporter.due == START + 135
    for seconds in (135, 136, 195, 200):
        reporter.tick(START + seconds)
    assert stream.getvalue()[len(begun) :].splitlines() == [
        "⏳ Still running... (2m 15s elapsed)",
        "⏳ Still running... (3m 15s elapsed)",
    ]


@pytest.mark.parametrize(("quiet", "heartbeat"), [(True, True), (False, False)])
def test_no_heartbeat_when_not_wanted(quiet: bool, heartbeat: bool) -> None:
    """RUN-12: not with `--quiet` or `--json`."""
    stream = Recorder()
    reporter = Reporter(RUN, Screen(stream), quiet=quiet, heartbeat=heartbeat)
    reporter.show(Tale("#1").events[0])
    before = stream.getvalue()
    reporter.tick(START + 1000)
    assert stream.getvalue() == before
    assert reporter.due is None


def test_no_heartbeat_after_the_end() -> None:
    """RUN-12: a run that is over is not still running."""
    reporter = Reporter(RUN, Screen(Recorder()))
    for event in Tale("#1").whole("#1").over():
        reporter.show(event)
    assert reporter.due is None


def test_transcript_lines_carry_their_job() -> None:
    """RUN-13: `--verbose` prefixes each line with its job, without what could play with the terminal."""
    stream = Recorder()
    reporter = Reporter(RUN, Screen(stream))
    reporter.show(Tale("#1").events[0])
    before = len(stream.writes)
    reporter.transcript(key("#1"), "one\x1b[2J\x1b]0;title\x07\n\x08two\rx\n")
    assert stream.writes[before:] == ["#1 | one\n", "#1 | two\n", "#1 | x\n"]


def test_going_on_with_a_run_shows_what_is_new() -> None:
    """RECOVER-1: events from before the crash are taken in, not shown again."""
    tale = Tale("#1", "#2").whole("#1").admit("#2").begin("#2", "spec")
    stream = Recorder()
    reporter = Reporter(RUN, Screen(stream))
    for event in tale.events:
        reporter.replay(event)
    assert stream.getvalue() == ""
    for event in Tale("#9").wait(500).resume().events[1:]:
        reporter.show(event)
    assert stream.getvalue() == "Progress: #1 ✓ #2 ⏳\n"


def on_terminal(terminal: Terminal, events: list[AnyEvent]) -> Reporter:
    reporter = Reporter(RUN, Screen(terminal, tty=True, columns=lambda: terminal.columns))
    for event in events:
        reporter.show(event)
    return reporter


def test_the_progress_line_stays_below() -> None:
    """RUN-11: on a TTY it redraws in place below the scrolling lines: it is there once, and last."""
    terminal = Terminal(80)
    on_terminal(terminal, Tale("#1", "#2").whole("#1").admit("#2").begin("#2", "spec").events)
    assert terminal.rows[-2:] == ["● #2: spec started", "Progress: #1 ✓ #2 ⏳"]
    assert sum(row.startswith("Progress") for row in terminal.rows) == 1


def test_the_last_progress_line_is_left_standing() -> None:
    """RUN-11: what follows begins on a line of its own."""
    terminal = Terminal(80)
    on_terminal(terminal, Tale("#1").whole("#1").over())
    assert terminal.rows[-2:] == ["Progress: #1 ✓", ""]


def test_a_narrower_window_leaves_no_debris() -> None:
    """RUN-11: a window made narrower wraps the line drawn before; all of it is erased."""
    terminal = Terminal(80)
    names = [f"#{number}" for number in range(8)]
    reporter = on_terminal(terminal, Tale(*names).events)
    terminal.columns = 30
    wide = terminal.rows.pop()
    terminal.rows += [wide[:28], wide[28:]]
    terminal.row, terminal.column = len(terminal.rows) - 1, len(wide) - 28
    reporter.tick(START + 1)
    assert [row for row in terminal.rows if row] == ["Progress: 8 ⏳"]


def test_a_stream_that_breaks_is_given_up() -> None:
    """A closed terminal ends no run."""

    class Broken(io.StringIO):
        tries = 0

        def write(self, text: str) -> int:
            self.tries += 1
            raise BrokenPipeError

    stream = Broken()
    reporter = Reporter(RUN, Screen(stream))
    for event in Tale("#1").whole("#1").over():
        reporter.show(event)
    assert stream.tries == 1
    assert reporter.board.view.ended == 1


def test_a_stream_without_unicode_gets_other_signs() -> None:
    """Readable everywhere: what cannot be encoded is replaced, never an error."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    reporter = Reporter(RUN, Screen(stream))
    tale = Tale("#1", "#2").whole("#1")
    tale.end("#2", JobStatus.FAILED, "Übel")
    for event in tale.events:
        reporter.show(event)
    text = raw.getvalue().decode("ascii")
    assert "* #1: spec ok (1m 0s)\n" in text
    assert "x Issue #2 failed: ?bel\n" in text
    assert "Progress: #1 ok #2 x\n" in text


def test_a_run_of_nothing() -> None:
    """A plan without jobs is shown without a fuss."""
    empty = Tale()
    assert isinstance(empty.events[0], RunStarted)
    assert shown(empty.over()) == []
