"""Which paths and patterns meet."""

from __future__ import annotations

import pytest

from weft.scheduler.overlap import Footprint, patterns_meet


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src/a.py", "src/a.py"),
        ("src", "src/a.py"),
        ("src/auth/", "./src/auth/login.py"),
        ("src/auth/**", "src/auth/login.py"),
        ("src/*/login.py", "src/auth/**"),
        ("**/conftest.py", "tests"),
        ("**/conftest.py", "tests/**"),
        ("docs/*.md", "docs/how-?.md"),
        ("app/[slug]/page.tsx", "app/[slug]/page.tsx"),
        ("src/{a,b}.py", "src/b.py"),
        ("src/{a/b,c}.py", "src/a/b.py"),
        (".", "anything/at/all"),
        ("src/x/../a.py", "src/a.py"),
    ],
)
def test_these_meet(one: str, other: str) -> None:
    """WAVE-10, either way round."""
    assert patterns_meet(one, other)
    assert patterns_meet(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src/a.py", "src/b.py"),
        ("src/a", "src/ab"),
        ("src/auth/**", "src/shop/**"),
        ("src/*.py", "src/*.md"),
        ("src/?.py", "src/ab.py"),
        ("README.md", "readme.md"),
    ],
)
def test_these_do_not(one: str, other: str) -> None:
    """Work on them goes on side by side."""
    assert not patterns_meet(one, other)
    assert not patterns_meet(other, one)


def test_what_is_shared_is_named_in_the_asker_s_own_words() -> None:
    """For `weft why`."""
    mine = Footprint(("docs/x.md", "src/auth/**"))
    assert mine.shared(Footprint(("src/auth/login.py",))) == "src/auth/**"
    assert mine.shared(Footprint(("lib",))) is None
