#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Real programs and the network: listed hosts can be reached by name; other names, other ports and
# bare addresses cannot. Once as programs that use a proxy, once as programs that know of none.

# shellcheck disable=SC2034,SC2154 # out, err, options and the ports are the helpers'
# shellcheck disable=SC2016 # variables are for the shell inside

load ../lib/common
load ../lib/servers

teardown()
{
	[ -z "${started:-}" ] || {
		kill "$started"
		wait "$started" || :
	}
	stop_servers
}


# both_ways TEXT PORT OTHER COMMAND...: led by the variables, and without.
both_ways()
{
	reaches led "$@" && reaches plain "$@"
}

@test "curl: HTTP/1.1, plain and over TLS" {
	servers 'a.test 127.0.0.1' 'evil.test 127.0.0.1'
	reach "$web" "$tls"
	both_ways 'GET /' "$web" "$other_web" curl -sS -f --max-time 200 http://@HOST:@PORT/
	both_ways 'GET /' "$tls" "$other_tls" \
	    curl -sS -f --max-time 200 --cacert cert.pem https://@HOST:@PORT/
}

@test "wget" {
	servers 'a.test 127.0.0.1' 'evil.test 127.0.0.1'
	reach "$web"
	both_ways 'GET /' "$web" "$other_web" wget -q -T 200 -t 1 -O - http://@HOST:@PORT/
}

@test "python: urllib, http.client, requests, asyncio" {
	servers 'a.test 127.0.0.1' 'evil.test 127.0.0.1'
	reach "$web" "$tls" "$echo"
	both_ways 'GET /' "$web" "$other_web" "$PYTHON" -c \
	    'import urllib.request as r; print(r.urlopen("http://@HOST:@PORT/").read())'
	both_ways 'GET /' "$tls" "$other_tls" "$PYTHON" -c '
import requests
r = requests.get("https://@HOST:@PORT/", verify="cert.pem")
r.raise_for_status()
print(r.text)'
	reaches plain 'GET /' "$web" "$other_web" "$PYTHON" -c '
import http.client
c = http.client.HTTPConnection("@HOST", @PORT)
c.request("GET", "/")
print(c.getresponse().read())'
	reaches plain 'echo ready' "$echo" "$other_echo" "$PYTHON" -c '
import asyncio
async def main():
    reader, writer = await asyncio.open_connection("@HOST", @PORT)
    line = await reader.readline()
    writer.write(b"to and fro\n")
    assert await reader.readline() == b"to and fro\n"
    print(line)
asyncio.run(main())'
}

@test "node: fetch, https" {
	servers 'a.test 127.0.0.1' 'evil.test 127.0.0.1'
	reach "$web" "$tls"
	reaches plain 'GET /' "$web" "$other_web" node -e \
	    'fetch("http://@HOST:@PORT/").then(r => r.text()).then(t => console.log(t))'
	reaches plain 'GET /' "$tls" "$other_tls" node -e '
require("https").get("https://@HOST:@PORT/", {ca: require("fs").readFileSync("cert.pem")},
  r => r.pipe(process.stdout));'
}

@test "openssl s_client, nc, bash" {
	servers 'a.test 127.0.0.1' 'evil.test 127.0.0.1'
	reach "$tls" "$echo"
	reaches plain 'GET /s' "$tls" "$other_tls" sh -c '
printf "GET /s HTTP/1.0\r\nHost: a.test\r\n\r\n" | openssl s_client -quiet -CAfile cert.pem \
	-verify_return_error -servername a.test -connect @HOST:@PORT | grep "GET /s"'
	reaches plain 'echo ready' "$echo" "$other_echo" nc -N @HOST @PORT
	reaches plain 'echo ready' "$echo" "$other_echo" \
	    bash -c 'exec 3<>/dev/tcp/@HOST/@PORT && read -r line <&3 && echo "$line"'
}

# the content of the extension cannot be checked here: an empty one stands for all
@test "TLS with an encrypted client hello is allowed only by the policy" {
	servers 'a.test 127.0.0.1' 'evil.test 127.0.0.1'
	hello='printf "GET /s HTTP/1.0\r\nHost: a.test\r\n\r\n" | openssl s_client -quiet -CAfile cert.pem \
		-verify_return_error -serverinfo 65037 -servername "$1" -connect "$0" | grep "GET /s"'
	at 127.0.0.1 "$tls" sh -c "$hello" @HOST:@PORT a.test
	out=$("${words[@]}" 2>/dev/null)
	said 'GET /s'
	reach "$tls"
	plain 'not 0' sh -c "$hello" "a.test:$tls" a.test
	unsaid 'GET /s'
	heard "refused: connect a.test:$tls is asked for a server name that may be hidden (ECH); only \"ech\": \"allow\""
	echo '{"network": {"ech": "allow"}}' >"$T/hidden.json"
	options=(-p "$T/hidden.json")
	plain 0 sh -c "$hello" "a.test:$tls" a.test
	said 'GET /s'
	plain 'not 0' sh -c "$hello" "a.test:$tls" evil.test
	unsaid 'GET /s'
	heard 'asks for another name'
}

