"""The files a plan names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weft.pipelines.touches import clean_paths, parse_touches


def test_reads_the_last_block() -> None:
    """One path per line; an example earlier in the answer does not count."""
    text = "```touches\nold.py\n```\nplan\n```touches\nsrc/a.py\n- `docs/*.md`\n./b.py\nsrc/a.py\n\n```\n"
    assert parse_touches(text) == ("src/a.py", "docs/*.md", "b.py")


def test_no_block_names_nothing() -> None:
    """Paths in prose are not a list of files."""
    assert parse_touches("I will touch src/a.py") == ()


def test_paths_outside_the_repo_are_left_out() -> None:
    """Absolute paths, parents and home folders name nothing in the repo (SEC-2)."""
    assert clean_paths(["/etc/passwd", "../x", "a/../../b", "~/x", "ok.py", "# comment"]) == ("ok.py",)


@given(st.lists(st.text()))
def test_any_text_gives_clean_paths(lines: list[str]) -> None:
    """Whatever an agent prints, what is kept is relative, printable and stays inside (SEC-2)."""
    for path in clean_paths(lines):
        assert not path.startswith("/")
        assert ".." not in path.split("/")
        assert "\n" not in path
