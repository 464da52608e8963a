"""The lock file's content."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.locks.holder import Holder, decoded, encoded

HOLDER = Holder(12345, "vm", "weft run 604", "2026-05-10T14:32:00Z", "r-1", "boot", 77, 88, True)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
KEYS = ("pid", "hostname", "bootId", "pidStartedAt", "startedAt", "command", "run", "flock", "skipPidCheck")


def test_it_is_json_with_the_promised_keys() -> None:
    """Others read it too: the names are fixed (LOCK-2)."""
    document = json.loads(encoded("604", HOLDER))
    assert document == {
        "issue": "604",
        "pid": 12345,
        "hostname": "vm",
        "bootId": "boot",
        "pidStartedAt": 77,
        "pidNamespace": 88,
        "startedAt": "2026-05-10T14:32:00Z",
        "command": "weft run 604",
        "run": "r-1",
        "flock": True,
    }


def test_what_is_written_is_read_back() -> None:
    """Nothing is lost on the way."""
    assert decoded(encoded("604", HOLDER)) == HOLDER


@pytest.mark.parametrize("cut", range(0, len(encoded("604", HOLDER)) - 2, 7))
def test_half_a_file_is_no_holder(cut: int) -> None:
    """A file that was cut off says nothing (LOCK-2)."""
    assert decoded(encoded("604", HOLDER)[:cut]) is None


@pytest.mark.parametrize("pid", [0, -1, 2**31, 10**400, True, "12", 1.0, None, [1]])
def test_a_pid_that_is_none_is_no_holder(pid: object) -> None:
    """`kill` gives 0 and negative numbers a meaning that nobody meant."""
    assert decoded(json.dumps({"pid": pid, "hostname": "vm"}).encode()) is None


@given(st.binary() | ANYTHING.map(lambda value: json.dumps(value).encode()))
def test_no_content_breaks_the_reader(data: bytes) -> None:
    """A lock file is anyone's to write (LOCK-2)."""
    decoded(data)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS, ANYTHING)))
def test_no_value_breaks_the_reader(document: dict[str, object]) -> None:
    """Nor do the right keys with the wrong values; what is answered has the types it should."""
    holder = decoded(json.dumps(document).encode())
    assert holder is None or isinstance(holder.command, str)


def test_deep_nesting_is_no_holder() -> None:
    """A file that would overrun the reader's stack is corrupt like any other."""
    assert decoded(b"[" * 60_000) is None


def test_a_start_that_cannot_be_read_is_not_taken_for_none_given() -> None:
    """Else any process of that number would pass for the holder."""
    holder = decoded(b'{"pid": 1, "hostname": "vm", "pidStartedAt": "yesterday"}')
    assert holder is not None
    assert holder.pid_started_at == -1
