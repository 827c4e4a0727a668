#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A deny of execution inside a folder whose programs may be executed: the kernel refuses the denied
# program by each of its names, and all others run. The caller need not cooperate.
# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; out is common's

load ../lib/common

# A folder of real programs outside the project; each says its name.
begin()
{
	local name

	tools=$T/tools
	mkdir -p "$tools/deep/er" "$tools/deep/other"
	for name in one two deep/three deep/er/four deep/er/five deep/other/six; do
		cp /bin/echo "$tools/$name"
	done
	ln "$tools/two" "$tools/again"
	ln -s two "$tools/link"
}

# rules PATH...: a policy that lets the folder be run and denies running these
rules()
{
	local path text=''

	for path in "$@"; do
		text="$text, {\"effect\": \"deny\", \"rights\": \"x\", \"path\": \"$tools/$path\"}"
	done
	printf '{"files": {"execute": ["%s"], "rules": [%s]}}' "$tools" "${text#, }"
}

# agrees OPTION...: each program runs exactly if `why` says so
agrees()
{
	local name

	for name in one two again link deep/three deep/er/four deep/er/five deep/other/six; do
		status=0
		"$CORDON" why -q "$@" execute "$tools/$name" >"$T/why" || status=$?
		[ "$status" -le 1 ] || return 1
		if [ "$status" -eq 0 ] && [ "$name" != "${skip:-}" ]; then
			expect 0 run "$@" -- "$tools/$name" "$name"
			[ "$out" = "$name" ] || complain "$name" || return 1
		else
			[ "$("$tools/$name" x)" = x ] || return 1
			expect 1 run "$@" -- sh -c '"$1" x 2>/dev/null || exit 1' sh "$tools/$name" || return 1
		fi
	done
}

@test "a denied program does not start, its neighbours do" {
	begin
	expect 0 plan --policy-json "$(rules deep/er/four)"
	said 'Landlock, entry by entry'
	agrees --policy-json "$(rules deep/er/four)"
	agrees --policy-json "$(rules deep/er one)"
	agrees --policy-json "$(rules deep/er deep)"
	agrees --policy-json "$(rules not/there deep/nor-this)"
	# a second name of a denied file is that file
	skip=again agrees --policy-json "$(rules two)"
	# and a grant inside the denied
	agrees --policy-json "$(rules deep)" --execute "$tools/deep/er/five"
}

@test "an unreadable program in a system folder does not start" {
	expect 0 run --deny /usr/bin/od -- sh -c 'od -c </dev/null || echo no; env true && ls /usr >/dev/null && echo yes' 2>/dev/null
	[ "$out" = "$(printf 'no\nyes')" ] || complain 'od'
	expect 0 run -- od -c /dev/null
}

@test "links, renames, scripts and fds do not start a denied program" {
	begin
	cat >ways.py <<-'END'
		import ctypes, os, subprocess, sys
		denied = sys.argv[1]
		libc = ctypes.CDLL(None, use_errno=True)
		def at(fd, name, flags):
		    arguments = (ctypes.c_char_p * 3)(b"x", b"through", None)
		    libc.execveat(fd, name, arguments, (ctypes.c_char_p * 1)(None), flags)
		def linked():
		    os.link(denied, "second"); os.execv("second", ["x", "through"])
		def moved():
		    os.rename(denied, "moved"); os.execv("moved", ["x", "through"])
		def symlinked():
		    os.symlink(denied, "s"); os.execv("s", ["x", "through"])
		def script():
		    open("script", "w").write(f"#!{denied} through\n"); os.chmod("script", 0o755); os.execv("script", ["script"])
		ways = [lambda: os.execv(denied, ["x", "through"]),
		        lambda: os.execv("/proc/self/root" + denied, ["x", "through"]),
		        lambda: at(os.open(denied, os.O_PATH), b"", 0x1000),
		        lambda: at(os.open(denied, os.O_RDONLY), b"", 0x1000),
		        lambda: at(os.open(os.path.dirname(denied), os.O_PATH), os.path.basename(denied).encode(), 0),
		        lambda: os.execv(f"/proc/self/fd/{os.open(denied, os.O_RDONLY)}", ["x", "through"]),
		        symlinked, script, linked, moved]
		for i, way in enumerate(ways if len(sys.argv) < 3 else ways[:-2]):
		    for name in ("s", "script", "second"):
		        if os.path.lexists(name):
		            os.unlink(name)
		    child = os.fork()
		    if child == 0:
		        try:
		            way()
		        except OSError:
		            pass
		        os._exit(77)
		    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
		    print(i, "refused" if status == 77 else "ran")
	END
	[ "$("$PYTHON" ways.py "$tools/deep/er/four" free | grep -c ran)" -eq 8 ]
	expect 0 run --policy-json "$(rules deep/er/four)" -- "$PYTHON" ways.py "$tools/deep/er/four"
	[ "$(grep -c refused "$T/out")" -eq 10 ] || complain 'one went through'
}

