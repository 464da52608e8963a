"""The front matter of an issue file: YAML between two lines of `---`, read strictly."""

from __future__ import annotations

import re

import msgspec
import yaml

from weft.errors import UsageError

_LARGEST = 100_000
_OPENING = re.compile(r"---[ \t]*\n")
_CLOSING = re.compile(r"^---[ \t]*(?:\n|\Z)", re.MULTILINE)


class Document(msgspec.Struct, frozen=True):
    """A file in its two parts."""

    nodes: dict[str, yaml.Node]
    """The front matter's values by key, not yet read: a node still knows what was written."""
    body: str


class _Loader(yaml.SafeLoader):
    """The safe loader without anchors and aliases, which can make a small file huge."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases such as `*x` are not supported")
        return super().compose_node(parent, index)


def split(text: str, shown_as: str) -> Document:
    """Front matter and body of a file; UsageError for front matter that cannot be read."""
    opening = _OPENING.match(text)
    if not opening:
        return Document({}, text)
    closing = _CLOSING.search(text, opening.end())
    if not closing:
        raise UsageError(
            f"{shown_as}: the front matter that begins in line 1 is not closed", hint="end it with a line `---`"
        )
    front = text[opening.end() : closing.start()]
    if len(front) > _LARGEST:
        raise UsageError(f"{shown_as}: the front matter is longer than {_LARGEST // 1000} kB")
    return Document(_nodes(front, shown_as), text[closing.end() :])


def value_of(node: yaml.Node) -> object:
    """What YAML makes of a node; ValueError for what it cannot read, such as a day 32."""
    loader = _Loader("")
    try:
        return loader.construct_document(node)
    except (yaml.YAMLError, TypeError, OverflowError) as error:
        raise ValueError(str(error)) from None
    finally:
        loader.dispose()


def _nodes(front: str, shown_as: str) -> dict[str, yaml.Node]:
    root = _root(front, shown_as)
    if root is None:
        return {}
    if not isinstance(root, yaml.MappingNode):
        raise UsageError(f"{shown_as}: the front matter must be keys and values such as `title: Add login`")
    nodes: dict[str, yaml.Node] = {}
    for key, value in root.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else "?"
        if name in nodes:
            raise UsageError(f"{shown_as}: line {key.start_mark.line + 2}: {name}: given twice")
        nodes[name] = value
    return nodes


def _root(front: str, shown_as: str) -> yaml.Node | None:
    try:
        loader = _Loader(front)
        try:
            return loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 2}, column {mark.column + 1}: " if mark else ""
        raise UsageError(f"{shown_as}: {where}not valid YAML: {error.problem}", hint=_QUOTE) from None
    except yaml.YAMLError as error:
        raise UsageError(f"{shown_as}: not valid YAML: {str(error).splitlines()[0]}", hint=_QUOTE) from None
    except RecursionError:
        raise UsageError(f"{shown_as}: not valid YAML: nested too deeply") from None


_QUOTE = 'put texts with `:` or `#` in quotes, such as `title: "Fix: the header"`'
