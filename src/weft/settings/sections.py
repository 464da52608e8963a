"""The sections of `weft.toml`, each key with its default and what it is for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

import msgspec

from weft.model.notice import NoticeKind
from weft.model.plan import OutputFormat, PromptVia
from weft.settings import kinds
from weft.sources.comments import CommentsFrom


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A table of a settings file."""

    OFF: ClassVar[Mapping[str, object] | None] = None
    """What the section holds where `false` stands in its place; None where it may not."""


class Run(Section, frozen=True, kw_only=True):
    """`weft run`."""

    concurrency: kinds.Positive = 3
    """How many jobs may be active at once."""
    retry: kinds.Truth = True
    """Whether phases are tried again after failures that are not the work's own."""
    quality_loop: kinds.Count = 3
    """How often exec runs again with what qa found; 0: never."""
    base: kinds.Ref | None = None
    """Where branches start; default: the remote's default branch, else the current one."""
    merge: kinds.Merge | None = None
    """What becomes of a branch that passed: left to you, landed by the merge queue, handed over as a pull request;
    default: `pr` with the GitHub source and a remote, else `none`.
    """
    branch_prefix: kinds.BranchPrefix = "weft/"
    """What the names of Weft's branches begin with."""
    sequential: kinds.Truth = False
    """One after the other; the first that ends badly stops the run."""
    phases: kinds.Texts | None = None
    """The phases to run, in the pipeline's order; default: all."""
    stall: kinds.Pause = 600.0
    """After how long without a sign of work a session is stopped; `0s`: never."""
    checkpoint: kinds.Pause = 1800.0
    """After how long a session that writes is asked to end, for a fresh one to go on with its work; `0s`: never."""
    resume_sessions: kinds.Truth = True
    """Whether work that comes back is mended in the session that did it, where its agent can go on in one."""
    pipeline: kinds.Filled | None = None
    """A TOML file with a pipeline of your own; default: spec, exec, qa."""


class Issues(Section, frozen=True, kw_only=True):
    """Where issues come from."""

    source: kinds.Origin = kinds.IssueOrigin.FOLDER
    """A folder of Markdown files, or GitHub."""
    path: kinds.Filled = "issues"
    """The folder."""
    repo: kinds.GithubRepo | None = None
    """The GitHub repo; default: from the remote."""
    api_url: kinds.Url | None = None
    """The address of a GitHub Enterprise server's API."""
    comments: kinds.Comments = CommentsFrom.WRITERS
    """Whose comments on GitHub agents are given: people who may write to the repo, everyone, nobody."""


class Github(Section, frozen=True, kw_only=True):
    """Pull requests."""

    draft: kinds.Truth = False
    """Whether pull requests are made as drafts."""
    comment: kinds.Truth = False
    """Whether an issue gets a comment that names its pull request."""
    label: kinds.Filled | None = None
    """A label that an issue gets once it has its pull request."""
    template: kinds.Filled | None = None
    """A file with the text of pull requests, with `{{issues}}`, `{{summary}}`, `{{gates}}`, `{{left}}`, `{{work}}` and
    `{{again}}`; default: Weft's own.
    """


class Gates(Section, frozen=True, kw_only=True):
    """Commands that Weft runs in the job's workspace, in this order; empty: skipped; absent: found in the repo."""

    test: kinds.Text | None = None
    """Runs the tests."""
    lint: kinds.Text | None = None
    """Runs the linter."""
    typecheck: kinds.Text | None = None
    """Checks the types."""
    timeout: kinds.Duration = 1200.0
    """How long one gate may take."""
    env: kinds.Variables = ()
    """Variables passed on to gates besides the allow-list, where set."""


class Retry(Section, frozen=True, kw_only=True):
    """When a phase is tried again. What is not said is as the pipeline has it."""

    OFF: ClassVar[Mapping[str, object] | None] = MappingProxyType({"times": 0})

    classes: kinds.Failures | None = None
    """The classes of failure after which it is."""
    times: kinds.Count | None = None
    """How often; 0: never."""
    backoff: kinds.Pause | None = None
    """How long to wait before the first time."""
    factor: kinds.Factor | None = None
    """How much longer to wait each further time."""


