"""What a wave's plan file may hold: the one place that says so, for checking, for `weft schema` and the reference."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from weft.sources.task_fields import Argument, Duration, Filled, Name, OneLine, Positive, said

_REFERENCE = r"^(?:[A-Za-z0-9._/-]*#)?[A-Za-z0-9._-]+$"
Number = Annotated[int, Meta(ge=1, le=10**15)]
Reference = Annotated[str, Meta(pattern=_REFERENCE)]
References = Annotated[
    tuple[Number | Reference, ...], Meta(extra=said('a list of issues such as `[7, "ui#3", "api#refactor"]`'))
]
JobName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z][A-Za-z0-9._-]{0,59}$",
        extra=said("a name of letters, digits, `.`, `_` and `-` that begins with a letter"),
    ),
]
Priority = Annotated[int, Meta(ge=-(10**15), le=10**15, extra=said("an integer"))]
WithinRepo = Annotated[str, Meta(pattern=r"^(?!/)(?!(?:.*/)?\.\.(?:/|$))[^\x00-\x1f\x7f]+$")]
Paths = Annotated[tuple[WithinRepo, ...], Meta(extra=said('a list of paths within the repo such as `["src/auth/**"]`'))]
IssueNumber = Annotated[Number, Meta(extra=said("an issue's number"))]
Tables = Annotated[tuple[dict[str, Any], ...], Meta(extra=said("a list of tables, as under `[[repos]]` in weft.toml"))]


class WaveJob(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One job: an issue of a repo, or a prompt."""

    repo: Annotated[Name, Meta(description="The name of the repo it is of.")]
    issue: Annotated[IssueNumber, Meta(description="The number of an issue of that repo.")] | None = None
    prompt: Annotated[Filled, Meta(description="What to do, where there is no issue.")] | None = None
    id: Annotated[JobName, Meta(description="What a prompt is called in keys; default: made from its text.")] | None = (
        None
    )
    title: (
        Annotated[OneLine, Meta(description="What it is called; default: the issue's, or the prompt's first line.")]
        | None
    ) = None
    depends_on: (
        Annotated[References, Meta(description="What must be done first, besides what the issue itself says.")] | None
    ) = None
    estimate: Annotated[Duration, Meta(description="How long it is likely to take; default: from history.")] | None = (
        None
    )
    touches: Annotated[Paths, Meta(description="Files it is likely to change; default: as the issue says.")] | None = (
        None
    )
    priority: Annotated[Priority, Meta(description="Higher first; default: as the issue says.")] | None = None


class WaveHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said of the wave as a whole."""

    schema_: Annotated[str, Meta(description="For editors.")] | None = msgspec.field(name="$schema", default=None)
    name: Annotated[Argument, Meta(description="What the wave is called; default: the file's name.")] | None = None
    cap: (
        Annotated[Positive, Meta(description="How many issues may be worked on at once; default: as many as repos.")]
        | None
    ) = None


class WaveFile(WaveHead, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file for `weft wave`."""

    jobs: Annotated[
        tuple[WaveJob, ...], Meta(min_length=1, description="What is to be done.", extra=said("a list of jobs"))
    ]
    repos: (
        Annotated[Tables, Meta(description="The repos, with the keys of `[[repos]]`; default: those of weft.toml.")]
        | None
    ) = None
