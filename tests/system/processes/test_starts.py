"""Starting processes: what they are given, what can go wrong, and how many at once."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weft.errors import ProcessError
from weft.processes import Child, Warden, read_status

if TYPE_CHECKING:
    from .conftest import Stage


async def test_a_program_gets_what_it_was_given(stage: Stage, warden: Warden) -> None:
    """Arguments, environment, folder, input, and two outputs, and nothing else."""
    (stage.folder / "input").write_text("from stdin\n")
    script = 'cat; pwd; echo "$1"; env | grep -v -e PWD -e SHLVL -e ^_= -e PATH= | sort; echo err >&2; ls /proc/self/fd'
    launch = stage.launch("/bin/sh", "-c", script, "sh", "a b", stdin=stage.folder / "input", stderr=stage.folder / "e")
    assert (await (await warden.spawn(launch)).wait()).status == 0
    said = stage.output.read_text().splitlines()
    attempt = f"WEFT_ATTEMPT={stage.env['WEFT_ATTEMPT']}"
    assert said == ["from stdin", str(stage.folder), "a b", attempt, "0", "1", "2", "3"]
    assert (stage.folder / "e").read_text() == "err\n"


async def test_both_outputs_to_one_file_in_order(stage: Stage, warden: Warden) -> None:
    """Output is appended, and stderr goes where stdout goes unless told otherwise."""
    stage.output.write_text("before\n")
    await (await warden.spawn(stage.shell("echo 1; echo 2 >&2; echo 3"))).wait()
    assert stage.output.read_text() == "before\n1\n2\n3\n"


async def test_bytes_that_are_no_text(stage: Stage, warden: Warden) -> None:
    """Names, arguments and values that are not UTF-8 pass unchanged."""
    raw = os.fsdecode(b"\xff\xfe \xe9 \n \xc3\xa9")
    folder = stage.folder / raw
    folder.mkdir()
    script = 'printf %s "$1"; printf %s "$V"; pwd'
    launch = stage.launch(
        "/bin/sh", "-c", script, "sh", raw, env={"PATH": "/bin", "V": raw}, cwd=folder, stdout=folder / "out"
    )
    await (await warden.spawn(launch)).wait()
    assert (folder / "out").read_bytes() == os.fsencode(raw) * 2 + os.fsencode(folder) + b"\n"


async def test_large_requests(stage: Stage, warden: Warden) -> None:
    """A prompt of the greatest length the system takes as an argument, several at once."""
    prompt = "é" * 60_000

    async def one(number: int) -> None:
        output = stage.folder / f"out{number}"
        launch = stage.launch("/bin/sh", "-c", 'printf %s "$1$2"', "sh", prompt, prompt, stdout=output)
        await (await warden.spawn(launch)).wait()
        assert output.read_text() == prompt * 2

    await asyncio.gather(*map(one, range(8)))


async def test_programs_are_found_by_their_own_path(stage: Stage, warden: Warden) -> None:
    """PATH is that of the new environment; an entry that cannot be run is passed over for one that can."""
    for name, mode in (("a", 0o644), ("b", 0o755)):
        (stage.folder / name).mkdir()
        (stage.folder / name / "tool").write_text("#!/bin/sh\necho $0\n")
        (stage.folder / name / "tool").chmod(mode)
    path = f"/missing:{stage.folder}/a:{stage.folder}/b"
    await (await warden.spawn(stage.launch("tool", env={"PATH": path}))).wait()
    assert stage.output.read_text() == f"{stage.folder}/b/tool\n"


async def test_a_program_relative_to_its_folder(stage: Stage, warden: Warden) -> None:
    """A name with a slash is taken from the folder the program runs in."""
    (stage.folder / "tool").write_text("#!/bin/sh\nexit 4\n")
    (stage.folder / "tool").chmod(0o755)
    assert (await (await warden.spawn(stage.launch("./tool"))).wait()).status == 4


BAD_PROGRAMS = {
    "missing-tool": "the program `missing-tool` was not found",
    "./missing": "the program `./missing` does not exist",
    "./plain": "the program `./plain` is not executable",
    "./folder": "the program `./folder` is not executable",
    "./no-interpreter": "cannot start: the interpreter its first line names does not exist",
    "./no-line": "the program `./no-line` is neither a binary nor a script that begins with `#!`",
    "": "no program was given to start",
    "a\0b": "holds a NUL character",
}


@pytest.mark.parametrize("program", BAD_PROGRAMS)
async def test_programs_that_cannot_start(stage: Stage, warden: Warden, program: str) -> None:
    """A start that fails says what was at fault, and the warden goes on."""
    (stage.folder / "folder").mkdir()
    for name, text, mode in (
        ("plain", "#!/bin/sh\n", 0o644),
        ("no-interpreter", "#!/missing/sh\n", 0o755),
        ("no-line", "exit 0\n", 0o755),
    ):
        (stage.folder / name).write_text(text)
        (stage.folder / name).chmod(mode)
    with pytest.raises(ProcessError) as raised:
        await warden.spawn(stage.launch(program))
    assert BAD_PROGRAMS[program] in raised.value.message
    assert (await (await warden.spawn(stage.shell("exit 0"))).wait()).status == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cwd": Path("/missing")}, "the folder `/missing` to run `/bin/sh` in does not exist"),
        ({"stdin": Path("/missing")}, "stdin `/missing`: No such file or directory"),
        ({"stdout": Path("/missing/out")}, "stdout `/missing/out`: No such file or directory"),
        ({"stderr": Path("/missing/err")}, "stderr `/missing/err`: No such file or directory"),
        ({"env": {"A=B": "c"}}, "'A=B' is no name for a variable"),
    ],
)
async def test_places_that_cannot_be_used(
    stage: Stage, warden: Warden, changes: dict[str, object], message: str
) -> None:
    """As for programs: what was at fault, and where."""
    with pytest.raises(ProcessError) as raised:
        await warden.spawn(stage.shell("exit 0", **changes))
    assert message in raised.value.message


async def test_an_argument_too_long_for_the_system(stage: Stage, warden: Warden) -> None:
    """What the kernel refuses is told in the kernel's words."""
    with pytest.raises(ProcessError, match="Argument list too long"):
        await warden.spawn(stage.launch("/bin/true", "x" * 3_000_000))


