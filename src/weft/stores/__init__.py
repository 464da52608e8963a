"""Where what happened is kept: the journal, its SQLite and in-memory forms, and who has a run."""
