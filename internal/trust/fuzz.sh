#!/bin/bash
# Runs every fuzz target of the repository for a while, one after the other, and ends with
# a table of what each did:
#
#	internal/trust/fuzz.sh 30s
#	internal/trust/fuzz.sh 5000x
#	internal/trust/fuzz.sh 6h FuzzOpen
#	internal/trust/fuzz.sh --cover 90s
#
# The last argument is a pattern of targets. What a target finds is kept in the
# testdata/fuzz of its package; the exit status is 1 then. Go keeps what else was
# interesting in its build cache, so that the next run goes on from there. With --cover
# all of that is run once more at the end, to see which statements it reaches.
set -u
cover=
if [ "${1-}" = --cover ]; then
	cover=1
	shift
fi
duration=${1:?usage: fuzz.sh [--cover] DURATION [PATTERN]}
pattern=${2:-.}
cd "$(dirname "$0")/../.." || exit 2
status=0
work=$(mktemp -d)
log=$work/log
lent=$work/lent # files that are in testdata/fuzz for the coverage only
: >"$lent"
trap 'xargs -r rm -f <"$lent"; rm -rf "$work"' EXIT
printf '%-18s %12s %16s %8s  %s\n' target executions 'new interesting' corpus found >"$work/table"

# number NAME prints the last number that the engine told after NAME, - where it told none:
# in few executions it gets no further than what it has.
number() { grep -o "$1[^0-9]*[0-9]*" "$log" | tail -n 1 | grep -o '[0-9]*$' || echo -; }

cache=$(go env GOCACHE)/fuzz
for package in $(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u); do
	# Built once a package, with the engine's counters: go test would link it for each target.
	go test -c -fuzz . -o "$work/fuzz.test" "$package" || exit 1
	for target in $(cd "$package" && "$work/fuzz.test" -test.list '^Fuzz' | grep -e "$pattern"); do
		echo "== $package $target"
		# Minimizing an input may take longer than the whole run otherwise.
		(cd "$package" && "$work/fuzz.test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$duration" \
			-test.fuzzminimizetime 10x -test.fuzzcachedir "$cache/$(go list .)") 2>&1 | tee "$log"
		code=${PIPESTATUS[0]} found=nothing
		# Go's engine now and then fails at the end of its time with no input at fault.
		if [ "$code" != 0 ] && grep -q 'context deadline exceeded' "$log" && ! grep -q -e 'Failing input' -e 'panic' "$log"; then
			echo "== $target: that was the engine's own deadline, no input failed"
		elif [ "$code" != 0 ]; then
			status=1 found='a failure, see above'
		fi
		printf '%-18s %12s %16s %8s  %s\n' "$target" "$(number 'execs: ')" "$(number 'new interesting: ')" "$(number '(total: ')" "$found" >>"$work/table"
	done
done

# The engine reads its cache only while it fuzzes: for the coverage the cached inputs
# are lent to testdata.
coverage() {
	local name packages=()
	for package in $(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u); do
		packages+=("$package")
		for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' | grep -e "$pattern"); do
			mkdir -p "$package/testdata/fuzz/$target"
			for file in "$cache/$(go list "$package")/$target"/*; do
				name=$package/testdata/fuzz/$target/$(basename "$file")
				[ -f "$file" ] && [ ! -e "$name" ] || continue
				echo "$name" >>"$lent"
				cp "$file" "$name"
			done
		done
	done
	[ "$pattern" = . ] && pattern='^Fuzz'
	go test -p 1 -timeout 60m -run "$pattern" -coverprofile "$work/profile" \
		-coverpkg ./schema,./fbverify,./fbverify/internal/...,./fbverify/dynamic,./fbverify/container,./internal/wire,./cmd/fbinspect/internal/bytemap,./cmd/fbinspect/internal/annotate,./cmd/fbinspect/internal/dump,./cmd/fbinspect/internal/stats \
		"${packages[@]}" >"$log" 2>&1 || { cat "$log"; return 1; }
	echo
	echo "statements reached:"
	awk -v module=github.com/fbverify/go/ '
		NR > 1 { size[$1] = $2; if ($3 > 0) hit[$1] = 1 }
		END {
			for (block in size) {
				name = block; sub(/\/[^\/]*$/, "", name); sub(module, "", name)
				all[name] += size[block]; if (block in hit) reached[name] += size[block]
			}
			for (name in all) printf "%-32s %5.1f %%\n", name, 100 * reached[name] / all[name]
		}' "$work/profile" | sort
}

echo
cat "$work/table"
[ -z "$cover" ] || coverage || status=1
exit $status
