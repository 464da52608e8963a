"""The types of settings: a plain type, and the rule for what may be written."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from weft.model.notice import NoticeKind
from weft.model.phase import ApprovalMode, FailureClass, SandboxMode
from weft.model.plan import AgentKind, OutputFormat, PromptVia
from weft.settings import rules
from weft.sources.comments import CommentsFrom


class MergeMode(Enum):
    """What becomes of a branch that passed."""

    NONE = "none"
    QUEUE = "queue"
    PR = "pr"


class IssueOrigin(Enum):
    """Where issues are kept."""

    FOLDER = "folder"
    GITHUB = "github"


class CostTier(Enum):
    """How much a maintenance task is likely to cost."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


# What git refuses in the name of a ref, whatever the place.
_NO_ODD = r"(?!-)(?!/)(?!.*(\.\.|//|@\{|/\.|\.lock(/|$)))"
_NO_HEAD = r"(?!(HEAD|@)$)(?!refs/)"
"""What git takes for something else than a branch of that name."""
_REF = r"[^\s~^:?*\[\\\x00-\x1f\x7f]*[^\s~^:?*\[\\\x00-\x1f\x7f./]"
_BEGINNING = r"[A-Za-z0-9_][A-Za-z0-9._/+-]*"
_HOUR = r"([01]\d|2[0-3]):[0-5]\d"

Positive = Annotated[int, rules.POSITIVE]
Count = Annotated[int, rules.COUNT]
Whole = Annotated[int, rules.WHOLE]
Amount = Annotated[float, rules.AMOUNT]
Factor = Annotated[float, rules.FACTOR]
Percent = Annotated[float, rules.PERCENT]
Truth = Annotated[bool, rules.TRUTH]
Text = Annotated[str, rules.TEXT]
Filled = Annotated[str, rules.FILLED]
Texts = Annotated[tuple[str, ...], rules.TEXTS]
Duration = Annotated[float, rules.DURATION]
Pause = Annotated[float, rules.PAUSE]
Size = Annotated[int, rules.SIZE]
Steps = Annotated[tuple[float, ...], rules.STEPS]

Merge = Annotated[MergeMode, rules.one_of(MergeMode)]
Origin = Annotated[IssueOrigin, rules.one_of(IssueOrigin)]
Comments = Annotated[CommentsFrom, rules.one_of(CommentsFrom)]
Tier = Annotated[CostTier, rules.one_of(CostTier)]
Approval = Annotated[ApprovalMode, rules.one_of(ApprovalMode)]
Sandbox = Annotated[SandboxMode, rules.one_of(SandboxMode)]
Failures = Annotated[tuple[FailureClass, ...], rules.many_of(FailureClass)]
Kind = Annotated[AgentKind, rules.one_of(AgentKind)]
Prompt = Annotated[PromptVia, rules.one_of(PromptVia)]
Output = Annotated[OutputFormat, rules.one_of(OutputFormat)]

RepoName = Annotated[str, rules.pattern("a name of letters, digits, `.`, `_` and `-`", r"[A-Za-z0-9._-]*[A-Za-z0-9_-]")]
GithubRepo = Annotated[str, rules.pattern("`owner/name`", r"[A-Za-z0-9._-]+/[A-Za-z0-9._-]+")]
SecretAddress = Annotated[str, rules.SECRET_ADDRESS]
Notices = Annotated[tuple[NoticeKind, ...], rules.many_of(NoticeKind)]
Url = Annotated[str, rules.pattern("an address that begins with `https://` or `http://`", r"https?://\S+")]
BranchPrefix = Annotated[str, rules.pattern("the beginning of a branch name, such as `weft/`", _NO_ODD + _BEGINNING)]
Ref = Annotated[str, rules.pattern("the name of a branch, tag or commit", _NO_ODD + _REF)]
Branch = Annotated[str, rules.pattern("the name of a branch, or empty", f"|{_NO_HEAD}{_NO_ODD}{_REF}")]
Hours = Annotated[str, rules.pattern("a span of the day such as `22:00-06:00`, or empty", f"|{_HOUR}-{_HOUR}")]
Cron = Annotated[str, rules.pattern("five fields such as `0 22 * * *`, or empty", r"|\S+(\s+\S+){4}")]
Variables = Annotated[tuple[str, ...], rules.VARIABLES]
