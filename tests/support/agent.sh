#!/bin/sh
# An agent that tests direct by small scripts in the folder $STAGE: `agent.sh STAGE PHASE`, its prompt on stdin.
# It takes the first that exists of PHASE-ID-NUMBER.sh, PHASE-ID.sh and PHASE.sh; without one, exec writes ID.txt and
# all else succeeds. Each start and end is noted in $STAGE/ledger: a line is one write.
STAGE=$1 phase=$2
id=${WEFT_JOB##*#}
number=${WEFT_ATTEMPT##*/}
echo "start $id $phase $number" >> "$STAGE/ledger"
trap 'echo "end $id $phase $number" >> "$STAGE/ledger"' EXIT

# Say that NAME is reached, and wait until the test lets it go on.
hold() {
    : > "$STAGE/reached.$1"
    until [ -e "$STAGE/go.$1" ] || [ -e "$STAGE/go.all" ]; do sleep 0.02; done
}

for script in "$phase-$id-$number" "$phase-$id" "$phase"; do
    if [ -e "$STAGE/$script.sh" ]; then
        . "$STAGE/$script.sh"
        exit $?
    fi
done
if [ "$phase" = exec ]; then
    echo "work on $id" > "$id.txt"
fi
