#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The proxy: first without a session, with tests/net/role as the broker; then real programs in a
# session. All servers, the resolver too, are on loopback and started by the tests.

# shellcheck disable=SC2034,SC2154 # out and err are common's
# shellcheck disable=SC2016 # variables are for the shell inside

load ../lib/common

role()
{
	local name

	for name in "$@"; do
		timeout 250 "$PYTHON" "$TREE/tests/net/cases.py" \
		    "$(dirname "$CORDON")/tests/net/role" "$name" >"$T/out" 2>"$T/err" || {
			out=$(cat "$T/out")
			err=$(cat "$T/err")
			complain "this case failed: $name"
			return 1
		}
	done
}

@test "http URLs and CONNECT need the token of the session" {
	role http_urls tokens tunnels
}

@test "unlisted names, ports and addresses are refused with a message" {
	role refusals wildcards empty_list
}

@test "a name with a private address is refused, also when its addresses change" {
	role private_addresses own_ports
}

@test "the server name in TLS and HTTP must be the connection's" {
	role server_names hidden_names second_hellos second_hellos_after_alerts odd_requests odd_names split_requests
}

@test "other protocols need an opaque port, SSH needs an SSH server" {
	role unnamed_protocols other_upgrades ssh_on_both_sides
}

@test "the resolver stub answers for allowed names and queries no others" {
	role stub
}

@test "a redirected connection" {
	role through uninvited strangers through_tls
}

@test "IPv6" {
	role six six_dropped
}

@test "servers that refuse, and servers that do not answer" {
	role failures slow_ones cut_off unproven load
}

@test "through the caller's own proxy" {
	role upstream upstream_hangs
}

@test "many connections use little memory" {
	role many memory storm held limits
}

@test "every byte arrives at any pace, and a closed end closes the other" {
	timeout 300 "$PYTHON" "$TREE/tests/net/streams.py" "$(dirname "$CORDON")/tests/net/role" \
	    >"$T/out" 2>"$T/err" || complain "$(cat "$T/out" "$T/err")"
}

@test "the proxy is confined and ends with its session" {
	role walls the_end
}

# ---- in a session ----

# servers NAME ADDRESS...: starts them; leaves their ports in the variables dns, web, echo, tls, silent.
servers()
{
	local name port

	printf '%s\n' "$@" >"$T/names"
	: >"$T/asked"
	: >"$T/upstream"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=a.test \
	    -addext subjectAltName=DNS:a.test -keyout "$T/key.pem" -out "$T/cert.pem" 2>/dev/null ||
	    return 1
	mkfifo "$T/hold"
	"$PYTHON" "$TREE/tests/net/servers.py" "$T" "$T/cert.pem" "$T/key.pem" <"$T/hold" \
	    >/dev/null 2>&1 3>&- &
	servers_pid=$!
	exec 9>"$T/hold"
	until_true 60 test -f "$T/ports"
	while read -r name port; do
		eval "$name=$port"
	done <"$T/ports"
	user_policy <<-END
		{"network": {"domains": ["a.test", "b.test"], "ports": [$web, $echo, $tls], "opaque": [$echo],
		             "private": ["127.0.0.1"], "resolver": "127.0.0.1:$dns"}}
	END
	cp "$T/cert.pem" "$P/"
}

teardown()
{
	[ -z "${servers_pid:-}" ] || {
		exec 9>&-
		wait "$servers_pid" || :
	}
}

# What a kernel or a version cannot keep is accepted by name; where it can, it is kept all the same.
inside()
{
	local want=$1

	shift
	expect "$want" run --accept net.tcp --accept net.udp --accept net.domains --accept net.dns \
	    -- "$@" 9>&-
}

