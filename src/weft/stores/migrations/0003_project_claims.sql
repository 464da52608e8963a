-- Projects that a run has in hand: no other run may take one until its process gives it back or is gone.
CREATE TABLE project_claims (
    project TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    pid INTEGER NOT NULL,
    started TEXT NOT NULL,
    at REAL NOT NULL
) STRICT, WITHOUT ROWID;
