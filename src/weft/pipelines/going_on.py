"""What a session is told that goes on with another's work, or with its own: in the same words whatever the pipeline."""

from __future__ import annotations

from weft.pipelines.fence import fence
from weft.pipelines.template import Template, Value, render

_CONTINUED = Template(
    "what a fresh session is told",
    """

You go on with work that is under way: an earlier session worked on it until its time was up. All that it left in the
working directory is committed on this branch. Nobody has checked it: see what is there, keep what is right, and finish
it. Do not start over.
{{#changes}}

{{changes}}
{{/changes}}
{{#said}}

{{said}}
{{/said}}
""",
)
_RETURNED = Template(
    "what a resumed session is told",
    """\
{{#interrupted}}
You were interrupted: the program you run in was ended from outside, and with it the command that was under way. The
working directory is as you left it. Look where you were, and go on from there. Everything you were told at the start
still holds, the form of your answer too.
{{#findings}}

{{findings}}
{{/findings}}
{{/interrupted}}
{{^interrupted}}
Your work was checked and found wanting. The working directory holds it, with whatever came after it:

{{findings}}

Mend every point at its cause. Keep what is already right. A failing check is never mended by deleting, skipping or
weakening a test, nor by catching and hiding an error; if a point is itself mistaken, leave the code as it is and say in
your answer why.
{{#gates}}

Before you finish, run these, and mend what fails until they pass; they will be run again without you:
{{gates}}
{{/gates}}

The rules you were given still hold: leave files outside the working directory and `.git` alone, no switching of
branches, no rebase, reset, stash or push, no questions, no processes left running. When done, answer briefly: what you
changed and why, and what is left open.
{{/interrupted}}
""",
)


def continued(changes: str, said: str) -> str:
    """To stand after the whole prompt: what an earlier session left, and what it said last."""
    quoted = fence(said, "The last it said, between the fences") if said.strip() else ""
    return render(_CONTINUED, {"changes": changes, "said": quoted}).rstrip() + "\n"


def returned(findings: str, gates: Value, *, interrupted: bool) -> str:
    """To stand in place of the whole prompt, which the session was given at its start."""
    told = {"findings": findings, "gates": gates, "interrupted": "yes" if interrupted else ""}
    return render(_RETURNED, told).strip() + "\n"