@test "the proxy variables of a session name its proxy" {
	servers 'a.test 127.0.0.1'
	HTTP_PROXY='' NO_PROXY=a.test RES_OPTIONS=ndots:9 inside 0 env
	for name in HTTP_PROXY http_proxy HTTPS_PROXY https_proxy ALL_PROXY all_proxy; do
		said "$name=http://cordon:"
	done
	said 'RES_OPTIONS=use-vc'
	grep -qx 'NO_PROXY=localhost,127.0.0.1,::1' "$T/out"
	grep -qx 'no_proxy=localhost,127.0.0.1,::1' "$T/out"
	[ "$(grep -c '^NO_PROXY=' "$T/out")" -eq 1 ]
	expect 0 why env HTTP_PROXY
	said 'proxy'
	# without domains there is none
	expect 0 run --net none -- env
	unsaid _PROXY= RES_OPTIONS
}

@test "curl, wget, git, python, node and openssl reach an allowed name" {
	servers 'a.test 127.0.0.1'
	inside 0 curl -sS --max-time 60 "http://a.test:$web/curl"
	said "GET /curl host=a.test:$web"
	inside 0 curl -sS --max-time 60 --cacert cert.pem "https://a.test:$tls/tls"
	said "GET /tls host=a.test:$tls"
	inside 0 curl -sS --max-time 60 --http1.0 -d hello "http://a.test:$web/post"
	said 'POST /post' 'body=5'
	inside 0 sh -c 'curl -sS --max-time 60 -x "socks5h://${HTTP_PROXY#http://}" http://a.test:'"$web/socks"
	said 'GET /socks'
	inside 0 wget -q -T 60 -t 1 -O - "http://a.test:$web/wget"
	said 'GET /wget'
	inside 0 "$PYTHON" -c "import urllib.request as r; print(r.urlopen('http://a.test:$web/py').read())"
	said 'GET /py'
	inside 0 "$PYTHON" -c "
import ssl, urllib.request as r
c = ssl.create_default_context(cafile='cert.pem')
print(r.urlopen('https://a.test:$tls/pytls', context=c).read())"
	said 'GET /pytls'
	inside 128 git ls-remote "http://a.test:$web/repo.git"
	heard 'not valid: is this a git repository?'
	inside 0 sh -c 'u=${HTTPS_PROXY#http://cordon:}; printf "GET /s HTTP/1.0\r\nHost: a.test\r\n\r\n" |
	    openssl s_client -quiet -proxy "${u#*@}" -proxy_user cordon -proxy_pass "pass:${u%@*}" \
	    -CAfile cert.pem -verify_return_error -servername a.test -connect a.test:'"$tls"' || :'
	said 'GET /s host=a.test'
	inside 0 node -e "
const http = require('http'), u = new URL(process.env.HTTP_PROXY);
http.get({host: u.hostname, port: u.port, path: 'http://a.test:$web/node',
  headers: {Host: 'a.test:$web', 'Proxy-Authorization': 'Basic ' +
    Buffer.from(u.username + ':' + u.password).toString('base64')}},
  r => r.pipe(process.stdout));"
	said 'GET /node'
}

@test "programs without proxy support are redirected to the proxy" {
	servers 'a.test 127.0.0.1' 'evil.test 127.0.0.1'
	inside 0 curl -sS --noproxy '*' --max-time 60 "http://a.test:$web/direct"
	said "GET /direct host=a.test:$web"
	inside 0 curl -sS --noproxy '*' --max-time 60 --cacert cert.pem "https://a.test:$tls/dtls"
	said 'GET /dtls'
	inside 0 env -i RES_OPTIONS=use-vc "$PYTHON" -c "
import urllib.request as r
print(r.urlopen('http://a.test:$web/py').read())"
	said 'GET /py'
	inside 0 env -u HTTP_PROXY -u http_proxy node -e "
require('http').get('http://a.test:$web/node', r => r.pipe(process.stdout));"
	said 'GET /node'
	# an address that no name led to, a name that is not listed, a certificate of another name
	inside 7 curl -sS --noproxy '*' --max-time 60 "http://127.0.0.1:$web/"
	inside 6 curl -sS --noproxy '*' --max-time 60 "http://evil.test:$web/"
	inside 1 "$PYTHON" -c "
import socket
socket.getaddrinfo('a.test', $tls)
s = socket.create_connection(('127.0.0.1', $tls))
import ssl
ssl._create_unverified_context().wrap_socket(s, server_hostname='evil.test').send(b'x')"
	[ "$(grep -c evil "$T/asked")" -eq 0 ]
}

