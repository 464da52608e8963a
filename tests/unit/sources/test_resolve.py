"""From what the user wrote to issues (RUN-1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.errors import UsageError
from weft.sources.folder import FolderSource
from weft.sources.prompt import prompt_issue
from weft.sources.resolve import Place, resolve


@pytest.fixture
def place(tmp_path: Path) -> Place:
    folder = tmp_path / "issues"
    folder.mkdir()
    for name in ("101-add-login.md", "102.md", "7-seven.md", "README.md", "103.txt"):
        (folder / name).write_text(f"# Title of {name}\n")
    return Place(FolderSource(folder), repo="shop", folder=tmp_path, looked_in="issues")


def ids(place: Place, *references: str) -> list[str]:
    return [issue.id for issue in resolve(references, place)]


def refused(place: Place, *references: str) -> UsageError:
    with pytest.raises(UsageError) as raised:
        resolve(references, place)
    return raised.value


@pytest.mark.parametrize(
    "written", ["101", "#101", "0101", "acme/shop#101", "shop#101", "issues/101-add-login.md", " 101 "]
)
def test_ways_to_write_an_issue(place: Place, written: str) -> None:
    """`100`, `#100`, `owner/repo#100`, a path to a Markdown issue."""
    assert ids(place, written) == ["101"]


def test_named_twice(place: Place) -> None:
    """The same issue named twice runs once, whatever the way; order is as written."""
    again = ("issues/101-add-login.md", "102", "#101", "fix  the typo", "shop#102", "fix  the typo")
    assert ids(place, "102", "101", *again) == ["102", "101", prompt_issue("fix  the typo").id]


def test_other_files_by_path(place: Place) -> None:
    """Any Markdown file is an issue when it is named by its path, also with spaces in it."""
    (place.folder / "my notes.md").write_text("x")
    assert ids(place, "issues/README.md", "my notes.md") == ["README", "my-notes"]


@pytest.mark.parametrize("written", ["fix the typo", "fix README.md", "do\nthis", "100 apples"])
def test_prompts(place: Place, written: str) -> None:
    """Several words are a prompt, also where they end in a file's name."""
    (issue,) = resolve([written], place)
    assert (issue.id[:2], issue.body, issue.origin) == ("p-", written, "command line")


def test_prompt_title() -> None:
    """The title is the first line, cut at a word; the id depends on the text alone."""
    issue = prompt_issue("  Fix the header of the page that shows the customers and their orders\nand more ")
    assert issue.title == "Fix the header of the page that shows the customers and…"
    assert issue.id == prompt_issue(f"{issue.body}\n").id
    assert issue.id != prompt_issue("another one").id


NUMBERS = ["999", "#999", "1.5", "-1", "1e3", "12abc", "0", "#", "other#101", "1 2"]
UNKNOWN = [*NUMBERS, "login", "../x", "no.md", "", "  ", "a \udcff"]


@pytest.mark.parametrize("written", UNKNOWN)
def test_unknown(place: Place, written: str) -> None:
    """What is none of these is exit 2 and never a prompt."""
    error = refused(place, "101", written)
    assert error.exit_code == 2
    assert error.message.startswith(f"unknown issue `{written}`: ")
    assert error.hint


def test_all_unknown_ones_at_once(place: Place) -> None:
    """Every unknown issue is named in one error, with what there is."""
    error = refused(place, "999", "101", "login", "1O1")
    assert [line.partition(":")[0] for line in error.message.splitlines()] == [
        "unknown issue `999`",
        "unknown issue `login`",
        "unknown issue `1O1`",
    ]
    assert error.hint == "did you mean `101`? `issues` has 7, 101, 102"


def test_no_issues_at_all(tmp_path: Path) -> None:
    """A folder that does not exist holds no issues, and says so."""
    place = Place(FolderSource(tmp_path / "issues"), repo="shop", folder=tmp_path, looked_in="issues")
    error = refused(place, "1")
    assert error.message == "unknown issue `1`: not in `issues`"
    assert error.hint == "`issues` has no issues; a prompt is several words in quotes"


def test_very_long_prompt(place: Place) -> None:
    """A prompt longer than a path may be is a prompt, though it ends like a file."""
    assert ids(place, "word " * 50_000 + "x.md")[0].startswith("p-")


def test_two_files_of_one_id(place: Place) -> None:
    """Two files that claim one id are an error that names both."""
    (place.folder / "issues/0101-again.md").write_text("y")
    error = refused(place, "101")
    assert error.message == "issue `101` is in two files: `issues/0101-again.md` and `issues/101-add-login.md`"
    (place.folder / "101.md").write_text("z")
    (place.folder / "issues/0101-again.md").unlink()
    source = FolderSource(place.folder / "issues")
    error = refused(Place(source, "shop", place.folder, "issues"), "101", "101.md")
    assert error.message == "issue `101` is in two files: `issues/101-add-login.md` and `101.md`"


def test_broken_issue_and_unknown_one(place: Place) -> None:
    """A file that cannot be read does not hide an unknown issue."""
    (place.folder / "issues/102.md").write_text("---\npriority: high\n---\n")
    error = refused(place, "102", "999")
    assert 'issues/102.md: priority = "high"' in error.message
    assert "unknown issue `999`" in error.message


def test_all_issues(place: Place) -> None:
    """The folder's issues are its numbered Markdown files, by number; every broken one is told."""
    assert [issue.id for issue in place.source.all()] == ["7", "101", "102"]
    for name in ("7-seven.md", "102.md"):
        (place.folder / "issues" / name).write_text("---\nstate: x\n---\n")
    with pytest.raises(UsageError) as raised:
        place.source.all()
    assert len(raised.value.message.splitlines()) == 2


def test_folder_is_a_file(tmp_path: Path) -> None:
    """A file in the folder's place is told."""
    (tmp_path / "issues").write_text("")
    with pytest.raises(UsageError, match="issues: cannot be read as a folder of issues: Not a directory"):
        FolderSource(tmp_path / "issues").find("1")
