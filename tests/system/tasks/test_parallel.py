"""`weft parallel` as a user sees it: text, JSON, exit codes, precedence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.support.task_folder import TaskFolder, check_counts, outputs, statuses

TIMES = re.compile(r"\d+\.\d\ds")


def test_the_text_output(folder: TaskFolder) -> None:
    """TASK-6: the first line, `[n]` in order of completion, the table, the total; all on stdout."""
    file = folder.tasks(
        f"{folder.hold('one')}echo The auth module looks good",
        {"prompt": f"echo Added logging; touch '{folder.root}/go.one'", "name": "add logging"},
        "echo 'Generated 5 test cases'; echo and more",
    )
    answer = folder.weft("parallel", "--file", file, "--max-parallel", "2")
    assert answer.code == 0
    lines = TIMES.sub("0.00s", answer.out).splitlines()
    assert lines[:5] == [
        "Running 3 tasks (max 2 parallel)...",
        "",
        "[2] Added logging",
        *sorted(["[1] The auth module looks good", "[3] Generated 5 test cases…"], key=lines.index),
    ]
    assert lines[5:] == [
        "",
        "Results",
        "=" * 60,
        "#    BACKEND      STATUS   DURATION   TASK",
        "-" * 60,
        lines[10],
        "2    sh           OK       0.00s      add logging",
        "3    sh           OK       0.00s      echo 'Generated 5 test cases'; echo and more",
        "-" * 60,
        "",
        "Total: 3 tasks, 3 completed, 0 failed (0.00s)",
    ]


def test_quiet_is_the_total_alone(folder: TaskFolder) -> None:
    """TASK-6: `--quiet` prints one line; what was cancelled is added where there is any (TASK-5)."""
    folder.tasks("echo a", "exit 1", {"prompt": "echo b", "id": "b"})
    answer = folder.weft("parallel", "--file", "tasks.json", "--quiet")
    assert TIMES.sub("0.00s", answer.out) == "Total: 3 tasks, 2 completed, 1 failed (0.00s)\n"
    folder.tasks({"prompt": "exit 1", "id": "a"}, {"prompt": "echo b", "depends_on": ["a"]})
    answer = folder.weft("parallel", "--file", "tasks.json", "--quiet")
    assert TIMES.sub("0.00s", answer.out) == "Total: 2 tasks, 0 completed, 1 failed, 1 cancelled (0.00s)\n"


def test_the_document(folder: TaskFolder) -> None:
    """TASK-7: every key, in its order; what was given comes back; stdout holds nothing else."""
    meta = {"k": [1, {"a": None}], "ä": "ü"}
    folder.tasks({"prompt": "echo hello; echo more", "id": "x", "name": "n", "tags": ["t"], "meta": meta}, "exit 3")
    answer = folder.parallel()
    document = answer.document
    assert answer.code == 1
    keys = "total_tasks completed failed cancelled total_duration_seconds start_time end_time results"
    assert list(document) == keys.split()
    first, second = document["results"]
    after = "backend status output exit_code duration_seconds start_time end_time usage"
    assert list(first) == ["index", "id", "name", "tags", "meta", *after.split()]
    given = [first[key] for key in ("index", "id", "name", "tags", "meta", "output", "exit_code")]
    assert given == [0, "x", "n", ["t"], meta, "hello\nmore", 0]
    assert first["usage"] == {"input_tokens": 0, "output_tokens": 0, "cached_tokens": 0}
    assert list(second) == ["index", *after.replace("exit_code", "error exit_code").split()]
    assert (second["exit_code"], second["error"]) == (3, "ended with exit status 3 and said nothing")
    check_counts(document)


def test_usage_session_and_model_come_from_the_agent(folder: TaskFolder) -> None:
    """TASK-7: what the agent told of tokens, cost and its session is in the result; an unknown cost is absent."""
    folder.settings('[agents.json]\nkind = "command"\nargv = ["/bin/sh"]\noutput = "jsonl"\nmodel = "fast"')
    lines = [
        {"type": "started", "session_id": "s-1"},
        {"type": "usage", "input_tokens": 7, "output_tokens": 5, "cached_tokens": 3, "cost_usd": 0.25},
        {"type": "result", "ok": True, "text": "the answer\n"},
    ]
    said = "".join(f"printf '%s\\n' '{json.dumps(line)}'\n" for line in lines)
    folder.tasks({"backend": "json", "prompt": said}, {"backend": "json", "prompt": said, "model": "best"})
    first, second = folder.parallel().document["results"]
    assert first["usage"] == {"input_tokens": 7, "output_tokens": 5, "cached_tokens": 3, "cost_usd": 0.25}
    assert (first["session_id"], first["model"], second["model"]) == ("s-1", "fast", "best")
    assert first["output"] == "the answer"


def test_an_error_with_exit_status_0_is_a_failure(folder: TaskFolder) -> None:
    """AGENT-4, TASK-7b: the agent's own words are the error, and the exit code is not 0."""
    folder.settings('[agents.json]\nkind = "command"\nargv = ["/bin/sh"]\noutput = "jsonl"')
    line = json.dumps({"type": "result", "ok": False, "text": "API Error: overloaded"})
    folder.tasks({"backend": "json", "prompt": f"echo '{line}'"})
    answer = folder.parallel()
    [result] = answer.document["results"]
    assert (answer.code, result["status"], result["exit_code"]) == (1, "failed", 1)
    assert result["error"] == "API Error: overloaded"


