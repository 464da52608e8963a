"""Every setting with every wrong value: exit 2, file, key and value named, no traceback (RUN-2, principle 5)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from weft.settings.schema import Leaf, NamedTables, Table, TableList, shapes
from weft.settings.sections import Section, Settings

NUMBERS = ["0", "-1", "1.5", "true", '"3"', '"abc"', "[]", "{}"]
COUNTS = ["-1", "1.5", "true", '"3"', '"abc"', "[]", "{}"]
AMOUNTS = ["-1", "true", '"3"', "[]", "nan", "inf"]
PERCENTS = ["-1", "101", "true", '"3"', "nan"]
TRUTHS = ["1", "0", '"true"', '"yes"', "[]"]
TEXTS = ["1", "true", "[]", "{}", "2024-01-01"]
FILLED = ["1", "true", "[]", '""', '"  "']
LISTS = ["1", "true", '"x"', "[1]", '[""]', "[[]]"]
VARIABLES = [*LISTS, '["A B"]', '["A=1"]', '["1A"]']
DURATIONS = ["20", "true", '""', '"20"', '"m"', '"-5m"', '"20 minutes"', '"0s"', '"1m2h"', "[]"]
SIZES = ["512", "true", '""', '"12"', '"-1MB"', '"1 XB"', '"MB"', "[]"]
PAUSES = ["5", "true", '""', '"5"', '"-5s"', "[]"]
REFS = ["1", '""', '"a b"', '"-x"', '"a..b"', '"a~1"', '"a:b"', '"x.lock"', '"/x"']
REPO_NAMES = ["1", '""', '"a b"', '"a/b"', '".."', '"a#b"']

BAD: dict[str, list[str]] = {
    "name": REPO_NAMES,
    "agent": [*FILLED, '"clod"', '"mine"'],
    "grace": PAUSES,
    "run.concurrency": [*NUMBERS, "1000000000000000000000"],
    "run.retry": TRUTHS,
    "run.quality_loop": COUNTS,
    "run.base": REFS,
    "run.merge": ["1", "true", '""', '"qeue"', '"NONE"', '["pr"]'],
    "run.branch_prefix": ["1", '""', '"a b/"', '"-x/"', '"/x"', '"a//"', '"a..b/"', '"é/"'],
    "run.sequential": TRUTHS,
    "run.phases": LISTS,
    "run.stall": PAUSES,
    "run.checkpoint": PAUSES,
    "run.resume_sessions": TRUTHS,
    "run.pipeline": FILLED,
    "issues.source": ["1", '"gitlab"', '""', "[]"],
    "issues.path": FILLED,
    "issues.repo": ["1", '""', '"shop"', '"a/b/c"', '"a b/c"'],
    "issues.api_url": ["1", '""', '"ftp://x"', '"api.example.com"'],
    "issues.comments": ["1", "true", '""', '"everyone"'],
    "github.draft": TRUTHS,
    "github.comment": TRUTHS,
    "github.label": FILLED,
    "github.template": FILLED,
    "gates.test": TEXTS,
    "gates.lint": TEXTS,
    "gates.typecheck": TEXTS,
    "gates.timeout": DURATIONS,
    "gates.env": VARIABLES,
    "phases.exec.agent": [*FILLED, '"clod"'],
    "phases.exec.model": FILLED,
    "phases.exec.timeout": DURATIONS,
    "phases.exec.stall": PAUSES,
    "phases.exec.checkpoint": PAUSES,
    "phases.exec.retry": ["1", "true", '"x"', "[]"],
    "phases.exec.retry.classes": ["1", '"transient"', '["transcient"]', "[1]"],
    "phases.exec.retry.times": COUNTS,
    "phases.exec.retry.backoff": PAUSES,
    "phases.exec.retry.factor": ["0", "0.5", "101", "true", '"2"'],
    "phases.exec.approval_mode": ["1", '"yolo"', '""'],
    "phases.exec.sandbox_mode": ["1", '"readonly"', '""'],
    "phases.exec.max_turns": NUMBERS,
    "phases.exec.max_tokens": NUMBERS,
    "phases.exec.system_prompt": FILLED,
    "phases.exec.prompt": FILLED,
    "agents.claude.kind": ["1", '"cloud"', '""'],
    "agents.claude.argv": LISTS,
    "agents.claude.args": LISTS,
    "agents.claude.prompt": ["1", '"pipe"', '""'],
    "agents.claude.output": ["1", '"json"', '""'],
    "agents.claude.env": VARIABLES,
    "agents.claude.model": FILLED,
    "agents.claude.max_sessions": NUMBERS,
    "agents.claude.account": FILLED,
    "agents.claude.fallback": [*LISTS, '["nobody"]'],
    "agents.claude.script": FILLED,
    "workspace.setup": TEXTS,
    "workspace.copy": [*LISTS, '["/etc/passwd"]', '["../x"]', '["."]', '[".git"]'],
    "workspace.link": [*LISTS, '["/etc"]', '["a/../../x"]'],
    "workspace.timeout": DURATIONS,
    "state.keep": DURATIONS,
    "recover.resume_sessions": TRUTHS,
    "merge.target": ["1", '"a b"', '"a..b"', '"HEAD"', '"@"', '"refs/heads/x"', "[]"],
    "merge.window": NUMBERS,
    "merge.repairs": COUNTS,
    "merge.update_checkout": TRUTHS,
    "locks.remote_ttl": DURATIONS,
    "locks.also": LISTS,
    "parallel.max_workers": NUMBERS,
    "parallel.timeout": DURATIONS,
    "parallel.stall": PAUSES,
    "parallel.fail_fast": TRUTHS,
    "parallel.aggregate_output": TRUTHS,
    "schedule.project_parallelism": TRUTHS,
    "schedule.max_parallel_projects": COUNTS,
    "schedule.max_projects": NUMBERS,
    "schedule.cron": ["1", '"* * *"', '"hourly"'],
    "schedule.every": DURATIONS,
    "schedule.window": ["1", '"22-6"', '"25:00-06:00"', '"22:00"'],
    "schedule.timezone": ["1", '""', '"Mars/Olympus"', '"../x"'],
    **{f"budget.{span}_tokens": COUNTS for span in ("job", "run", "day", "week")},
    **{f"budget.{span}_usd": AMOUNTS for span in ("job", "run", "day", "week")},
    **{f"budget.{span}_sessions": COUNTS for span in ("job", "run", "day", "week")},
    "budget.session_tokens": NUMBERS,
    "budget.session_usd": AMOUNTS,
    **{f"agents.claude.budget.{span}_tokens": COUNTS for span in ("job", "run", "day", "week")},
    **{f"agents.claude.budget.{span}_usd": AMOUNTS for span in ("job", "run", "day", "week")},
    **{f"agents.claude.budget.{span}_sessions": COUNTS for span in ("job", "run", "day", "week")},
    "budget.max_percent": PERCENTS,
    "budget.reserve_percent": PERCENTS,
    "usage.command": TEXTS,
    "usage.file": TEXTS,
    "usage.every": DURATIONS,
    "usage.timeout": DURATIONS,
    "usage.env": VARIABLES,
    "usage.steps": ["1", "true", "[]", "[65, 75]", "[65, 75, 75]", "[80, 75, 65]", "[-1, 2, 3]", '["a", 2, 3]'],
    "usage.margin": [*PERCENTS, "65"],
    "machine.min_free_memory": SIZES,
    "machine.min_free_disk": SIZES,
    "machine.max_load": AMOUNTS,
    "notify.webhook": ["1", "true", '""', '"ftp://x"', "[]"],
    "notify.command": TEXTS,
    "notify.on": ["1", "true", '"run_ended"', '["run_end"]', "[1]"],
    "notify.env": VARIABLES,
    "repos[0].path": FILLED,
    "repos[0].name": REPO_NAMES,
    "repos[0].width": NUMBERS,
    "repos[0].base": REFS,
    "repos[0].issues": FILLED,
    "repos[0].target": ["1", '"a b"', '"a..b"', "[]"],
    "repos[0].gates.test": TEXTS,
    "repos[0].gates.lint": TEXTS,
    "repos[0].gates.typecheck": TEXTS,
    "projects[0].path": FILLED,
    "projects[0].name": REPO_NAMES,
    "projects[0].tasks": LISTS,
    "projects[0].priority": ["1.5", "true", '"1"'],
    "projects[0].backend": FILLED,
    "projects[0].branch": REFS,
    "tasks.docs.prompt": FILLED,
    "tasks.docs.title": FILLED,
    "tasks.docs.gate": FILLED,
    "tasks.docs.cooldown": DURATIONS,
    "tasks.docs.cost_tier": ["1", '"cheap"', '""'],
    "tasks.docs.enabled": TRUTHS,
}
"""Wrong values by key, as TOML."""

NAMES = {"phases": "exec", "agents": "claude", "tasks": "docs"}


def keys_of(section: type[Section], at: str = "") -> list[str]:
    """Every key there is, with a name where the user chooses one."""
    keys: list[str] = []
    for name, shape in shapes(section).items():
        match shape:
            case Leaf():
                keys.append(f"{at}{name}")
            case Table(inner):
                keys += keys_of(inner, f"{at}{name}.")
            case NamedTables(inner):
                keys += keys_of(inner, f"{at}{name}.{NAMES[name]}.")
            case TableList(inner):
                keys += keys_of(inner, f"{at}{name}[0].")
    return keys


def toml(key: str, value: str) -> str:
    """A file with that one key."""
    if "[0]." in key:
        table, _, name = key.partition("[0].")
        needed = "" if name == "path" else 'path = "x"\n'
        return f"[[{table}]]\n{needed}{name} = {value}\n"
    return f"{key} = {value}\n"


def test_the_table_has_every_key() -> None:
    """A new key comes with its wrong values."""
    assert set(keys_of(Settings)) == set(BAD) - {"phases.exec.retry"}


@pytest.mark.parametrize("key", BAD)
def test_wrong_values(key: str, weft: Callable[..., Any], folder: Path) -> None:
    """Exit 2; the message names the file, the key and the value; nothing on stdout, no traceback (principle 5)."""
    for value in BAD[key]:
        (folder / "weft.toml").write_text(toml(key, value))
        answer = weft("config", "show")
        assert (answer.code, answer.out) == (2, ""), value
        assert f"error: weft.toml: {key}" in answer.err, value
        shown = value.strip('[]"').replace("_", "")[:30]
        assert shown in answer.err.replace("_", ""), value
        assert "must be" in answer.err
        assert "hint: " in answer.err
        assert "Traceback" not in answer.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[run]\nconcurency = 3\n", "weft.toml: run.concurency: unknown key, did you mean `concurrency`?"),
        ("[rum]\nconcurrency = 3\n", "weft.toml: rum: unknown key, did you mean `run`?"),
        ("[phases.exec]\ntimout = '3m'\n", "weft.toml: phases.exec.timout: unknown key, did you mean `timeout`?"),
        ("[agents.claude]\nmodl = 'x'\n", "weft.toml: agents.claude.modl: unknown key, did you mean `model`?"),
        ("[[repos]]\npath='x'\nnaem = 'x'\n", "weft.toml: repos[0].naem: unknown key, did you mean `name`?"),
        ("zzz = 1\n", "weft.toml: zzz: unknown key, known: `name`, `agent`"),
    ],
)
def test_unknown_keys(text: str, said: str, weft: Callable[..., Any], folder: Path) -> None:
    """An unknown key is an error with a "did you mean"."""
    (folder / "weft.toml").write_text(text)
    answer = weft("config", "show")
    assert answer.code == 2
    assert said in answer.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("run = 3\n", "weft.toml: run = 3: must be a table"),
        ("agents = []\n", "weft.toml: agents = []: must be a table of tables such as `[agents.NAME]`"),
        ("agents.mine = 3\n", "weft.toml: agents.mine = 3: must be a table"),
        ("repos = 3\n", "weft.toml: repos = 3: must be a list of tables, each under `[[repos]]`"),
        ("repos = [3]\n", "weft.toml: repos[0] = 3: must be a table"),
        ("[[repos]]\nname = 'x'\n", "weft.toml: repos[0].path: missing"),
        ("[[repos]]\npath='a/x'\n[[repos]]\npath='b/x'\n", 'weft.toml: repos.name = "x": must be the name of one repo'),
        ("[agents.'a b']\nkind = 'command'\nargv = ['x']\n", 'weft.toml: agents."a b": must be a name of letters'),
        ("[tasks.'../x']\n", 'weft.toml: tasks."../x": must be a name of letters'),
        ("[agents.mine]\nmodel = 'x'\n", "weft.toml: agents.mine.kind: missing"),
        ("[agents.mine]\nkind = 'command'\n", "weft.toml: agents.mine: `argv` must name a program"),
        ("[agents.mine]\nkind='command'\nargv=['x','{jop}']\n", "unknown placeholder `{jop}`; did you mean `job`?"),
        ("[agents.mine]\nkind='command'\nargv=['x']\nenv=['GITHUB_TOKEN']\n", "`env` names `GITHUB_TOKEN`"),
        ("[phases.exce]\nmodel = 'x'\n", "weft.toml: phases.exce: unknown key, did you mean `exec`?"),
        ("[run]\nphases = ['exce']\n", 'weft.toml: run.phases = ["exce"]: must be a list of `spec`, `exec`, `qa`'),
        ("[run]\nphases = []\n", "weft.toml: run.phases = []: must be a list of `spec`, `exec`, `qa`"),
        ("[run]\npipeline = 'no.toml'\n", "no.toml: cannot be read: "),
        ("[phases.exec]\nprompt = '{{tilte}}'\n", "unknown variable `{{tilte}}`; did you mean `title`?"),
        ("[schedule]\ncron='0 1 * * *'\nevery='1h'\n", "weft.toml: schedule.cron = "),
        ("[schedule]\ncron='61 1 * * *'\n", "weft.toml: schedule.cron = "),
        ("[tasks.mine]\ncooldown = '1d'\n", "weft.toml: tasks.mine.prompt: missing, and `mine` is not built in"),
        ("[tasks.lint-fx]\nenabled = false\n", "`lint-fx` is not built in, did you mean `lint-fix`?"),
        ("[[projects]]\npath='x'\ntasks=['lint-fx']\n", 'weft.toml: projects[0].tasks = "lint-fx": must be one of'),
        ("[[projects]]\npath='x'\nbackend='cluade'\n", "did you mean `claude`?"),
        ("[[projects]]\npath='x'\nname='a'\n[[projects]]\npath='y'\nname='a'\n", "the name of one project only"),
        ("[usage]\ncommand='x'\nfile='y'\n", 'weft.toml: usage.file = "y": must be left out where `usage.command`'),
        ("[workspace]\ncopy=['.env']\nlink=['.env']\n", 'weft.toml: workspace.link = ".env": must be different'),
    ],
)
def test_wrong_shapes(text: str, said: str, weft: Callable[..., Any], folder: Path) -> None:
    """What is wrong between keys, or with a whole table, is said as clearly."""
    (folder / "weft.toml").write_text(text)
    answer = weft("config", "show")
    assert answer.code == 2
    assert said in answer.err
    assert "Traceback" not in answer.err


def test_all_problems_at_once(weft: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    """Every problem of every source is reported together, each under its own source."""
    (folder / "weft.toml").write_text("[run]\nconcurrency = 0\nretry = 1\n[gates]\nlnt = ''\n")
    user = tmp_path / "home/.config/weft/config.toml"
    user.parent.mkdir(parents=True)
    user.write_text("[merge]\nwindow = 0\n")
    answer = weft("config", "show", WEFT_QUALITY_LOOP="-1")
    assert answer.code == 2
    assert answer.err.count("error: ") == 5
    assert f"error: {user}: merge.window = 0: must be a positive integer" in answer.err
    assert "error: Invalid WEFT_QUALITY_LOOP value: -1. Must be an integer of 0 or more." in answer.err


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[run\n", "weft.toml: not valid TOML: expected ']' at the end of a table declaration (at line 1, column 5)"),
        (b"a = 1\na = 2\n", "weft.toml: not valid TOML: cannot overwrite a value (at line 2, column 6)"),
        (b"agent = claude\n", "weft.toml: not valid TOML: invalid value (at line 1, column 9)"),
        (b"agent = 'x'\nname = '\xff'\n", "weft.toml: not UTF-8 at line 2"),
        (b"a = " + b"[" * 3000, "weft.toml: not valid TOML: "),
        (b"a = 1" + b"0" * 5000, "weft.toml: not valid TOML: a number is too long"),
        (b"#" * 10_000_001, "weft.toml: larger than 10 MB"),
    ],
)
def test_broken_files(data: bytes, said: str, weft: Callable[..., Any], folder: Path) -> None:
    """A file that is not TOML is told with line and column."""
    (folder / "weft.toml").write_bytes(data)
    answer = weft("config", "show")
    assert answer.code == 2
    assert said in answer.err
    assert "Traceback" not in answer.err


def test_a_folder_in_the_files_place(weft: Callable[..., Any], folder: Path) -> None:
    """A folder named weft.toml is told as what it is."""
    (folder / "weft.toml").mkdir()
    answer = weft("config", "show")
    assert answer.code == 2
    assert "error: weft.toml: is a folder, not a file" in answer.err


def test_a_link_that_leads_nowhere(weft: Callable[..., Any], folder: Path) -> None:
    """A link whose file is gone is told, not taken for no settings at all."""
    (folder / "weft.toml").symlink_to(folder / "gone.toml")
    answer = weft("config", "show")
    assert answer.code == 2
    assert "error: weft.toml: cannot be read: No such file or directory" in answer.err


def test_two_files(weft: Callable[..., Any], folder: Path) -> None:
    """`weft.toml` and `.weft/weft.toml` together are refused: nobody could tell which holds."""
    (folder / ".weft").mkdir()
    (folder / "weft.toml").write_text("")
    (folder / ".weft/weft.toml").write_text("")
    answer = weft("config", "show")
    assert answer.code == 2
    assert "both" in answer.err
    assert "hint: keep one of them" in answer.err


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "abc", "true", "1e3", "9" * 30])
@pytest.mark.parametrize("name", ["WEFT_CONCURRENCY", "WEFT_RUN_CONCURRENCY"])
def test_wrong_variables(name: str, text: str, weft: Callable[..., Any]) -> None:
    """A variable's wrong value names the variable (RUN-2)."""
    answer = weft("config", "show", **{name: text})
    assert answer.code == 2
    assert f"Invalid {name} value: {text}. Must be a positive integer." in answer.err


def test_variable_that_is_no_text(weft: Callable[..., Any]) -> None:
    """Bytes that are no UTF-8 are refused like any other wrong value."""
    answer = weft("config", "show", WEFT_GATES_TEST="\udcff")
    assert answer.code == 2
    assert "Invalid WEFT_GATES_TEST value" in answer.err


def test_misspelt_variable(weft: Callable[..., Any]) -> None:
    """A variable that looks like a misspelt setting is an error; others of the prefix are left alone."""
    answer = weft("config", "show", WEFT_CONCURENCY="2")
    assert answer.code == 2
    assert "WEFT_CONCURENCY = 2: unknown variable, did you mean `WEFT_CONCURRENCY`?" in answer.err
    assert weft("config", "show", WEFT_XYZZY="1", WEFT_RUN="r-1", WEFT_JOB="a#1", WEFT_PHASE="qa").code == 0