class PhaseSettings(Section, frozen=True, kw_only=True):
    """What differs from the pipeline in one phase."""

    agent: kinds.Filled | None = None
    """Who does it."""
    model: kinds.Filled | None = None
    """The model, or `fast`, `balanced`, `best`."""
    timeout: kinds.Duration | None = None
    """How long an attempt may take."""
    stall: kinds.Pause | None = None
    """After how long without a sign of work it is stopped; default: `run.stall`."""
    checkpoint: kinds.Pause | None = None
    """After how long it is asked to end, for a fresh session to go on; default: `run.checkpoint`."""
    retry: Retry = Retry()
    """When it is tried again."""
    approval_mode: kinds.Approval | None = None
    """What the agent may do without asking."""
    sandbox_mode: kinds.Sandbox | None = None
    """What the agent can reach."""
    max_turns: kinds.Positive | None = None
    """How often the model may be asked in one session."""
    max_tokens: kinds.Positive | None = None
    """How long one answer of the model may be, in tokens."""
    system_prompt: kinds.Filled | None = None
    """What the agent is told besides its own instructions."""
    prompt: kinds.Filled | None = None
    """The template of its prompt."""


class AgentBudget(Section, frozen=True, kw_only=True):
    """Limits on what an agent's sessions may spend, besides those for all; absent: none."""

    job_tokens: kinds.Count | None = None
    """Tokens per job: sent and written; what the provider had cached does not count."""
    run_tokens: kinds.Count | None = None
    """Tokens per run."""
    day_tokens: kinds.Count | None = None
    """Tokens per day, of all runs together."""
    week_tokens: kinds.Count | None = None
    """Tokens per week, of all runs together; it begins on Monday."""
    job_usd: kinds.Amount | None = None
    """Dollars per job."""
    run_usd: kinds.Amount | None = None
    """Dollars per run."""
    day_usd: kinds.Amount | None = None
    """Dollars per day, of all runs together."""
    week_usd: kinds.Amount | None = None
    """Dollars per week, of all runs together; it begins on Monday."""
    job_sessions: kinds.Count | None = None
    """Sessions per job."""
    run_sessions: kinds.Count | None = None
    """Sessions per run."""
    day_sessions: kinds.Count | None = None
    """Sessions per day, of all runs together."""
    week_sessions: kinds.Count | None = None
    """Sessions per week, of all runs together; it begins on Monday."""


class AgentSettings(Section, frozen=True, kw_only=True):
    """An agent: any program, or a built-in one that is tuned."""

    kind: kinds.Kind | None = None
    """How it is driven; default for the built-in names: the name."""
    argv: kinds.Texts = ()
    """The command line of a `command` agent; for a built-in one the program to call instead of the one on the path."""
    args: kinds.Texts = ()
    """Further arguments for the program of a built-in agent."""
    prompt: kinds.Prompt = PromptVia.STDIN
    """How the prompt reaches it."""
    output: kinds.Output = OutputFormat.TEXT
    """What it prints."""
    env: kinds.Variables = ()
    """Variables passed on besides the allow-list, where set."""
    model: kinds.Filled | None = None
    """The model, or `fast`, `balanced`, `best`."""
    max_sessions: kinds.Positive | None = None
    """How many sessions of it may run at once."""
    account: kinds.Filled | None = None
    """Who pays for it: agents of one account share its quota; default: the kind of a built-in agent, else the name."""
    fallback: kinds.Texts = ()
    """Agents that may do its sessions while its quota is used up, the first of them that is not; default: none."""
    script: kinds.Filled | None = None
    """What a `scripted` agent does."""
    budget: AgentBudget = AgentBudget()


class WorkspaceSettings(Section, frozen=True, kw_only=True):
    """What a fresh worktree needs before anyone works in it."""

    setup: kinds.Text = ""
    """A command that runs once per workspace; failing it fails the job."""
    copy: kinds.Texts = ()
    """Files and folders copied from the main checkout."""
    link: kinds.Texts = ()
    """Files and folders linked from the main checkout."""
    timeout: kinds.Duration = 1200.0
    """How long `setup` may take."""


class State(Section, frozen=True, kw_only=True):
    """The journal and the transcripts."""

    keep: kinds.Duration = 30 * 86400.0
    """How long those of ended runs are kept."""