@test "HTTP/2 works for curl and node over TLS, and is refused without TLS" {
	servers 'a.test 127.0.0.1' 'evil.test 127.0.0.1'
	serve h2 node "$TREE/tests/net/h2.js" "$T" "$T/cert.pem" "$T/key.pem"
	reach "$h2" "$h2c"
	both_ways 'HTTP/2.0 /two' "$h2" "$other_h2" \
	    curl -sS -f --max-time 200 --http2 --cacert cert.pem https://@HOST:@PORT/two
	reaches plain 'HTTP/2.0 /two' "$h2" "$other_h2" node -e '
const c = require("http2").connect("https://@HOST:@PORT", {ca: require("fs").readFileSync("cert.pem")});
c.on("error", e => { console.error(e); process.exit(1); });
c.request({":path": "/two"}).on("data", d => process.stdout.write(d)).on("end", () => c.close());'
	at 127.0.0.1 "$h2c" curl -sS -f --max-time 200 --http2-prior-knowledge http://@HOST:@PORT/two
	out=$("${words[@]}")
	said 'HTTP/2.0 /two'
	at a.test "$h2c" curl -sS -f --max-time 200 --http2-prior-knowledge http://@HOST:@PORT/two
	is_refused plain HTTP/2.0 'it is not HTTP/1.0 or HTTP/1.1'
}

@test "IPv6" {
	servers 'a.test ::1' 'evil.test ::1'
	[ -n "${web6:-}" ] || skip 'no IPv6 here'
	reach "$web6"
	led 0 curl -sS -f --max-time 200 "http://a.test:$web6/six"
	said 'GET /six'
	plain 0 curl -sS -f --max-time 200 "http://a.test:$web6/six"
	said 'GET /six'
	plain 0 wget -q -T 200 -t 1 -O - "http://a.test:$web6/six"
	said 'GET /six'
	plain 0 "$PYTHON" -c "import urllib.request as r; print(r.urlopen('http://a.test:$web6/six').read())"
	said 'GET /six'
	plain 0 node -e "fetch('http://a.test:$web6/six').then(r => r.text()).then(t => console.log(t))"
	said 'GET /six'
	curl -sS -f "http://[::1]:$web6/" >/dev/null
	plain 'not 0' curl -sS -f --max-time 200 "http://[::1]:$web6/"
	heard 'was not looked up'
	led 'not 0' curl -sS -f --max-time 200 "http://[::1]:$web6/"
	unsaid 'GET /'
	plain 'not 0' wget -q -T 200 -t 1 -O - "http://evil.test:$web6/"
	heard '--domain evil.test'
}

@test "Java: HttpClient" {
	command -v javac >/dev/null || skip 'no javac'
	servers 'a.test 127.0.0.1' 'evil.test 127.0.0.1'
	reach "$web"
	cat >Get.java <<-'END'
		import java.net.URI;
		import java.net.http.*;

		public class Get {
			public static void main(String[] words) throws Exception {
				var request = HttpRequest.newBuilder(URI.create(words[0])).build();
				var handler = HttpResponse.BodyHandlers.ofString();
				System.out.print(HttpClient.newHttpClient().send(request, handler).body());
			}
		}
	END
	led 0 javac Get.java
	reaches plain 'GET /' "$web" "$other_web" java -cp . Get http://@HOST:@PORT/
}

# A static one has a resolver of its own, for UDP only: it is led by the variables.
@test "Go: net/http" {
	command -v go >/dev/null || skip 'no go'
	servers 'a.test 127.0.0.1' 'evil.test 127.0.0.1'
	reach "$web"
	cat >get.go <<-'END'
		package main

		import ("io"; "log"; "net/http"; "os")

		func main() {
			answer, err := http.Get(os.Args[1])
			if err != nil {
				log.Fatal(err)
			}
			io.Copy(os.Stdout, answer.Body)
			if answer.StatusCode != 200 {
				os.Exit(1)
			}
		}
	END
	options=(-p go)
	CORDON_TIMEOUT=600 led 0 env CGO_ENABLED=0 go build -o get get.go
	reaches led 'GET /' "$web" "$other_web" ./get http://@HOST:@PORT/
}