def test_all_run_whatever_fails(folder: TaskFolder) -> None:
    """TASK-5: by default a failure stops nothing."""
    folder.tasks("exit 1", "echo b", "kill -9 $$", "echo d", max_parallel=1)
    answer = folder.parallel()
    assert statuses(answer) == ["failed", "completed", "failed", "completed"]
    assert [result["exit_code"] for result in answer.document["results"]] == [1, 0, 137, 0]
    check_counts(answer.document)


def test_timeouts(folder: TaskFolder) -> None:
    """TASK-15: its own limit, else the file's, else the flag's or the setting's; its whole tree is ended: 124."""
    slow = f"(setsid sleep 60 '{folder.root}' 2>/dev/null || setsid sleep 60) & sleep 60"
    folder.tasks({"prompt": slow, "timeout": "200ms"}, {"prompt": slow}, "echo quick", timeout=0.3)
    answer = folder.parallel()
    assert statuses(answer) == ["timed_out", "timed_out", "completed"]
    assert [result["exit_code"] for result in answer.document["results"]] == [124, 124, 0]
    assert answer.document["failed"] == 2
    assert answer.document["results"][0]["error"] == "stopped after its time limit of 0.2 s"
    folder.tasks("sleep 60", timeout="1h")
    assert statuses(folder.parallel("--timeout", "100ms")) == ["timed_out"]
    check_counts(answer.document)


@pytest.mark.parametrize(
    ("flags", "variables", "file", "settings", "cap"),
    [
        ([], {}, {}, "", 3),
        ([], {}, {}, "[parallel]\nmax_workers = 4", 4),
        ([], {}, {"max_parallel": 2}, "[parallel]\nmax_workers = 4", 2),
        ([], {"WEFT_PARALLEL_MAX_WORKERS": "5"}, {"max_parallel": 2}, "[parallel]\nmax_workers = 4", 5),
        (["--max-parallel", "6"], {"WEFT_PARALLEL_MAX_WORKERS": "5"}, {"max_parallel": 2}, "", 6),
    ],
)
def test_who_says_how_many(
    folder: TaskFolder, flags: list[str], variables: dict[str, str], file: dict[str, int], settings: str, cap: int
) -> None:
    """TASK-3: flag > environment > task file > settings > 3."""
    folder.settings(settings)
    folder.tasks("true", **file)
    answer = folder.weft("parallel", "--file", "tasks.json", *flags, variables=variables)
    assert answer.out.splitlines()[0] == f"Running 1 tasks (max {cap} parallel)..."


@pytest.mark.parametrize(
    ("flags", "file", "settings", "fast"),
    [
        ([], {}, "", False),
        ([], {}, "[parallel]\nfail_fast = true", True),
        ([], {"fail_fast": False}, "[parallel]\nfail_fast = true", False),
        (["--fail-fast"], {"fail_fast": False}, "", True),
        (["--no-fail-fast"], {"fail_fast": True}, "", False),
    ],
)
def test_who_says_whether_to_stop(
    folder: TaskFolder, flags: list[str], file: dict[str, bool], settings: str, fast: bool
) -> None:
    """TASK-3: `--no-fail-fast` overrides a file's true."""
    folder.settings(settings)
    folder.tasks("exit 1", "echo b", max_parallel=1, **file)
    assert statuses(folder.parallel(*flags)) == ["failed", "cancelled" if fast else "completed"]


def test_output_is_left_out_where_settings_say_so(folder: TaskFolder) -> None:
    """TASK-3: `aggregate_output = false` leaves the `[n]` lines out; the transcript has the output."""
    folder.settings("[parallel]\naggregate_output = false")
    folder.tasks("echo spoken")
    answer = folder.weft("parallel", "--file", "tasks.json")
    assert "[1]" not in answer.out
    assert "Total: 1 tasks" in answer.out
    assert "spoken" in folder.weft("logs", "1", "--transcript").out


