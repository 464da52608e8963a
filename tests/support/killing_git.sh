#!/bin/sh
# Stands in for git and kills Weft at one of its calls. To be put into a folder of its own as `git`, with beside it:
# `real` (git's path), `call` (which of the calls that write), `how` (what happens at it).
here=$(dirname "$0")
real=$(cat "$here/real")
[ "$1" = -c ] || exec "$real" "$@" # an agent's own call: Weft's begin with options

case " $* " in
*" commit "* | *" add "* | *" update-ref "* | *" reset "* | *" checkout "* | *" clean "* | *" commit-tree "* | *" merge-tree "* | *" write-tree "*) ;;
*) exec "$real" "$@" ;;
esac
echo x >> "$here/calls"
[ "$(wc -l < "$here/calls")" -eq "$(cat "$here/call")" ] || exec "$real" "$@"

case $(cat "$here/how") in
before) # Weft dies as it is about to change something
    kill -9 "$PPID"
    ;;
after) # it is changed, and Weft dies before it can write that down
    "$real" "$@"
    kill -9 "$PPID"
    ;;
outlives) # Weft dies, and its git goes on
    kill -9 "$PPID"
    sleep 0.1
    "$real" "$@"
    ;;
middle) # both die
    "$real" "$@" &
    sleep "0.00$(($$ % 10))"
    kill -9 $! "$PPID"
    ;;
esac
