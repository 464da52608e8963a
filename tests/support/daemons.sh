# Sourced by an agent's script: descendants of every shape, each with $STAGE in its command line, each deaf to SIGTERM.
# $MARK tells them apart. When this returns all of them live.
leaf='trap "" TERM INT HUP; : > "$0.up.$1"; while :; do sleep 0.05; done'
sh -c "$leaf" "$STAGE/daemon.$MARK" child &
setsid sh -c "$leaf" "$STAGE/daemon.$MARK" session &
(setsid sh -c "(env -i PATH='$PATH' setsid sh -c '$leaf' '$STAGE/daemon.$MARK' orphan &) &" &)
(env -i PATH="$PATH" nohup sh -c "$leaf" "$STAGE/daemon.$MARK" nohup > /dev/null 2>&1 &)
for shape in child session orphan nohup; do
    until [ -e "$STAGE/daemon.$MARK.up.$shape" ]; do sleep 0.01; done
done
