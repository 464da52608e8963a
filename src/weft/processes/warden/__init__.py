"""The warden: a small program that starts every agent and gate, and ends whatever they leave behind.

Weft starts it by path (it imports nothing of Weft) with a socket as its standard input, in a session of its own. It is
a child subreaper, so a descendant of any shape that loses its parent becomes the warden's child. When the socket
closes, for whatever reason, it ends all that it started and goes.

To whom an orphan belongs is told by a *tag* that no program sheds by accident: before each start the warden lowers its
own RLIMIT_RTTIME by one step, and the new process and all its descendants inherit the value, across fork, exec,
setsid and a cleared environment. The limit is in microseconds of real-time scheduling and stays so high that it
limits nothing. A Weft that runs inside an agent divides its session's step again, so tags nest.

Where there is no subreaper (macOS), what remains is the process group and a walk by parent: a descendant that left
its group and lost its parent is then found only by its `WEFT_ATTEMPT` mark, when the run is recovered.

Only the standard library, and little of it: no `pathlib`, no `typing`, no `socket`, to start quickly and stay small.
Requests and answers are JSON, one per line; text stands for bytes, one character (Latin-1) each.
"""
