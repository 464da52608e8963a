"""Scripts for the scripted agent are checked before anything starts."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.agents.script import validate_script
from weft.agents.scripted import validate
from weft.agents.scripted_program import CONDITIONS, STEPS, steps_for
from weft.model.plan import AgentKind, AgentSpec

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "scripted-agent.md"


def step_problems(step: str) -> list[str]:
    return validate_script(f"[[session]]\nsteps = [ {{ {step} }} ]", "s.toml")


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ('wirte = "a"', "s.toml: session 1, step 1: `wirte` is not a step; did you mean `write`? Known: `write`"),
        ('write = "a"', "session 1, step 1: `write` needs `text`"),
        ('write = "/etc/x", text = ""', "`write` is `/etc/x`: must be a path inside the workspace"),
        ('write = "a/../../x", text = ""', "must be a path inside the workspace"),
        (
            'write = "a", text = "", excutable = true',
            "`excutable` does not belong to `write`; did you mean `executable`?",
        ),
        ('say = "a", run = "b"', "`run` does not belong to `say`"),
        ("sleep = -1", "`sleep` is `-1`: must be a number"),
        ('sleep = "1s"', "must be a number"),
        ("verdict = 1", "must be `true` or `false`"),
        ("verdict = true, findings = [1]", "must be a list of texts"),
        ("exit = 256", "must be an exit status from 0 to 255"),
        ("flood = 1.5", "must be a whole number"),
        ('fail = "x", class = "transeint"', "`class` is `transeint`; did you mean `transient`?"),
        ('rate_limit = "rejcted"', "`rate_limit` is `rejcted`; did you mean `rejected`?"),
        ("usage = { tokens = 1 }", "must be a table of `input_tokens`"),
        ("usage = { input_tokens = -1 }", "must hold numbers"),
        ("", "`` is not a step"),
    ],
)
def test_a_wrong_step_is_named_with_its_place(step: str, message: str) -> None:
    """File, session, step, key, value, and the likely word."""
    found = step_problems(step)
    assert len(found) == 1
    assert message in found[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("session = ", "s.toml: not valid TOML"),
        ("", "needs at least one `[[session]]`"),
        ("[[sesion]]\nsteps=[]\n[[session]]\nsteps=[]", "`sesion` is not a key here; did you mean `session`?"),
        ("session = [1]", "session 1: must be a table"),
        ("[[session]]\nphaes = 'x'\nsteps = []", "`phaes` is not a key here; did you mean `phase`?"),
        ("[[session]]\njob = 101\nsteps = []", "session 1: `job` must be a text"),
        ("[[session]]\nattempt = 0\nsteps = []", "`attempt` is `0`: must be a whole number from 1 up"),
        ("[[session]]", "session 1: `steps` must be a list"),
        ("[[session]]\nsteps = [1]", "session 1, step 1: must be a table such as"),
        (
            "[[session]]\nsteps = []\n[[session]]\njob = '*'\nsteps = []",
            "session 2: is for the same job, phase and attempt",
        ),
    ],
)
def test_a_wrong_script_is_refused(text: str, message: str) -> None:
    """Nothing is played by guesswork."""
    found = validate_script(text, "s.toml")
    assert len(found) == 1
    assert message in found[0]


def test_all_problems_come_at_once() -> None:
    """One check finds every mistake."""
    assert len(validate_script("[[session]]\nx = 1\nattempt = 0\nsteps = [{ a = 1 }, { say = 1 }]", "s")) == 4


def test_the_closest_session_is_played() -> None:
    """Key before id before any; then the phase; then the attempt."""
    script = tomllib.loads(
        """
        session = [
          { steps = [{ say = "any" }] },
          { phase = "qa", steps = [{ say = "qa" }] },
          { job = "1", steps = [{ say = "id" }] },
          { job = "1", phase = "exec", steps = [{ say = "id exec" }] },
          { job = "1", phase = "exec", attempt = 2, steps = [{ say = "id exec 2" }] },
          { job = "shop#1", phase = "exec", attempt = 3, steps = [{ say = "key exec 3" }] },
        ]
        """
    )

    def said(job: str, phase: str, attempt: int) -> str:
        about = {"id": job.split("#")[1], "job": job, "phase": phase, "attempt": str(attempt)}
        steps = steps_for(script, about)
        assert steps is not None
        return str(steps[0]["say"])

    assert said("shop#2", "exec", 1) == "any"
    assert said("shop#2", "qa", 1) == "qa"
    assert said("shop#1", "qa", 1) == "id"
    assert said("shop#1", "exec", 1) == "id exec"
    assert said("shop#1", "exec", 2) == "id exec 2"
    assert said("shop#1", "exec", 3) == "key exec 3"
    assert said("api#1", "exec", 3) == "id exec"


def test_the_agent_needs_a_script_that_can_be_read(tmp_path: Path) -> None:
    """Said before anything starts, with the file."""
    assert "`script` must name the file" in validate(AgentSpec("s", AgentKind.SCRIPTED))[0]
    missing = tmp_path / "none.toml"
    assert (
        f"`script` is `{missing}`: it cannot be read"
        in validate(AgentSpec("s", AgentKind.SCRIPTED, script=str(missing)))[0]
    )


def test_the_page_shows_every_step() -> None:
    """What the program knows is documented, key by key, and the page's example is a valid script."""
    page = PAGE.read_text(encoding="utf-8")
    for name, (_, _, needed, optional) in STEPS.items():
        assert f"| `{name} = " in page
        assert all(f"`{key}" in page for key in (*needed, *optional, *CONDITIONS))
    example = re.findall(r"```toml\n(# agent-script.toml\n.*?)```", page, re.S)[0]
    assert validate_script(example, "page") == []


VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2),
    max_leaves=3,
)


@given(st.dictionaries(st.sampled_from([*STEPS, "text", "class", "x"]), VALUES, max_size=4))
def test_any_step_gives_problems_and_no_crash(step: dict[str, object]) -> None:
    """Whatever a script holds, the answer is a list of problems."""
    from weft.agents.script import _step

    assert all(problem.startswith("here: ") for problem in _step(step, "here"))
