"""What task files, chain files and compare files may hold: the fields, their types, and what each is for.

The one place that says so: files are checked against it, `weft schema` prints it, and the reference is made from it.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from weft.model.phase import ApprovalMode, SandboxMode


class OutputFormat(Enum):
    TEXT = "text"
    JSON = "json"


class Isolation(Enum):
    NONE = "none"
    """It works in `workdir` as it is."""
    WORKTREE = "worktree"
    """It gets a worktree and a branch of `workdir`'s repo."""


def said(allowed: str) -> dict[str, str]:
    """What a value may be, for messages."""
    return {"allowed": allowed}


Filled = Annotated[str, Meta(pattern=r"\S", extra=said("a text that is not empty"))]
Argument = Annotated[
    str,
    Meta(pattern=r"^[^\x00]*[^\s\x00][^\x00]*$", extra=said("a text that is not empty and holds no NUL character")),
]
Positive = Annotated[int, Meta(ge=1, le=10**9, extra=said("a whole number from 1 up"))]
Truth = Annotated[bool, Meta(extra=said("`true` or `false`"))]
Name = Annotated[
    str,
    Meta(
        pattern=r"^[^\s#{}](?:[^#{}\x00-\x1f\x7f]{0,78}[^\s#{}])?$",
        extra=said("a name of at most 80 characters without `#`, `{`, `}` or line breaks"),
    ),
]
OneLine = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=200, extra=said("one line of text"))]
Number = Annotated[float, Meta(gt=0, le=10**8)]
Written = Annotated[str, Meta(pattern=r"^\s*(?:[0-9]+(?:\.[0-9]+)?(?:ms|[wdhms]))+\s*$")]
Duration = Annotated[
    Number | Written, Meta(extra=said("a number of seconds above 0, or a duration such as `90s`, `30m` or `1h30m`"))
]


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every prompt may say of how it is to be done."""

    backend: Annotated[Filled, Meta(description="Who does it: a built-in agent, or a name under `[agents]`.")]
    prompt: Annotated[Filled, Meta(description="What the agent is told, as it is.")]
    model: Annotated[Argument, Meta(description="The model, or `fast`, `balanced`, `best`.")] | None = None
    workdir: Annotated[Argument, Meta(description="The folder to work in; default: the current one.")] | None = None
    approval_mode: Annotated[ApprovalMode, Meta(description="What the agent may do without asking.")] | None = None
    sandbox_mode: Annotated[SandboxMode, Meta(description="What the agent can reach.")] | None = None
    output_format: (
        Annotated[OutputFormat, Meta(description="Has no effect here; `--json` prints one document of all.")] | None
    ) = None
    max_tokens: Annotated[Positive, Meta(description="How long an answer may be.")] | None = None
    max_turns: Annotated[Positive, Meta(description="How many turns the agent may take.")] | None = None
    system_prompt: Annotated[Argument, Meta(description="What is added to the agent's own instructions.")] | None = None
    tags: (
        Annotated[tuple[OneLine, ...], Meta(description="Given back with the result.", extra=said("a list of texts"))]
        | None
    ) = None
    meta: Annotated[dict[str, Any], Meta(description="Given back with the result.", extra=said("an object"))] | None = (
        None
    )
    timeout: (
        Annotated[Duration, Meta(description="How long it may take: seconds, or `30m`; then it is `timed_out`.")] | None
    ) = None
    isolation: (
        Annotated[Isolation, Meta(description="`worktree`: on a branch of its own, of `workdir`'s repo.")] | None
    ) = None


class TaskEntry(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One task."""

    id: Annotated[Name, Meta(description="What `depends_on` and `weft logs` call it; default: its number.")] | None = (
        None
    )
    name: Annotated[OneLine, Meta(description="What the table calls it; default: the prompt's first line.")] | None = (
        None
    )
    depends_on: (
        Annotated[
            tuple[Name, ...],
            Meta(description="Ids of tasks that must succeed before it starts.", extra=said("a list of ids")),
        ]
        | None
    ) = None


class StepEntry(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step. Its prompt may hold `{{previous}}` and `{{steps.NAME.output}}`."""

    name: Annotated[Name, Meta(description="What later steps call it; default: its number.")] | None = None


class Whole(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every file may say for all of it."""

    schema_: Annotated[str, Meta(description="For editors.")] | None = msgspec.field(name="$schema", default=None)
    timeout: Annotated[Duration, Meta(description="How long each may take that does not say so itself.")] | None = None
    output_dir: Annotated[Argument, Meta(description="A folder for `summary.json` and one file per task.")] | None = (
        None
    )


class TaskFile(Whole, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file for `weft parallel`."""

    tasks: Annotated[tuple[TaskEntry, ...], Meta(min_length=1, description="What is to be done.")]
    max_parallel: Annotated[Positive, Meta(description="How many tasks may run at once; default 3.")] | None = None
    fail_fast: Annotated[Truth, Meta(description="Whether the first failure stops the rest.")] | None = None


class ChainFile(Whole, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file for `weft chain`."""

    steps: Annotated[tuple[StepEntry, ...], Meta(min_length=1, description="One after the other.")]
    stop_on_failure: (
        Annotated[Truth, Meta(description="Whether a step that fails ends the chain; default true.")] | None
    ) = None


class CompareFile(Whole, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file for `weft compare`."""

    prompt: Annotated[Filled, Meta(description="What every agent is told, as it is.")]
    backends: (
        Annotated[tuple[Filled, ...], Meta(description="The agents to compare.", extra=said("a list of agents"))] | None
    ) = None
    judge: Annotated[Filled, Meta(description="The agent that ranks the answers.")] | None = None
    model: Annotated[Argument, Meta(description="The model, or `fast`, `balanced`, `best`.")] | None = None
    workdir: Annotated[Argument, Meta(description="The folder to work in; default: the current one.")] | None = None
    approval_mode: Annotated[ApprovalMode, Meta(description="What the agents may do without asking.")] | None = None
    sandbox_mode: Annotated[SandboxMode, Meta(description="What the agents can reach.")] | None = None
    max_tokens: Annotated[Positive, Meta(description="How long an answer may be.")] | None = None
    max_turns: Annotated[Positive, Meta(description="How many turns an agent may take.")] | None = None
    system_prompt: Annotated[Argument, Meta(description="What is added to the agents' own instructions.")] | None = None


FILES: dict[str, type[Whole]] = {"tasks": TaskFile, "chain": ChainFile, "compare": CompareFile}


def schema_of(kind: str, shape: type[msgspec.Struct] | None = None) -> dict[str, Any]:
    """JSON Schema, for editors. `shape`: of a file that holds no tasks."""
    schema = msgspec.json.schema(shape or FILES[kind])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"weft {kind}", **schema}
