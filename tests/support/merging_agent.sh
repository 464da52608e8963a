#!/bin/sh
# An agent for the recovery tests of the merge queue: `merging_agent.sh PHASE JOB ATTEMPT`, its prompt on stdin. Issues
# 1 and 2 both add a line to one file, so whichever lands second conflicts; mended, the file has both lines in one
# order, whoever came first. It notes each start and each end in the file $LEDGER, outside of the workspace.
phase=$1 job=$2 attempt=$3
id=${job##*#}
cat > /dev/null
printf 'start %s\n' "$attempt" >> "$LEDGER"

end() {
    printf 'end %s %s\n' "$attempt" "$1" >> "$LEDGER"
    exit "$1"
}

if [ "$phase" = exec ]; then
    printf 'half done by %s\n' "$attempt" > "half-$id.txt"
    sleep 0.05
    [ "$id" = 4 ] && end 1
    printf 'whole %s\n' "$id" > "work-$id.txt"
    case $id in
    1 | 2)
        touch shared.txt
        lines=$({ grep -v '^[<=>|]' shared.txt; echo "line of $id"; } | sort -u)
        printf '%s\n' "$lines" > shared.txt
        ;;
    esac
    rm "half-$id.txt"
fi
end 0
