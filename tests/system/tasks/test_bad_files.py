"""Files that cannot be run: every error at once, each with path, value and what is allowed; nothing starts."""

from __future__ import annotations

import pytest
from tests.support.task_folder import TaskFolder

OK = {"backend": "cat", "prompt": "x"}


@pytest.mark.parametrize(
    ("stdin", "said"),
    [
        ("", "No input: stdin is empty"),
        (" \n", "No input: stdin is empty"),
        ('{"tasks": [\n  {"backend" "x"}]}', "Invalid JSON: stdin: line 2, column 14: Expecting ':' delimiter"),
        ("{'tasks': []}", "Invalid JSON: stdin: line 1, column 2: "),
        ('{"backend": "cat", "prompt": "x"}\n{"backend": 1,}', "Invalid JSON: stdin: line 2, column 15: "),
        ("[]", 'Expected an object with "tasks", got a list'),
        ('"tasks"', 'Expected an object with "tasks", got a text'),
        ("7", 'Expected an object with "tasks", got a number'),
        ("null", 'Expected an object with "tasks", got nothing'),
        ('{"tasks": []}', "No tasks"),
        ("{}", 'No tasks: the object has no "tasks"'),
        ('{"task": []}', 'No tasks: the object has no "tasks"; did you mean `tasks` by `task`?'),
        ('{"tasks": {}}', "stdin: tasks = {}: must be a list"),
        ("[" * 100_000, "Invalid JSON: stdin: nested too deeply"),
    ],
)
def test_what_is_no_task_file(folder: TaskFolder, stdin: str, said: str) -> None:
    """TASK-2: each its own message, exit 2."""
    answer = folder.weft("parallel", "--json", stdin=stdin)
    assert (answer.code, answer.out) == (2, "")
    assert answer.lines[0].startswith(f"error: {said}"), answer.err


def test_no_file_and_no_pipe(folder: TaskFolder) -> None:
    """TASK-2: a file that is not there, or cannot be read."""
    for name in ("none.json", "."):
        answer = folder.weft("parallel", "--file", name)
        assert (answer.code, answer.lines[0].startswith(f"error: No input: `{name}` cannot be read: ")) == (2, True)


def test_a_file_that_is_too_large(folder: TaskFolder) -> None:
    """TASK-2: 50 MB are enough for any file of tasks."""
    with (folder.place / "big.json").open("wb") as file:
        file.truncate(50_000_001)
    answer = folder.weft("parallel", "--file", "big.json")
    assert (answer.code, answer.lines[0]) == (2, "error: big.json: is larger than 50 MB")


def test_bytes_that_are_no_text(folder: TaskFolder) -> None:
    """TASK-2: invalid UTF-8 is told with its place."""
    answer = folder.weft("parallel", stdin=b'{"tasks":\n "\xff"}')
    assert (answer.code, answer.lines[0]) == (2, "error: Invalid JSON: stdin: line 2, column 3: not UTF-8 text")


