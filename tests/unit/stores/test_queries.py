"""The file of named queries."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import weft.stores
from weft.stores.queries import SQL, parse_queries
from weft.stores.schema import migrate

SOURCES = Path(next(iter(weft.stores.__path__)))


def test_parse() -> None:
    """A name begins a query; what is before the first is no query."""
    assert parse_queries("-- about\n-- name: a\nSELECT 1\n\n-- name: b\nSELECT\n2\n") == {
        "a": "SELECT 1",
        "b": "SELECT\n2",
    }


def test_each_is_used_and_each_used_one_exists() -> None:
    """No query is dead, none is missing."""
    text = "".join(path.read_text(encoding="utf-8") for path in SOURCES.glob("*.py"))
    named = set(re.findall(r'SQL\["(\w+)"\]', text)) | set(re.findall(r'"(delete_\w+)"', text))
    assert named == set(SQL)


def plan_of(query: str) -> str:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(connection)
        values = (None,) * SQL[query].count("?")
        return " ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {SQL[query]}", values))
    finally:
        connection.close()


def test_hot_queries_search_by_an_index() -> None:
    """What is asked often, or per job, never scans all events."""
    for query in (
        "read_events",
        "last_job_end",
        "phase_ends_of_job",
        "has_requests",
        "read_requests",
        "delete_events",
        "delete_job_ends",
        "count_events_of_run",
    ):
        assert re.search(r"SCAN (?!CONSTANT)", plan_of(query)) is None, query
        assert "TEMP B-TREE" not in plan_of(query), query
