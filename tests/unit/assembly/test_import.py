"""Other tools' settings in Weft's terms: taken over, or named with the reason why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from weft.assembly.import_draft import Imported
from weft.assembly.import_tools import TOOLS, import_file, parse_json, settings_file
from weft.errors import UsageError
from weft.settings.environment import Environment
from weft.settings.load import load
from weft.settings.toml_text import toml_text

SEQUANT: dict[str, Any] = {
    "version": "1.0",
    "run": {
        "logJson": True,
        "logPath": ".sequant/logs",
        "timeout": 1800,
        "sequential": False,
        "concurrency": 5,
        "qualityLoop": True,
        "maxIterations": 4,
        "rotation": {"enabled": True, "maxFiles": 100},
        "defaultBase": "develop",
        "retry": True,
        "mcp": True,
        "agent": "codex",
        "codex": {"model": "gpt-5-codex", "sandboxMode": "workspace-write", "extraArgs": ["--oss"]},
        "phases": {"exec": {"model": "role:strong", "effort": "high"}, "testgen": {"model": "haiku"}},
        "modelRoles": {"strong": "opus-9"},
    },
    "scopeAssessment": {"enabled": True},
    "somethingNew": 1,
}

CLINVK: dict[str, Any] = {
    "default_backend": "gemini",
    "unified_flags": {
        "approval_mode": "auto",
        "sandbox_mode": "workspace",
        "verbose": False,
        "max_turns": 20,
        "max_tokens": 0,
        "command_timeout_secs": 600,
    },
    "backends": {
        "claude": {"model": "opus", "allowed_tools": "Read,Edit", "enabled": True, "system_prompt": "Be brief."},
        "gemini": {"model": "pro", "sandbox_mode": "full", "extra_flags": ["--sandbox"], "system_prompt": "Be kind."},
        "cursor": {"model": "x"},
    },
    "session": {"retention_days": 60, "auto_resume": True},
    "parallel": {"max_workers": 6, "fail_fast": True, "aggregate_output": False},
    "server": {"port": 8080, "api_keys_gopass_path": "mine/keys"},
}

NIGHTSHIFT: dict[str, Any] = {
    "schedule": {
        "cron": "0 2 * * *",
        "window": {"start": "22:00", "end": "06:00", "timezone": "America/Denver"},
        "project_parallelism": True,
        "max_parallel_projects": 4,
    },
    "budget": {"mode": "daily", "max_percent": 60, "weekly_tokens": 700_000, "per_provider": {"claude": 1}},
    "providers": {
        "preference": ["ollama", "codex", "claude"],
        "codex": {"enabled": False, "dangerously_bypass_approvals_and_sandbox": True},
    },
    "projects": [
        {"path": "~/code/shop", "priority": 2, "tasks": ["lint-fix", "skill-groom"]},
        {"path": "~/code/api", "exclude": ["x"]},
        {"pattern": "~/code/oss/*"},
    ],
    "tasks": {
        "enabled": ["docs-backfill", "bug-finder"],
        "disabled": ["dead-code"],
        "intervals": {"lint-fix": "24h", "bug-finder": "72h"},
        "custom": [
            {
                "type": "pr-review",
                "name": "PR Review",
                "description": "Review all.",
                "category": "pr",
                "cost_tier": "very-high",
                "interval": "72h",
            },
            {"type": "empty"},
        ],
    },
    "reporting": {"slack_webhook": "https://hooks.example/s3cret"},
}


def taken(tool: str, raw: object, folder: Path) -> Imported:
    file = folder / "their-settings"
    file.write_text(json.dumps(raw) if tool == "sequant" else yaml.safe_dump(raw))
    imported = import_file(tool, file, folder)
    (folder / "weft.toml").write_text(toml_text(imported.settings))
    load(Environment({"HOME": str(folder)}, folder))
    return imported


def keys(imported: Imported) -> set[str]:
    return {left.key for left in imported.left}


def test_sequant(tmp_path: Path) -> None:
    """Concurrency, loop, base, timeouts, agent and models; roles are looked up; the locks of both are honoured."""
    imported = taken("sequant", SEQUANT, tmp_path)
    assert imported.settings == {
        "issues": {"source": "github"},
        "locks": {"also": [".sequant/locks"]},
        "run": {"concurrency": 5, "sequential": False, "retry": True, "base": "develop", "quality_loop": 4},
        "phases": {
            "spec": {"timeout": "30m"},
            "exec": {"timeout": "30m", "sandbox_mode": "workspace", "model": "opus-9"},
            "qa": {"timeout": "30m"},
        },
        "agent": "codex",
        "agents": {"codex": {"model": "gpt-5-codex", "args": ["--oss"]}},
    }
    assert keys(imported) == {
        "run.logJson",
        "run.logPath",
        "run.rotation.enabled",
        "run.rotation.maxFiles",
        "run.mcp",
        "run.phases.exec.effort",
        "run.phases.testgen.model",
        "scopeAssessment.enabled",
        "somethingNew",
    }


def test_a_quality_loop_that_is_off(tmp_path: Path) -> None:
    """Off there is never here, whatever the number beside it."""
    raw = {"run": {"qualityLoop": False, "maxIterations": 3, "agent": "aider", "aider": {"model": "x"}}}
    imported = taken("sequant", raw, tmp_path)
    assert imported.settings["run"] == {"quality_loop": 0}
    assert "agent" not in imported.settings
    assert keys(imported) == {"run.agent", "run.aider.model"}


def test_clinvk(tmp_path: Path) -> None:
    """Agents with their models, limits, what the writing phase may do, and `weft parallel`."""
    imported = taken("clinvk", CLINVK, tmp_path)
    assert imported.settings == {
        "agent": "gemini",
        "parallel": {"max_workers": 6, "fail_fast": True, "aggregate_output": False, "timeout": "10m"},
        "phases": {
            "spec": {"max_turns": 20},
            "exec": {
                "max_turns": 20,
                "approval_mode": "auto",
                "sandbox_mode": "full",
                "system_prompt": "Be kind.",
            },
            "qa": {"max_turns": 20},
        },
        "agents": {"claude": {"model": "opus"}, "gemini": {"model": "pro", "args": ["--sandbox"]}},
        "state": {"keep": "60d"},
    }
    assert keys(imported) == {
        "unified_flags.verbose",
        "backends.claude.allowed_tools",
        "backends.claude.system_prompt",
        "backends.cursor.model",
        "session.auto_resume",
        "server.port",
        "server.api_keys_gopass_path",
    }


def test_nightshift(tmp_path: Path) -> None:
    """Schedule, budget, agent, projects and tasks; leave to skip permissions is not taken over in silence."""
    imported = taken("nightshift", NIGHTSHIFT, tmp_path)
    assert imported.settings == {
        "schedule": {
            "cron": "0 2 * * *",
            "project_parallelism": True,
            "max_parallel_projects": 4,
            "window": "22:00-06:00",
            "timezone": "America/Denver",
        },
        "budget": {"day_tokens": 100_000, "max_percent": 60},
        "agent": "claude",
        "tasks": {
            "pr-review": {"prompt": "Review all.", "title": "PR Review", "cooldown": "72h", "cost_tier": "high"},
            "lint-fix": {"cooldown": "24h"},
            "dead-code": {"enabled": False},
        },
        "projects": [
            {"path": "~/code/shop", "tasks": ["lint-fix"], "priority": 2},
            {"path": "~/code/api", "tasks": ["docs-backfill", "pr-review"]},
        ],
    }
    reasons = {left.key: left.reason for left in imported.left}
    assert "phases.exec.approval_mode" in reasons["providers.codex.dangerously_bypass_approvals_and_sandbox"]
    assert reasons.keys() >= {
        "budget.per_provider.claude",
        "projects[0].tasks",
        "projects[1].exclude",
        "projects[2]",
        "tasks.custom[0].category",
        "tasks.custom[1]",
        "tasks.enabled",
        "tasks.intervals.bug-finder",
        "reporting.slack_webhook",
    }
    assert "s3cret" not in str(imported.left)


@pytest.mark.parametrize(
    ("tool", "raw", "key"),
    [
        ("sequant", {"run": {"concurrency": 0}}, "run.concurrency"),
        ("sequant", {"run": {"timeout": "fast"}}, "run.timeout"),
        ("clinvk", {"default_backend": 7}, "default_backend"),
        ("clinvk", {"unified_flags": {"approval_mode": "yolo"}}, "unified_flags.approval_mode"),
        ("nightshift", {"schedule": {"interval": "1h1h"}}, "schedule.interval"),
        ("nightshift", {"budget": {"max_percent": 101}}, "budget.max_percent"),
        ("nightshift", {"projects": ["x"]}, "projects[0]"),
        ("nightshift", {"schedule": {"window": {"start": "22:00"}}}, "schedule.window.start"),
    ],
)
def test_wrong_values_are_left(tool: str, raw: object, key: str, tmp_path: Path) -> None:
    """A value that Weft does not allow is named with the rule, and the rest still loads."""
    assert key in keys(taken(tool, raw, tmp_path))


@pytest.mark.parametrize("tool", list(TOOLS))
def test_nothing_in_it(tool: str, tmp_path: Path) -> None:
    """An empty file says nothing, and that loads too."""
    assert taken(tool, {}, tmp_path).left == ()


@pytest.mark.parametrize("text", ["[", "- a", "{", "'"])
@pytest.mark.parametrize("tool", list(TOOLS))
def test_what_is_no_settings_file(tool: str, text: str, tmp_path: Path) -> None:
    """Exit 2 with the file's name."""
    file = tmp_path / "settings"
    file.write_text(text)
    with pytest.raises(UsageError, match=str(file)):
        import_file(tool, file, tmp_path)


def test_settings_that_do_not_fit_together(tmp_path: Path) -> None:
    """What would not load as a whole is not written."""
    file = tmp_path / "nightshift.yaml"
    file.write_text("schedule: {cron: '0 2 * * *', interval: 4h}")
    with pytest.raises(UsageError, match=r"schedule\.cron"):
        import_file("nightshift", file, tmp_path)


def test_json_with_comments() -> None:
    """As editors write it; what looks like a comment in a text is none."""
    assert parse_json('{"a": "//x", /* b */ "c": ["/*", 1,], // d\n}') == {"a": "//x", "c": ["/*", 1]}


def test_where_settings_are(tmp_path: Path) -> None:
    """The repo's own before the user's; where there are none, the places are named."""
    home, folder = tmp_path / "home", tmp_path / "repo"
    with pytest.raises(
        UsageError, match=r"`nightshift\.yaml`, `\.nightshift\.yaml`, `~/\.config/nightshift/config\.yaml`"
    ):
        settings_file("nightshift", folder, home)
    for file in (home / ".config/nightshift/config.yaml", folder / "nightshift.yaml"):
        file.parent.mkdir(parents=True)
        file.write_text("")
        assert settings_file("nightshift", folder, home) == file
