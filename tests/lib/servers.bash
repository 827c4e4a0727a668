# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # what is set here is read by the tests, and by name
# Servers on loopback, and commands that connect to them by name. The servers exit when fd 9 is closed, which
# the tests have open and their commands do not.

# Real programs are slow on a busy machine.
CORDON_TIMEOUT=300

# serve NAME COMMAND...: starts a server and reads $T/ports.NAME, which it writes once it listens.
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

# servers NAME ADDRESS...: starts servers and a resolver with these names. Sets dns, web, echo, tls, upstream to ports.
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
	# opened for both ends, so that no server blocks in open()
	exec 9<>"$T/hold"
	ln -s ports "$T/ports.servers"
	serve servers "$PYTHON" "$TREE/tests/net/servers.py" "$T" "$T/cert.pem" "$T/key.pem"
}

stop_servers()
{
	exec 9>&-
	[ "${#server_pids[@]}" -eq 0 ] || wait "${server_pids[@]}" || :
}

# reach PORT...: a user policy that allows a.test on these ports, and any protocol on the echo port.
reach()
{
	local ports

	ports=$(printf ', %s' "$@")
	user_policy <<-END
		{"network": {"domains": ["a.test"], "ports": [${ports#, }], "opaque": [$echo],
		             "private": ["127.0.0.1", "::1"], "resolver": "127.0.0.1:$dns"}}
	END
}

# led STATUS COMMAND...: runs it under cordon with the proxy variables; STATUS may be "not 0". Gaps are accepted
# by name, for kernels that cannot enforce a guarantee; where they can, it is enforced nevertheless.
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

# plain STATUS COMMAND...: as led, without the proxy variables.
plain()
{
	local want=$1

	shift
	led "$want" env -u HTTP_PROXY -u http_proxy -u HTTPS_PROXY -u https_proxy -u ALL_PROXY \
	    -u all_proxy "$@"
}

# at HOST PORT COMMAND...: sets words to the command with @HOST and @PORT replaced.
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

# reaches HOW TEXT PORT OTHER COMMAND...: HOW is led or plain. Without cordon the command connects to both ports
# by address and prints TEXT; under cordon only to the allowed name and port, and the rest is refused.
reaches()
{
	local how=$1 text=$2 port=$3 other=$4 words host

	shift 4
	for host in "$port" "$other"; do
		at 127.0.0.1 "$host" "$@"
		out=$(timeout 200 "${words[@]}" </dev/null 2>"$T/err" 9>&-) || complain "fails without cordon: $*" "$(cat "$T/err")" || return 1
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

# is_refused HOW TEXT REASON: the command in words fails, and the reason is reported.
is_refused()
{
	"$1" 'not 0' "${words[@]}" || return 1
	unsaid "$2" && heard 'cordon: refused: ' "$3"
}
