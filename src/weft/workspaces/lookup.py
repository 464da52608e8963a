"""Names to commits, many with one git process."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from weft.workspaces.git import Git

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def is_sha(text: str) -> bool:
    return _SHA.fullmatch(text) is not None


def candidates(ref: str) -> tuple[str, ...]:
    """What a user's `main` may mean, best first: a branch before a remote's, before whatever git makes of it."""
    if is_sha(ref) or ref.startswith("refs/") or ref == "HEAD":
        return (ref,)
    return (f"refs/heads/{ref}", f"refs/remotes/{ref}", ref)


async def objects(git: Git, cwd: Path, names: Sequence[str]) -> list[str | None]:
    """The object each name stands for (`main^{commit}`, `HEAD^{tree}`), or None."""
    asked = [name for name in names if "\n" not in name]
    done = await git.run(
        "cat-file",
        "--batch-check=%(objectname)",
        cwd=cwd,
        stdin=b"".join(os.fsencode(name) + b"\n" for name in asked),
    )
    answers = dict(zip(asked, os.fsdecode(done.stdout).splitlines(), strict=True))
    return [answers[name] if is_sha(answers.get(name, "")) else None for name in names]


async def commits(git: Git, cwd: Path, refs: Sequence[str]) -> list[str | None]:
    """The commit of each ref as a user writes it, or None."""
    wanted = [[f"{name}^{{commit}}" for name in candidates(ref)] for ref in refs]
    found = iter(await objects(git, cwd, [name for names in wanted for name in names]))
    return [next((sha for sha in [next(found) for _ in names] if sha), None) for names in wanted]


async def is_ancestor(git: Git, cwd: Path, older: str, newer: str) -> bool:
    if older == newer:
        return True
    done = await git.run("merge-base", "--is-ancestor", older, newer, cwd=cwd, accept=(0, 1))
    return done.status == 0
