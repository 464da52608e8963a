"""Task files in YAML."""

from __future__ import annotations

from typing import Any

import yaml

from weft.errors import UsageError


class _Loader(yaml.SafeLoader):
    """The safe loader without aliases, which can make a small file huge, and without keys given twice."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases such as `*x` are not supported")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"the key `{key.value}` is given twice", problem_mark=key.start_mark)
            if isinstance(key, yaml.ScalarNode):
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def load_yaml(text: str, where: str) -> object:
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 a safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise UsageError(f"Invalid YAML: {where}: {at}{error.problem}") from None
    except (yaml.YAMLError, ValueError, TypeError) as error:
        raise UsageError(f"Invalid YAML: {where}: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise UsageError(f"Invalid YAML: {where}: nested too deeply") from None
