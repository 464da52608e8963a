-- What other processes ask of a run under way; a row goes when the run's process has taken it.
CREATE TABLE requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX requests_by_run ON requests (run, id);