@test "a refusal of the proxy reaches the program, the status descriptor, the log and the final report" {
	servers 'a.test 127.0.0.1' 'b.test 10.0.0.1' 'evil.test 127.0.0.1'
	expect 22 run --accept net.tcp --accept net.udp --accept net.domains --accept net.dns \
	    --status-fd 8 -- curl -sS --max-time 60 --fail-with-body "http://evil.test:$web/" \
	    8>"$T/status" 9>&-
	said 'cordon: evil.test is not among the allowed domains; allow it with --domain evil.test'
	heard "cordon: refused: connect evil.test:$web is not among the allowed domains; allow it with"
	grep -q '"event": "refused".*"subject": "evil.test:'"$web"'".*"allow": "--domain evil.test"' \
	    "$T/status"
	grep -rq '"event": "refused".*"subject": "evil.test:' "$XDG_STATE_HOME/cordon/audit"
	"$PYTHON" -c 'import json, sys; [json.loads(line) for line in open(sys.argv[1])]' "$T/status"
	inside 22 curl -sS --max-time 60 --fail-with-body "http://b.test:$web/"
	said 'b.test leads to 10.0.0.1, which is a private address'
	inside 22 curl -sS --max-time 60 --fail-with-body "http://a.test:1/"
	said 'allow it with --port 1'
	inside 22 curl -sS --noproxy '' --max-time 60 --fail-with-body "http://127.0.0.1:$web/"
	said 'only names of the allowed domains'
	inside 22 curl -sS --max-time 60 --fail-with-body -H 'Host: evil.test' "http://a.test:$web/"
	said 'names another host'
	heard "cordon: refused: connect a.test:$web: its Host header names another host than its target"
	if grep -q evil "$T/asked"; then
		complain 'nobody asks for a name that is not allowed'
	fi
	# a command that succeeds gets one line
	inside 0 curl -sS --max-time 60 "http://evil.test:$web/"
	only_counted 1
}

@test "a connection to an allowed name is an event, once for each name and port" {
	servers 'a.test 127.0.0.1' 'b.test 10.0.0.1' 'evil.test 127.0.0.1'
	set -- --accept net.tcp --accept net.udp --accept net.domains --accept net.dns --status-fd 8
	# through the proxy's own port twice, then redirected; two names that lead nowhere
	expect 0 run "$@" -- sh -c "curl -sS --max-time 60 http://a.test:$web/1 http://a.test:$web/2 &&
	    curl -sS --noproxy '*' --max-time 60 http://a.test:$web/3
	    curl -s --max-time 60 http://b.test:$web/ http://evil.test:$web/; true" 8>"$T/status" 9>&-
	grep -q '"event": "used".*"what": "connect", "subject": "a.test:'"$web"'", "known": "decided"' "$T/status"
	grep -rq '"event": "used".*"subject": "a.test:'"$web"'"' "$XDG_STATE_HOME/cordon/audit"
	expect 0 report -o "$T/report.html"
	grep -q "a.test:$web" "$T/report.html"
	"$PYTHON" "$TREE/tests/policy/events.py" "$T/status" -- "len([e for e in d if e['event'] == 'used']) == 1"
}

