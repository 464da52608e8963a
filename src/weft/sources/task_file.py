"""Task files, chain files and compare files as typed values, with all that is wrong with them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from weft.errors import UsageError
from weft.model.spelling import closest
from weft.sources.task_check import Problems, kind_of, read_entry, read_values, shown
from weft.sources.task_fields import ChainFile, CompareFile, Entry, StepEntry, TaskEntry, TaskFile, Whole

E = TypeVar("E", bound=Entry)
HINT = "nothing was started; `weft schema {kind}` prints what such a file may hold"


class Checked(msgspec.Struct, Generic[E]):
    """A file that was looked at: what of it can be used, and what cannot."""

    listed: str
    """`tasks` or `steps`."""
    values: dict[str, Any]
    """What it says for all of it, by field."""
    entries: list[E | None]
    """None: something is wrong with it."""
    problems: Problems
    remains: dict[int, dict[str, Any]] = {}
    """Of entries that are wrong, by number: the values that are right by themselves."""

    @property
    def kind(self) -> str:
        """What `weft schema` calls such a file."""
        return {"tasks": "tasks", "steps": "chain"}.get(self.listed, "compare")

    def path(self, entry: int, field: str = "") -> str:
        if self.kind == "compare":  # a list of agents alone, with the rest beside it
            return f"{self.listed}[{entry}]" if field in ("", "backend") else field
        return f"{self.listed}[{entry}]{f'.{field}' if field else ''}"

    def good(self) -> list[tuple[int, E]]:
        return [(number, entry) for number, entry in enumerate(self.entries) if entry is not None]

    def wrong(self, entry: int, field: str, value: object, allowed: str) -> None:
        self.problems.wrong(self.path(entry, field), value, allowed, entry)


def check_tasks(raw: object, where: str) -> Checked[TaskEntry]:
    checked = _check(raw, where, "tasks", TaskFile, TaskEntry)
    _check_ids(checked)
    _check_dependencies(checked)
    return checked


def check_chain(raw: object, where: str) -> Checked[StepEntry]:
    checked = _check(raw, where, "steps", ChainFile, StepEntry)
    names = step_names(checked.entries)
    for number, step in checked.good():
        if step.name is not None and names.index(step.name) != number:
            said = f"the name of one step only; {checked.path(names.index(step.name))} has it too"
            checked.wrong(number, "name", step.name, said)
    return checked


def step_names(entries: Sequence[StepEntry | None]) -> list[str]:
    """What each step is called; its number from 1 where it says nothing."""
    return [step.name if step and step.name else str(number) for number, step in enumerate(entries, 1)]


def check_compare(raw: object, where: str) -> tuple[dict[str, Any], Problems]:
    """The values by field; those that are wrong are left out."""
    problems = Problems(where)
    if not isinstance(raw, dict):
        raise UsageError(f'Expected an object with "prompt", got {kind_of(raw)}', hint=HINT.format(kind="compare"))
    values, _ = read_values(CompareFile, raw, "", problems)
    return values, problems


def refuse(problems: Problems, kind: str) -> None:
    """UsageError with all of them, where there are any."""
    if len(problems):
        raise UsageError("\n".join(problems.lines()), hint=HINT.format(kind=kind))


def _check(raw: object, where: str, listed: str, whole: type[Whole], kind: type[E]) -> Checked[E]:
    hint = HINT.format(kind="tasks" if listed == "tasks" else "chain")
    if not isinstance(raw, dict):
        raise UsageError(f'Expected an object with "{listed}", got {kind_of(raw)}', hint=hint)
    entries = raw.get(listed)
    if isinstance(entries, list) and not entries:
        raise UsageError(f"No {listed}", hint=hint)
    problems = Problems(where)
    checked: Checked[E] = Checked(listed, _values(raw, listed, whole, problems), [], problems)
    if entries is None:
        near = closest(listed, [str(key) for key in raw])
        guess = f"; did you mean `{listed}` by `{near}`?" if near else ""
        raise UsageError(f'No {listed}: the object has no "{listed}"{guess}', hint=hint)
    if not isinstance(entries, list):
        problems.wrong(listed, entries, "a list")
        return checked
    for number, raw_entry in enumerate(entries):
        entry, values = read_entry(kind, raw_entry, checked.path(number), problems, number)
        checked.entries.append(entry)
        if entry is None:
            checked.remains[number] = values
    return checked


def _values(raw: Mapping[Any, object], listed: str, whole: type[Whole], problems: Problems) -> dict[str, Any]:
    """Of all but the list, which is checked one by one."""
    rest = {name: value for name, value in raw.items() if name != listed}
    bare = msgspec.defstruct(whole.__name__, _other_fields(whole, listed), bases=(Whole,), kw_only=True)
    return read_values(bare, rest, "", problems)[0]


def _other_fields(whole: type[Whole], listed: str) -> list[Any]:
    inherited = {field.name for field in msgspec.structs.fields(Whole)}
    return [
        (field.name, field.type, field.default)
        for field in msgspec.structs.fields(whole)
        if field.name not in inherited and field.name != listed
    ]


def _check_ids(checked: Checked[TaskEntry]) -> None:
    first: dict[str, int] = {}
    for number, task in checked.good():
        if task.id is not None and first.setdefault(task.id, number) != number:
            checked.wrong(number, "id", task.id, f"the id of one task only; {checked.path(first[task.id])} has it too")


def _check_dependencies(checked: Checked[TaskEntry]) -> None:
    # Ids of tasks that are wrong otherwise are not known here: then nothing is said of those who name them.
    whole = None not in checked.entries
    known = {task.id: number for number, task in checked.good() if task.id is not None}
    for number, task in checked.good():
        for place, need in enumerate(task.depends_on or ()):
            if need not in known and whole:
                near = closest(need, known)
                guess = f", did you mean `{near}`?" if near else ""
                checked.wrong(number, f"depends_on[{place}]", need, f"the `id` of a task of this file{guess}")
    cycle = _cycle({number: [known[n] for n in task.depends_on or () if n in known] for number, task in checked.good()})
    if cycle:
        ids = [checked.entries[number] for number in cycle]
        around = " → ".join(shown(task.id) for task in ids if task is not None)
        checked.problems.add(checked.path(cycle[0], "depends_on"), f": dependency cycle: {around}", cycle[0])


def _cycle(needs: Mapping[int, Sequence[int]]) -> list[int]:
    """A cycle, closed (its first task again at the end); empty if there is none."""
    done: set[int] = set()
    for start in needs:
        path: dict[int, None] = {}
        stack = [(start, iter(needs[start]))] if start not in done else []
        path.update({start: None} if stack else {})
        while stack:
            number, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                stack.pop()
                path.pop(number)
                done.add(number)
            elif following in path:
                around = list(path)
                return [*around[around.index(following) :], following]
            elif following not in done:
                path[following] = None
                stack.append((following, iter(needs.get(following, ()))))
    return []
