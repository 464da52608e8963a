"""One issue from one Markdown file: what it may hold, and how it is told what it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.errors import UsageError
from weft.ports import Issue
from weft.sources.issue_file import read_issue

EXAMPLE = """---
title: Add login
depends_on: [100, other-repo#7]
labels: [enhancement]
milestone: M1
touches: ["src/auth/**"]
priority: 1
---
Body, given to the agents whole, as data.
"""


def read(tmp_path: Path, data: str | bytes, name: str = "101-add-login.md") -> Issue:
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return read_issue(path, f"issues/{name}")


def refused(tmp_path: Path, data: str | bytes) -> UsageError:
    with pytest.raises(UsageError) as raised:
        read(tmp_path, data)
    return raised.value


def test_the_example_of_the_reference(tmp_path: Path) -> None:
    """Every key is read as it stands."""
    assert read(tmp_path, EXAMPLE) == Issue(
        id="101",
        title="Add login",
        body="Body, given to the agents whole, as data.\n",
        origin="issues/101-add-login.md",
        depends_on=("100", "other-repo#7"),
        labels=("enhancement",),
        milestone="M1",
        touches=("src/auth/**",),
        priority=1,
    )


@pytest.mark.parametrize(
    ("name", "ident"),
    [
        ("101-add-login.md", "101"),
        ("102.md", "102"),
        ("0103_x.markdown", "103"),
        ("add-login.md", "add-login"),
        ("1st-try.md", "i-1st-try"),
        ("0.md", "i-0"),
        ("Ünïcode name.md", "n-code-name"),
    ],
)
def test_ids(tmp_path: Path, name: str, ident: str) -> None:
    """The id is the number in front of the file's name, else the name; one that is no number begins with a letter."""
    assert read(tmp_path, "x", name).id == ident


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: '  A   b '\n---\n# C\n", "A b"),
        ("intro\n\n## The  heading ##\n# Later\n", "The heading"),
        ("# A \x1b[31mred\x07 one\n", "A red one"),
        ("no heading", "Add login"),
        ("---\nlabels: []\n---\n", "Add login"),
        ("", "Add login"),
    ],
)
def test_titles(tmp_path: Path, text: str, title: str) -> None:
    """A missing title is the first heading, else the file's name."""
    assert read(tmp_path, text).title == title


def test_number_alone_has_a_title(tmp_path: Path) -> None:
    """`102.md` without a heading is still called something."""
    assert read(tmp_path, "x", "102.md").title == "Issue 102"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("[100]", ("100",)),
        ('["100", "#101", "#0102"]', ("100", "101", "102")),
        ("[010]", ("10",)),
        ("[other-repo#7, acme/shop#8]", ("other-repo#7", "acme/shop#8")),
        ("[100, 100]", ("100",)),
        ("[]", ()),
    ],
)
def test_depends_on(tmp_path: Path, written: str, meant: tuple[str, ...]) -> None:
    """Numbers as written, not as YAML reads them: `010` is ten, not eight (WAVE-3)."""
    assert read(tmp_path, f"---\ndepends_on: {written}\n---\n").depends_on == meant


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("Depends on: #3, #7", ("3", "7")),
        ("Depends on #5", ("5",)),
        ("deps: #1", ("1",)),
        ("- **Depends on:** acme/shop#7 and #8\n", ("acme/shop#7", "8")),
        ("> DEPENDS ON #5 #6", ("5", "6")),
        ("Depends on #5 (not #6)", ("5",)),
        ("Depends on: api#7", ("api#7",)),
        ("It all depends on #5.", ()),
        ("Depends on the weather, see #5", ()),
        ("```\nDepends on #5\n```\nDepends on #6", ("6",)),
        ("~~~\n```\nDepends on #5\n~~~\nDepends on #6", ("6",)),
        ("Depends on #5abc", ()),
        ("x\n" * 10 + "deps: #1\n" * 3, ("1",)),
    ],
)
def test_dependencies_in_the_text(tmp_path: Path, body: str, meant: tuple[str, ...]) -> None:
    """A line that begins so says what the issue depends on; code does not (WAVE-3)."""
    assert read(tmp_path, body).depends_on == meant


def test_both_kinds_of_dependencies(tmp_path: Path) -> None:
    """Front matter and text together, each once."""
    assert read(tmp_path, "---\ndepends_on: [1, 2]\n---\nDepends on #2, #3").depends_on == ("1", "2", "3")


