"""Bytes to plain data: formats, and messages with line and column (TASK-1, TASK-2)."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import UsageError
from weft.sources.task_text import LARGEST, Format, decode, format_of


def refused(data: bytes, form: Format | None = None, listed: str | None = "tasks") -> str:
    with pytest.raises(UsageError) as caught:
        decode(data, "f", form, listed=listed)
    return caught.value.message


@pytest.mark.parametrize(
    ("ending", "form"),
    [(".json", Format.JSON), (".JSONL", Format.JSONL), (".ndjson", Format.JSONL), (".yml", Format.YAML),
     (".yaml", Format.YAML), (".toml", Format.TOML), (".txt", None), ("", None)],
)  # fmt: skip
def test_the_ending_says_the_format(ending: str, form: Format | None) -> None:
    """TASK-1."""
    assert format_of(ending) is form


@pytest.mark.parametrize(
    ("data", "tasks"),
    [
        (b'{"backend": "a", "prompt": "x"}', [{"backend": "a", "prompt": "x"}]),
        (b'\n{"backend": "a"}\r\n\n{"prompt": "y"}\n', [{"backend": "a"}, {"prompt": "y"}]),
        (b'{"tasks": [1]}', [1]),
        (b'{"tasks":\n [1]\n}', [1]),
    ],
)
def test_json_or_lines_of_it(data: bytes, tasks: list[object]) -> None:
    """TASK-1: which of the two shows by itself."""
    assert decode(data, "stdin", None, listed="tasks") == {"tasks": tasks}


@pytest.mark.parametrize(
    ("data", "form", "said"),
    [
        (b'{"a": 1,}', Format.JSON, "Invalid JSON: f: line 1, column 9: "),
        (b'{"a":\n\n  tru}', None, "Invalid JSON: f: line 3, column 3: Expecting value"),
        (b'{"backend": 1}\n\nnope', Format.JSONL, "Invalid JSON: f: line 3, column 1: Expecting value"),
        (b'{"a": 1, "b": {"c": 1, "c": 2}}', None, 'Invalid JSON: f: the key "c" is given twice in one object'),
        (b'{"a": NaN}', None, "Invalid JSON: f: `NaN` is no number of JSON"),
        (b"a: [1", Format.YAML, "Invalid YAML: f: line 1, column 6: "),
        (b"a: &x 1\nb: *x", Format.YAML, "Invalid YAML: f: aliases such as `*x` are not supported"),
        (b"a: 1\na: 2", Format.YAML, "Invalid YAML: f: line 2, column 1: the key `a` is given twice"),
        (b"a: !!python/object:os.system x", Format.YAML, "Invalid YAML: f: line 1, column 4: could not determine"),
        (b"a = \n", Format.TOML, "Invalid TOML: f: Invalid value (at line 1, column 5)"),
        (b"\xff", Format.YAML, "Invalid YAML: f: line 1, column 1: not UTF-8 text"),
        (b'{"x":\n "\xe9"}', None, "Invalid JSON: f: line 2, column 3: not UTF-8 text"),
        (b" \n\t", None, "No input: f is empty"),
    ],
)
def test_what_cannot_be_read(data: bytes, form: Format | None, said: str) -> None:
    """TASK-2: what it is and where."""
    assert refused(data, form).startswith(said)


def test_lines_are_for_tasks_alone() -> None:
    """A chain in JSON Lines would have nowhere to say `stop_on_failure`."""
    assert refused(b"{}", Format.JSONL, None) == "f: JSON Lines hold tasks for `weft parallel` alone"


def test_size_is_limited() -> None:
    """TASK-2: 50 MB pass, a byte more does not."""
    assert refused(b" " * (LARGEST + 1)) == "f: is larger than 50 MB"
    assert refused(b" " * LARGEST).startswith("No input")


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) |
                    st.dictionaries(st.text(), inner), max_leaves=20))  # fmt: skip
def test_all_json_is_read_as_it_is(value: object) -> None:
    """TASK-1: with or without a byte order mark."""
    text = json.dumps({"tasks": value})
    for data in (text.encode(), text.encode("utf-8-sig")):
        assert decode(data, "f", Format.JSON) == {"tasks": value}


@given(st.binary(max_size=200), st.sampled_from([None, *Format]))
def test_nothing_but_an_error_a_user_can_read(data: bytes, form: Format | None) -> None:
    """TASK-2: whatever the bytes are."""
    with suppress(UsageError):
        decode(data, "f", form, listed="tasks")