@test "a hard link to a denied program does not start" {
	begin
	mkdir "$T/other"
	cat >second.py <<-'END'
		import ctypes, os, subprocess, sys
		denied, honest, *folders = sys.argv[1:]
		libc = ctypes.CDLL(None, use_errno=True)
		def call(old_fd, old, new, flags):
		    if libc.linkat(old_fd, old.encode(), -100, new.encode(), flags) < 0:
		        raise OSError(ctypes.get_errno(), "linkat")
		ways = {"link": lambda old, new: os.link(old, new),
		        "follow": lambda old, new: (os.symlink(old, new + ".s"), call(-100, new + ".s", new, 0x400)),
		        "folder": lambda old, new: call(os.open(os.path.dirname(old), os.O_PATH), os.path.basename(old), new, 0),
		        "number": lambda old, new: call(-100, f"/proc/self/fd/{os.open(old, os.O_RDONLY)}", new, 0x400),
		        "path": lambda old, new: call(-100, f"/proc/self/fd/{os.open(old, os.O_PATH)}", new, 0x400),
		        "moved": lambda old, new: (os.link(old, new + ".a"), os.rename(new + ".a", new))}
		for name, way in ways.items():
		    for folder in folders + [os.environ["TMPDIR"]]:
		        for old in (denied, honest):
		            new = f"{folder}/{name}-{os.path.basename(old)}"
		            try:
		                way(old, new)
		                ran = subprocess.run([new, "x"], stdout=subprocess.DEVNULL).returncode == 0
		            except OSError:
		                ran = False
		            if ran:
		                print("ran", "denied" if old == denied else "honest")
	END
	mkdir "$T/free"
	TMPDIR="$T/free" "$PYTHON" second.py "$tools/one" "$tools/two" . "$T/other" >"$T/ran"
	[ "$(grep -c denied "$T/ran")" -eq 18 ] || complain "$(cat "$T/ran")"
	rm -rf "$T/other" ./*-one ./*-two ./*.s
	mkdir "$T/other"
	expect 0 run --write "$T/other" --execute "$T/other" --policy-json "$(rules one)" -- \
	    "$PYTHON" second.py "$tools/one" "$tools/two" . "$T/other"
	! grep -q denied "$T/out" || complain 'a second name ran'
	[ "$("$tools/one" x)" = x ]
}

@test "a nested session does not start a denied program either" {
	begin
	expect 0 run --read "${CORDON%/*}" --execute "${CORDON%/*}" --execute "$tools" -- "$CORDON" run -q \
	    --policy-json "$(rules one)" -- sh -c '"$1/two" yes; "$1/one" no 2>/dev/null || echo refused' sh "$tools"
	[ "$out" = "$(printf 'yes\nrefused')" ] || complain 'inside'
}

@test "a deny of execution in a writable folder is refused by name" {
	begin
	expect 125 run --write "$tools" --policy-json "$(rules one)" -- touch "$P/ran"
	heard 'cannot enforce files.execute' "$tools/one is denied"
	expect 125 run --policy-json '{"files": {"rules": [{"effect": "deny", "rights": "x", "path": "**/four", "match": "glob"}]}}' \
	    --execute "$tools" -- touch "$P/ran"
	heard 'cannot enforce files.execute'
	[ ! -e "$P/ran" ]
}

