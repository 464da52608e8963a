"""Files against their fields: every problem, each with path, value and what is allowed (TASK-2)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.model.phase import ApprovalMode
from weft.sources.task_check import fields
from weft.sources.task_fields import FILES, ChainFile, Isolation, StepEntry, TaskEntry, TaskFile, schema_of
from weft.sources.task_file import check_chain, check_tasks, step_names

OK = {"backend": "cat", "prompt": "x"}


def problems(*tasks: object, **whole: object) -> list[str]:
    return [line.removeprefix("f: ") for line in check_tasks({"tasks": list(tasks), **whole}, "f").problems.lines()]


def test_a_whole_task() -> None:
    """TASK-1: every field, typed."""
    given = {
        **OK, "model": "best", "workdir": "/x", "approval_mode": "auto", "sandbox_mode": "read-only",
        "output_format": "json", "max_tokens": 5, "max_turns": 2, "system_prompt": "s", "id": "i", "name": "n",
        "tags": ["a"], "meta": {"k": 1}, "timeout": "1h30m", "depends_on": [], "isolation": "worktree",
    }  # fmt: skip
    checked = check_tasks(
        {"$schema": "x", "tasks": [given], "max_parallel": 4, "fail_fast": True, "output_dir": "o"}, "f"
    )
    assert len(checked.problems) == 0
    [task] = checked.entries
    assert task is not None
    assert set(given) == set(TaskEntry.__struct_fields__)
    assert (task.approval_mode, task.isolation, task.timeout) == (ApprovalMode.AUTO, Isolation.WORKTREE, "1h30m")
    assert checked.values == {"schema_": "x", "max_parallel": 4, "fail_fast": True, "output_dir": "o"}


def test_null_is_absent() -> None:
    """Generated files hold `null` for what they do not say."""
    assert problems({**OK, "model": None, "id": None}) == []
    assert problems({**OK, "prompt": None}) == ["tasks[0].prompt: missing"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("backend", ""), ("backend", 1), ("prompt", " \n"), ("prompt", ["x"]), ("prompt", "\ud800"), ("model", ""),
        ("model", "a\0b"), ("workdir", 1), ("approval_mode", True), ("sandbox_mode", "readonly"),
        ("output_format", "xml"),
        ("max_tokens", 0), ("max_tokens", 1.5), ("max_tokens", True), ("max_turns", -1), ("max_turns", "3"),
        ("system_prompt", " "), ("id", ""), ("id", "a#b"), ("id", " a"), ("id", "a\nb"), ("id", "x" * 81), ("id", 3),
        ("name", "two\nlines"), ("tags", [1]), ("tags", {"a": 1}), ("meta", "x"), ("timeout", 0), ("timeout", -1),
        ("timeout", "5"), ("timeout", "1x"), ("timeout", True), ("timeout", 10**9), ("depends_on", "a"),
        ("depends_on", [1]), ("isolation", "yes"),
    ],
)  # fmt: skip
def test_a_wrong_value(field: str, value: object) -> None:
    """TASK-2: the path, the value, what is allowed."""
    [said] = problems(OK, {**OK, field: value})
    assert said.startswith(f"tasks[1].{field} = ")
    assert ": must be " in said
    assert "something else" not in said


@pytest.mark.parametrize("field", ["bakend", "Prompt", "depends-on", "x", "$schema"])
def test_an_unknown_field(field: str) -> None:
    """TASK-2: with a guess where there is one, else with all that is known."""
    [said] = problems({**OK, field: 1})
    near = {"bakend": "backend", "Prompt": "prompt", "depends-on": "depends_on"}.get(field)
    assert said == (f"tasks[0].{field}: unknown field, did you mean `{near}`?" if near else said)
    assert near or "known: `backend`, `prompt`" in said


def test_long_values_are_cut() -> None:
    """A message quotes no megabytes."""
    [said] = problems({**OK, "meta": "x" * 1_000_000})
    assert len(said) < 200


def test_very_many_problems() -> None:
    """A million wrong tasks are told of, not all of them by name."""
    said = problems(*([{}] * 2000))
    assert len(said) == 1001
    assert said[-1] == "and 3000 more problems"


def test_step_names() -> None:
    """TASK-12: a step without a name is called by its number."""
    checked = check_chain({"steps": [{**OK, "name": "a"}, OK, {**OK, "name": "Write the notes"}]}, "f")
    assert (len(checked.problems), step_names(checked.entries)) == (0, ["a", "2", "Write the notes"])


def test_a_name_that_is_anothers_number() -> None:
    """TASK-12: names are unique, numbers included."""
    checked = check_chain({"steps": [OK, {**OK, "name": "1"}]}, "f")
    assert checked.problems.lines() == [
        'f: steps[1].name = "1": must be the name of one step only; steps[0] has it too'
    ]


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
NAMES = st.sampled_from([*TaskEntry.__struct_fields__, "x"])
JUNK = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=6))


@given(st.lists(st.one_of(JUNK, st.just(OK)), min_size=1, max_size=4))
def test_no_file_breaks_the_check(tasks: list[Any]) -> None:
    """TASK-2: whatever is written, what is not told of is right."""
    checked = check_tasks({"tasks": tasks}, "f")
    assert len(checked.entries) == len(tasks)
    assert (None in checked.entries) <= (len(checked.problems) > 0)
    for number, task in checked.good():
        assert msgspec.convert(tasks[number], TaskEntry) == task


@given(st.lists(st.lists(st.integers(0, 7), max_size=3), min_size=1, max_size=8))
def test_cycles_are_found(needs: list[list[int]]) -> None:
    """TASK-11: exactly where there is one, and what is told of is one."""
    tasks = [
        {**OK, "id": f"t{n}", "depends_on": [f"t{m}" for m in each if m < len(needs)]} for n, each in enumerate(needs)
    ]
    said = problems(*tasks)
    edges = {(f"t{n}", f"t{m}") for n, each in enumerate(needs) for m in each if m < len(needs)}
    assert bool(said) == _has_cycle({n: [m for m in each if m < len(needs)] for n, each in enumerate(needs)})
    for line in said:
        around = line.partition("cycle: ")[2].replace('"', "").split(" → ")
        assert around[0] == around[-1]
        assert all(pair in edges for pair in pairwise(around))


def _has_cycle(needs: dict[int, list[int]]) -> bool:
    left = dict(needs)
    while free := [n for n, each in left.items() if not any(m in left for m in each)]:
        for n in free:
            del left[n]
    return bool(left)


@pytest.mark.parametrize("kind", FILES)
def test_the_schema_has_every_field(kind: str) -> None:
    """`weft schema` says the same as the check, with words for every field."""
    schema = schema_of(kind)
    entry = {"tasks": TaskEntry, "chain": StepEntry}.get(kind)
    described = schema["$defs"][FILES[kind].__name__]
    assert set(described["properties"]) == set(fields(FILES[kind]))
    assert described["additionalProperties"] is False
    for name, field in fields(FILES[kind]).items():
        assert field.description, name
    if entry is not None:
        properties = schema["$defs"][entry.__name__]["properties"]
        assert set(properties) == set(fields(entry))
        assert schema["$defs"][entry.__name__]["required"] == ["backend", "prompt"]
        assert all(field.description for field in fields(entry).values())


def test_files_have_lists() -> None:
    """TASK-1, TASK-12."""
    assert fields(TaskFile)["tasks"].required
    assert fields(ChainFile)["steps"].required