@test "--resolver sets the resolver" {
	servers 'a.test 127.0.0.1'
	user_policy <<-END
		{"network": {"domains": ["a.test"], "ports": [$web], "private": ["127.0.0.1"], "resolver": "127.0.0.1:9"}}
	END
	set -- --accept net.tcp --accept net.udp --accept net.domains --accept net.dns
	expect 22 run "$@" -- curl -sS -f --max-time 200 "http://a.test:$web/there" 9>&-
	[ ! -s "$T/asked" ]
	expect 0 run "$@" --resolver "127.0.0.1:$dns" -- curl -sS -f --max-time 200 "http://a.test:$web/there" 9>&-
	said 'GET /there'
	grep -q '^a.test ' "$T/asked"
}

@test "a session's proxy refuses other sessions and clients without its token" {
	servers 'a.test 127.0.0.1'
	# shellcheck disable=SC2154 # web is set by servers
	inside 0 sh -c 'curl -s --max-time 60 -o /dev/null -w "%{http_code}" -x "http://${HTTP_PROXY#*@}" \
	    "http://a.test:'"$web"'/"; u=${HTTP_PROXY%@*}; curl -s --max-time 60 -o /dev/null \
	    -w " %{http_code}" -x "${u%?}x@${HTTP_PROXY#*@}" "http://a.test:'"$web"'/"'
	[ "$out" = '407 407' ] || complain 'refused without the token'
}

# proxy_says URL: the status for a name that is not allowed; 000: no connection.
proxy_says()
{
	curl -s --max-time 60 -o /dev/null -w '%{http_code}' -x "$1" http://none.test/ || :
}

# gone URL: within a minute. Another session may have got the port: it does not know the token.
gone()
{
	for _ in $(seq 600); do
		case $(proxy_says "$1") in
		000 | 407) return 0 ;;
		esac
		sleep 0.1
	done
	complain "the proxy is still there: $1"
}

@test "the proxy ends with its session, however that ends" {
	servers 'a.test 127.0.0.1'
	inside 3 sh -c 'echo "$HTTP_PROXY"; exit 3'
	gone "$out"
	# a launcher that is killed takes it along
	"$CORDON" run --accept net.tcp --accept net.udp --accept net.domains --accept net.dns \
	    -- sh -c 'echo "$HTTP_PROXY" >url; sleep 1000' 9>&- 3>&- &
	launcher=$!
	until_true 60 test -s url
	[ "$(proxy_says "$(cat url)")" = 403 ] || complain 'it was there'
	kill -KILL "$launcher"
	wait "$launcher" || :
	gone "$(cat url)"
}

@test "an unusable upstream proxy is an error before the start" {
	servers 'a.test 127.0.0.1'
	export ALL_PROXY=socks5://127.0.0.1:1
	inside 125 true
	heard 'only http:// proxies are supported'
	unset ALL_PROXY
}

@test "the commands of a shared session have one proxy" {
	servers 'a.test 127.0.0.1'
	expect 0 run --session web --accept net.tcp --accept net.udp --accept net.domains \
	    --accept net.dns -- sh -c 'echo "$HTTP_PROXY"; sleep 1000 >/dev/null 2>&1 &' 9>&-
	said 'http://cordon:'
	first=$out
	expect 0 run --session web --accept net.tcp --accept net.udp --accept net.domains \
	    --accept net.dns -- sh -c 'echo "$HTTP_PROXY"' 9>&-
	second=$out
	expect 0 kill web
	[ "$first" = "$second" ] || complain "not the same: $first, $second"
	gone "$first"
}

# ---- programs that have never heard of a proxy ----

