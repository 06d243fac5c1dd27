#!/bin/sh
# Runs every fuzz target of the repository for a while, one after the other:
#
#	internal/trust/fuzz.sh 30s
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
for package in $(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' | grep -e "$pattern"); do
		echo "== $package $target"
		# Minimizing an input may take longer than the whole run otherwise.
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$duration" -fuzzminimizetime 10x "$package" || status=1
	done
done
exit $status
