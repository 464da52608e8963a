"""The program: hear requests, start, reap, end."""

from __future__ import annotations

import json
import os
import select
import signal
import time

from .kernel import LINUX, become_subreaper, children_of, descendants_of, mark_of
from .session import Session, Stage
from .start import IGNORED, Refused, octets, start
from .tags import Tags, signal_exactly

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is slow to import, and this program must start quickly
    from typing import Any

SOCKET = 0
LEFTOVER_GRACE = 0.5
"""Seconds between SIGTERM and SIGKILL for what a session leaves when it ends by itself."""
ABANDONED_GRACE = 1.0
"""The same when Weft is gone."""
KILL_PAUSE = 0.02


class Watch:
    """All sessions under way, from the first request to the last process's end."""

    def __init__(self) -> None:
        self.tags = Tags()
        self.sessions: dict[int, Session] = {}
        self.roots: dict[int, Session] = {}
        self.beyond: set[int] = set()
        """Children that may not be signalled, such as a program of another user."""
        self.closing = False
        self.unread = bytearray()
        self.unsent: list[bytes] = []

    def run(self) -> None:
        woken, wake = os.pipe()
        os.set_blocking(woken, False)
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        poll = select.poll()
        poll.register(SOCKET, select.POLLIN)
        poll.register(woken, select.POLLIN)
        while not (self.closing and self.nothing_left()):
            ready = {fd for fd, _ in poll.poll(self.patience())}
            if woken in ready:
                os.read(woken, 4096)
                self.reap()
            if SOCKET in ready and not self.receive():
                poll.unregister(SOCKET)
                self.abandon()
            self.settle()
            self.send()

    def patience(self) -> float | None:
        """Milliseconds until something is due; none if nothing is."""
        deadlines = [each.deadline for each in self.sessions.values() if each.stage is Stage.ENDING]
        if self.closing:
            deadlines.append(time.monotonic() + KILL_PAUSE)
        return max(0.0, min(deadlines) - time.monotonic()) * 1000 if deadlines else None

    # -- requests and answers

    def receive(self) -> bool:
        """Carry out what has arrived; false at the end of the requests."""
        try:
            data = os.read(SOCKET, 1 << 18)
        except ConnectionResetError:
            return False
        lines = data.split(b"\n")
        self.unread += lines[0]
        for line in lines[1:]:
            self.carry_out(json.loads(self.unread))
            self.unread = bytearray(line)
        return bool(data)

    def carry_out(self, request: dict[str, Any]) -> None:
        if "argv" in request:
            self.begin(request)
        elif session := self.sessions.get(request["n"]):
            if "signal" in request:
                self.ask(session, request["signal"], request["grace"])
            else:
                self.stop(session, request["grace"])

    def begin(self, request: dict[str, Any]) -> None:
        number = request["n"]
        self.tags.wear(number)
        try:
            pid = start(request)
        except Refused as refused:
            self.answer({"n": number, "where": refused.where, "errno": refused.number})
            return
        status_file = request["status_file"]
        mark = request["env"].get("WEFT_ATTEMPT")
        session = Session(number, pid, status_file and octets(status_file), mark and octets(mark))
        self.sessions[number] = self.roots[pid] = session
        self.answer({"n": number, "pid": pid})

    def answer(self, message: dict[str, Any]) -> None:
        self.unsent.append(json.dumps(message).encode() + b"\n")

    def send(self) -> None:
        data = memoryview(b"".join(self.unsent))
        self.unsent.clear()
        try:
            while data:
                data = data[os.write(SOCKET, data) :]
        except (BrokenPipeError, ConnectionResetError):
            pass  # Weft is gone; reading says so too

    # -- ends

    def reap(self) -> None:
        """Take the exits of children, our own and adopted."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            self.beyond.discard(pid)
            if session := self.roots.pop(pid, None):
                session.exited(status, usage.ru_maxrss)

    def ask(self, session: Session, sig: int, grace: float) -> None:
        """Signal its own process alone, once. We have not reaped it, so its number is still its own."""
        if session.stage is Stage.RUNNING and session.exit is None:
            session.stage = Stage.ASKED
            session.grace = grace
            try:
                os.kill(session.pid, sig)
            except PermissionError:
                self.beyond.add(session.pid)

    def stop(self, session: Session, grace: float) -> None:
        """Ask the whole tree to end; asked again, the shorter grace counts."""
        deadline = time.monotonic() + grace
        if session.stage is not Stage.ENDING:
            session.stage = Stage.ENDING
            session.deadline = deadline
            if grace > 0:
                self.signal_tree(self.alive(session, self.orphans()), signal.SIGTERM)
        session.deadline = min(session.deadline, deadline)

    def abandon(self) -> None:
        """Weft is gone, or has let go: end everything. What had ended before is told first."""
        self.closing = True
        self.reap()
        for session in self.sessions.values():
            self.stop(session, ABANDONED_GRACE)

    def settle(self) -> None:
        """Move on every session whose root has exited or that was told to end."""
        pending = [each for each in self.sessions.values() if each.exit or each.stage is Stage.ENDING]
        if not pending:
            return
        orphans = self.orphans()
        now = time.monotonic()
        for session in pending:
            alive = self.alive(session, orphans)
            if not alive:
                self.finish(session)
            elif session.stage is not Stage.ENDING:
                self.stop(session, session.grace or LEFTOVER_GRACE)
            elif now >= session.deadline:
                self.signal_tree(alive, signal.SIGKILL)
                session.deadline = now + KILL_PAUSE

    def finish(self, session: Session) -> None:
        del self.sessions[session.number]
        if not LINUX:
            kill_group(session.pid)
        assert session.exit is not None
        status, max_rss = session.exit
        self.answer({"n": session.number, "status": status, "max_rss_kb": max_rss})

    def alive(self, session: Session, orphans: dict[int, list[int]]) -> list[int]:
        """Those of a session's processes that are our children. If there are none, none is left at all: each
        descendant has an ancestor among our children, and that one carries the same number."""
        root = [] if session.exit else [session.pid]
        return [pid for pid in root + orphans.get(session.number, []) if pid not in self.beyond]

    def orphans(self) -> dict[int, list[int]]:
        """Adopted children by session; what belongs to no session any more is killed. The list of our own children is
        exact: only we reap them."""
        found: dict[int, list[int]] = {}
        for pid in self.adopted():
            number = self.owner(pid)
            if number in self.sessions:
                found.setdefault(number, []).append(pid)
            else:
                self.signal_tree([pid], signal.SIGKILL)
        return found

    def adopted(self) -> list[int]:
        return [pid for pid in children_of(os.getpid()) if pid not in self.roots and pid not in self.beyond]

    def owner(self, pid: int) -> int:
        """The session of an adopted child: by its tag, or by its mark if it set its own limit (audio servers do)."""
        number = self.tags.read(pid)
        if number in self.sessions:
            return number
        mark = mark_of(pid)
        return next((each.number for each in self.sessions.values() if mark and each.mark == mark), 0)

    def signal_tree(self, children: list[int], sig: signal.Signals) -> None:
        """Signal these children of ours, which cannot vanish before we reap them, and all below them."""
        for pid in descendants_of(children):
            if pid not in children:
                signal_exactly(pid, sig, self.tags)
                continue
            try:
                os.kill(pid, sig)
            except PermissionError:
                self.beyond.add(pid)
        if sig == signal.SIGTERM:
            self.signal_tree(children, signal.SIGCONT)  # a stopped process would not hear it

    def nothing_left(self) -> bool:
        self.reap()
        self.orphans()
        return not self.sessions and not self.adopted()


def kill_group(leader: int) -> None:
    """All that can be done for orphans where they are not handed to the warden."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except OSError:
        return


def main() -> None:
    for sig in IGNORED:
        signal.signal(sig, signal.SIG_IGN)
    os.set_inheritable(SOCKET, False)
    become_subreaper()
    watch = Watch()
    try:
        watch.run()
    except Exception:
        import traceback

        watch.answer({"defect": traceback.format_exc()})
        watch.send()
        kill_all()
        raise


def kill_all() -> None:
    """The last resort, for a defect of the warden itself: nothing may survive it."""
    while children := children_of(os.getpid()):
        for pid in descendants_of(children):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        os.waitpid(-1, 0)
