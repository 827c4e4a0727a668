#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Changed autorun files are listed when the run ends: in the log, on --status-fd, and in the summary
# if requested. They are found by the calls that changed them, never by a walk.
# shellcheck disable=SC2016 # what is quoted is for the shell inside

load ../lib/common

# changes [OPTION...] -- COMMAND...: runs it; leaves the events as "WHAT PATH" in $T/changes, sorted
changes()
{
	exec 5>"$T/status"
	expect "${want:-0}" run --status-fd 5 "$@" || return 1
	exec 5>&-
	"$PYTHON" - "$T/status" "$P/" >"$T/changes" <<-'END'
		import json, sys
		lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
		reported = [line for line in lines if line["event"] == "changed"]
		assert all(line["reason"] for line in reported)
		assert lines[-1]["event"] == "end" and lines[-1].get("changed", 0) >= len(reported), lines[-1]
		for text in sorted(line["what"] + " " + line["subject"].replace(sys.argv[2], "") for line in reported):
		    print(text)
	END
}

# reported LINE...: exactly these
reported()
{
	[ "$(cat "$T/changes")" = "$(printf '%s\n' "$@" | sort)" ] || complain "reported: $(cat "$T/changes")"
}

@test "every way to change an autorun file is reported" {
	mkdir sub old
	for name in Makefile GNUmakefile setup.py sub/package.json tox.ini build.rs meson.build Jenkinsfile; do
		echo "old" >"$name"
	done
	echo x >old/conftest.py
	cat >ways.py <<-'END'
		import ctypes, os
		open("Makefile", "a").write("x")                    # open for writing
		os.truncate("GNUmakefile", 1)                       # cut by its name
		open("new", "w").write("x"); os.rename("new", "setup.py")   # put in place
		os.link("sub/package.json", "second"); open("second", "w").write("x")   # by a second name
		os.unlink("tox.ini")
		libc = ctypes.CDLL(None, use_errno=True)
		try:                                                # a nameless file gets a name
		    fd = os.open(".", os.O_TMPFILE | os.O_WRONLY, 0o644)
		    assert libc.linkat(-100, f"/proc/self/fd/{fd}".encode(), -100, b"Rakefile", 0x400) == 0, ctypes.get_errno()
		except OSError:                                     # not every file system has them
		    os.mknod("Rakefile")
		os.mkdir(".github"); os.mkdir(".github/workflows"); open(".github/workflows/a.yml", "w").write("x")
		os.symlink("sub", ".husky")
		os.rename("old", "young")                           # a folder takes its files along
		fd = os.open("build.rs", os.O_RDONLY)
		open(f"/proc/self/fd/{fd}", "w").write("x")         # by a descriptor's name
		open("other", "w").write("x")
		assert libc.renameat2(-100, b"other", -100, b"meson.build", 2) == 0, ctypes.get_errno()
		os.chdir("sub"); open("../DOCKERFILE.dev", "w").write("x")  # any case, any path
		keep = open("../late", "w"); os.rename("../late", "../Jenkinsfile"); keep.write("x"); keep.close()
	END
	changes -- "$PYTHON" ways.py
	reported 'changed Makefile' 'changed GNUmakefile' 'changed setup.py' 'changed sub/package.json' \
	    'removed tox.ini' 'added Rakefile' 'added .github/workflows/a.yml' 'added .husky' \
	    'removed old/conftest.py' 'added young/conftest.py' 'changed build.rs' 'changed meson.build' \
	    'added DOCKERFILE.dev' 'changed Jenkinsfile'
	grep -rq '"event": "changed"' "$XDG_STATE_HOME/cordon/audit"
}

@test "autorun files that were only read, tried or restored are not reported, nor are other files" {
	echo x >Makefile
	echo x >setup.py
	mkdir kept
	echo x >kept/build.rs
	changes --protect kept -- sh -c 'cat Makefile; echo x >plain.txt; echo x >Makefiles; mkdir .github
		: >>setup.py
		echo x >conftest.py; rm conftest.py; mv nothing Rakefile; rm kept/build.rs; echo x >kept/build.rs
		echo x >"$TMPDIR/Makefile"; mv "$TMPDIR/Makefile" "$TMPDIR/setup.py"; :' 2>/dev/null
	[ ! -s "$T/changes" ] || complain "reported: $(cat "$T/changes")"
}

