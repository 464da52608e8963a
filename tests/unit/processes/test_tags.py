"""The numbers that sessions carry."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import pytest

from weft.processes.warden import kernel, tags
from weft.processes.warden.tags import Tags


def tags_below(monkeypatch: pytest.MonkeyPatch, limit: int) -> Tags:
    monkeypatch.setattr(tags, "_rttime", lambda pid: limit)
    return Tags()


def worn(wearer: Tags, number: int) -> int:
    return wearer.base - number * wearer.step


@pytest.mark.parametrize("outer", [1, 7, 5000])
@pytest.mark.parametrize("inner", [1, 3, 4000])
def test_tags_nest(monkeypatch: pytest.MonkeyPatch, outer: int, inner: int) -> None:
    """A Weft that an agent runs gives its sessions numbers of their own, and the outer one still knows them as the
    agent's; and so once more."""
    first = tags_below(monkeypatch, resource.RLIM_INFINITY)
    second = tags_below(monkeypatch, worn(first, outer))
    third = tags_below(monkeypatch, worn(second, inner))
    innermost = worn(third, 9)
    monkeypatch.setattr(tags, "_rttime", lambda pid: innermost)
    assert (first.read(1), second.read(1), third.read(1)) == (outer, inner, 9)


@pytest.mark.parametrize("limit", [resource.RLIM_INFINITY, Tags.TOP, None])
def test_others_carry_no_number(monkeypatch: pytest.MonkeyPatch, limit: int | None) -> None:
    """A process that no warden started, or that may not be asked, has number 0."""
    wearer = Tags()
    monkeypatch.setattr(tags, "_rttime", lambda pid: limit)
    assert wearer.read(1) == 0


def test_this_process_is_no_session() -> None:
    """Weft's own short commands carry no number, so that they are not taken for a dead warden's."""
    assert Tags().read(os.getpid()) == 0


def test_where_limits_cannot_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing carries a number then, rather than a wrong one."""

    def refuse(which: int, limits: tuple[int, int]) -> None:
        raise PermissionError

    wearer = Tags()
    monkeypatch.setattr(resource, "setrlimit", refuse)
    wearer.wear(1)
    monkeypatch.setattr(tags, "_rttime", lambda pid: worn(wearer, 1))
    assert wearer.read(1) == 0


def test_children_without_the_kernels_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the kernel does not list a process's children, the table of all processes says the same."""
    with subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE) as process:
        listed = kernel.children_of(os.getpid())
        monkeypatch.setattr(kernel, "CHILDREN_ARE_LISTED", False)
        assert process.pid in listed
        assert set(kernel.children_of(os.getpid())) == set(listed)
        process.communicate(b"\n")
