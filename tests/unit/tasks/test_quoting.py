"""`{{previous}}` and `{{steps.NAME.output}}`: strict, and never looked at twice (TASK-12)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weft.model.ids import JobKey
from weft.pipelines.quoting import Quoted, fill, read_quotes, without_last_newline


def quoted(**said: str) -> list[Quoted]:
    return [Quoted(JobKey("place", name), text) for name, text in said.items()]


def test_previous_is_the_one_before() -> None:
    """By its name from here on, so that it means the same whenever it is filled in."""
    reading = read_quotes("a {{previous}} b {{ previous }}", ["x", "y"], ["x", "y", "z"])
    assert (reading.names, reading.problems) == (("y",), ())
    assert fill(reading.text, quoted(y="Y\n")) == "a Y b Y"


def test_names_with_blanks_and_dots() -> None:
    """A step's name may hold what a name may hold."""
    names = ["a.output", "Write it"]
    reading = read_quotes("{{steps.a.output.output}}{{steps.Write it.output}}", names, names)
    assert reading.names == ("a.output", "Write it")
    said = [Quoted(JobKey("p", "a.output"), "1"), Quoted(JobKey("p", "Write it"), "2")]
    assert fill(reading.text, said) == "12"


def test_escapes() -> None:
    """`\\{{` stands for the characters, with something to fill in and without."""
    assert read_quotes("\\{{x}} y", [], []).text == "{{x}} y"
    reading = read_quotes("\\{{x}} {{previous}}", ["a"], ["a"])
    assert fill(reading.text, quoted(a="!")) == "{{x}} !"


def test_a_step_that_never_said_anything() -> None:
    """It was skipped or cut short: nothing is in its place."""
    assert fill(read_quotes("<{{previous}}>", ["a"], ["a"]).text, []) == "<>"


@given(st.text(), st.text(), st.text(alphabet="{}\\prevousta.1n ", max_size=30))
def test_outputs_are_data(before: str, after: str, output: str) -> None:
    """SEC-2: whatever an output holds, it goes in once and as it is."""
    prompt = f"{before.replace('{', '').replace(chr(92), '')}{{{{previous}}}}{after.replace('{', '')}"
    reading = read_quotes(prompt, ["a"], ["a"])
    assert reading.problems == ()
    assert fill(reading.text, quoted(a=output)) == prompt.replace("{{previous}}", without_last_newline(output))


@given(st.text(alphabet="{}\\prevousta.1n "))
def test_no_prompt_breaks_it(prompt: str) -> None:
    """TASK-12: it is read, or it is told what is wrong."""
    reading = read_quotes(prompt, ["a"], ["a"])
    if not reading.problems:
        fill(reading.text, quoted(a="x"))


def test_only_the_last_newline_goes() -> None:
    """TASK-12: as it is, but for the one that ends the last line."""
    assert [without_last_newline(text) for text in ("a\n\n", "a\r\n", "a ", "\n", "")] == ["a\n", "a", "a ", "", ""]
