#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon report: one page that loads nothing and into which a command cannot write markup.
# shellcheck disable=SC2016,SC2034,SC2154 # what is quoted is for the shell inside; err is common's

load ../lib/common

# shown PAGE: the elements that a browser makes of it, in $T/dom.
shown()
{
	local browser

	browser=$(command -v chromium-headless-shell || command -v chromium || command -v google-chrome) || skip 'no Chromium'
	timeout 200 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
	    --disable-component-update --disable-sync --user-data-dir="$(mktemp -d "$T/chromium.XXXX")" --dump-dom "file://$1" >"$T/dom" 2>"$T/browser.log" </dev/null
	grep -q 'data-ready="yes"' "$T/dom" || complain "$(tail -n 5 "$T/browser.log")" "$(tail -c 2000 "$T/dom")"
}

@test "a page of the last session: refusals, files, timeline, guarantees" {
	echo x >"$HOME/kept"
	expect 125 report
	heard 'the log has no session'
	expect 3 run -q --trace -- sh -c 'cat "$HOME/kept"; echo x >Makefile; bash -c ": >/dev/tcp/127.0.0.1/80"; exit 3'
	expect 0 report -o page.html
	refused report -o page.html
	expect 0 report --force -o page.html
	# nothing is loaded, and nothing that is no script of its own runs
	! grep -Eq '(src|href)="[^#]|@import|url\(|https?://' page.html || complain 'it loads something'
	grep -q "default-src 'none'; script-src 'nonce-" page.html
	shown "$P/page.html"
	"$PYTHON" - "$T/dom" "$HOME" "$P" <<-'EOF'
		import html, re, sys
		dom = open(sys.argv[1], encoding="utf-8").read()
		text = html.unescape(re.sub("<[^>]*>", "", dom.split("<main>")[1].split("</main>")[0]))
		for words in ("read %s/kept is not granted" % sys.argv[2], "--read %s/kept" % sys.argv[2], "network for bash",
		              "Makefile", "files.read", "Landlock", "▾ /", "1 changed", "used"):
		    assert words in text, (words, text)
		assert dom.count("<button") >= 4 and 'tabindex="0"' in dom
	EOF
	id=$(sed -n 's/.*"session": "\([0-9a-f]*\)", "hints".*/\1/p' page.html)
	expect 0 run -q -- true
	expect 0 report "${id:0:6}"
	grep -q "\"session\": \"$id\"" "$T/out"
	refused report 0000000000000000
}

@test "what a command wrote is no markup, no script and no end of the data" {
	evil='</script><script>document.title="taken"</script><img src=x onerror=document.title="taken"><!--'
	name=$(printf '%s' "$evil" | tr / _)
	expect 3 run -q --trace -- sh -c 'mkdir "$1"; echo x >"$HOME/$1"; cat "$2"; exit 3' "$evil" "$name" "$evil"
	expect 0 report -o page.html
	[ "$(grep -c '</script>' page.html)" -eq 2 ] && ! grep -q '<img' page.html || complain 'markup'
	shown "$P/page.html"
	! grep -q '<img\|<title>taken' "$T/dom" || complain 'it ran'
	grep -q '&lt;img src=x' "$T/dom" || complain 'it is not shown'
}

@test "100,000 events: a page that opens, with only the rows in view" {
	expect 0 run -q -- true
	"$PYTHON" - "$XDG_STATE_HOME"/cordon/audit/shell-*.log <<-'EOF'
		import json, sys
		lines = open(sys.argv[1]).read().splitlines()
		first = json.loads(lines[0])
		with open(sys.argv[1], "w") as log:
		    log.write(lines[0] + "\n")
		    for i in range(100000):
		        log.write(json.dumps({"v": 1, "time": first["time"], "session": first["session"], "event": "used", "project": first["project"],
		                              "what": "read", "subject": "/data/%d/%d/%d" % (i % 50, i % 1000, i), "known": "predicted"}) + "\n")
		    log.write(lines[-1] + "\n")
	EOF
	expect 0 report -o page.html
	shown "$P/page.html"
	[ "$(grep -o 'class="row' "$T/dom" | wc -l)" -lt 60 ] || complain 'too many rows'
	grep -q '100002 of 100002' "$T/dom" || complain 'not all'
}
