"""Verdicts fail closed (RUN-8)."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weft.model.outcome import Verdict
from weft.pipelines.verdict import NO_VERDICT, explained, parse_verdict, read_verdict

YES = '{"approved": true, "findings": []}'
NO = '{"approved": false, "findings": ["a.py:1: wrong"]}'


def block(body: str, kind: str = "json") -> str:
    return f"```{kind}\n{body}\n```"


@pytest.mark.parametrize(
    "text",
    [
        YES,
        f"  {YES}\n",
        block(YES),
        f"I read it all.\n\n{block(YES)}\n",
        f"I read it all.\n{block(YES, 'JSON')}",
        f"Looks right.\n{block(YES, '')}",
        f"Looks right.\n{YES}",
        "Looks right.\n" + json.dumps({"approved": True, "findings": []}, indent=2),
        '{"approved": true}',
        f"An example of code:\n{block('{}')}\nand so\n{block(YES)}",
        f"````json\n{YES}\n````",
        f"~~~json\n{YES}\n~~~",
        f"I ran\n```python\nx = 1\n```\nand found nothing.\n{block(YES)}",
        f"````md\n```json\n````\n{block(YES)}",
    ],
)
def test_reads_a_verdict_that_ends_the_text(text: str) -> None:
    """Fenced, bare or the whole text; what a reviewer writes before it does not matter (RUN-8)."""
    assert parse_verdict(text) == Verdict(True)


def test_findings_come_with_it() -> None:
    """A refusal says what to mend, cleaned of what cannot be seen (RUN-8)."""
    assert parse_verdict(block(NO)) == Verdict(False, ("a.py:1: wrong",))
    assert parse_verdict('{"approved": false, "findings": ["x\\u0007y", " "]}') == Verdict(False, ("xy",))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "approved",
        "I approve this.",
        "true",
        "[true]",
        '{"approved": "true"}',
        '{"approved": 1}',
        '{"approved": null}',
        '{"findings": []}',
        '{"approved": true, "findings": "none"}',
        '{"approved": true, "findings": [1]}',
        '{"approved": true, "findings": null}',
        '{"approved": true, "confidence": 0.2}',
        '{"approved": false, "approved": true}',
        '{"verdict": {"approved": true}}',
        '{"Approved": true}',
        "{'approved': true}",
        '{"approved": true',
        f"{block(YES)}\nBut I could not see the diff, so do not take this as approval.",
        f"{YES} or not",
        f"{block(NO)}\n{block(YES)}",
        f"{block(YES)}\n{block('{}')}",
        f"```python\n{YES}\n```\nNot approved.",
        f"```python\n{YES}\n```",
        f"````text\n{block(YES)}\n````",
        f"```json\n{YES}",
        f"{block(NO)}\n{YES}",
        "[" * 100_000,
        '{"a":' * 100_000,
    ],
)
def test_everything_else_is_no_verdict(text: str) -> None:
    """Wrong types, other keys, keys given twice, text after it, two that disagree: none (RUN-8)."""
    assert parse_verdict(text) is None


def test_no_verdict_is_a_refusal_that_quotes() -> None:
    """Whoever mends the work sees what the reviewer said instead of a verdict (RUN-8)."""
    verdict = read_verdict("The login test is missing.\x1b[0m")
    assert not verdict.approved
    assert verdict.findings == (f"{NO_VERDICT}; it said: The login test is missing.",)
    assert read_verdict("").findings == (NO_VERDICT,)


def test_a_refusal_always_says_something() -> None:
    """A loop with nothing to go by would mend nothing (RUN-8)."""
    assert explained(Verdict(False)).findings
    assert explained(Verdict(False, ("x",))) == Verdict(False, ("x",))
    assert explained(Verdict(True)) == Verdict(True)


BITS = st.sampled_from(
    [YES, NO, "```json\n", "\n```", "```", "\n", "{", "}", '"approved"', ": true", "approved", " ", "x", "\ud800"]
)


@given(st.one_of(st.text(), st.lists(BITS, max_size=12).map("".join)))
@example("{" * 5000)
def test_no_text_is_approved_by_accident(text: str) -> None:
    """Never raises, and never approves text that holds no `"approved": true` (RUN-8)."""
    verdict = parse_verdict(text)
    if verdict is not None and verdict.approved:
        assert '"approved": true' in text
    assert read_verdict(text).approved == (verdict is not None and verdict.approved)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_other_json_is_no_approval(value: object) -> None:
    """JSON of any other shape is not a verdict (RUN-8)."""
    assert parse_verdict(json.dumps(value)) is None
