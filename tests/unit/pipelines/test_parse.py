"""Pipelines are data, read strictly (RUN-7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import SettingsError
from weft.model.phase import FailureClass, Phase, Pipeline, RetryPolicy, SandboxMode, StepKind
from weft.pipelines.parse import parse_pipeline, pipeline_problems
from weft.pipelines.phase_table import override_phase

PROMPTS = {"do.md": "Do {{title}}", "look.md": "Look at {{outputs.work}}"}
GOOD = """
name = "small"
[[phases]]
name = "work"
steps = ["session"]
prompt = "do.md"
writes = true
"""


def parsed(text: str) -> Pipeline:
    return parse_pipeline(text, PROMPTS, "p.toml")


def problems_of(text: str) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        parsed(text)
    return caught.value.message.split("\n")


def test_the_default_is_spec_exec_qa(default: Pipeline) -> None:
    """Who plans and who reviews cannot write; qa runs the gates first and sends back to exec (RUN-7, RUN-8)."""
    spec, exec_, qa = default.phases
    assert [phase.name for phase in default.phases] == ["spec", "exec", "qa"]
    assert (spec.steps, spec.sandbox_mode, spec.writes) == ((StepKind.SESSION,), SandboxMode.READ_ONLY, False)
    assert (exec_.steps, exec_.writes, exec_.timeout) == ((StepKind.SESSION,), True, 1800.0)
    assert (qa.steps, qa.verdict, qa.mends) == ((StepKind.GATES, StepKind.SESSION), True, "exec")
    assert (default.name, default.quality_loop, default.whole) == ("default", 3, True)


def test_spec_is_retried_once_after_5_seconds(default: Pipeline) -> None:
    """Only transient failures and rate limits, and no other phase by itself (RUN-9)."""
    retries = {phase.name: phase.retry for phase in default.phases}
    assert retries["spec"].classes == (FailureClass.TRANSIENT, FailureClass.RATE_LIMITED)
    assert (retries["spec"].times, retries["spec"].delay(0)) == (1, 5.0)
    assert retries["exec"] == retries["qa"] == RetryPolicy()


def test_every_key_is_read() -> None:
    """Backend, model, permissions, prompt, timeout and retry policy per phase (RUN-7)."""
    pipeline = parsed(
        GOOD
        + """