# ---- git and packages ----

# hosting: a host for git and packages; leaves its port in host, and that of another in other_host.
hosting()
{
	servers 'a.test 127.0.0.1' 'evil.test 127.0.0.1'
	mkdir -p "$T/git" "$T/www"
	serve hosting "$PYTHON" "$TREE/tests/net/hosting.py" "$T"
	reach "$host"
}

@test "git over http: clone, fetch, push" {
	export GIT_CONFIG_GLOBAL=$HOME/.gitconfig
	git config --global user.name Somebody
	git config --global user.email somebody@example.org
	git config --global init.defaultBranch main
	hosting
	git init -q --bare "$T/git/r.git"
	git -C "$T/git/r.git" config http.receivepack true
	for options in '' '-p git'; do
		read -r -a options <<<"$options"
		for how in led plain; do
			"$how" 0 git clone -q "http://a.test:$host/git/r.git" copy
			"$how" 0 sh -c 'cd copy && date >>file && git add file && git commit -qm new && git push -q origin HEAD:main'
			"$how" 0 git -C copy fetch -q
			[ "$(git -C "$T/git/r.git" rev-parse main)" = "$(git -C copy rev-parse HEAD)" ]
			rm -r copy
		done
	done
	options=()
	both_ways refs/heads/main "$host" "$other_host" git ls-remote http://@HOST:@PORT/git/r.git
}

# A registry with one package of npm's, and an index with one wheel.
publish()
{
	mkdir -p package "$T/www/dep"
	printf '{"name": "dep", "version": "1.0.0", "main": "index.js", "bin": {"dep": "cli.js"}}\n' \
	    >package/package.json
	printf 'module.exports = 42;\n' >package/index.js
	printf '#!/usr/bin/env node\nconsole.log("dep says", require("."));\n' >package/cli.js
	tar -czf "$T/www/dep-1.0.0.tgz" package
	rm -r package
	sum=$(openssl dgst -sha512 -binary "$T/www/dep-1.0.0.tgz" | openssl base64 -A)
	cat >"$T/www/dep/index" <<-END
		{"name": "dep", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {"name": "dep",
		 "version": "1.0.0", "bin": {"dep": "cli.js"}, "dist": {"integrity": "sha512-$sum",
		 "tarball": "http://a.test:$host/dep-1.0.0.tgz"}}}}
	END
}

@test "npm: install, ci and npx from a registry, in an empty home" {
	hosting
	publish
	printf 'registry = http://a.test:%s/\naudit = false\nfund = false\nupdate-notifier = false\nfetch-retries = 0\n' \
	    "$host" >.npmrc
	printf '{"name": "app", "version": "1.0.0", "scripts": {"test": "dep"}}\n' >package.json
	options=(-p node)
	led 0 npm install --silent dep
	[ -d "$HOME/.npm/_cacache" ]
	rm -r node_modules
	plain 0 npm ci --silent
	plain 0 npm test --silent
	said 'dep says 42'
	led 0 npx --no dep
	said 'dep says 42'
	rm -r node_modules package.json
	# what it fetches itself it runs from its cache, which is not for writing: so with one of the run's own
	led 0 sh -c 'npm_config_cache=$TMPDIR/npm exec npx --yes --silent dep'
	said 'dep says 42'
	sed -i "s/a.test/evil.test/" .npmrc
	rm -r "$HOME/.npm"
	led 'not 0' npm install dep
	heard '--domain evil.test'
}

