"""The title and the body of a pull request. Agents' words in them are defused: they call nobody and close nothing."""

from __future__ import annotations

from enum import Enum
from importlib.resources import files

import msgspec

from weft.board.durations import duration_text, money_text
from weft.model.outcome import GateResult
from weft.model.usage import Usage
from weft.pipelines.defuse import defuse, defuse_line
from weft.pipelines.template import Template, check, render
from weft.sources.github.issue_text import bounded

VARIABLES = ("issues", "summary", "gates", "left", "work", "again")
"""What a template may use."""
_LONGEST_SUMMARY = 20_000
_LONGEST = 60_000
"""GitHub takes 65,536 characters, of which people may have some."""


class IssueRole(Enum):
    CLOSED = "Closes"
    """Merging the pull request closes the issue: single runs."""
    NAMED = "Issue:"
    """It does not: waves, whose pull request goes to a branch that is merged by people."""


class LeftOut(msgspec.Struct, frozen=True):
    """A job that is not in the pull request, and why."""

    issue: str
    reason: str


class PullRequestFacts(msgspec.Struct, frozen=True):
    """What there is to tell."""

    issues: tuple[str, ...]
    """Their numbers."""
    role: IssueRole
    run: str
    summary: str = ""
    """What the agent said of its work."""
    gates: tuple[GateResult, ...] = ()
    usage: Usage = Usage()
    seconds: float | None = None
    left: tuple[LeftOut, ...] = ()
    again: str = ""
    """The command that does it again; default: `weft run <issues> --force`."""


def default_template() -> Template:
    return Template("pull_request.md", files("weft.sources.github").joinpath("pull_request.md").read_text())


def template_problems(template: Template) -> list[str]:
    """What is wrong with a template of the user's."""
    return check(template, VARIABLES)


def pull_request_title(title: str) -> str:
    """An issue's title; also safe as the message of a squashed commit."""
    return defuse_line(title) or "Changes by Weft"


def pull_request_body(facts: PullRequestFacts, template: Template | None = None) -> str:
    values = {
        "issues": "\n".join(f"{facts.role.value} #{int(number)}" for number in facts.issues if number.isdigit()),
        "summary": bounded(defuse(facts.summary).strip(), _LONGEST_SUMMARY),
        "gates": "\n".join(_gate(gate) for gate in facts.gates),
        "left": "\n".join(f"- {_named(left.issue)}: {defuse_line(left.reason, 500)}" for left in facts.left),
        "work": _work(facts),
        "again": facts.again or f"weft run {' '.join(facts.issues)} --force",
    }
    return bounded(render(template or default_template(), values).strip(), _LONGEST)


def _named(issue: str) -> str:
    return f"#{int(issue)}" if issue.isdigit() else defuse_line(issue)


def _gate(gate: GateResult) -> str:
    result = "✔ passed" if gate.passed else f"✘ failed with status {gate.exit_status}"
    return f"| {_cell(gate.name)}: {_code(gate.command)} | {result} | {duration_text(gate.duration)} |"


def _code(text: str) -> str:
    """As code in a table, whatever it holds."""
    return f"`` {_cell(text).replace('`', chr(0x2B9))} ``"


def _cell(text: str) -> str:
    return defuse_line(text).replace("|", "\\|")


def _work(facts: PullRequestFacts) -> str:
    usage = facts.usage
    parts = [
        f"run `{facts.run}`",
        f"{usage.sessions} {'session' if usage.sessions == 1 else 'sessions'}",
        *([duration_text(facts.seconds)] if facts.seconds is not None else []),
        f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out",
        money_text(usage.cost_usd),
    ]
    return " · ".join(parts)