class Recover(Section, frozen=True, kw_only=True):
    """Going on after a crash."""

    resume_sessions: kinds.Truth = False
    """Whether a session that was cut short is gone on with, in the workspace as it was left, where its agent can; else
    what it left is saved and its phase starts clean."""


class Merge(Section, frozen=True, kw_only=True):
    """The merge queue."""

    target: kinds.Branch = ""
    """The branch that jobs land on; default: `weft/` and the run's or wave's name."""
    window: kinds.Positive = 4
    """How many branches are merged and gated at the same time, at most."""
    repairs: kinds.Count = 2
    """How often a job is sent back to its author; 0: never."""
    update_checkout: kinds.Truth = False
    """Whether a clean checkout of the target follows it."""


class Locks(Section, frozen=True, kw_only=True):
    """One worker per issue."""

    remote_ttl: kinds.Duration = 7200.0
    """After how long without renewal another host's lock is stale."""
    also: kinds.Texts = ()
    """Folders with another tool's locks to honour."""


class Parallel(Section, frozen=True, kw_only=True):
    """`weft parallel`."""

    max_workers: kinds.Positive = 3
    """How many tasks may run at once."""
    fail_fast: kinds.Truth = False
    """Whether the first failure stops the rest."""
    aggregate_output: kinds.Truth = True
    """Whether the tasks' output is shown."""
    timeout: kinds.Duration = 1800.0
    """How long a task may take that does not say so itself."""
    stall: kinds.Pause = 600.0
    """After how long without a sign of work a task is stopped; `0s`: never."""


class Schedule(Section, frozen=True, kw_only=True):
    """`weft projects` and `weft daemon`."""

    project_parallelism: kinds.Truth = False
    """Several projects at once."""
    max_parallel_projects: kinds.Count = 5
    """How many; 0: no limit."""
    max_projects: kinds.Positive = 1
    """How many projects one run takes when they go one at a time."""
    cron: kinds.Cron = ""
    """When to run, as cron has it."""
    every: kinds.Duration | None = None
    """Or how often."""
    window: kinds.Hours = "22:00-06:00"
    """The hours in which runs may start."""
    timezone: kinds.Filled = "local"
    """The time zone of both, such as `Europe/Berlin`."""


class Budget(AgentBudget, frozen=True, kw_only=True):
    """Limits on what may be spent; absent: none. A session starts only where what is set aside for it fits them all."""

    session_tokens: kinds.Positive | None = None
    """What is set aside for a session, and where it is stopped; default: set aside as earlier ones of its kind took."""
    session_usd: kinds.Amount | None = None
    """The same in dollars; of an agent whose price is unknown each session counts as so much."""
    max_percent: kinds.Percent = 75.0
    """How much of what is left of the day's allowance a run over projects may take: of `day_…`, else a seventh of
    `week_…`.
    """
    reserve_percent: kinds.Percent = 5.0
    """How much of that allowance it leaves alone."""


class RepoGates(Section, frozen=True, kw_only=True):
    """Gates of one repo of a wave, where they differ from what its own `weft.toml` says."""

    test: kinds.Text | None = None
    """Runs the tests."""
    lint: kinds.Text | None = None
    """Runs the linter."""
    typecheck: kinds.Text | None = None
    """Checks the types."""


class Usage(Section, frozen=True, kw_only=True):
    """How much of your agents' allowance is used: as it fills up fewer jobs are active, and then nothing new starts."""

    command: kinds.Text = ""
    """Prints the meters: `{"meters": [{"name": "5h", "percent": 62.5}]}`, or a bare number; empty: none."""
    file: kinds.Text = ""
    """Or a file that holds them, kept up to date by something else; looked at every second; empty: none."""
    every: kinds.Duration = 60.0
    """How often the command is run."""
    timeout: kinds.Duration = 30.0
    """How long it may take; after that usage is unknown, and the cap holds where it is."""
    env: kinds.Variables = ()
    """Variables passed on to the command besides the allow-list, where set."""
    steps: kinds.Steps = (65.0, 75.0, 80.0)
    """Percent of the fullest meter from which two thirds of the cap, a third of it, and nothing new may start."""
    margin: kinds.Percent = 5.0
    """A step is left when the meter is so many points below it."""


