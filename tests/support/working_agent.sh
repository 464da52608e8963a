#!/bin/sh
# An agent for the recovery tests: `working_agent.sh PHASE JOB ATTEMPT`, its prompt on stdin. It notes each start
# and each end in the file $LEDGER, outside of the workspace. What it does hangs on what it finds, never on the attempt's
# number: an attempt that is made again after a crash does the same again.
phase=$1 job=$2 attempt=$3
id=${job##*#}
prompt=$(cat)
printf 'start %s\n' "$attempt" >> "$LEDGER"

end() {
    printf 'end %s %s\n' "$attempt" "$1" >> "$LEDGER"
    exit "$1"
}

case $phase.$id in
spec.2) # the network fails once
    grep -q "^end .*#2/spec/[0-9]* 75\$" "$LEDGER" || end 75
    ;;
exec.*)
    printf 'half done by %s\n' "$attempt" > "half-$id.txt"
    sleep 0.05
    case $id in
    1) # commits a part of it by itself
        printf 'part of 1\n' > part-1.txt
        git add part-1.txt && git commit -q -m 'A part of 1'
        ;;
    4)
        echo 'I cannot do this'
        end 1
        ;;
    esac
    case $id.$prompt in
    3.*'NEEDS MENDING'*) printf 'whole 3\n' > work-3.txt ;;
    3.*) printf 'not whole 3\n' > work-3.txt ;;
    *) printf 'whole %s\n' "$id" > "work-$id.txt" ;;
    esac
    rm "half-$id.txt"
    ;;
qa.*)
    if [ "$(cat "work-$id.txt")" != "whole $id" ]; then
        echo "NEEDS MENDING: work-$id.txt"
        end 1
    fi
    ;;
esac
echo "done with $phase of $id"
end 0