@test "in a shared session a refusal is reported to the invoker of the command" {
	servers 'a.test 127.0.0.1'
	is_kept || return 0
	"$CORDON" run --session two --status-fd 8 -- sh -c 'touch ready; n=0
	    until [ -e go ] || [ $n -ge 1200 ]; do n=$((n + 1)); sleep 0.05; done; exit 4' \
	    8>"$T/first" 2>"$T/first.err" 9>&- 3>&- &
	first=$!
	until_true 60 test -e ready
	# by the broker, who knows whose it is; again for another
	for _ in 1 2; do
		expect 3 run --session two --status-fd 8 -- sh -c '"$@"; exit 3' sh \
		    curl -sS --noproxy '*' --max-time 60 "http://a.test:$silent/" 8>"$T/second" 9>&-
		heard "refused: connect 127.0.0.1:$silent" "allow it with --port $silent"
		grep -q '"event": "refused".*"allow": "--port '"$silent" "$T/second"
	done
	# by the proxy, who does not: with two at once it is for the log
	expect 3 run --session two --status-fd 8 -- sh -c '"$@"; exit 3' sh \
	    curl -sS --max-time 60 "http://both.test:$web/" 8>"$T/second" 9>&-
	! grep -q refused "$T/second" "$T/err" || complain 'it may be the other one'
	grep -rq '"event": "refused".*"subject": "both.test:' "$XDG_STATE_HOME/cordon/audit"
	touch go
	wait "$first" || [ $? -eq 4 ]
	! grep -q refused "$T/first" "$T/first.err" || complain "$(cat "$T/first" "$T/first.err")"
	expect 3 run --session two --status-fd 8 -- sh -c '"$@"; exit 3' sh \
	    curl -sS --max-time 60 "http://alone.test:$web/" 8>"$T/second" 9>&-
	heard "refused: connect alone.test:$web"
	grep -q '"event": "refused".*"subject": "alone.test:' "$T/second"
}

# Is the mode kept here? Where it is not, it is refused by name, and that is all there is to see.
is_kept()
{
	status=0
	"$CORDON" run -- true >"$T/out" 2>"$T/err" 9>&- || status=$?
	err=$(cat "$T/err")
	out=''
	[ "$status" -ne 0 ] || return 0
	[ "$status" -eq 125 ] && heard 'cannot enforce net.domains' && return 1
	complain 'neither kept nor refused by name'
	exit 1
}

# plainly STATUS COMMAND...: without the variables, and with nothing accepted.
plainly()
{
	local want=$1

	shift
	expect "$want" run -- env -u HTTP_PROXY -u http_proxy -u HTTPS_PROXY -u https_proxy \
	    -u ALL_PROXY -u all_proxy "$@" 9>&-
}

@test "without proxy variables: an allowed name is reached" {
	servers 'a.test 127.0.0.1'
	is_kept || return 0
	plainly 0 curl -sS --max-time 60 "http://a.test:$web/curl"
	said "GET /curl host=a.test:$web"
	plainly 0 curl -sS --max-time 60 --cacert cert.pem "https://a.test:$tls/tls"
	said 'GET /tls'
	plainly 0 wget -q -T 60 -t 1 -O - "http://a.test:$web/wget"
	said 'GET /wget'
	plainly 0 "$PYTHON" -c "import urllib.request as r; print(r.urlopen('http://a.test:$web/py').read())"
	said 'GET /py'
	plainly 0 "$PYTHON" -c "
import asyncio
async def main():
    reader, writer = await asyncio.open_connection('a.test', $echo)
    print(await reader.readline())
    writer.write(b'to and fro\n')
    print(await reader.readline())
asyncio.run(main())"
	said 'echo ready' 'to and fro'
	plainly 0 node -e "fetch('http://a.test:$web/node').then(r => r.text()).then(t => console.log(t))"
	said 'GET /node'
	plainly 128 git ls-remote "http://a.test:$web/repo.git"
	heard 'not valid: is this a git repository?'
	plainly 0 bash -c "exec 3<>/dev/tcp/a.test/$echo; read -r line <&3; echo \"\$line\""
	said 'echo ready'
}

