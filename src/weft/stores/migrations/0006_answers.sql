-- What people said about jobs that were stuck: the next run of such a job is told. Gone once the job has passed.
CREATE TABLE answers (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    job TEXT NOT NULL,
    run TEXT NOT NULL,
    at REAL NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX answers_of_job ON answers (path, job);
