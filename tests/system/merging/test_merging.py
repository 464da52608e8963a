"""A branch merged onto a commit, in no worktree at all (MERGE-2)."""

from __future__ import annotations

import os

import msgspec
import pytest
from tests.system.merging.scene import TARGET, Scene


def who(scene: Scene, commit: str) -> str:
    return scene.repo.git("show", "-s", "--format=%an <%ae> %cn <%ce>", commit)


async def test_always_a_merge_of_its_own(scene: Scene) -> None:
    """MERGE-2: also where git could have moved the branch; its first parent is what it was put onto."""
    onto = scene.repo.tip("main")
    source = scene.repo.branch("weft/1-x", {"a.txt": "a"})
    async with scene.hands() as hands:
        made = await hands.merge(source, onto)
    assert made.onto == onto
    assert made.commit
    assert scene.repo.git("show", "-s", "--format=%P", made.commit) == f"{onto} {source}"
    text = scene.repo.git("show", "-s", "--format=%B", made.commit)
    assert text == f"Merge weft/1-x into {TARGET}\n\nThing 1 (shop#1)\n\nWeft-Job: shop#1\n"


async def test_made_again_it_is_the_same(scene: Scene) -> None:
    """RECOVER-1: no commit is made twice, whatever time has passed and whoever makes it."""
    scene.repo.environment["GIT_COMMITTER_DATE"] = "2001-02-03T04:05:06Z"
    source = scene.repo.branch("weft/1-x", {"a.txt": "a"})
    scene.repo.environment["GIT_COMMITTER_DATE"] = "2002-02-03T04:05:06Z"
    onto = scene.repo.branch(TARGET, {"b.txt": "b"})
    async with scene.hands() as hands:
        first = (await hands.merge(source, onto)).commit
        assert first
        assert scene.repo.git("show", "-s", "--format=%ad %cd", "--date=short", first) == "2002-02-03 2002-02-03"
        assert (await hands.merge(source, onto, number=2)).commit == first
    async with scene.hands() as hands:
        assert (await hands.merge(source, onto)).commit == first


async def test_what_is_in_already(scene: Scene) -> None:
    """MERGE-2: a branch that the target has needs no commit: landing it again changes nothing."""
    source = scene.repo.branch("weft/1-x", {"a.txt": "a"})
    onto = scene.repo.branch(TARGET, {"b.txt": "b"}, "weft/1-x")
    async with scene.hands() as hands:
        assert (await hands.merge(source, onto)).commit == onto


async def test_a_conflict_names_its_files(scene: Scene) -> None:
    """MERGE-4: all of them, each once, whatever their names; nothing is made."""
    odd = "sub/odd name ü.txt"
    source = scene.repo.branch("weft/1-x", {"a.txt": "a", odd: "a", "own.txt": "a"})
    onto = scene.repo.branch(TARGET, {"a.txt": "b", odd: "b"})
    before = scene.repo.checkout_state()
    async with scene.hands() as hands:
        made = await hands.merge(source, onto)
    assert (made.commit, made.problem) == (None, None)
    assert set(made.conflicts) == {"a.txt", odd}
    assert len(made.conflicts) == 2
    assert scene.repo.checkout_state() == before


async def test_names_that_are_no_text(scene: Scene) -> None:
    """MERGE-4: bytes that are not Unicode, and line breaks, are told in a way that the journal and a line can hold."""
    names = (os.fsdecode(b"bad\xffbyte"), "two\nlines")
    source = scene.repo.branch("weft/1-x", dict.fromkeys(names, "a"))
    onto = scene.repo.branch(TARGET, dict.fromkeys(names, "b"))
    async with scene.hands() as hands:
        made = await hands.merge(source, onto)
    assert set(made.conflicts) == {r"bad\xffbyte", r"two\nlines"}


async def test_removed_here_changed_there(scene: Scene) -> None:
    """MERGE-4: a conflict without markers is one too."""
    source = scene.repo.branch("weft/1-x", {"README.md": "changed\n"})
    scene.repo.git("switch", "-q", "-c", TARGET)
    scene.repo.git("rm", "-q", "README.md")
    onto = scene.repo.commit("removed")
    scene.repo.git("switch", "-q", "main")
    async with scene.hands() as hands:
        assert (await hands.merge(source, onto)).conflicts == ("README.md",)


async def test_a_commit_that_is_gone(scene: Scene) -> None:
    """What is no conflict is a problem, in words."""
    async with scene.hands() as hands:
        made = await hands.merge("1" * 40, scene.repo.tip("main"))
    assert (made.commit, made.conflicts) == (None, ())
    assert made.problem is not None
    assert made.problem.startswith(f"commit `{'1' * 40}` is gone from `")


async def test_the_users_own_name(scene: Scene) -> None:
    """MERGE-2: author and committer are the user's from git, else Weft; signing is off."""
    source = scene.repo.branch("weft/1-x", {"a.txt": "a"})
    onto = scene.repo.tip("main")
    async with scene.hands() as hands:
        nobody = (await hands.merge(source, onto)).commit
        scene.repo.git("config", "user.name", "Bo")
        scene.repo.git("config", "user.email", "bo@example.org")
        scene.repo.git("config", "commit.gpgSign", "true")
        scene.repo.git("config", "gpg.program", "false")
        users = (await hands.merge(source, onto)).commit
    assert nobody
    assert users
    assert who(scene, nobody) == "Weft <weft@localhost> Weft <weft@localhost>"
    assert who(scene, users) == "Bo <bo@example.org> Bo <bo@example.org>"


@pytest.mark.parametrize("title", ["a\0b\nReviewed-by: x", "", "\u202ex\x1b[31m", "x" * 100_000, "-m"])
async def test_titles_are_data(scene: Scene, title: str) -> None:
    """A title from outside is one printable line of the message, and breaks nothing."""
    scene.jobs["1"] = msgspec.structs.replace(scene.jobs["1"], title=title)
    source = scene.repo.branch("weft/1-x", {"a.txt": "a"})
    async with scene.hands() as hands:
        made = await hands.merge(source, scene.repo.tip("main"))
    assert made.problem is None
    assert made.commit
    subject, _, about, _, trailer = scene.repo.git("show", "-s", "--format=%B", made.commit).rstrip().split("\n")
    assert subject == f"Merge weft/1-x into {TARGET}"
    assert about.isprintable()
    assert len(about) < 250
    assert trailer == "Weft-Job: shop#1"


async def test_nothing_of_the_repos_runs(scene: Scene) -> None:
    """SEC-4: hooks and merge drivers that a repo's configuration names are not run."""
    scene.repo.write(".gitattributes", "*.txt merge=evil\n")
    scene.repo.write("a.txt", "1\n")
    scene.repo.commit("attributes")
    sign = scene.root / "ran"
    scene.repo.git("config", "merge.evil.driver", f"touch {sign}")
    hook = scene.repo.write(".git/hooks/reference-transaction", f"#!/bin/sh\ntouch {sign}\n")
    hook.chmod(0o755)
    source = scene.repo.branch("weft/1-x", {"a.txt": "2\n"})
    onto = scene.repo.branch(TARGET, {"a.txt": "3\n"})
    sign.unlink(missing_ok=True)  # of the test's own git
    async with scene.hands() as hands:
        assert (await hands.merge(source, onto)).conflicts == ("a.txt",)
        merged = (await hands.merge(scene.repo.branch("weft/2-x", {"b.txt": "b"}), onto, "2")).commit
        sign.unlink(missing_ok=True)
        assert merged
        assert (await hands.land(merged, onto, "2")).landed
    assert not sign.exists()