@pytest.mark.parametrize("form", ["file", "dash", "stdin"])
def test_where_the_file_comes_from(folder: TaskFolder, form: str) -> None:
    """TASK-1: named, `-`, or nothing at all: then it is on stdin."""
    text = (folder.place / folder.tasks("echo hello")).read_text()
    given: dict[str, tuple[list[str], str | None]] = {
        "file": (["--file", "tasks.json"], None),
        "dash": (["--file", "-"], text),
        "stdin": ([], text),
    }
    args, stdin = given[form]
    assert outputs(folder.weft("parallel", *args, "--json", stdin=stdin)) == ["hello"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.json", '\ufeff{"tasks": [{"backend": "cat", "prompt": "a"}, {"backend": "cat", "prompt": "b"}]}'),
        ("t.yaml", "tasks:\n- backend: cat\n  prompt: a\n- backend: cat\n  prompt: b\n"),
        ("t.YML", "tasks:\n- {backend: cat, prompt: a}\n- {backend: cat, prompt: b}\n"),
        ("t.toml", '[[tasks]]\nbackend = "cat"\nprompt = "a"\n[[tasks]]\nbackend = "cat"\nprompt = "b"\n'),
        ("t.jsonl", '{"backend": "cat", "prompt": "a"}\n\n{"backend": "cat", "prompt": "b"}\n'),
    ],
)
def test_formats(folder: TaskFolder, name: str, text: str) -> None:
    """TASK-1: JSON, YAML, TOML, JSON Lines, by the ending; a byte order mark does no harm."""
    assert outputs(folder.weft("parallel", "--file", folder.file(text, name), "--json")) == ["a", "b"]


def test_the_format_can_be_said(folder: TaskFolder) -> None:
    """TASK-1: stdin is JSON or JSON Lines unless `--format` says otherwise."""
    lines = '{"backend": "cat", "prompt": "a"}\n{"backend": "cat", "prompt": "b"}\n'
    assert outputs(folder.weft("parallel", "--json", stdin=lines)) == ["a", "b"]
    yaml = "tasks: [{backend: cat, prompt: c}]"
    assert folder.weft("parallel", "--json", stdin=yaml).code == 2
    assert outputs(folder.weft("parallel", "--json", "--format", "yaml", stdin=yaml)) == ["c"]


def test_output_format_is_noted_once(folder: TaskFolder) -> None:
    """TASK-1: it is validated, has no effect, and is spoken of once on stderr."""
    folder.tasks(*({"prompt": "echo a", "output_format": "json"} for _ in range(5)))
    answer = folder.parallel()
    assert outputs(answer) == ["a"] * 5
    assert [line for line in answer.lines if "output_format" in line] == [
        "warning: tasks[0] and 4 more: `output_format` has no effect here: `--json` prints one document of all results"
    ]


def test_tasks_work_in_their_own_folders(folder: TaskFolder) -> None:
    """TASK-1: `workdir` is meant from the current folder; the default is that folder. No repo is needed."""
    for name in ("one", "two"):
        (folder.place / name).mkdir()
        (folder.place / name / "f").write_text(name)
    deep = str(folder.place / "two")
    folder.tasks({"prompt": "cat f", "workdir": "one"}, {"prompt": "cat f", "workdir": deep}, "pwd")
    assert outputs(folder.parallel()) == ["one", "two", str(folder.place)]
    elsewhere = folder.weft("parallel", "--file", "../tasks.json", cwd=folder.place / "one")
    assert elsewhere.code == 2
    assert f'tasks[0].workdir = "one": must be a folder: `{folder.place}/one/one` does not exist' in elsewhere.err


def test_prompts_of_any_kind(folder: TaskFolder) -> None:
    """TASK-14: a prompt of 1 MB, one that begins with `-`, one with quotes and odd characters: as they are."""
    prompts = [
        "x" * 1_000_000,
        "--help -p",
        "a'b\"c $(id) `id` \\ {{previous}} {phase}\ttab\r\n ünïcödé 🧵 \u202e",
        "\n\n y ",
    ]
    folder.tasks(*({"backend": "cat", "prompt": prompt} for prompt in prompts))
    assert outputs(folder.parallel()) == [prompt.removesuffix("\n") for prompt in prompts]


def test_output_is_whole(folder: TaskFolder) -> None:
    """TASK-7: megabytes of output are in the document, byte for byte, and not in the journal."""
    folder.tasks(
        'i=0; while [ $i -lt 30000 ]; do echo "line $i of a hundred thousand, all of them counted"; i=$((i+1)); done'
    )
    [said] = outputs(folder.parallel())
    lines = said.split("\n")
    assert (len(lines), lines[0][:6], lines[-1][:10]) == (30000, "line 0", "line 29999")
    assert sum(path.stat().st_size for path in Path(folder.state).glob("weft.db*")) < 1_000_000
