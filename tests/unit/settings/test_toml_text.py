"""Settings written as TOML read back the same."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from weft.settings.toml_text import toml_text

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
PLAIN = st.one_of(TEXT, st.integers(-(2**63), 2**63 - 1), st.booleans(), st.lists(TEXT), st.floats(-1e9, 1e9))
ENTRIES = st.lists(st.dictionaries(TEXT, PLAIN, min_size=1), min_size=1)
TABLE = st.dictionaries(TEXT, st.one_of(PLAIN, ENTRIES, st.dictionaries(TEXT, PLAIN, min_size=1)), min_size=1)


@given(st.dictionaries(TEXT, st.one_of(PLAIN, TABLE, ENTRIES)))
def test_round_trip(settings: dict[str, object]) -> None:
    """Whatever keys and values hold."""
    assert tomllib.loads(toml_text(settings)) == settings
