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

# show COMMAND...: prints the first lines of what it says. Sets status.
show()
{
	status=0
	"$@" >"$place/output" 2>&1 </dev/null || status=$?
	sed -n 's/^/  /;1,12p' "$place/output"
	lines=$(wc -l <"$place/output")
	[ "$lines" -le 12 ] || say "  ... ($((lines - 12)) more lines)"
}

# step TEXT STATUS COMMAND...: prints TEXT, runs cordon with these words and checks its exit status.
step()
{
	words=$1 expected=$2
	shift 2
	printf '\n%s\n%s$ cordon%s%s\n' "$words" "$bold" "$(quoted "$@")" "$plain"
	show "$ROOT/build/cordon" "$@"
	[ "$status" -eq "$expected" ] || fail "expected exit status $expected, got $status"
	[ "$lines" -gt 0 ] || fail 'it said nothing'
}

# both TEXT STATUS [OPTION...] -- COMMAND...: runs the command without cordon first, where it must succeed.
both()
{
	words=$1 expected=$2 options=''
	shift 2
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	printf '\n%s\n%s$%s%s\n' "$words" "$bold" "$(quoted "$@")" "$plain"
	show "$@"
	[ "$status" -eq 0 ] || fail "without cordon it ends with $status"
	[ "$1" != ./agent ] || awaits_daemon || fail 'without cordon no daemon runs'
	end_daemon
	undo
	# shellcheck disable=SC2086 # options without spaces
	step 'With cordon:' "$expected" run $options -- "$@"
}

# Takes back what the commands did outside and in .git.
undo()
{
	rm -f .git/hooks/pre-commit "$HOME/.bashrc" loot
}

# Does the agent's daemon run, whose pid it wrote?
daemon_runs()
{
	[ -s "$place/project/daemon" ] && pid=$(cat "$place/project/daemon") &&
	    [ "$({ tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null)" = 'sleep 4711 ' ]
}

# It may not have called exec yet.
awaits_daemon()
{
	count=0
	until daemon_runs; do
		[ $count -lt 100 ] || return 1
		sleep 0.1
		count=$((count + 1))
	done
}

end_daemon()
{
	! daemon_runs || kill -KILL "$pid"
	rm -f "$place/project/daemon"
}

make_project()
{
	mkdir -p "$place/home/.ssh" "$place/run" "$place/project/src" "$place/project/.git/hooks"
	chmod 700 "$place/home/.ssh" "$place/run"
	say 'not a real key' >"$place/home/.ssh/id_ed25519"
	printf '%s\n' '#include <stdio.h>' 'int main(void) { return puts("built and run") < 0; }' \
	    >"$place/project/src/main.c"
	# what an agent that was told a lie by a web page may do
	cat >"$place/project/agent" <<-'EOF'
		#!/bin/sh
		echo 'agent: I fix the build'
		cc -o hello src/main.c && ./hello
		echo 'agent: and do what that page told me'
		cat ~/.ssh/id_ed25519 >loot && echo '  read the key'
		echo evil >.git/hooks/pre-commit && echo '  planted a git hook'
		echo evil >>~/.bashrc && echo '  changed ~/.bashrc'
		setsid sleep 4711 </dev/null >/dev/null 2>&1 & echo $! >daemon
		echo '  left a daemon'
	EOF
	chmod 755 "$place/project/agent"
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
	trap 'end_daemon; rm -rf "$place"' EXIT
	trap 'exit 130' INT TERM HUP
	make_project
	# cordon takes the home of its state from the user database, not from HOME
	HOME=$place/home XDG_RUNTIME_DIR=$place/run XDG_STATE_HOME=$place/home/.local/state XDG_CONFIG_HOME=$place/home/.config
	export HOME XDG_RUNTIME_DIR XDG_STATE_HOME XDG_CONFIG_HOME
	unset XDG_CACHE_HOME XDG_DATA_HOME
	cd "$place/project"
	say 'This shows, in a temporary project with a home of its own: an agent that attacks, the daemon that it leaves,'
	say 'a domain that is allowed and one that is not, and how to ask why. Each command runs without cordon first.'
	try_steps
	end_daemon
	cd /
	say ''
	say 'All of it behaved as expected, and the project is gone. Next, in a project of yours:'
	say "  $ROOT/build/cordon run make"
	say "  $ROOT/build/cordon shell"
	say 'and to install it: sudo meson install -C build. README.md has recipes for agents, MCP servers, CI and editors.'
}

