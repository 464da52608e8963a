"""How many projects go at once. Exact numbers: agents stand still until told."""

from __future__ import annotations

from tests.support.estate import Estate, statuses

NAMES = tuple(f"p{number:02}" for number in range(1, 13))
HOLD = 'hold "$project.$task"; echo x > "$task.txt"'
PARALLEL = "[schedule]\nproject_parallelism = true\n"


def test_exactly_five_of_twelve(estate: Estate) -> None:
    """PROJ-2, PROJ-3: with a cap of 5 and 12 projects exactly 5 are at work at the peak, each on its first task; every
    end lets exactly one further task begin, and no project ever has two.
    """
    estate.projects(*NAMES, tasks=("tidy", "polish"))
    estate.settings(PARALLEL)
    estate.does("exec", HOLD)
    started = estate.start_run()
    started.until(lambda: len(estate.all_reached()) == 5)
    assert estate.all_reached() == {f"{name}.tidy" for name in NAMES[:5]}
    assert len(estate.sessions()) == 5
    estate.go("p01.tidy")
    started.until(estate.reached("p01.polish"))
    assert len(estate.all_reached()) == 6
    estate.go("all")
    answer = started.wait()
    assert answer.code == 0, answer.err
    assert "mode: parallel, at most 5 of 12" in answer.err
    assert estate.most_at_once() == 5
    assert all(estate.most_at_once(name) == 1 for name in NAMES)
    assert set(statuses(answer.document).values()) == {"passed"}
    assert len(answer.document["jobs"]) == 24


def test_no_limit_is_written_out_and_warned_of(estate: Estate) -> None:
    """PROJ-2: `max_parallel_projects = 0` has all of them at work at once, and preflight says how many agents that
    is.
    """
    estate.projects(*NAMES[:7])
    estate.settings(f"{PARALLEL}max_parallel_projects = 0")
    estate.does("exec", HOLD)
    started = estate.start_run()
    started.until(lambda: len(estate.all_reached()) == 7)
    estate.go("all")
    answer = started.wait()
    assert answer.code == 0, answer.err
    assert "mode: parallel, at most 7 of 7" in answer.err
    assert "warning: `schedule.max_parallel_projects` is 0, which is no limit: 7 agents at once" in answer.err
    assert estate.most_at_once() == 7


def test_flags_go_before_settings(estate: Estate) -> None:
    """PROJ-2: `--project-parallelism` and `--max-parallel-projects` on the command line; `--no-…` the other way."""
    estate.projects(*NAMES[:4])
    estate.does("exec", HOLD)
    started = estate.start_run("--project-parallelism", "--max-parallel-projects", "2")
    started.until(lambda: len(estate.all_reached()) == 2)
    estate.go("all")
    assert started.wait().code == 0
    assert estate.most_at_once() == 2
    estate.settings(PARALLEL)
    plan = estate.weft("projects", "plan", "--no-project-parallelism")
    assert "mode: serial" in plan.out.splitlines()


def test_serial_is_the_default_and_takes_one_project(estate: Estate) -> None:
    """PROJ-2, PROJ-3: without settings one project at a time, and one project a run."""
    estate.projects("a", "b", tasks=("tidy", "polish"))
    answer = estate.run()
    assert answer.code == 0, answer.err
    assert "mode: serial" in answer.err.splitlines()
    assert estate.sessions() == ["a#tidy", "a#polish"]
    assert statuses(answer.document) == {"a": "passed", "b": "skipped"}
    assert "max_projects" in answer.document["projects"][1]["reason"]


def test_one_project_after_the_other(estate: Estate) -> None:
    """PROJ-3: in serial mode `max_projects` projects go one after the other, urgent ones first, and no two tasks at
    once.
    """
    estate.project("a", ("tidy", "polish"))
    estate.project("b", ("tidy", "polish"), "priority = 5")
    estate.project("c")
    estate.settings("[schedule]\nmax_projects = 2")
    answer = estate.run()
    assert answer.code == 0, answer.err
    assert estate.sessions() == ["b#tidy", "b#polish", "a#tidy", "a#polish"]
    assert estate.most_at_once() == 1
    assert statuses(answer.document) == {"b": "passed", "a": "passed", "c": "skipped"}


def test_only_eligible_projects_count(estate: Estate) -> None:
    """PROJ-3: `max_projects` counts neither a project that cannot run nor one that has nothing to do."""
    estate.listed("nowhere")
    estate.project("idle", ())
    estate.projects("a", "b")
    answer = estate.run()
    assert answer.code == 1
    assert statuses(answer.document) == {"nowhere": "failed", "idle": "skipped", "a": "passed", "b": "skipped"}


def test_max_projects_does_not_apply_in_parallel(estate: Estate) -> None:
    """PROJ-3: in parallel mode every eligible project is taken."""
    estate.projects(*NAMES[:3])
    estate.settings(f"{PARALLEL}max_projects = 1")
    assert len(estate.run().document["jobs"]) == 3


def test_two_paths_to_one_repo_are_one_lane(estate: Estate) -> None:
    """PROJ-1: a link to a project, and a worktree of it, are the same repo: its tasks are never at once, and none is
    done twice.
    """
    repo = estate.project("shop", ("tidy",))
    (estate.root / "link").symlink_to(estate.root / "shop")
    repo.git("worktree", "add", "-q", str(estate.root / "side"), "-b", "side")
    estate.listed("link", ("tidy", "polish"))
    estate.listed("side", ("lint-fix",))
    estate.project("other")
    estate.settings(PARALLEL)
    estate.does("exec", 'hold "$project.$task"; echo x > "$task.txt"')
    started = estate.start_run()
    started.until(estate.reached("shop.tidy", "other.tidy"))
    assert len(estate.sessions()) == 2
    estate.go("all")
    answer = started.wait()
    assert answer.code == 0, answer.err
    assert "parallel, at most 2 of 2" in answer.err
    assert sorted(estate.sessions()) == ["link#polish", "other#tidy", "shop#tidy", "side#lint-fix"]
    assert estate.most_at_once() == 2
