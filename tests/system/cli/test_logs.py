"""`weft logs`: the run's structured log."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.system.cli.conftest import Weft
from tests.system.cli.runs import START, Written, key, plan, under_way, write

from weft.model.ids import JobKey, RunId
from weft.model.layout import Layout
from weft.model.phase import StepKind
from weft.ports import ControlRequest, RequestKind
from weft.stores.sqlite import SqliteJournal


@pytest.fixture
def two_jobs(state: Path, folder: Path) -> Written:
    run = Written("r-a", plan("1", "2", path=folder)).passes(key("1")).fails(key("2")).over()
    write(state, run)
    return run


def test_every_entry_of_the_latest_run(weft: Weft, two_jobs: Written) -> None:
    """RUN-17: without a run it is the latest; one line per event."""
    lines = weft("logs").out.splitlines()
    assert len(lines) == len(two_jobs.events)
    assert lines[0] == "2026-02-02T02:40:00.000Z - run started: parallel, 2 jobs, cap 3"
    assert lines[3] == "2026-02-02T02:40:00.000Z shop#1 exec attempt 1: started by mine (m1)"


@pytest.mark.parametrize("name", ["2", "#2", "shop#2", "acme/shop#2"])
def test_entries_of_one_job_and_no_other(weft: Weft, two_jobs: Written, name: str) -> None:
    """RUN-17: entries of one job are never filed under another, however the job is written."""
    out = weft("logs", "r-a", name).out
    assert out == weft("logs", name).out
    assert {line.split()[1] for line in out.splitlines()} == {"shop#2"}


def test_json_is_one_object_per_line(weft: Weft, two_jobs: Written) -> None:
    """RUN-17: `--json` prints one JSON object per line, each with its run, type, time and job."""
    entries = [json.loads(line) for line in weft("logs", "r-a", "2", "--json").out.splitlines()]
    assert [entry["type"] for entry in entries][-1] == "job_ended"
    assert {entry["job"] for entry in entries} == {"shop#2"}
    assert {entry["run"] for entry in entries} == {"r-a"}
    assert [entry["seq"] for entry in entries] == sorted(entry["seq"] for entry in entries)


def test_the_job_of_another_repo_with_the_same_id_stays_apart(weft: Weft, state: Path, folder: Path) -> None:
    """Two repos may both have a #1: the current repo's is meant, the other's is written out."""
    here = Written("r-here", plan("1", path=folder)).passes(key("1")).over()
    other = Written("r-other", plan("1", path=folder.parent / "api", repo="api"), START + 9).passes(key("1", "api"))
    write(state, here, other.over())
    assert "shop#1" in weft("logs", "1").out
    assert {line.split()[1] for line in weft("logs", "api#1").out.splitlines()} == {"api#1"}
    assert "r-here" in weft("report").out


def test_unknown_jobs_are_refused_with_the_known_ones(weft: Weft, two_jobs: Written) -> None:
    """An unknown job is exit 2 and names the jobs there are."""
    for args in (("logs", "r-a", "9"), ("logs", "9"), ("why", "9"), ("logs", "1", "2", "3")):
        assert weft(*args).code == 2, args
    assert weft("logs", "r-a", "9").err == (
        "error: Unknown job `9` in run r-a\nhint: its jobs are `shop#1`, `shop#2`\n"
    )
    assert weft("logs", "9").err == "error: Unknown job `9`\nhint: known are `shop#1`, `shop#2`\n"


def test_without_any_run_it_says_so(weft: Weft) -> None:
    """Nothing to show is a clear refusal, not an empty answer."""
    for args in (("logs",), ("logs", "1"), ("report",)):
        answer = weft(*args)
        assert (answer.code, answer.err.splitlines()[0]) == (2, "error: No runs yet"), args


def test_following_ends_with_the_run(weft: Weft, two_jobs: Written) -> None:
    """`--follow` of an ended run prints the same and ends."""
    assert weft("logs", "--follow").out == weft("logs").out
    assert weft("logs", "2", "--follow", "--json").out == weft("logs", "2", "--json").out


def test_following_an_interrupted_run_ends(weft: Weft, state: Path, folder: Path) -> None:
    """Nobody writes to a dead run any more: following it ends."""
    write(state, Written("r-dead", plan("1", path=folder)).begins(key("1")))
    assert weft("logs", "--follow").code == 0


def test_following_shows_what_happens_meanwhile(weft: Weft, state: Path, folder: Path) -> None:
    """RUN-17: `--follow` from another process ends with a run that is stopped meanwhile, having shown its end."""
    with under_way(state, "r-live", plan("1", path=folder)):
        asking = threading.Thread(target=_cancel, args=(state, "r-live", key("1")))
        asking.start()
        out = weft("logs", "--follow").out
        asking.join()
    assert "cancel asked for" in out
    assert out.splitlines()[-1].endswith("run ended")


def test_transcripts_of_a_job(weft: Weft, state: Path, two_jobs: Written) -> None:
    """`--transcript` prints what the job's agents and gates printed, with secrets taken out (SEC-3)."""
    layout = Layout(str(state))
    _put(Path(layout.transcript(two_jobs.attempt(key("2")), StepKind.SESSION)), b"hello\nmy key is hunter22\nno end")
    _put(Path(layout.gate(two_jobs.attempt(key("2")), "test")), b"1 failed\n")
    _put(Path(layout.transcript(two_jobs.attempt(key("1")), StepKind.SESSION)), b"of another job\n")
    answer = weft("logs", "2", "--transcript", API_KEY="hunter22")
    assert answer.out.splitlines() == [
        "== shop#2 exec attempt 1: gate test",
        "1 failed",
        "== shop#2 exec attempt 1: session",
        "hello",
        "my key is <API_KEY>",
        "no end",
    ]
    first = json.loads(weft("logs", "2", "--transcript", "--json").out.splitlines()[0])
    assert (first["source"], first["text"], first["attempt"]) == ("gate test", "1 failed", 1)


def test_a_transcript_needs_a_job(weft: Weft, two_jobs: Written) -> None:
    """`--transcript` without a job, or while following, is exit 2."""
    assert weft("logs", "--transcript").code == 2
    assert weft("logs", "2", "--transcript", "--follow").code == 2


def _cancel(state: Path, run: str, job: JobKey) -> None:
    with SqliteJournal(Path(Layout(str(state)).database)) as journal:
        journal.ask(RunId(run), ControlRequest(RequestKind.CANCEL, job=job))


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def test_a_transcript_on_a_terminal_has_no_control_characters(state: Path, folder: Path, two_jobs: Written) -> None:
    """SEC-3: what an agent printed cannot steer the user's terminal; in a file it stays as it is."""
    path = Path(Layout(str(state)).transcript(two_jobs.attempt(key("2")), StepKind.SESSION))
    _put(path, b"\x1b]0;title\x07red \x1b[31mline\x07\n")
    args = [sys.executable, "-m", "weft", "logs", "2", "--transcript"]
    environment = {"PATH": os.environ["PATH"], "WEFT_HOME": str(state), "TERM": "xterm"}
    done = subprocess.run(args, cwd=folder, env=environment, capture_output=True, check=True)
    assert b"\x1b[31m" in done.stdout
    ours, theirs = pty.openpty()
    try:
        subprocess.run(args, cwd=folder, env=environment, stdout=theirs, check=True)
        shown = os.read(ours, 65536)
    finally:
        os.close(theirs)
        os.close(ours)
    assert b"red line\r\n" in shown
    assert b"\x1b" not in shown
