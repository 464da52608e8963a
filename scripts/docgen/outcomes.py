"""Exit codes and errors."""

from __future__ import annotations

from scripts.docgen.markdown import code, member_docs, own_docstring, table

from weft import errors
from weft.errors import ExitCode


def exit_codes() -> str:
    docs = member_docs(errors)
    rows = [(code(str(int(each))), docs["ExitCode", each.name]) for each in ExitCode]
    return table(("code", "meaning"), rows)


def error_tree() -> str:
    tree = (errors.__doc__ or "").split("\n\n", 1)[1].strip()
    assert own_docstring(errors.WeftError)
    return f"```text\n{tree}\n```"