@test "pip: venv, download and install from an index, pytest" {
	hosting
	mkdir -p "$T/www/simple/dep" dep-1.0.0.dist-info
	printf 'def answer():\n    return 42\n' >dep.py
	printf 'Metadata-Version: 2.1\nName: dep\nVersion: 1.0.0\n' >dep-1.0.0.dist-info/METADATA
	printf 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n' \
	    >dep-1.0.0.dist-info/WHEEL
	printf 'dep.py,,\ndep-1.0.0.dist-info/METADATA,,\ndep-1.0.0.dist-info/WHEEL,,\ndep-1.0.0.dist-info/RECORD,,\n' \
	    >dep-1.0.0.dist-info/RECORD
	"$PYTHON" -m zipfile -c "$T/www/dep-1.0.0-py3-none-any.whl" dep.py dep-1.0.0.dist-info
	rm -r dep.py dep-1.0.0.dist-info
	printf '<a href="/dep-1.0.0-py3-none-any.whl">dep-1.0.0-py3-none-any.whl</a>\n' \
	    >"$T/www/simple/dep/index"
	options=(-p python)
	for how in led plain; do
		"$how" 0 "$PYTHON" -m pip download -q --retries 0 --disable-pip-version-check \
		    --index-url "http://a.test:$host/simple" --trusted-host a.test -d "$how" dep
		[ -f "$how/dep-1.0.0-py3-none-any.whl" ]
	done
	silent
	[ -d "$HOME/.cache/pip" ]
	led 'not 0' "$PYTHON" -m pip download -q --retries 0 --disable-pip-version-check \
	    --index-url "http://evil.test:$host/simple" --trusted-host evil.test -d . dep
	heard '--domain evil.test'
	led 0 "$PYTHON" -m venv --system-site-packages env
	led 0 env/bin/pip install -q --disable-pip-version-check --no-index --find-links led dep
	printf 'import dep\ndef test_answer(tmp_path):\n    assert dep.answer() == 42\n' >test_dep.py
	led 0 env/bin/python -m pytest -q
	said '1 passed'
}

# ---- localhost ----

# A redis of our own, known by its socket; another may have taken the port that was free.
start_redis()
{
	local port

	# redis-tools has the server, too, which is told by its name what it is
	ln -s "$(command -v redis-server || command -v redis-check-rdb)" "$T/redis-server"
	for _ in $(seq 20); do
		port=$("$PYTHON" -c 'import socket
print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])')
		"$T/redis-server" --port "$port" --bind 127.0.0.1 --save '' --dir "$T" \
		    --unixsocket "$T/r.sock" >"$T/redis.log" 2>&1 3>&- &
		started=$!
		until_true 90 is_started_or_gone
		[ ! -S "$T/r.sock" ] || break
	done
	redis=$port
}

is_started_or_gone()
{
	[ -S "$T/r.sock" ] || ! kill -0 "$started" 2>/dev/null
}

@test "redis-cli on localhost reaches its port and no other" {
	start_redis
	"$PYTHON" -c 'import socket; s = socket.create_connection(("127.0.0.1", '"$redis"'))'
	expect 0 run --net "localhost:$redis" -- redis-cli -h 127.0.0.1 -p "$redis" set key some-value
	expect 0 run --net localhost -- redis-cli -p "$redis" get key
	said some-value
	expect 0 run --net localhost:1 -- sh -c "redis-cli -p $redis get key || echo failed"
	unsaid some-value
	expect 0 run -- sh -c "redis-cli -p $redis get key || echo failed"
	unsaid some-value
	# by its socket only when that is named
	"$PYTHON" -c 'import socket; socket.socket(socket.AF_UNIX).connect("'"$T/r.sock"'")'
	expect 0 run -- sh -c "redis-cli -s $T/r.sock get key || echo failed"
	unsaid some-value
	expect 0 run --socket "$T/r.sock" -- redis-cli -s "$T/r.sock" get key
	said some-value
}

# dev_server COMMAND...: a confined one says its port; it is reached from outside, and ends with the run.
dev_server()
{
	"$CORDON" run --net localhost -- "$@" >"$T/server" 2>&1 3>&- &
	started=$!
	until_true 90 grep -q 'port [0-9]*[ .]' "$T/server" || complain "$(cat "$T/server")" || return 1
	port=$(sed -n 's/.*port \([0-9]*\).*/\1/p;q' "$T/server")
	[ "$(curl -sS -f --max-time 200 "http://127.0.0.1:$port/page")" = 'the page' ]
	kill "$started"
	wait "$started" || :
	started=''
	if curl -sS -f --max-time 200 "http://127.0.0.1:$port/page" 2>/dev/null; then
		complain 'it is still there'
	fi
}

@test "a confined server is reached from outside: python, node" {
	echo 'the page' >page
	dev_server "$PYTHON" -u -m http.server 0
	dev_server "$PYTHON" -u -m http.server 0 --bind 127.0.0.1
	dev_server node -e '
const server = require("http").createServer((q, r) => r.end("the page"));
server.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}.`));'
	# and by a client beside it, with both ends confined
	expect 0 run --net localhost -- sh -c "$PYTHON -u -m http.server 0 >server & "'
		until grep -q "port [0-9]*[ .]" server; do sleep 0.1; done
		curl -sS -f "http://127.0.0.1:$(sed -n "s/.*port \([0-9]*\).*/\1/p;q" server)/page"; kill $!'
	said 'the page'
}
