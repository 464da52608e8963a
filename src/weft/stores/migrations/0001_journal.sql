-- AUTOINCREMENT: a number is never given twice, so "after 41" keeps its meaning when a run is deleted.
CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    run TEXT NOT NULL,
    at REAL NOT NULL,
    type TEXT NOT NULL,
    version INTEGER NOT NULL,
    job TEXT,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_run ON events (run, seq);
CREATE INDEX phase_ends ON events (run, job, seq) WHERE type = 'phase_ended';

CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    run TEXT NOT NULL UNIQUE,
    started_at REAL NOT NULL,
    ended_at REAL,
    mode TEXT NOT NULL,
    command TEXT NOT NULL
) STRICT;

CREATE TABLE run_repos (
    run TEXT NOT NULL,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- The ends of jobs that were worked on, by where their repo is: its name may differ from run to run.
CREATE TABLE job_ends (
    path TEXT NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    run TEXT NOT NULL,
    PRIMARY KEY (path, id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_ends_by_run ON job_ends (run);
