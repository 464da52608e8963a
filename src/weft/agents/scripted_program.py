"""The scripted agent's program: does what a script says, on real files in its working directory.

Run as a file by a bare interpreter, so it must import nothing but the standard library and start fast. It prints Weft's
event lines. `STEPS` is the whole vocabulary; the validator reads it too. What costs start-up time is imported late.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from enum import Enum
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn, TypeAlias

    Step: TypeAlias = dict[str, Any]

TEMPFAIL = 75
STATUS_OF_CLASS = {"transient": TEMPFAIL, "rate-limited": TEMPFAIL}
CLASSES = ("work", "transient", "rate-limited", "quota", "auth", "billing", "bad-output")
POLL_SECONDS = 0.01
WAIT_SECONDS = 60.0
FLOOD_WIDTH = 80


class StepFailed(Exception):
    """The session fails, with this message."""


def emit(kind: str, **values: object) -> None:
    sys.stdout.write(json.dumps({"type": kind, **values}) + "\n")
    sys.stdout.flush()


def write(step: Step) -> None:
    path = Path(step["write"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(step["text"], encoding="utf-8", newline="")
    if step.get("executable"):
        path.chmod(0o755)


def append(step: Step) -> None:
    path = Path(step["append"])
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8", newline="") as file:
        file.write(step["text"])


def replace(step: Step) -> None:
    path = Path(step["replace"])
    before = path.read_text(encoding="utf-8")
    if step["old"] not in before:
        raise StepFailed(f"{path} does not hold {step['old']!r}")
    path.write_text(before.replace(step["old"], step["new"]), encoding="utf-8", newline="")


def delete(step: Step) -> None:
    Path(step["delete"]).unlink()


def run(step: Step) -> None:
    import subprocess

    done = subprocess.run(step["run"], shell=True, stdin=subprocess.DEVNULL)  # noqa: S602 the script's author asks for it
    if done.returncode != 0 and step.get("check", True):
        raise StepFailed(f"`{step['run']}` ended with exit status {done.returncode}")


def commit(step: Step) -> None:
    import subprocess

    for command in (["add", "-A"], ["commit", "-q", "--allow-empty", "-m", step["commit"]]):
        who = ["-c", "user.name=Scripted agent", "-c", "user.email=scripted@localhost"]
        done = subprocess.run(["git", *who, *command], stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise StepFailed(f"git {command[0]} ended with exit status {done.returncode}")


def say(step: Step) -> None:
    emit("message", text=step["say"])


def print_raw(step: Step) -> None:
    sys.stdout.buffer.write(step["raw"].encode("utf-8", "surrogateescape") + b"\n")
    sys.stdout.buffer.flush()


def flood(step: Step) -> None:
    filler = "x" * step.get("width", FLOOD_WIDTH)
    for number in range(step["flood"]):
        sys.stdout.write(f"{number} {filler}\n")
    sys.stdout.flush()


def sleep(step: Step) -> None:
    time.sleep(step["sleep"])


def usage(step: Step) -> None:
    emit("usage", **step["usage"])


def verdict(step: Step) -> None:
    emit("verdict", approved=step["verdict"], findings=step.get("findings", []))


def touches(step: Step) -> None:
    emit("touches", paths=step["touches"])


def result(step: Step) -> None:
    emit("result", ok=True, text=step["result"])


def rate_limit(step: Step) -> None:
    values = {"status": step["rate_limit"], "scope": step.get("scope", "account")}
    if "resets_in" in step:
        values["resets_at"] = time.time() + step["resets_in"]
    if "resets_at" in step:
        values["resets_at"] = step["resets_at"]
    emit("rate_limit", **values)


def fail(step: Step) -> NoReturn:
    kind = step.get("class", "work")
    emit("result", ok=False, text=step["fail"], **{"class": kind})
    sys.exit(step.get("exit_status", STATUS_OF_CLASS.get(kind, 1)))


def leave(step: Step) -> NoReturn:
    sys.exit(step["exit"])


def kill(step: Step) -> None:
    os.kill(os.getpid(), step["kill"])


def spawn(step: Step) -> None:
    """A daemon of the kind that agents' tools leave behind: a session of its own, no tie to this process."""
    import subprocess

    subprocess.Popen(
        ["sh", "-c", step["spawn"]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def hang(step: Step) -> None:
    if step.get("stubborn"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        signal.pause()


def expect(step: Step) -> None:
    path = Path(step["expect"])
    if step.get("missing"):
        if path.exists():
            raise StepFailed(f"expected no {path}")
        return
    if not path.exists():
        raise StepFailed(f"expected {path} to exist")
    if "contains" in step and step["contains"] not in path.read_text(encoding="utf-8", errors="replace"):
        raise StepFailed(f"expected {path} to hold {step['contains']!r}")


def wait_for(step: Step) -> None:
    deadline = time.monotonic() + step.get("timeout", WAIT_SECONDS)
    while not Path(step["wait_for"]).exists():
        if time.monotonic() > deadline:
            raise StepFailed(f"waited for {step['wait_for']}, which did not come")
        time.sleep(POLL_SECONDS)


def save_prompt(step: Step) -> None:
    Path(step["save_prompt"]).write_bytes(sys.stdin.buffer.read())


class Kind(Enum):
    """What a value in a script must be."""

    TEXT = "a text"
    TEXTS = "a list of texts"
    PATH = "a path inside the workspace"
    FLAG = "`true` or `false`"
    WHOLE = "a whole number"
    NUMBER = "a number"
    STATUS = "an exit status from 0 to 255"
    USAGE = "a table of tokens and cost"


TEXT, TEXTS, PATH, FLAG = Kind.TEXT, Kind.TEXTS, Kind.PATH, Kind.FLAG
WHOLE, NUMBER, STATUS, USAGE = Kind.WHOLE, Kind.NUMBER, Kind.STATUS, Kind.USAGE

STEPS: dict[str, tuple[Callable[[Step], None], Kind, dict[str, Kind], dict[str, Kind]]] = {
    # name: (what it does, the kind of its value, further keys it needs, keys it may have)
    "write": (write, PATH, {"text": TEXT}, {"executable": FLAG}),
    "append": (append, PATH, {"text": TEXT}, {}),
    "replace": (replace, PATH, {"old": TEXT, "new": TEXT}, {}),
    "delete": (delete, PATH, {}, {}),
    "run": (run, TEXT, {}, {"check": FLAG}),
    "commit": (commit, TEXT, {}, {}),
    "say": (say, TEXT, {}, {}),
    "raw": (print_raw, TEXT, {}, {}),
    "flood": (flood, WHOLE, {}, {"width": WHOLE}),
    "sleep": (sleep, NUMBER, {}, {}),
    "usage": (usage, USAGE, {}, {}),
    "verdict": (verdict, FLAG, {}, {"findings": TEXTS}),
    "touches": (touches, TEXTS, {}, {}),
    "result": (result, TEXT, {}, {}),
    "rate_limit": (rate_limit, TEXT, {}, {"resets_at": NUMBER, "resets_in": NUMBER, "scope": TEXT}),
    "fail": (fail, TEXT, {}, {"class": TEXT, "exit_status": STATUS}),
    "exit": (leave, STATUS, {}, {}),
    "kill": (kill, WHOLE, {}, {}),
    "spawn": (spawn, TEXT, {}, {}),
    "hang": (hang, FLAG, {}, {"stubborn": FLAG}),
    "expect": (expect, PATH, {}, {"contains": TEXT, "missing": FLAG}),
    "wait_for": (wait_for, TEXT, {}, {"timeout": NUMBER}),
    "save_prompt": (save_prompt, PATH, {}, {}),
}
CONDITIONS = {"only_if": PATH, "unless": PATH}
"""Any step may have these: it is left out unless, or if, the file is there."""


def matches(session: dict[str, Any], about: dict[str, str]) -> bool:
    job, phase, attempt = session.get("job", "*"), session.get("phase", "*"), session.get("attempt")
    return (
        job in ("*", about["id"], about["job"])
        and phase in ("*", about["phase"])
        and (attempt is None or str(attempt) == about["attempt"])
    )


def precision(session: dict[str, Any]) -> tuple[int, bool, bool]:
    """How closely a `[[session]]` says what it is for: the closest match is taken."""
    job = session.get("job", "*")
    return (0 if job == "*" else 2 if "#" in job else 1, session.get("phase", "*") != "*", "attempt" in session)


def steps_for(script: dict[str, Any], about: dict[str, str]) -> list[Step] | None:
    found = [session for session in script.get("session", []) if matches(session, about)]
    return max(found, key=precision)["steps"] if found else None


def filled(value: Any, about: dict[str, str]) -> Any:
    """`@{id}`, `@{job}`, `@{phase}`, `@{attempt}`, `@{run}` in any text."""
    if isinstance(value, str):
        for name, known in about.items():
            value = value.replace("@{" + name + "}", known)
        return value
    if isinstance(value, list):
        return [filled(item, about) for item in value]
    return value


def perform(step: Step) -> None:
    if "only_if" in step and not Path(step["only_if"]).exists():
        return
    if "unless" in step and Path(step["unless"]).exists():
        return
    name = next(name for name in step if name in STEPS)
    STEPS[name][0](step)


def play(script: Path, about: dict[str, str]) -> None:
    import tomllib

    steps = steps_for(tomllib.loads(script.read_text(encoding="utf-8")), about)
    if steps is None:
        raise StepFailed(
            f"{script} has no `[[session]]` for {about['job']}, phase {about['phase']}, attempt {about['attempt']}"
        )
    for step in steps:
        perform({key: filled(value, about) for key, value in step.items()})


def main(argv: list[str]) -> int:
    """`PROGRAM SCRIPT RUN JOB ID PHASE ATTEMPT`; an empty SCRIPT says so."""
    script, run_id, job, ident, phase, attempt = argv
    about = {"run": run_id, "job": job, "id": ident, "phase": phase, "attempt": attempt}
    try:
        if not script:
            raise StepFailed("the scripted agent has no script; hint: set `script` under `[agents.scripted]`")
        play(Path(script), about)
    except (StepFailed, OSError, ValueError, KeyError, StopIteration) as error:
        emit("result", ok=False, text=str(error) or repr(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