async def test_exit_and_memory(stage: Stage, warden: Warden) -> None:
    """An exit tells status or signal, and the most memory it used."""
    allocate = "x = bytearray(80_000_000); x[::4096] = x[::4096]; import os; os.kill(os.getpid(), 9)"
    ended = await (await warden.spawn(stage.launch(sys.executable, "-S", "-c", allocate))).wait()
    assert ended.status == -signal.SIGKILL
    assert ended.max_rss_kb > 80_000


async def test_a_status_file_tells_of_an_end_by_itself(stage: Stage, warden: Warden) -> None:
    """It is there before the end is told."""
    status_file = stage.folder / "status"
    child = await warden.spawn(stage.shell("exit 9", status_file=status_file))
    ended = await child.wait()
    assert ended.status == 9
    assert read_status(status_file) == ended


async def test_no_status_file_for_a_stopped_session(stage: Stage, warden: Warden) -> None:
    """One that Weft ended did not end by itself."""
    status_file = stage.folder / "status"
    child = await warden.spawn(stage.shell("echo ready; sleep 600", status_file=status_file))
    await stage.ready()
    await child.stop(grace=1)
    assert read_status(status_file) is None


async def test_output_held_open_by_a_grandchild(stage: Stage, warden: Warden) -> None:
    """A descendant that keeps the output open does not hold up the session's end."""
    child = await warden.spawn(stage.shell("(trap '' TERM; sleep 600) & echo ready"))
    assert (await child.wait()).status == 0
    assert stage.alive() == []


async def test_a_start_that_is_cancelled_leaves_nothing(stage: Stage, warden: Warden) -> None:
    """Whatever moment the cancellation comes at: when `spawn` is over, so is the process."""
    for turns in range(6):
        starting = asyncio.create_task(warden.spawn(stage.tree("daemon")))
        for _ in range(turns):
            await asyncio.sleep(0)
        starting.cancel()
        try:
            child = await starting
        except asyncio.CancelledError:
            assert stage.alive() == []
        else:
            await child.stop(grace=0)


async def test_a_cancelled_start_that_was_refused(stage: Stage, warden: Warden) -> None:
    """There is nothing to wait for then."""
    starting = asyncio.create_task(warden.spawn(stage.launch("./missing")))
    await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting


async def test_stopping_what_has_ended(stage: Stage, warden: Warden) -> None:
    """It answers with the end as it was."""
    child = await warden.spawn(stage.shell("exit 2"))
    ended = await child.wait()
    assert await child.stop(grace=5) == ended
    assert ended.status == 2


async def test_cancelling_a_wait_leaves_the_process(stage: Stage, warden: Warden) -> None:
    """To wait is not to own."""
    child = await warden.spawn(stage.shell("echo ready; sleep 600"))
    await stage.ready()
    waiting = asyncio.create_task(child.wait())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    assert child.pid in stage.alive()


async def test_two_hundred_at_once(stage: Stage, warden: Warden) -> None:
    """PERF-5: two hundred sessions are under way at the same time, and each gets its own end."""
    go = stage.folder / "go"
    os.mkfifo(go)
    held = os.open(go, os.O_RDWR)

    async def start(number: int) -> Child:
        return await warden.spawn(stage.shell(f"read line; exit {number}", stdin=go))

    children = await asyncio.gather(*map(start, range(200)))
    assert len(stage.alive()) == 200
    os.write(held, b"\n" * 200)
    assert [(await child.wait()).status for child in children] == list(range(200))
    os.close(held)


async def test_a_pipe_without_another_end(stage: Stage, warden: Warden) -> None:
    """The warden does not wait for it; there is nothing to read, and nowhere to write."""
    pipe = stage.folder / "pipe"
    os.mkfifo(pipe)
    assert (await (await warden.spawn(stage.launch("cat", stdin=pipe))).wait()).status == 0
    with pytest.raises(ProcessError, match="stdout"):
        await warden.spawn(stage.launch("cat", stdout=pipe))


async def test_nothing_starts_after_the_end(stage: Stage) -> None:
    """A task that comes late is told so, and starts no new warden."""
    async with Warden() as warden:
        child = await warden.spawn(stage.shell("sleep 600"))
        leaving = asyncio.create_task(warden.__aexit__(None, None, None))
        await asyncio.sleep(0.001)
        with pytest.raises(ProcessError, match="any more"):
            await warden.spawn(stage.shell("exit 0"))
        assert (await child.stop(grace=5)).status == -signal.SIGTERM
        await leaving
    with pytest.raises(ProcessError, match="any more"):
        await warden.spawn(stage.shell("exit 0"))


async def test_cancelled_while_the_warden_starts() -> None:
    """No warden is left, whatever moment it is at; the guard of every test looks for it."""
    for turns in range(5):
        entering = asyncio.create_task(Warden().__aenter__())
        for _ in range(turns):
            await asyncio.sleep(0)
        entering.cancel()
        try:
            warden = await entering
        except asyncio.CancelledError:
            continue
        await warden.__aexit__(None, None, None)
