#!/bin/sh
# Runs every fuzz target of the repository for a while, one after the other:
#
#	internal/trust/fuzz.sh 30s
#	internal/trust/fuzz.sh 5000x
#	internal/trust/fuzz.sh 6h FuzzOpen
#
# The second argument is a pattern of targets. What a target finds is kept in the
# testdata/fuzz of its package; the exit status is 1 then. Go keeps what else was
# interesting in its build cache, so that the next run goes on from there.
set -u
duration=${1:?usage: fuzz.sh DURATION [PATTERN]}
pattern=${2:-.}
cd "$(dirname "$0")/../.." || exit 2
status=0
log=$(mktemp)
trap 'rm -f "$log" "$log.code"' EXIT
for package in $(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' | grep -e "$pattern"); do
		echo "== $package $target"
		# Minimizing an input may take longer than the whole run otherwise.
		{
			go test -run '^$' -fuzz "^$target\$" -fuzztime "$duration" -fuzzminimizetime 10x "$package"
			echo $? >"$log.code"
		} 2>&1 | tee "$log"
		[ "$(cat "$log.code")" = 0 ] && continue
		# Go's engine now and then fails at the end of its time with no input at fault.
		if grep -q 'context deadline exceeded' "$log" && ! grep -q -e 'Failing input' -e 'panic' "$log"; then
			echo "== $target: that was the engine's own deadline, no input failed"
		else
			status=1
		fi
	done
done
exit $status