class Machine(Section, frozen=True, kw_only=True):
    """What must be free for anything new to start; what runs goes on. It goes on with a tenth to spare."""

    min_free_memory: kinds.Size = 512_000_000
    """Free memory, besides which what sessions were seen to use must fit; `0`: not looked at."""
    min_free_disk: kinds.Size = 500_000_000
    """Free disk, of the state folder's and of the repos' disks; `0`: not looked at."""
    max_load: kinds.Amount = 25.0
    """Processes that want to run, for each core, on average of a minute; 0: not looked at."""


class Notify(Section, frozen=True, kw_only=True):
    """Who is told, while you are away, that a run is over or a job needs you. It never holds a run up."""

    webhook: kinds.SecretAddress | None = None
    """An address that JSON is posted to. Whoever knows it can write there, so Weft shows its host alone."""
    command: kinds.Text = ""
    """A command that gets the JSON on its standard input; empty: none."""
    on: kinds.Notices = tuple(NoticeKind)
    """What to tell of."""
    env: kinds.Variables = ()
    """Variables passed on to the command besides the allow-list, where set."""


class RepoSettings(Section, frozen=True, kw_only=True):
    """A repo of a wave (`weft wave`). What is not said here is as its own `weft.toml` says."""

    path: kinds.Filled
    """Its folder, from the folder of this file."""
    name: kinds.RepoName | None = None
    """Its name in job keys; default: as its own `weft.toml` says, else its folder's."""
    width: kinds.Positive = 1
    """How many of its jobs may be active at once."""
    base: kinds.Ref | None = None
    """Where its integration branch starts."""
    issues: kinds.Filled | None = None
    """The folder of its issues, from the repo's own."""
    target: kinds.Branch = ""
    """Its integration branch; default: `merge.target`, else `weft/` and the wave's name."""
    gates: RepoGates = RepoGates()


class ProjectSettings(Section, frozen=True, kw_only=True):
    """A project that gets maintenance."""

    path: kinds.Filled
    """Its folder."""
    name: kinds.RepoName | None = None
    """Its name in job keys; default: its folder's."""
    tasks: kinds.Texts = ()
    """The tasks to do, in this order: built-in ones or names under `[tasks]`."""
    priority: kinds.Whole = 0
    """Higher first."""
    backend: kinds.Filled | None = None
    """The agent; default: `agent`."""
    branch: kinds.Ref | None = None
    """The branch to start from; default: the remote's default branch."""


class TaskSettings(Section, frozen=True, kw_only=True):
    """A maintenance task."""

    prompt: kinds.Filled | None = None
    """What to do, or a Markdown file that says it; a built-in task has its own."""
    title: kinds.Filled | None = None
    """What it is called in lists and commits; default: the beginning of the prompt."""
    gate: kinds.Filled | None = None
    """A command that must succeed on what it changed, besides the repo's gates; `$WEFT_BASE_COMMIT`: where it began."""
    cooldown: kinds.Duration | None = None
    """How long after it was done it is not done again."""
    cost_tier: kinds.Tier | None = None
    """How much it is likely to cost."""
    enabled: kinds.Truth = True
    """Whether it is done at all."""


class Settings(Section, frozen=True, kw_only=True):
    """All of it, as the TOML file nests it."""

    name: kinds.RepoName | None = None
    """The repo's name in job keys; default: its folder's."""
    agent: kinds.Filled | None = None
    """The agent that does what nothing else assigns: a built-in one or a name under `[agents]`."""
    grace: kinds.Pause = 5.0
    """How long processes have between SIGTERM and SIGKILL."""
    run: Run = Run()
    issues: Issues = Issues()
    github: Github = Github()
    gates: Gates = Gates()
    phases: dict[str, PhaseSettings] = {}
    agents: dict[str, AgentSettings] = {}
    workspace: WorkspaceSettings = WorkspaceSettings()
    state: State = State()
    recover: Recover = Recover()
    merge: Merge = Merge()
    locks: Locks = Locks()
    parallel: Parallel = Parallel()
    schedule: Schedule = Schedule()
    budget: Budget = Budget()
    usage: Usage = Usage()
    machine: Machine = Machine()
    notify: Notify = Notify()
    repos: tuple[RepoSettings, ...] = ()
    projects: tuple[ProjectSettings, ...] = ()
    tasks: dict[str, TaskSettings] = {}
