"""A program with descendants of the shapes named on its command line: `tree.py MARK SHAPE...`.

Each says `ready` and then stays; the program itself stays too, or with `leave` exits once all have said it.
"""

from __future__ import annotations

import os
import signal
import sys
import time

LEAF = "import sys, time; print('ready', flush=True); time.sleep(600)"
DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN);" + LEAF


def leaf(program: str = LEAF, env: dict[str, str] | None = None) -> None:
    os.execve(
        sys.executable, [sys.executable, "-S", "-c", program, sys.argv[1]], dict(os.environ) if env is None else env
    )


def plain() -> None:
    leaf()


def own_session() -> None:
    os.setsid()
    leaf()


def daemon() -> None:
    """Double fork, a session of its own, no environment: nothing ties it to its ancestors."""
    os.setsid()
    if os.fork():
        os._exit(0)
    os.setsid()
    leaf(env={})


def deaf() -> None:
    leaf(DEAF)


def deaf_daemon() -> None:
    os.setsid()
    if os.fork():
        os._exit(0)
    leaf(DEAF, env={})


def stopped() -> None:
    if not os.fork():
        print("ready", flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(600)


def deep() -> None:
    for _ in range(5):
        if os.fork():
            time.sleep(600)
        os.setsid()
    leaf()


def from_thread() -> None:
    """The child of a thread that is not the first."""
    import subprocess
    import threading

    threading.Thread(target=lambda: subprocess.Popen([sys.executable, "-S", "-c", LEAF, sys.argv[1]])).start()
    time.sleep(600)


def bomb() -> None:
    """Up to 200 processes that keep making others and shed their parents, until they are stopped."""
    os.setsid()
    print("ready", flush=True)
    for _ in range(100):
        if os.fork():
            if os.fork():
                os._exit(0)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
    time.sleep(600)


def output() -> str:
    with open("/proc/self/fd/1") as file:  # noqa: PTH123
        return file.read()


def main() -> None:
    shapes = sys.argv[2:]
    for shape in shapes:
        if shape != "leave" and not os.fork():
            globals()[shape]()
    if "leave" in shapes:
        while output().count("ready") < len(shapes) - 1:
            time.sleep(0.005)
        return
    print("ready", flush=True)
    time.sleep(600)


if __name__ == "__main__":
    main()