def test_state(tmp_path: Path) -> None:
    """`state: closed` says that it is done."""
    assert read(tmp_path, "---\nstate: closed\n---\n").closed
    assert not read(tmp_path, "---\nstate: open\n---\n").closed


def test_windows_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    """A file saved by another editor reads the same."""
    issue = read(tmp_path, b"\xef\xbb\xbf---\r\ntitle: A\r\n---\r\nx\r\ny")
    assert (issue.title, issue.body) == ("A", "x\ny")


def test_a_large_body(tmp_path: Path) -> None:
    """5 MB of text are given whole, whatever they look like."""
    body = "* - > " * 400_000 + "#" * 2_000_000 + "\n" + "`" * 600_000
    assert read(tmp_path, f"---\ntitle: A\n---\n{body}").body == body


BAD = {
    "title": ["3", "yes", "2024-01-01", "[a]", "''", "{}", '"\\x01"'],
    "depends_on": ["5", "abc", "[1.5]", "[true]", "[-1]", "['']", "[[1]]", "[1e3]", "[12abc]", "['../x']", "['a b#1']"],
    "labels": ["bug", "[1]", "['']", "3"],
    "milestone": ["3", "1.0", "[a]", "''", "2024-13-45"],
    "touches": ["src", "[1]", "['/etc/passwd']", "['../x']"],
    "priority": ["high", "1.5", "true", "'1'", "[1]", "1" + "0" * 30],
    "state": ["done", "true", "3", "[closed]", "Closed"],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in BAD.items() for value in values])
def test_wrong_values(tmp_path: Path, key: str, value: str) -> None:
    """The message names file, key and value, and what is allowed (principle 5)."""
    error = refused(tmp_path, f"---\n{key}: {value}\n---\n")
    assert error.exit_code == 2
    assert error.message.startswith(f"issues/101-add-login.md: {key} = ")
    assert "must be" in error.message


def test_all_problems_at_once(tmp_path: Path) -> None:
    """Every wrong value and unknown key of a file is told together."""
    error = refused(tmp_path, "---\npriority: high\nlables: [x]\nzzz: 1\n---\n")
    known = "`title`, `depends_on`, `labels`, `milestone`, `touches`, `priority`, `state`"
    assert error.message.splitlines() == [
        'issues/101-add-login.md: priority = "high": must be an integer',
        "issues/101-add-login.md: lables: unknown key, did you mean `labels`?",
        f"issues/101-add-login.md: zzz: unknown key, known: {known}",
    ]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("---\ntitle: Fix: it\n---\n", "line 2, column 11: not valid YAML: mapping values are not allowed here"),
        ("---\ntitle: A\ndepends_on: [#100]\n---\n", "line 4, column 1: not valid YAML"),
        ("---\ntitle: A\nBody", "the front matter that begins in line 1 is not closed"),
        ("---\n- a\n---\n", "the front matter must be keys and values"),
        ("---\ntitle: A\ntitle: B\n---\n", "line 3: title: given twice"),
        ("---\na: &a [x]\nb: *a\n---\n", "aliases such as `*x` are not supported"),
        ("---\na: !!python/name:os.system x\n---\n", "a: unknown key"),
        ("---\ntitle: !!python/object/apply:os.getcwd []\n---\n", "title = "),
        ("---\na: " + "[" * 5000 + "\n---\n", "not valid YAML"),
        ("---\na: " + "x" * 100_001 + "\n---\n", "the front matter is longer than 100 kB"),
        ("---\ntitle: a\x00b\n---\n", "not valid YAML"),
        (b"---\ntitle: A\n---\n\xff\xfe", "line 4: not UTF-8"),
    ],
)
def test_broken_files(tmp_path: Path, data: str | bytes, said: str) -> None:
    """What cannot be read is told with its line."""
    error = refused(tmp_path, data)
    assert error.message.startswith("issues/101-add-login.md: ")
    assert said in error.message


def test_not_a_file(tmp_path: Path) -> None:
    """A folder in the file's place is told as what it is."""
    (tmp_path / "1.md").mkdir()
    with pytest.raises(UsageError, match=r"^1\.md: not a file$"):
        read_issue(tmp_path / "1.md", "1.md")
