"""The signs of life of a session, each by itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from weft.execution.signs import fingerprint, output_grew
from weft.processes.busy import growth


@pytest.mark.asyncio
async def test_output_grew(tmp_path: Path) -> None:
    """Any byte on either of the two is a sign, once; files that are not there yet are empty (RECOVER-7)."""
    out, err = tmp_path / "out", tmp_path / "err"
    grew = output_grew([out, err])
    assert not await grew(1.0)
    out.write_text("a")
    assert await grew(1.0)
    assert not await grew(1.0)
    err.write_text("b")
    assert await grew(1.0)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "deep" / "a.txt").write_text("other"),
        lambda folder: (folder / "deep" / "new.txt").touch(),
        lambda folder: (folder / "deep" / "a.txt").unlink(),
        lambda folder: os.utime(folder / "deep" / "a.txt", ns=(1, 1)),
        lambda folder: (folder / "empty").mkdir(),
    ],
    ids=["written", "made", "removed", "touched", "folder"],
)
def test_fingerprint_of_a_change(tmp_path: Path, change: object) -> None:
    """Whatever is written, made or removed in a workspace shows (RECOVER-7)."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.txt").write_text("one")
    before = fingerprint(tmp_path)
    assert fingerprint(tmp_path) == before
    change(tmp_path)  # type: ignore[operator]
    assert fingerprint(tmp_path) != before


def test_fingerprint_leaves_git_out(tmp_path: Path) -> None:
    """Git's own files are no sign of work, and may be many."""
    (tmp_path / ".git" / "objects").mkdir(parents=True)
    before = fingerprint(tmp_path)
    (tmp_path / ".git" / "objects" / "x").touch()
    (tmp_path / ".git" / "index").touch()
    assert fingerprint(tmp_path) == before


def test_fingerprint_is_bounded(tmp_path: Path) -> None:
    """Of a large folder those near the root are looked at, and no more than so many folders are opened."""
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    before = fingerprint(tmp_path, most=3)
    (tmp_path / "c" / "file").write_text("not seen")
    assert fingerprint(tmp_path, most=3) == before
    (tmp_path / "top").touch()
    assert fingerprint(tmp_path, most=3) != before


def test_fingerprint_follows_no_link(tmp_path: Path) -> None:
    """A link to a folder outside, or to itself, is not gone into."""
    (tmp_path / "round").symlink_to(tmp_path)
    assert fingerprint(tmp_path) == fingerprint(tmp_path)
    assert fingerprint(tmp_path / "not there") == 0


def test_growth_of_processor_time() -> None:
    """New processes count whole, those that have gone not at all; nothing counts backwards."""
    assert growth({1: 5.0, 2: 1.0}, {1: 5.5, 3: 0.25}) == 0.75
    assert growth({1: 5.0}, {1: 4.0}) == 0.0
