-- name: append_event
INSERT INTO events (run, at, type, version, job, body) VALUES (?, ?, ?, ?, ?, ?)

-- name: read_events
SELECT seq, run, type, version, body FROM events WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?

-- name: events_of_type
SELECT seq, run, type, version, body FROM events
WHERE seq > :after AND at >= :since AND type IN (SELECT value FROM json_each(:types))
ORDER BY seq LIMIT :chunk

-- name: count_events
SELECT count(*) FROM events

-- name: count_events_of_run
SELECT count(*) FROM events WHERE run = ?

-- name: add_run
INSERT INTO runs (run, started_at, mode, command) VALUES (?, ?, ?, ?) ON CONFLICT (run) DO NOTHING

-- name: add_run_repo
INSERT INTO run_repos (run, position, name, path) VALUES (?, ?, ?, ?)

-- name: end_run
UPDATE runs SET ended_at = ? WHERE run = ?

-- name: list_runs
SELECT run, started_at, ended_at, mode, command FROM runs ORDER BY id

-- name: list_run_repos
SELECT run, path FROM run_repos ORDER BY run, position

-- name: run_ended
SELECT ended_at IS NOT NULL FROM runs WHERE run = ?

-- name: add_job_end
INSERT INTO job_ends (path, id, seq, run)
SELECT o.path, :id, :seq, :run FROM run_repos o JOIN runs r ON r.run = o.run
WHERE o.run = :run AND o.name = :name AND r.mode <> 'tasks' LIMIT 1

-- name: last_job_end
SELECT e.seq, e.run, e.type, e.version, e.body
FROM job_ends j JOIN events e ON e.seq = j.seq
WHERE j.path = ? AND j.id = ? ORDER BY j.seq DESC LIMIT 1

-- name: phase_ends_of_job
SELECT seq, run, type, version, body FROM events
WHERE run = ? AND job = ? AND type = 'phase_ended' ORDER BY seq

-- name: add_request
INSERT INTO requests (run, body) VALUES (?, ?)

-- name: has_requests
SELECT EXISTS (SELECT 1 FROM requests WHERE run = ?)

-- name: read_requests
SELECT body FROM requests WHERE run = ? ORDER BY id

-- name: delete_requests
DELETE FROM requests WHERE run = ?

-- name: delete_events
DELETE FROM events WHERE run = ?

-- name: delete_job_ends
DELETE FROM job_ends WHERE run = ?

-- name: delete_run_repos
DELETE FROM run_repos WHERE run = ?

-- name: delete_run
DELETE FROM runs WHERE run = ?

-- name: project_claim
SELECT run, pid, started FROM project_claims WHERE project = ?

-- name: put_project_claim
INSERT OR REPLACE INTO project_claims (project, run, pid, started, at) VALUES (?, ?, ?, ?, ?)

-- name: delete_project_claim
DELETE FROM project_claims WHERE project = ? AND run = ?

-- name: quota_news
SELECT seq, run, type, version, body FROM events WHERE type = 'quota_seen' AND at >= ? ORDER BY at, seq

-- name: add_spending
INSERT OR REPLACE INTO spending (attempt, run, agent, at, tokens, usd, sessions)
VALUES (
    :attempt, :run,
    coalesce((SELECT agent FROM reservations WHERE attempt = :attempt), :agent),
    :at, :tokens,
    coalesce(:usd, (SELECT usd FROM reservations WHERE attempt = :attempt)),
    :sessions
)

-- name: settle_as_seen
INSERT OR REPLACE INTO spending (attempt, run, agent, at, tokens, usd, sessions)
SELECT attempt, run, agent, :at, seen_tokens, seen_usd, 1 FROM reservations WHERE attempt = :attempt

-- name: settle_run_as_seen
INSERT OR REPLACE INTO spending (attempt, run, agent, at, tokens, usd, sessions)
SELECT attempt, run, agent, :at, seen_tokens, seen_usd, 1 FROM reservations WHERE run = :run

-- name: delete_reservation
DELETE FROM reservations WHERE attempt = :attempt

-- name: delete_reservations_of_run
DELETE FROM reservations WHERE run = :run

-- name: see_reservation
UPDATE reservations SET seen_tokens = max(seen_tokens, :tokens), seen_usd = max(seen_usd, :usd)
WHERE attempt = :attempt

-- name: delete_old_spending
DELETE FROM spending WHERE run = :run AND at < :before

-- name: spent_since
SELECT coalesce(sum(tokens), 0), coalesce(sum(usd), 0), coalesce(sum(sessions), 0) FROM spending
WHERE at >= :since AND (:agent IS NULL OR agent = :agent) AND run <> :without

-- name: reservations
SELECT attempt, run, agent, tokens, usd, seen_tokens, seen_usd, pid, started FROM reservations

-- name: put_reservation
INSERT OR REPLACE INTO reservations (attempt, run, agent, tokens, usd, seen_tokens, seen_usd, pid, started)
VALUES (:attempt, :run, :agent, :tokens, :usd, 0, 0, :pid, :started)

-- name: add_answer
INSERT INTO answers (path, job, run, at, text) VALUES (:path, :job, :run, :at, :text)

-- name: add_answer_of_run
INSERT INTO answers (path, job, run, at, text)
SELECT o.path, :id, :run, :at, :text FROM run_repos o JOIN runs r ON r.run = o.run
WHERE o.run = :run AND o.name = :name AND r.mode <> 'tasks' LIMIT 1

-- name: answers
SELECT path, job, run, at, text FROM answers ORDER BY id

-- name: forget_answers
DELETE FROM answers WHERE job = :id
AND path IN (SELECT path FROM run_repos WHERE run = :run AND name = :name)

-- name: delete_answers
DELETE FROM answers WHERE run = ?