@test "without proxy variables: processes outside can neither query the resolver nor use up its slots" {
	servers 'a.test 127.0.0.1' 'b.test 127.0.0.1'
	is_kept || return 0
	mkfifo "$T/strangers"
	"$CORDON" run -- env -u http_proxy -u HTTP_PROXY sh -c "touch begun
		while [ ! -e go ]; do sleep 0.1; done
		curl -sS --max-time 60 http://a.test:$web/inside" >"$T/inside" 2>&1 9>&- 3>&- &
	session=$!
	until_true 60 test -e begun
	status=0
	"$PYTHON" "$TREE/tests/net/strangers.py" "$session" b.test 300 "$T/there" <"$T/strangers" >"$T/outside" 9>&- 3>&- &
	strangers=$!
	exec 8>"$T/strangers"
	until_true 100 sh -c "test -e '$T/there' || ! kill -0 $strangers 2>/dev/null"
	touch go
	wait "$session" || status=$?
	exec 8>&-
	wait "$strangers" || skip 'needs root: the ports are found by descriptors of a process that is not dumpable'
	grep -q 'GET /inside' "$T/inside" || complain "$(cat "$T/inside")"
	[ "$status" -eq 0 ]
	if grep -q b.test "$T/asked" || grep -v -e "b''" -e 'HTTP/1.1 400' "$T/outside"; then
		complain 'a process outside was served'
	fi
}

@test "without proxy variables: data that names no host needs an opaque port" {
	servers 'a.test 127.0.0.1'
	is_kept || return 0
	for text in 'PING' 'GET /nine\r\nHost: b.test'; do
		plainly 1 bash -c "exec 3<>/dev/tcp/a.test/$web; printf '$text\r\n\r\n' >&3; grep -e body -e Bad <&3"
		heard "cordon: refused: connect a.test:$web"
	done
	plainly 1 bash -c "exec 3<>/dev/tcp/a.test/$web; printf 'PING\r\n\r\n' >&3; grep Bad <&3"
	heard "cordon: refused: connect a.test:$web" "allow it with --opaque-port $web"
	# a project does not open one
	policy <<<'{"network": {"opaque": ['"$web"']}}'
	plainly 1 bash -c "exec 3<>/dev/tcp/a.test/$web; printf 'PING\r\n\r\n' >&3; grep Bad <&3"
	rm .cordon.json
	expect 0 run --opaque-port "$web" -- bash -c "exec 3<>/dev/tcp/a.test/$web; printf 'PING\r\n\r\n' >&3; grep Bad <&3" 9>&-
	# requests stay requests there
	expect 1 run --opaque-port "$web" -- bash -c "exec 3<>/dev/tcp/a.test/$web; printf 'GET /nine\r\n\r\n' >&3; grep body <&3" 9>&-
}

@test "without proxy variables: no other name, port, address or server name" {
	servers 'a.test 127.0.0.1' 'evil.test 127.0.0.1' 'b.test 10.0.0.1'
	is_kept || return 0
	plainly 6 curl -sS --max-time 60 "http://evil.test:$web/"
	heard 'cordon: refused: resolve evil.test is not among the allowed domains; allow it with'
	plainly 6 curl -sS --max-time 60 "http://b.test:$web/"
	heard 'b.test leads to 10.0.0.1'
	plainly 7 curl -sS --max-time 60 "http://127.0.0.1:$web/"
	heard "cordon: refused: connect 127.0.0.1:$web was not looked up"
	plainly 7 curl -sS --max-time 60 "http://a.test:$silent/"
	heard "refused: connect 127.0.0.1:$silent is at a port that is not listed; allow it with --port $silent"
	plainly 22 curl -sS --max-time 60 --fail-with-body -H 'Host: evil.test' "http://a.test:$web/"
	said 'names another host'
	plainly 35 curl -sS --max-time 60 -k --connect-to "evil.test:$tls:a.test:$tls" "https://evil.test:$tls/"
	heard 'access denied'
	if grep -q evil "$T/asked"; then
		complain 'nobody asks for a name that is not allowed'
	fi
}