agent = "mine"
model = "fast"
timeout = "1h30m"
approval_mode = "auto"
sandbox_mode = "workspace"
retry = { classes = ["timeout", "quota"], times = 4, backoff = "1m", factor = 1.5 }
[[phases]]
name = "look"
steps = ["gates", "session"]
prompt = "look.md"
verdict = true
mends = "work"
"""
    )
    work, look = pipeline.phases
    assert (work.agent, work.model, work.prompt, work.timeout) == ("mine", "fast", "Do {{title}}", 5400.0)
    assert work.retry == RetryPolicy((FailureClass.TIMEOUT, FailureClass.QUOTA), 4, 60.0, 1.5)
    assert (look.verdict, look.mends) == (True, "work")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('timeout = "soon"', '`phases[0].timeout` is `"soon"`: must be a duration such as'),
        ("timeout = 30", "`phases[0].timeout` is `30`: must be a duration such as"),
        ('timeout = "0s"', "must be longer than nothing"),
        ('timeotu = "5m"', "`phases[0].timeotu` is not a key here; did you mean `timeout`?"),
        ('sandbox_mode = "readonly"', "`readonly` is not allowed; did you mean `read-only`? Known: `default`"),
        ('sandbox_mode = "read-only"', "phase `work` writes, so its sandbox cannot be `read-only`"),
        ("approval_mode = true", "`phases[0].approval_mode` is `true`"),
        ("agent = 5", "`phases[0].agent` is `5`: must be a text"),
        ("verdict = 1", "`phases[0].verdict` is `1`: must be `true` or `false`"),
        ("retry = 3", "`phases[0].retry` is `3`: must be `false` or a table"),
        ("retry = { times = 1 }", "`phases[0].retry.classes` is not given"),
        ('retry = { classes = ["work"] }', "`work` is never tried again as if it were transient"),
        ('retry = { classes = ["transeint"] }', "did you mean `transient`?"),
        ('retry = { classes = "transient" }', "must be a list of `work`, `transient`"),
        (
            'retry = { classes = ["quota"], times = -1 }',
            "`phases[0].retry.times` is `-1`: must be a whole number from 0",
        ),
        ('retry = { classes = ["quota"], factor = 0.5 }', "`phases[0].retry.factor` is `0.5`: must be a number from 1"),
        ('mends = "spec"', "`mends` of phase `work` is `spec`: no earlier phase that writes"),
    ],
)
def test_a_wrong_value_names_file_key_value_and_what_is_allowed(line: str, message: str) -> None:
    """Before anything starts, and enough to mend it (RUN-7)."""
    problems = problems_of(GOOD + line)
    assert all(problem.startswith("p.toml: ") for problem in problems)
    assert message in "\n".join(problems)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "p.toml: not valid TOML"),
        ("name = 'x'", "`phases` is not given: must be a list of at least one"),
        ("name = 'x'\nphases = 1", "`phases` is `1`: must be a list"),
        ("name = 'x'\nphases = [1]", "`phases[0]` is `1`: must be a table"),
        (GOOD.replace('name = "small"', ""), "`name` is not given: a pipeline needs a name"),
        (GOOD.replace('"work"', '"Work It"'), "must be a name of small letters"),
        (GOOD.replace('["session"]', '["sesion"]'), "did you mean `session`?"),
        (GOOD.replace('["session"]', '["gates"]'), '`phases[0].prompt` is `"do.md"`: means nothing in a phase without'),
        (GOOD.replace('prompt = "do.md"', ""), "a session needs a prompt in phase `work`"),
        (GOOD.replace("do.md", "doo.md"), "there is no such template; did you mean `do.md`?"),
        (GOOD.replace('"do.md"', '"Do {{titel}}"'), "prompt of phase `work`, line 1: unknown variable `{{titel}}`"),
        (GOOD.replace("do.md", "look.md"), "unknown variable `{{outputs.work}}`"),
        ("quality_loop = -1" + GOOD, "`quality_loop` is `-1`: must be a whole number from 0 up"),
        (GOOD + GOOD.replace('name = "small"', ""), "phase `work` is there twice"),
    ],
)
def test_a_wrong_pipeline_is_refused(text: str, message: str) -> None:
    """Structure, names and prompts are checked when it is read, not when it runs (RUN-7)."""
    assert message in "\n".join(problems_of(text))


def test_all_problems_come_at_once() -> None:
    """One reading finds every mistake (RUN-7)."""
    assert len(problems_of('nmae = "x"\n' + GOOD + 'timeout = "x"\nagent = 1\nwhat = 2\n')) == 4


def test_settings_change_a_phase(default: Pipeline) -> None:
    """`[phases.exec]` has the same keys with the same meaning, but cannot change what a phase is (RUN-7)."""
    table = {"agent": "mine", "timeout": "45m", "retry": {"classes": ["transient"], "times": 2}}
    phase, problems = override_phase(default.phases[1], table, {}, "weft.toml", "phases.exec")
    assert not problems
    assert (phase.agent, phase.timeout, phase.retry.times, phase.prompt) == (
        "mine",
        2700.0,
        2,
        default.phases[1].prompt,
    )
    _, problems = override_phase(default.phases[1], {"wrties": True, "timeout": 5}, {}, "weft.toml", "phases.exec")
    assert ["phases.exec.timeout" in problems[0], "phases.exec.wrties" in problems[1]] == [True, True]
    _, problems = override_phase(default.phases[1], {"sandbox_mode": "read-only"}, {}, "weft.toml", "phases.exec")
    assert "cannot be `read-only`" in problems[0]
    _, problems = override_phase(default.phases[1], "mine", {}, "weft.toml", "phases.exec")
    assert problems == ['weft.toml: `phases.exec` is `"mine"`: must be a table']


def test_settings_turn_one_phases_retry_off(default: Pipeline) -> None:
    """`retry = false` (RUN-9)."""
    phase, problems = override_phase(default.phases[0], {"retry": False}, {}, "weft.toml", "phases.spec")
    assert (phase.retry, problems) == (RetryPolicy(), [])


def test_only_what_finds_fault_can_send_work_back() -> None:
    """A phase with `mends` has gates or a verdict (RUN-8)."""
    work = Phase("work", (StepKind.SESSION,), prompt="x", writes=True)
    look = Phase("look", (StepKind.SESSION,), prompt="x", mends="work")
    assert "neither gates nor a verdict" in pipeline_problems(Pipeline("p", (work, look)), "p.toml")[0]


VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["session", "gates", "5m"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["classes", "times", "x"]), inner, max_size=3)
    ),
    max_leaves=5,
)
KEYS = st.sampled_from(["agent", "model", "prompt", "timeout", "retry", "approval_mode", "sandbox_mode", "bogus"])


@given(st.dictionaries(KEYS, VALUES))
def test_any_table_gives_problems_and_no_crash(table: dict[str, object]) -> None:
    """Whatever settings hold, the answer is a phase and a list of problems."""
    phase = Phase("exec", (StepKind.SESSION,), prompt="x", writes=True)
    changed, problems = override_phase(phase, table, {}, "weft.toml", "phases.exec")
    assert changed.timeout >= 0
    assert all(problem.startswith("weft.toml: `phases.exec.") for problem in problems)
    assert problems if "bogus" in table else True
