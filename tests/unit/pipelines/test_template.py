"""Strict prompt templates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import UsageError
from weft.pipelines.template import Template, Value, check, render, variables


def rendered(text: str, **values: Value) -> str:
    return render(Template("t.md", text), values)


def test_variables_are_filled_in() -> None:
    """`{{name}}` becomes its value, with or without spaces inside the braces."""
    assert rendered("Do {{title}} ({{ title }}).", title="it") == "Do it (it)."


def test_values_are_never_expanded_again() -> None:
    """Text of an issue that looks like a template stays text (SEC-2)."""
    assert rendered("{{a}}", a="{{b}} {{#x}}", b="secret") == "{{b}} {{#x}}"


@given(st.text())
def test_any_value_goes_in_verbatim(value: str) -> None:
    """Whatever the value holds, it comes out as it went in (SEC-2)."""
    assert rendered("<{{a}}>", a=value, b="secret") == f"<{value}>"


def test_lists_become_bullets() -> None:
    """A list has one bullet per item, and further lines of an item stay with it."""
    assert rendered("{{a}}", a=["one", "two\nmore"]) == "- one\n- two\n  more"


def test_sections_show_only_what_is_there() -> None:
    """`{{#a}}` shows where `a` is not empty, `{{^a}}` where it is; a list without items is empty."""
    text = "{{#a}}has {{a}}{{/a}}{{^a}}none{{/a}}"
    assert rendered(text, a="x") == "has x"
    assert rendered(text, a=" \n") == "none"
    assert rendered(text, a=[]) == "none"


def test_a_section_tag_alone_on_its_line_takes_the_line_away() -> None:
    """So that what is left out leaves no blank lines behind."""
    text = "one\n{{#a}}\ntwo {{a}}\n{{/a}}\nthree\n"
    assert rendered(text, a="x") == "one\ntwo x\nthree\n"
    assert rendered(text, a="") == "one\nthree\n"


def test_sections_nest() -> None:
    """An inner section shows only within a shown outer one."""
    text = "{{#a}}A{{#b}}B{{/b}}{{/a}}."
    assert [rendered(text, a=a, b=b) for a in ("", "x") for b in ("", "x")] == [".", ".", "A.", "AB."]


def test_a_variable_keeps_the_space_around_it() -> None:
    """Only section tags take their line away."""
    assert rendered("  {{a}}  \n", a="x") == "  x  \n"


def test_braces_can_be_written() -> None:
    """`\\{{` stands for `{{`."""
    assert rendered("${\\{{ x }}", x="y") == "${{{ x }}"


def test_an_unknown_variable_names_template_line_and_the_likely_one() -> None:
    """The message is enough to mend it without looking anything up."""
    problems = check(Template("spec.md", "a\nb {{titel}}\n"), ["title", "issue"])
    assert problems == ["spec.md, line 2: unknown variable `{{titel}}`; did you mean `title`? Known: `title`, `issue`"]


def test_all_problems_come_at_once() -> None:
    """One run of the check finds every mistake, each with its line."""
    problems = check(Template("t", "{{x}}\n{{#a}}\n{{/b}}\n{{}}\n{{/a}}\n{{ oops\n{{#a}}"), ["a"])
    assert [problem.split(":")[0] for problem in problems] == [f"t, line {n}" for n in (1, 3, 4, 5, 6, 7)]


def test_a_missing_value_is_an_error() -> None:
    """Nothing is ever filled in as empty by mistake."""
    with pytest.raises(UsageError, match=r"unknown variable `\{\{b\}\}`"):
        rendered("{{a}}{{b}}", a="x")


def test_variables_lists_what_is_asked_for() -> None:
    """Names in sections count too."""
    assert variables(Template("t", "{{a}}{{#b}}{{outputs.spec}}{{/b}}{{^c}}{{/c}}")) == {"a", "b", "c", "outputs.spec"}


@given(st.text(alphabet="{}#^/ab\\\n ", max_size=40))
def test_what_checks_also_renders(text: str) -> None:
    """A template that checks renders; one that does not is refused; neither crashes."""
    template = Template("t", text)
    values = {"a": "1", "b": ""}
    if check(template, values):
        with pytest.raises(UsageError):
            render(template, values)
    else:
        render(template, values)