@test "--summary and -v print the changes, otherwise nothing is printed" {
	many='i=0; while [ $i -lt 7 ]; do echo $i >"$i.mk"; i=$((i + 1)); done'
	expect 0 run --summary -- sh -c 'echo x >Makefile'
	one_notice "cordon: runs later: added $P/Makefile: make runs it"
	expect 0 run -v -- sh -c 'echo x >>Makefile'
	heard "cordon: runs later: changed $P/Makefile: make runs it"
	expect 0 run -- sh -c 'echo x >>Makefile; echo x >setup.py'
	silent
	expect 3 run --summary -- sh -c "echo x >>Makefile; $many; exit 3"
	[ "$(wc -l <"$T/err")" -eq 6 ] || complain 'six lines were expected'
	heard 'cordon: runs later: and 3 more'
	expect 0 run --summary -- sh -c 'cat Makefile >/dev/null'
	silent
}

@test "many changed autorun files are all reported, shallow paths first" {
	echo x >Makefile
	changes --summary -- sh -c 'mkdir -p node_modules/a && cd node_modules/a || exit 1
		i=0; while [ $i -lt 300 ]; do echo x >"$i.mk"; i=$((i + 1)); done
		cd ../..; i=0; while [ $i -lt 100 ]; do echo x >"$i.mk"; i=$((i + 1)); done; echo x >>Makefile'
	grep -qx 'changed Makefile' "$T/changes" || complain "$(cat "$T/changes")"
	[ "$(wc -l <"$T/changes")" -eq 401 ] || complain "$(wc -l "$T/changes")"
	[ "$(head -n 1 "$T/err")" = "cordon: runs later: changed $P/Makefile: make runs it" ] || complain 'not the first'
	heard 'runs later: and 396 more'
}

@test "a flood of created and removed names hides no change" {
	mkdir -p far/down there
	cat >flood.py <<-'END'
		import os
		for i in range(3000):
		    os.close(os.open(f"{i}.mk", os.O_WRONLY | os.O_CREAT))
		    os.rename(f"{i}.mk", f"there/{i}.mk")
		    os.unlink(f"there/{i}.mk")
		open("far/down/conftest.py", "w").write("x")
	END
	changes --summary -- "$PYTHON" flood.py
	reported 'added far/down/conftest.py'
	one_notice "added $P/far/down/conftest.py"
}

@test "a flood of files that stay is counted, and shallow paths are still named" {
	echo x >Makefile
	cat >flood.py <<-'END'
		import os
		os.mkdir("deep")
		for i in range(4500):
		    os.close(os.open(f"deep/{i}.mk", os.O_WRONLY | os.O_CREAT))
		open("Makefile", "a").write("x")
	END
	changes --summary -- "$PYTHON" flood.py
	[ "$(wc -l <"$T/changes")" -eq 1000 ] || complain "$(wc -l "$T/changes")"
	[ "$(head -n 1 "$T/err")" = "cordon: runs later: changed $P/Makefile: make runs it" ] || complain 'not the first'
	# of those without a place two of one hash count once
	more=$(sed -n 's/.*and \([0-9]*\) more/\1/p' "$T/err")
	[ "$more" -ge 4400 ] && [ "$more" -le 4496 ] || complain "$more more"
}

@test "a file name with control characters is printed escaped" {
	expect 0 run --summary -- sh -c 'echo x >"$(printf "a\033[2Jb\nc.mk")"'
	one_notice 'a\x1b[2Jb\x0ac.mk'
	mkdir kept
	expect 1 run --protect kept -- sh -c 'echo x >"$(printf "kept/a\033[2Jb\nc")" || exit 1' 2>/dev/null
	grep -q '^cordon: refused: create .*kept/a\\x1b\[2Jb\\x0ac' "$T/err" || complain 'not shown'
	[ "$(grep '^cordon' "$T/err" | grep -c "$(printf '\033')")" -eq 0 ]
}

@test "the outer session reports the autorun files that a nest changed" {
	echo x >Makefile
	changes --read "${CORDON%/*}" --execute "${CORDON%/*}" -- "$CORDON" run -q -- sh -c 'echo x >>Makefile'
	reported 'changed Makefile'
}
