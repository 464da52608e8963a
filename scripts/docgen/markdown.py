"""Tables and texts of Markdown, and the docstrings that stand below fields and members."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from functools import cache
from types import ModuleType


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(text) for text in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def code(text: str) -> str:
    return f"`{text}`"


def own_docstring(of: type) -> str:
    """Its own, not its base's."""
    return inspect.cleandoc(of.__dict__.get("__doc__") or "")


@cache
def member_docs(module: ModuleType) -> dict[tuple[str, str], str]:
    """The texts below the members of a module's classes, by class and member."""
    found: dict[tuple[str, str], str] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ClassDef):
            found |= {(node.name, name): text for name, text in _docs_below(node)}
    return found


def _docs_below(node: ast.ClassDef) -> list[tuple[str, str]]:
    documented: list[tuple[str, str]] = []
    for statement, below in zip(node.body, node.body[1:], strict=False):
        name = _assigned(statement)
        if name and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            documented.append((name, inspect.cleandoc(str(below.value.value))))
    return documented


def _assigned(statement: ast.stmt) -> str | None:
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case _:
            return None
