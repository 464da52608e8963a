"""One worker per issue: a lock file that says who, and a kernel lock on it that says whether they live.

Synchronous and quick: an operation is a few system calls. Nobody waits for a lock; who is blocked is told by whom.
A command imports the modules it needs and no others: `weft locks check` must start fast (PERF-2).
"""
