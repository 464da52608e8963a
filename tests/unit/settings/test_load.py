"""Loading settings: precedence, where values come from, where files are sought."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.errors import SettingsError
from weft.model.phase import FailureClass, SandboxMode
from weft.model.plan import AgentKind
from weft.settings.agents import agent_specs
from weft.settings.effective import effective_values
from weft.settings.environment import Environment
from weft.settings.kinds import IssueOrigin, MergeMode
from weft.settings.load import Flag, Loaded, load

EXAMPLE = """
agent = "claude"

[run]
concurrency = 3
retry = true
quality_loop = 3
base = "main"
merge = "none"
branch_prefix = "weft/"

[issues]
source = "folder"
path = "issues"

[gates]
test = "python -m pytest -q"
lint = ""
typecheck = ""
timeout = "20m"

[phases.exec]
agent = "mine"
timeout = "30m"

[agents.mine]
kind = "command"
argv = ["./agent.sh", "{phase}", "{job}"]
prompt = "stdin"
output = "text"
env = ["MY_KEY"]

[agents.claude]
model = "balanced"
max_sessions = 3

[workspace]
setup = ""
copy = []
link = []

[state]
keep = "30d"

[merge]
target = ""
window = 4
repairs = 2

[locks]
remote_ttl = "2h"

[parallel]
max_workers = 3
fail_fast = false
aggregate_output = true

[schedule]
project_parallelism = false
max_parallel_projects = 5
max_projects = 1
cron = ""
window = "22:00-06:00"
timezone = "local"

[budget]
run_tokens = 2_000_000
max_percent = 75
reserve_percent = 5

[[repos]]
name = "api"
path = "../api"

[[projects]]
path = "~/code/shop"
tasks = ["lint-fix", "docs-backfill"]
"""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    path = tmp_path / "repo"
    path.mkdir()
    return path


def environment(folder: Path, **variables: str) -> Environment:
    return Environment({"HOME": str(folder.parent / "home"), **variables}, folder)


def user_file(folder: Path, text: str) -> Path:
    path = folder.parent / "home/.config/weft/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def source_of(loaded: Loaded, key: str) -> str:
    return next(value.source for value in effective_values(loaded, loaded.folder) if value.key == key)


def test_the_example_of_the_reference_loads(repo: Path) -> None:
    """A shared weft.toml with every section validates, also those whose commands come later."""
    (repo / "weft.toml").write_text(EXAMPLE)
    settings = load(environment(repo)).settings
    assert settings.agents["mine"].argv == ("./agent.sh", "{phase}", "{job}")
    assert settings.agents["claude"].max_sessions == 3
    assert settings.phases["exec"].timeout == 1800
    assert settings.gates.lint == ""
    assert settings.budget.run_tokens == 2_000_000
    assert settings.repos[0].name == "api"
    assert settings.projects[0].tasks == ("lint-fix", "docs-backfill")


def test_defaults(repo: Path) -> None:
    """Without any file the defaults of the reference hold."""
    settings = load(environment(repo)).settings
    assert (settings.run.concurrency, settings.run.retry, settings.run.quality_loop) == (3, True, 3)
    assert (settings.run.merge, settings.run.branch_prefix) == (None, "weft/")
    assert (settings.issues.source, settings.issues.path) == (IssueOrigin.FOLDER, "issues")
    assert (settings.gates.test, settings.gates.timeout) == (None, 1200)
    assert (settings.grace, settings.state.keep, settings.locks.remote_ttl) == (5, 30 * 86400, 7200)
    assert (settings.merge.window, settings.merge.repairs) == (4, 2)


def test_precedence(repo: Path) -> None:
    """Flag over environment over the repo's file over the user's file over the default (RUN-2)."""
    key = "run.concurrency"
    assert source_of(load(environment(repo)), key) == "default"
    user = user_file(repo, "[run]\nconcurrency = 4\n")
    loaded = load(environment(repo))
    assert (loaded.settings.run.concurrency, source_of(loaded, key)) == (4, str(user))
    (repo / "weft.toml").write_text("[run]\nconcurrency = 5\n")
    loaded = load(environment(repo))
    assert (loaded.settings.run.concurrency, source_of(loaded, key)) == (5, "weft.toml")
    variables = environment(repo, WEFT_CONCURRENCY="6")
    loaded = load(variables)
    assert (loaded.settings.run.concurrency, source_of(loaded, key)) == (6, "WEFT_CONCURRENCY")
    loaded = load(variables, flags={key: Flag("--concurrency", "7")})
    assert (loaded.settings.run.concurrency, source_of(loaded, key)) == (7, "--concurrency")


def test_files_merge_key_by_key(repo: Path) -> None:
    """A repo's file changes what it names and leaves the rest of the user's."""
    user_file(repo, "[run]\nconcurrency = 4\nretry = false\n[agents.mine]\nkind='command'\nargv=['x']\n")
    (repo / "weft.toml").write_text("[run]\nconcurrency = 5\n[agents.mine]\nargv=['y']\n")
    settings = load(environment(repo)).settings
    assert (settings.run.concurrency, settings.run.retry) == (5, False)
    assert settings.agents["mine"].argv == ("y",)
    assert settings.agents["mine"].kind is not None


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "abc", ""])
def test_wrong_flag(repo: Path, text: str) -> None:
    """The exact words of RUN-2."""
    with pytest.raises(SettingsError) as raised:
        load(environment(repo), flags={"run.concurrency": Flag("--concurrency", text)})
    assert raised.value.message == f"Invalid --concurrency value: {text}. Must be a positive integer."


def test_sought_upwards(repo: Path) -> None:
    """`weft.toml` is sought from the current folder upwards, and paths in it are meant from its folder."""
    (repo / "weft.toml").write_text("[run]\nconcurrency = 5\n")
    deep = repo / "a/b"
    deep.mkdir(parents=True)
    loaded = load(environment(deep))
    assert (loaded.settings.run.concurrency, loaded.folder) == (5, repo)


def test_own_folder(repo: Path) -> None:
    """`.weft/weft.toml` is as good; paths are meant from the repo's root all the same."""
    (repo / ".weft").mkdir()
    (repo / ".weft/weft.toml").write_text("[run]\nconcurrency = 5\n")
    loaded = load(environment(repo))
    assert (loaded.settings.run.concurrency, loaded.folder) == (5, repo)


