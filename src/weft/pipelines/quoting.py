"""What one step of a chain says goes into the prompt of a later one: `{{previous}}`, `{{steps.NAME.output}}`.

Strict, like every template: what is between `{{` and `}}` is one of these two or an error; `\\{{` stands for `{{`.
What is filled in is not looked at again, so that no output can ask for anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from weft.model.ids import JobKey
from weft.pipelines.suggest import alternatives

_PLACEHOLDER = re.compile(r"\\\{\{|\{\{(?:(?P<inside>[^{}\n]*)\}\})?")
_STEP = re.compile(r"steps\.(?P<name>.+)\.output")
_PREVIOUS = "previous"


class Quoted(msgspec.Struct, frozen=True):
    """What another job said."""

    job: JobKey
    text: str
    done: bool = True
    """Whether that job succeeded."""


class Reading(msgspec.Struct, frozen=True):
    """A prompt, looked at before anything runs."""

    names: tuple[str, ...]
    """The steps it quotes, each once."""
    text: str
    """With every quotation by the step's name; what is escaped stays so only where there is something to fill in."""
    problems: tuple[str, ...] = ()


def read_quotes(prompt: str, earlier: Sequence[str], all_steps: Sequence[str]) -> Reading:
    """`earlier`: the names of the steps before this one, in order."""
    problems: list[str] = []
    names: dict[str, None] = {}

    def resolve(found: re.Match[str]) -> str:
        if found[0].startswith("\\"):
            return found[0]
        name = _named(found, earlier, all_steps, problems)
        names[name] = None
        return f"{{{{steps.{name}.output}}}}"

    text = _PLACEHOLDER.sub(resolve, prompt)
    if problems:
        return Reading((), prompt, tuple(problems))
    return Reading(tuple(names), text if names else text.replace("\\{{", "{{"))


def _named(found: re.Match[str], earlier: Sequence[str], all_steps: Sequence[str], problems: list[str]) -> str:
    """The step that a placeholder means; what is wrong with it goes to `problems`."""
    inside = (found["inside"] or "").strip()
    step = _STEP.fullmatch(inside)
    if inside == _PREVIOUS:
        if not earlier:
            problems.append("`{{previous}}` means nothing in the first step")
            return ""
        return earlier[-1]
    if step is None:
        written = found[0] if found["inside"] is not None else "{{"
        problems.append(
            f"unknown placeholder `{written}`; known: `{{{{previous}}}}`, `{{{{steps.NAME.output}}}}`; "
            "write `\\{{` for the characters"
        )
        return ""
    if step["name"] not in earlier:
        problems.append(_unknown(step["name"], earlier, all_steps))
    return step["name"]


def _unknown(name: str, earlier: Sequence[str], all_steps: Sequence[str]) -> str:
    written = f"`{{{{steps.{name}.output}}}}`"
    if name in all_steps:
        return f"{written} does not come before this step"
    return f"{written} names no step; {alternatives(name, earlier)}"


def fill(text: str, quoted: Sequence[Quoted]) -> str:
    """A text of `read_quotes` with what the steps said, as it is without its last newline."""
    said = {quote.job.id: without_last_newline(quote.text) for quote in quoted}
    return _PLACEHOLDER.sub(_filler(said), text)


def _filler(said: dict[str, str]) -> Callable[[re.Match[str]], str]:
    def filled(found: re.Match[str]) -> str:
        if found[0].startswith("\\"):
            return "{{"
        step = _STEP.fullmatch(found["inside"] or "")
        return said.get(step["name"], "") if step else found[0]

    return filled


def without_last_newline(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")
