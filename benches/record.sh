#!/bin/sh
# Records every figure of RESULTS.md on this machine, in about twenty minutes.
# Leave the machine alone meanwhile.
#
#   benches/record.sh              everything
#   benches/record.sh root read    these sections only; the others stay as recorded
#   benches/record.sh --quick ...  a rehearsal of a minute or two: figures of no worth
#   benches/record.sh --again ...  forget what an interrupted run had recorded
#
# A section is recorded as a whole or not at all. When the script is interrupted,
# the next run of it goes on where it stopped, if neither the code nor the
# machine has changed. Nothing in benches/results or RESULTS.md changes before
# every section is there.
set -eu

cd "$(dirname "$0")/.."
results=benches/results
stage=$results/.recording
all="root first real cold varied large modes hostile read read-cold rows protobuf dump split index"

exec 3>&2 # so that what is said while a command's messages are kept is seen
say() { printf 'record: %s\n' "$*" >&3; }

quick= again= chosen=
for arg; do
	case $arg in
	--quick) quick=1 ;;
	--again) again=1 ;;
	-h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
	*)
		case " $all " in
		*" $arg "*) chosen="$chosen $arg" ;;
		*) say "no section is called $arg; there are: $all"; exit 2 ;;
		esac
		;;
	esac
done

# What each section compares, and how long it may take, in seconds.
only() {
	case $1 in
	root) echo '^(root|parallel)/' ;;
	modes) echo '^(options|unchecked|lengths)/' ;;
	read) echo '^read/(flat|hier-hot)' ;;
	read-cold) echo '^read/hier-cold' ;;
	rows) echo '^(decode|stream|send)/' ;;
	split | index) echo '^root/Layout/1x8$' ;; # they compare nothing with peers, and are about the same machine
	*) echo "^$1/" ;;
	esac
}
budget() {
	case $1 in
	real) echo 150 ;;
	hostile) echo 100 ;;
	large) echo 75 ;;
	varied | read-cold) echo 60 ;;
	read) echo 60 ;;
	rows) echo 70 ;;
	root) echo 40 ;;
	first | cold | split | modes) echo 30 ;;
	*) echo 25 ;;
	esac
}

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
trap 'say "interrupted; run it again to go on"; exit 130' INT TERM HUP

say "building the commands"
go build -o "$tools" ./benches/cmd/peers ./benches/cmd/split ./benches/cmd/index ./benches/cmd/results

# What was recorded belongs together only if it is of one code on one machine.
stamp="$(git rev-parse HEAD 2>/dev/null || echo unknown) $(git diff HEAD -- '*.go' '*.s' go.mod 2>/dev/null | cksum) \
$(go version) $(uname -n) ${quick:-full} ${chosen:-all}"
if [ -d $stage ] && { [ -n "$again" ] || [ "$(cat $stage/stamp 2>/dev/null)" != "$stamp" ]; }; then
	say "starting over: what an interrupted run recorded is of another revision, machine or kind"
	rm -rf $stage
fi
mkdir -p $stage
printf '%s\n' "$stamp" >$stage/stamp

begin=$(date +%s)
failed=
for section in ${chosen:-$all}; do
	file=$stage/$section.jsonl
	if [ -f "$file" ]; then
		say "$section: recorded before the interruption"
		continue
	fi
	seconds=$(budget "$section")
	rounds=21
	case $section in hostile | large) rounds=7 ;; real | cold | read-cold | varied) rounds=11 ;; esac
	turn=20ms
	case $section in real) turn=10ms ;; esac
	if [ -n "$quick" ]; then
		seconds=$((seconds / 20)) rounds=5 turn=1ms
		case $section in cold | large | read-cold) short=--short ;; *) short= ;; esac
	else
		short=
	fi
	load=$(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo unknown)
	say "$section: at most about $seconds s; the load is $load"
	if ! {
		"$tools/peers" --about --only "$(only "$section")" &&
			if [ "$section" = index ]; then
				if [ -n "$quick" ]; then "$tools/index" --json --size 10 --lookups 10000; else "$tools/index" --json --size 500; fi
			elif [ "$section" = split ]; then
				"$tools/split" --json --rounds $rounds --turn $turn --budget ${seconds}s
			else
				"$tools/peers" --json --only "$(only "$section")" --rounds $rounds --turn $turn --budget ${seconds}s $short
			fi
	} >"$file.new" 2>"$tools/said"; then
		cat "$tools/said" >&2
		say "$section: FAILED; what it printed is in $file.new"
		failed="$failed $section"
		continue
	fi
	sed '/^building /d; /^writing /d; / FirstNS:/d; /{FirstNS/d' "$tools/said" >&2
	if [ -z "$quick" ] && grep -q 'were not reached' "$tools/said"; then
		say "$section: FAILED: the machine is too slow for $seconds s, or not quiet"
		failed="$failed $section"
		continue
	fi
	say "$section: $(($(wc -l <"$file.new") - 1)) rows"
	mv "$file.new" "$file"
done
if [ -n "$failed" ]; then
	say "nothing was changed, since these failed:$failed; run it again to try them again"
	exit 1
fi

# All is there. Each of these steps replaces whole files, and the last can be run
# again by itself at any time.
mv $stage/*.jsonl $results/
rm -rf $stage
"$tools/results"
say "done in $(($(date +%s) - begin)) s; look at RESULTS.md, then commit it with $results"
