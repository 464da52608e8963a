"""A plan: everything a run needs to know, written to the journal before anything is done about it."""

from __future__ import annotations

from enum import Enum

import msgspec

from weft.model.budget import Budget
from weft.model.gate import Gate as Gate
from weft.model.governing import MachinePlan, UsagePlan
from weft.model.job import Job
from weft.model.phase import Pipeline
from weft.model.project import Project


class Mode(Enum):
    SINGLE = "single"
    PARALLEL = "parallel"
    SEQUENTIAL = "sequential"
    CHAIN = "chain"
    WAVE = "wave"
    PROJECTS = "projects"
    TASKS = "tasks"


class StopRule(Enum):
    """What a job that ends badly means for the others."""

    CONTINUE = "continue"
    STOP = "stop"
    """Nothing new starts; what runs goes on."""
    CHAIN = "chain"
    """As `stop`, and a locked job stops it too; each job starts where the one before ended."""
    FAIL_FAST = "fail_fast"
    """Nothing new starts and what runs is stopped."""


class Order(Enum):
    """Which of several ready jobs goes first."""

    LONGEST_PATH = "longest_path"
    LISTED = "listed"


class LockRule(Enum):
    """When a job's lock is taken, so that no two work on it."""

    NONE = "none"
    UP_FRONT = "up_front"
    """All of them as the run starts."""
    AT_START = "at_start"
    """Each as its job starts."""


class TakeOver(Enum):
    """What becomes of a lock that another holds."""

    NEVER = "never"
    FORCE = "force"
    SIGNAL = "signal"
    """As `force`, and the holder is told to stop first."""


class Lane(msgspec.Struct, frozen=True):
    """A track that at most `width` jobs use at once; 0: as many as the cap allows, also when it is changed."""

    name: str
    width: int = 1


class WorkspaceSetup(msgspec.Struct, frozen=True):
    """What a fresh worktree needs before anyone works in it."""

    setup: str = ""
    copy: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    timeout: float = 1200.0


class LockPlace(msgspec.Struct, frozen=True):
    """Where a repo's locks are, and how long one of another host holds without renewal."""

    folder: str
    remote_ttl: float = 7200.0
    also: tuple[str, ...] = ()
    """Folders with another tool's locks."""


class MergeInto(msgspec.Struct, frozen=True):
    """The merge queue of a repo: passed branches land on `target`, one after the other, each on a green tree."""

    target: str
    """A local branch, by its short name; made from the base where it does not exist."""
    window: int = 4
    """How many branches are merged and gated at the same time, at most."""
    repairs: int = 2
    """How often a branch that does not merge or is red when merged goes back to its author; then it is parked."""
    update_checkout: bool = False
    """Whether a clean checkout of the target follows it; without, a target that is checked out is refused."""


class PublishTo(msgspec.Struct, frozen=True):
    """Where work is handed over as pull requests: each passed branch, or with a merge queue what landed, at the end."""

    repo: str
    """`owner/name`."""
    api_url: str
    push_url: str
    """Where branches are pushed to, as it was before any agent began."""
    base: str
    """The branch that pull requests go to; never pushed to."""
    draft: bool = False
    template: str = ""
    """The text of a template of the user's own; empty: Weft's."""
    comment: bool = False
    """Whether the issue gets a comment that names its pull request."""
    label: str | None = None
    """What the issue is labelled with once it has one."""


class Repo(msgspec.Struct, frozen=True):
    """A repo that jobs work in. `base` is a ref that git can resolve."""

    name: str
    path: str
    base: str = ""
    gates: tuple[Gate, ...] = ()
    gate_env: tuple[str, ...] = ()
    """Variables that gates get besides the allow-list."""
    workspace: WorkspaceSetup = WorkspaceSetup()
    locks: LockPlace | None = None
    merge: MergeInto | None = None
    """Where passed branches land, and where jobs start once it is there; None: they are left for the user."""
    publish: PublishTo | None = None
    """Where pull requests are made; None: nowhere."""


class AgentKind(Enum):
    COMMAND = "command"
    SCRIPTED = "scripted"
    CLAUDE = "claude"
    CODEX = "codex"
    GEMINI = "gemini"
    OPENCODE = "opencode"


class PromptVia(Enum):
    STDIN = "stdin"
    FILE = "file"
    ARG = "arg"


class OutputFormat(Enum):
    TEXT = "text"
    JSONL = "jsonl"


class AgentSpec(msgspec.Struct, frozen=True):
    """An agent as settings describe it. `env` names variables to pass on; values are never stored."""

    name: str
    kind: AgentKind
    argv: tuple[str, ...] = ()
    prompt: PromptVia = PromptVia.STDIN
    output: OutputFormat = OutputFormat.TEXT
    env: tuple[str, ...] = ()
    model: str | None = None
    max_sessions: int | None = None
    args: tuple[str, ...] = ()
    """Further arguments for the program of a built-in agent."""
    account: str = ""
    """Who pays: agents of one account share its quota; by default each agent has its own."""
    fallback: tuple[str, ...] = ()
    """Agents that may do its sessions while its quota is used up, in this order."""
    script: str | None = None
    """For the scripted agent: the file that says what it does."""


class Plan(msgspec.Struct, frozen=True):
    mode: Mode
    jobs: tuple[Job, ...]
    cap: int
    repos: tuple[Repo, ...] = ()
    lanes: tuple[Lane, ...] = ()
    """Lanes not listed have width 1."""
    pipelines: tuple[Pipeline, ...] = ()
    agents: tuple[AgentSpec, ...] = ()
    stop: StopRule = StopRule.CONTINUE
    order: Order = Order.LONGEST_PATH
    lock: LockRule = LockRule.NONE
    take_over: TakeOver = TakeOver.NEVER
    grace: float = 5.0
    """Seconds between SIGTERM and SIGKILL."""
    command: str = ""
    """The command line that asked for it."""
    name: str = ""
    """What a wave is called: its milestone, or as its plan file says."""
    usage: UsagePlan | None = None
    machine: MachinePlan | None = None
    budget: Budget | None = None
    projects: tuple[Project, ...] = ()
    """In the mode `projects`: all that settings name, also those that have no job in it."""
    api_calls: int = 0
    """Requests to the tracker that making the plan took."""

    def repo(self, name: str) -> Repo:
        return next(repo for repo in self.repos if repo.name == name)

    def pipeline(self, name: str) -> Pipeline:
        return next(pipeline for pipeline in self.pipelines if pipeline.name == name)

    def agent(self, name: str) -> AgentSpec:
        return next(agent for agent in self.agents if agent.name == name)
