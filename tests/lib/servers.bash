# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # what is set here is read by the tests, and by name
# Servers on loopback, the tests' own, and commands that are to reach them by name. They end when
# descriptor 9 is closed, which the tests hold and their commands do not.

# Real programs take their time where others are at work, too.
CORDON_TIMEOUT=300

# serve NAME COMMAND...: starts a server that writes $T/ports.NAME once it listens, and reads it.
serve()
{
	local name=$1 word port

	shift
	"$@" <"$T/hold" >"$T/$name.log" 2>&1 3>&- 9>&- &
	server_pids+=($!)
	for _ in $(seq 900); do
		[ ! -f "$T/ports.$name" ] || break
		kill -0 "$!" 2>/dev/null || break
		sleep 0.1
	done
	while read -r word port; do
		eval "$word=$port"
	done <"$T/ports.$name"
}

# servers NAME ADDRESS...: a resolver that knows these; leaves ports in dns, web, echo, tls, upstream.
servers()
{
	server_pids=()
	printf '%s\n' "$@" >"$T/names"
	: >"$T/asked"
	: >"$T/upstream"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=a.test \
	    -addext subjectAltName=DNS:a.test,IP:127.0.0.1 -keyout "$T/key.pem" -out "$T/cert.pem" \
	    2>/dev/null || return 1
	cp "$T/cert.pem" "$P/"
	mkfifo "$T/hold"
	# both ends, so that no server waits for the other to be opened
	exec 9<>"$T/hold"
	ln -s ports "$T/ports.servers"
	serve servers "$PYTHON" "$TREE/tests/net/servers.py" "$T" "$T/cert.pem" "$T/key.pem"
}

stop_servers()
{
	exec 9>&-
	[ "${#server_pids[@]}" -eq 0 ] || wait "${server_pids[@]}" || :
}

# reach PORT...: the user's policy: a.test by these ports; what echoes names no host.
reach()
{
	local ports

	ports=$(printf ', %s' "$@")
	user_policy <<-END
		{"network": {"domains": ["a.test"], "ports": [${ports#, }], "opaque": [$echo],
		             "private": ["127.0.0.1", "::1"], "resolver": "127.0.0.1:$dns"}}
	END
}

# led STATUS COMMAND...: with the variables that lead to the proxy; STATUS may be "not 0". What a
# kernel or a version cannot keep is accepted by name; where it can, it is kept all the same.
led()
{
	local want=$1

	shift
	set -- run "${options[@]}" --accept net.tcp --accept net.udp --accept net.domains \
	    --accept net.dns -- "$@"
	if [ "$want" != 'not 0' ]; then
		expect "$want" "$@" 9>&-
	elif expect 0 "$@" 2>/dev/null 9>&-; then
		complain "not refused: $*"
	fi
}

# plain STATUS COMMAND...: as programs that have never heard of a proxy.
plain()
{
	local want=$1

	shift
	led "$want" env -u HTTP_PROXY -u http_proxy -u HTTPS_PROXY -u https_proxy -u ALL_PROXY \
	    -u all_proxy "$@"
}

# at HOST PORT COMMAND...: leaves the command in words, with this in place of HOST and PORT.
at()
{
	local host=$1 port=$2 word

	shift 2
	words=()
	for word in "$@"; do
		word=${word//@HOST/$host}
		words+=("${word//@PORT/$port}")
	done
}

# reaches HOW TEXT PORT OTHER COMMAND...: HOW is led or plain. Free the command reaches both ports by
# address and says TEXT; confined only the port that is listed, by its name; the rest is refused.
reaches()
{
	local how=$1 text=$2 port=$3 other=$4 words host

	shift 4
	for host in "$port" "$other"; do
		at 127.0.0.1 "$host" "$@"
		out=$(timeout 200 "${words[@]}" </dev/null 2>"$T/err" 9>&-) || complain "fails free: $*" "$(cat "$T/err")" || return 1
		said "$text" || return 1
	done
	at a.test "$port" "$@"
	"$how" 0 "${words[@]}" && said "$text" || return 1
	at evil.test "$port" "$@"
	is_refused "$how" "$text" '--domain evil.test' || return 1
	at a.test "$other" "$@"
	is_refused "$how" "$text" ":$other " || return 1
	at 127.0.0.1 "$port" "$@"
	is_refused "$how" "$text" 'of the allowed domains'
}

# is_refused HOW TEXT REASON: the command in words fails, and the reason is told.
is_refused()
{
	"$1" 'not 0' "${words[@]}" || return 1
	unsaid "$2" && heard 'cordon: refused: ' "$3"
}