@test "a denied program in a folder with create rights is refused by name, and why agrees" {
	cp /bin/echo tool
	printf '#!/bin/sh\necho script\n' >script
	printf 'TOKEN=x\n' >.env
	chmod 755 script .env
	for rule in "$P/tool" '**/tool' "$P/t*"; do
		expect 125 run --policy-json "{\"files\": {\"deny\": [\"$rule\"]}}" -- touch "$P/ran" || return 1
		[ ! -e ran ] || return 1
	done
	# reading alone: a user who runs it can read it from the process's memory
	expect 125 run --policy-json "{\"files\": {\"rules\": [{\"effect\": \"deny\", \"rights\": \"r\", \"path\": \"$P/tool\"}]}}" -- true
	heard "$P/tool is denied" '--accept files.execute'
	expect 0 run --accept files.execute --deny tool -- sh -c "./tool ran"
	[ "$out" = ran ] || complain 'accepted'
	expect 0 why --accept files.execute --deny tool execute tool
	said 'Landlock grants execution to whole folders'
	expect 1 plan --deny tool
	said 'gap        files.execute'
	# what execve does not take is no program: nothing is refused for it, and nothing of it runs
	chmod 644 tool
	for rule in tool script .env none; do
		expect 0 run --deny "$rule" -- sh -c 'cp /bin/echo made && ./made made; ! ./"$1" 2>/dev/null && ! chmod 755 "$1" 2>/dev/null' sh "$rule" || return 1
		denied --deny "$rule" execute "$rule" || return 1
	done
	expect 0 run --policy-json '{"files": {"deny": ["**/tool", "**/script", "**/.env"]}}' -- \
	    sh -c 'cp /bin/echo made && ./made made; ! ./tool 2>/dev/null && ! ./script 2>/dev/null'
	denied --policy-json '{"files": {"deny": ["**/script"]}}' execute script
	allowed --policy-json '{"files": {"deny": ["**/script"]}}' execute tool
}

@test "a denied folder is searched for programs, and an unreadable subfolder counts as one" {
	mkdir -p kept/deep/er
	echo text >kept/deep/er/file
	chmod 755 kept/deep/er/file
	expect 0 run --deny kept -- true
	cp /bin/echo kept/deep/er/tool
	expect 125 run --deny kept -- true
	heard "$P/kept/deep/er/tool is denied"
	rm kept/deep/er/tool
	[ "$(id -u)" -eq 0 ] || {
		chmod 0 kept/deep/er
		expect 125 run --deny kept -- true
		chmod 755 kept/deep/er
	}
}

@test "a pattern grants execution to the files that exist at the start" {
	mkdir -p "$HOME/versions/v1/bin" "$HOME/versions/v2/bin" "$HOME/versions/v2/lib"
	for name in v1/bin/one v2/bin/two v2/lib/three; do
		cp /bin/echo "$HOME/versions/$name"
	done
	set -- --policy-json '{"files": {"execute": ["~/versions/*/bin"]}}'
	for name in v1/bin/one v2/bin/two; do
		allowed "$@" execute "$HOME/versions/$name" || return 1
		expect 0 run "$@" -- "$HOME/versions/$name" ran || return 1
		[ "$out" = ran ] || complain "$name" || return 1
	done
	denied "$@" execute "$HOME/versions/v2/lib/three"
	expect 1 run "$@" -- sh -c '"$HOME"/versions/v2/lib/three ran || exit 1'
	# a glob that could match anywhere grants nothing, and why says so
	denied --policy-json '{"files": {"execute": ["**/three"]}}' execute "$HOME/versions/v2/lib/three"
	expect 126 run --policy-json '{"files": {"execute": ["**/three"]}}' -- "$HOME/versions/v2/lib/three" ran
}

@test "execute without read grants nothing, and why says so" {
	mkdir "$HOME/tools"
	cp /bin/echo "$HOME/tools/one"
	set -- --policy-json '{"files": {"rules": [{"effect": "allow", "rights": "x", "path": "~/tools"}]}}'
	denied "$@" execute "$HOME/tools/one"
	said 'what may not be read cannot be executed'
	expect 126 run "$@" -- "$HOME/tools/one" ran
}