# A server on loopback and a resolver that knows its name. Sets port and dns.
start_server()
{
	cat >"$place/server.py" <<-'EOF'
		import http.server, socket, threading
		class Handler(http.server.BaseHTTPRequestHandler):
		    def do_GET(self):
		        self.send_response(200)
		        self.end_headers()
		        self.wfile.write(b"hello from the server\n")
		    def log_message(self, *_):
		        pass
		web = http.server.HTTPServer(("127.0.0.1", 0), Handler)
		names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		names.bind(("127.0.0.1", 0))
		print(web.server_address[1], names.getsockname()[1], flush=True)
		threading.Thread(target=web.serve_forever, daemon=True).start()
		while True:
		    asked, client = names.recvfrom(512)
		    end = asked.index(b"\0", 12) + 5
		    is_a = asked[end - 4:end] == b"\0\1\0\1" and b"\3api\4demo\4test\0" in asked.lower()
		    answer = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x7f\0\0\1" if is_a else b""
		    names.sendto(asked[:2] + b"\x81\x80\0\1" + bytes([0, is_a]) + b"\0\0\0\0" + asked[12:end] + answer, client)
	EOF
	/usr/bin/python3 "$place/server.py" >"$place/port" &
	server=$!
	trap 'kill "$server" 2>/dev/null; end_daemon; rm -rf "$place"' EXIT
	count=0
	while [ ! -s "$place/port" ] && [ $count -lt 100 ]; do
		sleep 0.1
		count=$((count + 1))
	done
	read -r port dns <"$place/port"
}

# An allowed domain, and the same server by another name.
try_domain()
{
	if ! command -v curl >/dev/null || [ ! -x /usr/bin/python3 ]; then
		say ''
		say 'No curl or python3 here: the allowed domain is left out.'
		return
	fi
	start_server
	url=http://api.demo.test:$port/
	set -- --domain api.demo.test --port "$port" --private 127.0.0.1 --resolver "127.0.0.1:$dns" -- curl -sS
	both 'An allowed domain; its server and its name are on this machine, for the demonstration:' 0 \
	    "$@" --resolve "api.demo.test:$port:127.0.0.1" "$url"
	step 'Another domain, in the same sandbox:' 56 run "$@" https://example.com/
}

try_steps()
{
	if ! "$ROOT/build/cordon" doctor -q >"$place/doctor" 2>&1; then
		say ''
		say 'This machine cannot enforce the default policy, so nothing would run. cordon doctor:'
		"$ROOT/build/cordon" doctor | sed -n 's/^/  /; / no /p; / gap /p; / BROKEN /p; $p'
		return
	fi
	say ''
	say 'The agent:'
	sed 's/^/  /' agent
	both 'Without cordon it succeeds in all of it:' 0 --trace -- ./agent
	[ -s daemon ] || fail 'the agent started no daemon'
	! daemon_runs || fail 'the daemon still runs'
	if [ -e .git/hooks/pre-commit ] || [ -e "$HOME/.bashrc" ] || [ -s loot ]; then
		fail 'the agent got through'
	fi
	say ''
	say 'The build worked. The key, the hook and ~/.bashrc did not, and the daemon ended with the agent.'
	step 'What was refused?' 1 why --last
	try_domain
	step 'Why that key?' 1 why read "$HOME/.ssh/id_ed25519"
	step 'What may be changed?' 0 why write src/main.c
}
