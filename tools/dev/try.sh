# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Demonstrates cordon with real commands in a temporary project. Read by ./dev.

# Prints a command as it would be typed.
quoted()
{
	for word in "$@"; do
		case $word in
		*[!A-Za-z0-9_./:=,@%+-]* | '') printf " '%s'" "$(say "$word" | sed "s/'/'\\\\''/g")" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
}

# step TEXT STATUS COMMAND...: prints TEXT, runs the command and checks its exit status.
step()
{
	words=$1 expected=$2 status=0
	shift 2
	printf '\n%s\n%s$ cordon%s%s\n' "$words" "$bold" "$(quoted "$@")" "$plain"
	"$ROOT/build/cordon" "$@" >"$place/output" 2>&1 || status=$?
	sed -n 's/^/  /;1,16p' "$place/output"
	lines=$(wc -l <"$place/output")
	[ "$lines" -le 16 ] || say "  ... ($((lines - 16)) more lines)"
	[ "$status" -eq "$expected" ] || fail "expected exit status $expected, got $status"
	[ "$lines" -gt 0 ] || fail 'it said nothing'
}

make_project()
{
	mkdir -p "$place/home/.ssh" "$place/run" "$place/project/src" "$place/project/.git/hooks"
	chmod 700 "$place/home/.ssh" "$place/run"
	say 'not a real key' >"$place/home/.ssh/id_ed25519"
	printf '%s\n' '#include <stdio.h>' 'int main(void) { return puts("built and run") < 0; }' \
	    >"$place/project/src/main.c"
	cat >"$place/project/.cordon.json" <<-'EOF'
		{
		  // A project can only narrow what its user grants: no network here, whatever comes.
		  "network": "none",
		}
	EOF
}

cmd_try()
{
	setup build
	compile_default
	bold='' plain=''
	if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
		bold=$(printf '\033[1m') plain=$(printf '\033[0m')
	fi
	place=$(mktemp -d)
	trap 'rm -rf "$place"' EXIT
	trap 'exit 130' INT TERM HUP
	make_project
	HOME=$place/home XDG_RUNTIME_DIR=$place/run
	export HOME XDG_RUNTIME_DIR
	unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_DATA_HOME
	cd "$place/project"
	say 'A throw-away project, with a home of its own. Its policy, .cordon.json:'
	sed 's/^/  /' .cordon.json
	try_steps
	cd /
	say ''
	say 'All of it behaved as expected. The project is gone; build/cordon is yours to try.'
}

# Allowed commands, then refused ones with their reasons.
try_runs()
{
	# shellcheck disable=SC2016 # the variable is for the shell inside
	step 'A build in the sandbox works, with a temporary folder of its own.' 0 \
	    run -- sh -c 'cc -o hello src/main.c && ./hello && echo "tmp: $TMPDIR"'
	step 'Your keys stay unread: the kernel refuses, not the program.' 1 \
	    run -- cat "$HOME/.ssh/id_ed25519"
	step 'Nothing is planted for git to run later; the last line says what was refused, and why.' 2 \
	    run -- sh -c 'echo evil >.git/hooks/pre-commit'
	step 'There is no network.' 1 run -- bash -c 'exec 3<>/dev/tcp/127.0.0.1/9'
}

try_steps()
{
	step 'Is the policy well-formed, and does it mean what it says?' 0 check
	if "$ROOT/build/cordon" doctor -q >"$place/doctor" 2>&1; then
		try_runs
	else
		say ''
		say 'This machine cannot enforce the default policy, so it would not run. cordon doctor:'
		"$ROOT/build/cordon" doctor | sed -n 's/^/  /; / no /p; / gap /p; / BROKEN /p; $p'
		say 'What follows is only words.'
	fi
	step 'Why that key?' 1 why read "$HOME/.ssh/id_ed25519"
	step 'And that network?' 1 why connect 127.0.0.1:9
	step 'What may be changed?' 0 why write src/main.c
}
