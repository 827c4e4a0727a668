#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A headless Chromium in the profile browser: pages of the project and of servers on loopback, scripts and
# pictures; and hosts that it must not reach. It is large and not among the packages: skipped if missing.

# shellcheck disable=SC2034,SC2154 # out, err, options and the ports are the helpers'
# shellcheck disable=SC2016 # variables are for the shell inside

load ../lib/common
load ../lib/servers

teardown()
{
	[ -z "${browser:-}" ] || stop_servers
}

# begin: finds a browser, and starts the servers.
begin()
{
	browser=$(command -v chromium-headless-shell || command -v chromium || command -v google-chrome) ||
	    skip 'no Chromium'
	servers 'a.test 127.0.0.1' 'evil.test 127.0.0.1'
	cat >page.html <<-'END'
		<!doctype html><title>t</title><p id=x>static</p><script>
		x.textContent = 'made by a script: ' + 6 * 7</script>
	END
}

# browse STATUS [OPTION...] -- ARGUMENT...: its own sandbox needs user namespaces, which are refused.
browse()
{
	local want=$1 given=()

	shift
	while [ "$1" != -- ]; do
		given+=("$1")
		shift
	done
	shift
	expect "$want" run -p browser "${given[@]}" -- sh -c \
	    'exec "$0" --headless --no-sandbox --user-data-dir="$TMPDIR/browser" "$@"' "$browser" "$@" 9>&-
}

@test "Chromium: pages and scripts of the project, screenshots; no file outside" {
	begin
	browse 0 -- --dump-dom "file://$P/page.html"
	said 'made by a script: 42'
	browse 0 -- --screenshot="$P/shot.png" --window-size=320,200 "file://$P/page.html"
	"$PYTHON" - <<-'END'
		import struct
		data = open("shot.png", "rb").read()
		assert data[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", data[16:24]) == (320, 200)
	END
	browse 0 -- --print-to-pdf="$P/page.pdf" "file://$P/page.html"
	[ "$(head -c 5 page.pdf)" = %PDF- ]
	echo 'a secret text' >"$T/secret.html"
	timeout 300 "$browser" --headless --no-sandbox --user-data-dir="$T/free" --dump-dom \
	    "file://$T/secret.html" >"$T/out" 2>/dev/null 9>&-
	grep -q 'a secret text' "$T/out"
	expect 0 run -p browser -- sh -c '"$0" --headless --no-sandbox \
	    --user-data-dir="$TMPDIR/browser" --dump-dom "$1" || :' "$browser" "file://$T/secret.html" 9>&-
	unsaid 'a secret text'
}

@test "Chromium: pages of servers at listed ports and names" {
	begin
	browse 0 --net "localhost:$web" -- --dump-dom "http://127.0.0.1:$web/here"
	said 'GET /here'
	browse 0 --net localhost -- --dump-dom "http://localhost:$web/here"
	said 'GET /here'
	browse 0 --net "localhost:$web" -- --dump-dom "http://127.0.0.1:$other_web/there" 2>/dev/null || :
	unsaid 'GET /there'
	reach "$web" "$tls"
	gaps=(--accept net.tcp --accept net.udp --accept net.domains --accept net.dns)
	browse 0 "${gaps[@]}" -- --dump-dom "http://a.test:$web/here"
	said 'GET /here'
	# browsers send what may hide a name, always
	browse 0 "${gaps[@]}" -- --ignore-certificate-errors --dump-dom "https://a.test:$tls/here" 2>/dev/null || :
	unsaid 'GET /here'
	echo '{"network": {"ech": "allow"}}' >"$T/hidden.json"
	browse 0 "${gaps[@]}" -p "$T/hidden.json" -- --ignore-certificate-errors --dump-dom "https://a.test:$tls/here"
	said 'GET /here'
	for url in "http://evil.test:$web/there" "http://a.test:$other_web/there" "http://127.0.0.1:$web/there"; do
		browse 0 "${gaps[@]}" -- --dump-dom "$url" 2>/dev/null || :
		unsaid 'GET /there'
	done
}
