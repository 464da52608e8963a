"""Start one process in a session of its own."""

from __future__ import annotations

import errno
import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is slow to import, and this program must start quickly
    from typing import Any

IGNORED = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP, signal.SIGPIPE]
"""The warden ends when its socket does; an agent that signals its parent must not end it."""
RESTORED = [*IGNORED, signal.SIGXFSZ, signal.SIGCHLD]
OUTPUT = os.O_WRONLY | os.O_APPEND | os.O_CREAT


class Refused(Exception):
    """A process could not be started: what was at fault, and the error number."""

    def __init__(self, where: str, number: int | None) -> None:
        super().__init__(where, number)
        self.where = where
        self.number = number


def start(request: dict[str, Any]) -> int:
    """Start what is asked for, in a session of its own; answers its pid."""
    opened: list[int] = []
    where = "cwd"
    try:
        os.chdir(octets(request["cwd"]))
        where = "stdin"
        opened.append(open_at_once(request["stdin"], os.O_RDONLY))
        where = "stdout"
        opened.append(open_at_once(request["stdout"], OUTPUT))
        where = "stderr"
        if request["stderr"] is not None:
            opened.append(open_at_once(request["stderr"], OUTPUT))
        where = "program"
        return execute([octets(each) for each in request["argv"]], environment(request), opened)
    except OSError as error:
        raise Refused(where, error.errno) from error
    finally:
        for fd in opened:
            os.close(fd)
        os.chdir("/")


def execute(argv: list[bytes], env: dict[bytes, bytes], files: list[int]) -> int:
    """As execvpe(3) finds programs: by the PATH of the new environment unless the name holds a slash."""
    names = [argv[0]]
    if b"/" not in argv[0]:
        names = [os.path.join(folder, argv[0]) for folder in env.get(b"PATH", b"/bin:/usr/bin").split(b":")]
    actions = [(os.POSIX_SPAWN_DUP2, files[min(fd, len(files) - 1)], fd) for fd in (0, 1, 2)]
    kept: OSError | None = None
    for name in names:
        try:
            return os.posix_spawn(name, argv, env, file_actions=actions, setsid=True, setsigmask=[], setsigdef=RESTORED)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.EACCES):
                raise
            if kept is None or error.errno == errno.EACCES:
                kept = error
    assert kept is not None
    raise kept


def open_at_once(path: str, flags: int) -> int:
    """Open without waiting for the other end of a pipe: the warden has others to serve."""
    fd = os.open(octets(path), flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    os.set_blocking(fd, True)
    return fd


def octets(text: str) -> bytes:
    return text.encode("latin-1")


def environment(request: dict[str, Any]) -> dict[bytes, bytes]:
    return {octets(name): octets(value) for name, value in request["env"].items()}
