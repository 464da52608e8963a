"""Whether two patterns meet, against concrete paths and a matcher of its own."""

from __future__ import annotations

import re
from itertools import product

from hypothesis import example, given, settings
from hypothesis import strategies as st

from weft.scheduler.overlap import Footprint, patterns_meet

names = st.text(alphabet="ab", min_size=1, max_size=2)
wild_names = st.text(alphabet="ab*?", min_size=1, max_size=3).filter(lambda name: "**" not in name)
odd_names = st.sampled_from(["[ab]", "{a,b}", "[a]b", "a[!b]", "{a,{b,ab}}", "[slug]", "a\\*"])
paths = st.lists(names, min_size=1, max_size=4).map("/".join)
folders = st.lists(st.sampled_from(["a", "b", "**"]), min_size=1, max_size=4).map("/".join)
patterns = st.lists(st.one_of(names, wild_names, odd_names, st.just("**")), min_size=1, max_size=4).map("/".join)

_NAMES = ["".join(letters) for length in range(1, 7) for letters in product("ab", repeat=length)]
_PATHS = ["/".join(names) for length in range(1, 9) for names in product("ab", repeat=length)]


def stands_for(pattern: str, path: str) -> bool:
    """By a regular expression: the path itself, or a folder above it."""
    return re.fullmatch("".join(map(_part, pattern.split("/"))) + "(.*)", f"{path}/") is not None


def _part(name: str) -> str:
    if name == "**":
        return "(?:[^/]+/)*"
    words = {"*": "[^/]*", "?": "[^/]"}
    alternatives = {"[ab]": "[ab]", "{a,b}": "[ab]", "[a]b": "ab", "a[!b]": "a[^b/]", "{a,{b,ab}}": "(?:a|b|ab)"}
    if name in alternatives:
        return alternatives[name] + "/"
    return "".join(words.get(letter, re.escape(letter)) for letter in name) + "/"


@settings(max_examples=2000)
@given(one=patterns, other=patterns, path=paths)
@example(one="src/**", other="src/a.py", path="src/a.py")
@example(one="**/a.py", other="src", path="src/lib/a.py")
def test_patterns_that_stand_for_one_path_meet(one: str, other: str, path: str) -> None:
    """WAVE-10: an overlap is never missed."""
    if stands_for(one, path) and stands_for(other, path):
        assert patterns_meet(one, other)
        assert Footprint((one,)).meets(Footprint((other,)))


@given(one=wild_names, other=wild_names)
@example(one="*a", other="b*")
def test_names_that_meet_stand_for_one_name(one: str, other: str) -> None:
    """Stars and question marks are not guessed at: one of all the short names is a name for both."""
    assert patterns_meet(one, other) == any(stands_for(one, name) and stands_for(other, name) for name in _NAMES)


@given(one=folders, other=folders)
@example(one="a/**/b", other="**/a")
def test_folders_that_meet_stand_for_one_path(one: str, other: str) -> None:
    """Nor is `**`: one of all the short paths is a path for both."""
    assert patterns_meet(one, other) == any(stands_for(one, path) and stands_for(other, path) for path in _PATHS)


@given(one=st.lists(patterns, max_size=4), other=st.lists(patterns, max_size=4))
def test_footprints_meet_where_one_of_their_patterns_does(one: list[str], other: list[str]) -> None:
    """Either way round; and what is named as shared is the first of its own that meets."""
    mine, theirs = Footprint(one), Footprint(other)
    meeting = [touch for touch in mine.touches if any(patterns_meet(touch, each) for each in other)]
    assert mine.meets(theirs) == theirs.meets(mine) == bool(meeting)
    assert mine.shared(theirs) == (meeting[0] if meeting else None)


@given(one=st.lists(patterns, min_size=17, max_size=30), other=patterns, path=paths)
def test_many_patterns_are_still_never_missed(one: list[str], other: str, path: str) -> None:
    """Beyond a number they are taken for the folders they begin with."""
    if any(stands_for(each, path) for each in one) and stands_for(other, path):
        assert Footprint(one).meets(Footprint((other,)))
