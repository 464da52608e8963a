#!/bin/sh
# An agent that tests direct by small scripts in the folder $STAGE: `project_agent.sh STAGE PHASE`.
# It takes the first that exists of PHASE-PROJECT-TASK.sh, PHASE-PROJECT.sh, PHASE.sh; without one, exec writes TASK.txt
# and all else succeeds. Each start and end is noted in $STAGE/ledger: a line is one write.
STAGE=$1 phase=$2
project=${WEFT_JOB%#*} task=${WEFT_JOB##*#}
echo "start $project $task $phase" >> "$STAGE/ledger"
trap 'echo "end $project $task $phase" >> "$STAGE/ledger"' EXIT

# Say that NAME is reached, and wait until the test lets it go on.
hold() {
    : > "$STAGE/reached.$1"
    until [ -e "$STAGE/go.$1" ] || [ -e "$STAGE/go.all" ]; do sleep 0.02; done
}

for script in "$phase-$project-$task" "$phase-$project" "$phase"; do
    if [ -e "$STAGE/$script.sh" ]; then
        . "$STAGE/$script.sh"
        exit $?
    fi
done
if [ "$phase" = exec ]; then
    echo "work on $task" > "$task.txt"
fi