def test_every_error_at_once(folder: TaskFolder) -> None:
    """TASK-2: all of them, in the file's order, before the first task starts."""
    folder.file(
        {
            "tasks": [
                {**OK, "id": "a", "depends_on": ["b"]},
                {"backend": "claud", "prompt": ""},
                {**OK, "approval_mode": "atuo", "sandbox_mode": 7, "max_turns": 0, "timeout": "soon", "promt": "x"},
                {"prompt": "x", "workdir": "nowhere"},
                {**OK, "workdir": "nowhere", "isolation": "tree", "tags": "t", "meta": [], "id": "a b#c"},
                {**OK, "backend": "catt", "isolation": "worktree"},
                "echo",
                {**OK, "id": "b"},
                {**OK, "id": "b", "timeout": "1m1h"},
            ],
            "max_paralel": 3,
            "fail_fast": "yes",
        }
    )
    answer = folder.weft("parallel", "--file", "tasks.json", "--json")
    assert (answer.code, answer.out) == (2, "")
    said = [line.removeprefix("error: tasks.json: ") for line in answer.lines if line.startswith("error:")]
    agents = "`scripted`, `claude`, `codex`, `gemini`, `opencode`, `sh`, `cat`, `upper`, or a name under `[agents]`"
    modes = "`default`, `auto`, `none`, `always`"
    assert said == [
        "max_paralel: unknown field, did you mean `max_parallel`?",
        'fail_fast = "yes": must be `true` or `false`',
        'tasks[1].prompt = "": must be a text that is not empty',
        f'tasks[1].backend = "claud": must be one of {agents}, did you mean `claude`?',
        "tasks[2].promt: unknown field, did you mean `prompt`?",
        f'tasks[2].approval_mode = "atuo": must be one of {modes}, did you mean `auto`?',
        "tasks[2].sandbox_mode = 7: must be one of `default`, `read-only`, `workspace`, `full`",
        "tasks[2].max_turns = 0: must be a whole number from 1 up",
        'tasks[2].timeout = "soon": must be a number of seconds above 0, or a duration such as `90s`, `30m` or `1h30m`',
        "tasks[3].backend: missing",
        f'tasks[3].workdir = "nowhere": must be a folder: `{folder.place}/nowhere` does not exist',
        'tasks[4].tags = "t": must be a list of texts',
        "tasks[4].meta = []: must be an object",
        'tasks[4].isolation = "tree": must be one of `none`, `worktree`, did you mean `worktree`?',
        'tasks[4].id = "a b#c": must be a name of at most 80 characters without `#`, `{`, `}` or line breaks',
        f'tasks[4].workdir = "nowhere": must be a folder: `{folder.place}/nowhere` does not exist',
        f'tasks[5].backend = "catt": must be one of {agents}, did you mean `cat`?',
        f"tasks[5].isolation: `{folder.place}` is not in a git repo",
        "tasks[6]: must be an object, got a text",
        'tasks[8].id = "b": must be the id of one task only; tasks[7] has it too',
        "tasks[8].timeout: `1m1h` is not a duration: write each unit once, from large to small, such as `1h30m`",
    ]
    assert not folder.state.exists()


def test_cycles_and_unknown_ids(folder: TaskFolder) -> None:
    """TASK-11: exit 2, with the whole cycle by name; a guess for an id that is none."""
    task = {"backend": "cat", "prompt": "x"}
    folder.file({"tasks": [{**task, "id": "a", "depends_on": ["c"]}, {**task, "id": "b", "depends_on": ["a"]},
                           {**task, "id": "c", "depends_on": ["b"]}, {**task, "depends_on": ["d"]}]})  # fmt: skip
    answer = folder.weft("parallel", "--file", "tasks.json")
    assert answer.code == 2
    assert 'error: tasks.json: tasks[0].depends_on: dependency cycle: "a" → "c" → "b" → "a"' in answer.lines
    assert any('tasks[3].depends_on[0] = "d": must be the `id` of a task of this file' in line for line in answer.lines)
    folder.file({"tasks": [{**task, "id": "a", "depends_on": ["a"]}]})
    assert 'dependency cycle: "a" → "a"' in folder.weft("parallel", "--file", "tasks.json").err


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5", ""])
def test_how_many_must_be_a_number(folder: TaskFolder, value: str) -> None:
    """TASK-3: `--max-parallel 0` and -1 are exit 2."""
    folder.tasks("true")
    answer = folder.weft("parallel", "--file", "tasks.json", f"--max-parallel={value}")
    assert (answer.code, answer.lines[0]) == (
        2,
        f"error: Invalid --max-parallel value: {value}. Must be a positive integer.",
    )


def test_what_an_agent_cannot_do_is_said(folder: TaskFolder) -> None:
    """AGENT-2: an error or a stated warning when the file is validated, never dropped in silence."""
    folder.tasks(*({"prompt": "echo a", "max_turns": 3} for _ in range(3)))
    answer = folder.parallel()
    assert answer.code == 0
    assert (
        "warning: tasks[0] and 2 more: agent `sh`: `max_turns` has no effect on an agent of kind `command`"
        in answer.err
    )
    folder.file({"tasks": [{"backend": "scripted", "prompt": "x"}]})
    answer = folder.weft("parallel", "--file", "tasks.json")
    assert answer.code == 2
    assert 'tasks[0].backend = "scripted": must be an agent that can run: `script` must name' in answer.err


def test_two_ways_to_show_exclude_each_other(folder: TaskFolder) -> None:
    """TASK-6, TASK-7."""
    folder.tasks("true")
    answer = folder.weft("parallel", "--file", "tasks.json", "--json", "--quiet")
    assert (answer.code, answer.lines[0]) == (2, "error: --quiet and --json exclude each other")
