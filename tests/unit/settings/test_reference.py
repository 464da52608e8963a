"""Every setting explains itself."""

from __future__ import annotations

from weft.settings.reference import reference


def test_every_key_has_its_text() -> None:
    """A key without a line on what it is for could not be documented."""
    assert [entry.key for entry in reference() if not entry.text.strip()] == []


def test_entries() -> None:
    """A key has what it may be, its default as it would be written, and the variables that set it."""
    entries = {entry.key: entry for entry in reference()}
    concurrency = entries["run.concurrency"]
    assert (concurrency.allowed, concurrency.default) == ("a positive integer", 3)
    assert set(concurrency.variables) == {"WEFT_CONCURRENCY", "WEFT_RUN_CONCURRENCY"}
    assert entries["gates.timeout"].default == "20m"
    assert entries["repos[].path"].required
    assert entries["agents.NAME.prompt"].default == "stdin"
    assert entries["agents.NAME.prompt"].variables == ()
    assert entries["phases.NAME.retry.times"].allowed == "an integer of 0 or more"
