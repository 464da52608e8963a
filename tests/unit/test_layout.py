"""Names in the state folder: safe, stable, never shared by two things."""

from __future__ import annotations

from itertools import product

import pytest

from weft.model.ids import AttemptId, JobKey, RunId, unique_slug
from weft.model.layout import Layout
from weft.model.phase import StepKind

LAYOUT = Layout("/state")
RUN = RunId("r-20250101-abcd")


def attempt(repo: str = "shop", ident: str = "101", phase: str = "exec", number: int = 1) -> AttemptId:
    return AttemptId(RUN, JobKey(repo, ident), phase, number)


def test_plain_names_stay_readable() -> None:
    """The usual job's files are named as a person would name them."""
    assert LAYOUT.database == "/state/weft.db"
    assert LAYOUT.claim(RUN) == "/state/runs/r-20250101-abcd/claim"
    folder = "/state/runs/r-20250101-abcd/shop.101"
    assert LAYOUT.transcript(attempt(), StepKind.SESSION) == f"{folder}/exec-1.session.log"
    assert LAYOUT.stderr(attempt(), StepKind.GATES) == f"{folder}/exec-1.gates.err"
    assert LAYOUT.job(RUN, JobKey("My.Shop", "fix-the-typo")) == "/state/runs/r-20250101-abcd/My.Shop.fix-the-typo"


def test_files_of_an_attempt_differ() -> None:
    """No two files of an attempt, of two attempts, or of two gates share a name."""
    names = [
        name
        for each in (attempt(), attempt(number=2), attempt(phase="exec-1"), attempt(phase="qa"), attempt(ident="102"))
        for name in (
            *(method(each, step) for method in (LAYOUT.transcript, LAYOUT.stderr, LAYOUT.status) for step in StepKind),
            *(LAYOUT.gate(each, gate) for gate in ("test", "lint", "a/b", "a-b")),
            *(method(each) for method in (LAYOUT.prompt, LAYOUT.issue, LAYOUT.outcome)),
        )
    ]
    assert len(set(names)) == len(names)


AWKWARD = [
    "a",
    "A",
    "a.b",
    "b",
    "a/b",
    "a-b",
    "a b",
    "..",
    ".",
    "",
    "é",
    "x" * 300,
    "x" * 301,
    "a#b",
    "-",
    "a.",
    "../a",
]


def test_keys_never_share_a_folder() -> None:
    """Different jobs have different folders, whatever their names hold."""
    keys = [JobKey(repo, ident) for repo, ident in product(AWKWARD, AWKWARD)]
    assert len({key.slug for key in keys}) == len(keys)


def test_ids_never_share_a_folder_where_case_does_not_count() -> None:
    """On a file system that does not tell A from a, the ids still differ."""
    slugs = [JobKey("shop", ident).slug.lower() for ident in AWKWARD]
    assert len(set(slugs)) == len(slugs)


@pytest.mark.parametrize("text", AWKWARD)
def test_slugs_are_safe(text: str) -> None:
    """No name leaves its folder, is hidden, is too long for a file system, or breaks a ref."""
    for name in (unique_slug(text), JobKey(text, text).slug):
        assert name
        assert len(name) < 200
        assert not set(name) & set("/\\ ~^:?*[@{")
        assert not name.startswith((".", "-"))
        assert ".." not in name
        assert not name.endswith((".", ".lock"))


def test_run_given_by_hand_cannot_leave_the_folder() -> None:
    """A run's name may come from the command line."""
    assert LAYOUT.run(RunId("../../etc")).startswith("/state/runs/etc+")
