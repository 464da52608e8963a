-- What sessions of all runs came to, for limits by day and week. Outlives the run's events: they may be tidied away.
CREATE TABLE spending (
    attempt TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    agent TEXT,
    at REAL NOT NULL,
    tokens INTEGER NOT NULL,
    usd REAL,
    sessions INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spending_by_time ON spending (at);

-- What is set aside for sessions under way, and what was heard of them so far.
CREATE TABLE reservations (
    attempt TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    agent TEXT NOT NULL,
    tokens REAL NOT NULL,
    usd REAL NOT NULL,
    seen_tokens INTEGER NOT NULL,
    seen_usd REAL NOT NULL,
    pid INTEGER NOT NULL,
    started TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT OR REPLACE INTO spending (attempt, run, at, tokens, usd, sessions)
SELECT
    run || '/' || json_extract(body, '$.attempt.job.repo') || '#' || json_extract(body, '$.attempt.job.id')
        || '/' || json_extract(body, '$.attempt.phase') || '/' || json_extract(body, '$.attempt.number'),
    run, at,
    coalesce(json_extract(body, '$.outcome.usage.input_tokens'), 0)
        + coalesce(json_extract(body, '$.outcome.usage.output_tokens'), 0),
    json_extract(body, '$.outcome.usage.cost_usd'),
    coalesce(json_extract(body, '$.outcome.usage.sessions'), 0)
FROM events WHERE type = 'session_ended';