def test_values_from_variables(repo: Path) -> None:
    """Variables are read as the key's type; an empty one counts as not set."""
    settings = load(
        environment(
            repo,
            WEFT_RETRY="no",
            WEFT_GATES_TIMEOUT="1h30m",
            WEFT_GATES_ENV="A, B",
            WEFT_MERGE="queue",
            WEFT_BUDGET_RUN_USD="2.5",
            WEFT_AGENT="codex",
            WEFT_QUALITY_LOOP="",
        )
    ).settings
    assert (settings.run.retry, settings.gates.timeout, settings.gates.env) == (False, 5400, ("A", "B"))
    assert (settings.run.merge, settings.budget.run_usd, settings.agent) == (MergeMode.QUEUE, 2.5, "codex")
    assert settings.run.quality_loop == 3


def test_phase_settings(repo: Path) -> None:
    """A phase's retry policy is a table, or `false` (RUN-9)."""
    (repo / "weft.toml").write_text(
        "[phases.spec]\nretry = { classes = ['transient', 'rate-limited'], times = 2, backoff = '10s' }\n"
        "sandbox_mode = 'read-only'\n[phases.exec]\nretry = false\n"
    )
    phases = load(environment(repo)).settings.phases
    assert phases["spec"].retry.classes == (FailureClass.TRANSIENT, FailureClass.RATE_LIMITED)
    assert (phases["spec"].retry.times, phases["spec"].retry.backoff) == (2, 10)
    assert phases["spec"].sandbox_mode is SandboxMode.READ_ONLY
    assert phases["exec"].retry.times == 0


def test_windows_line_ends_and_byte_order_mark(repo: Path) -> None:
    """A file saved by another editor reads the same."""
    (repo / "weft.toml").write_bytes(b"\xef\xbb\xbf[run]\r\nconcurrency = 5\r\n")
    assert load(environment(repo)).settings.run.concurrency == 5


def test_unreadable_user_file_does_not_hide_the_rest(repo: Path) -> None:
    """A broken user file is told together with what is wrong in the repo's."""
    user_file(repo, "[run\n")
    (repo / "weft.toml").write_text("[run]\nconcurrency = 0\n")
    with pytest.raises(SettingsError) as raised:
        load(environment(repo))
    first, second = raised.value.message.splitlines()
    assert "config.toml: not valid TOML" in first
    assert second == "weft.toml: run.concurrency = 0: must be a positive integer"


def test_agents(repo: Path) -> None:
    """Built-in agents and the user's own; a program beside the settings is named by its whole path."""
    (repo / "weft.toml").write_text(EXAMPLE)
    (repo / "agent.sh").write_text("")
    specs = agent_specs(load(environment(repo)).settings, repo)
    assert list(specs) == ["scripted", "claude", "codex", "gemini", "opencode", "mine"]
    assert specs["mine"].argv == (str(repo / "agent.sh"), "{phase}", "{job}")
    assert (specs["mine"].kind, specs["mine"].env) == (AgentKind.COMMAND, ("MY_KEY",))
    assert (specs["claude"].kind, specs["claude"].model) == (AgentKind.CLAUDE, "balanced")
