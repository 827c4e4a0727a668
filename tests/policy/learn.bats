#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon learn: the policy that a command needs, of real projects, without what is secret.
# shellcheck disable=SC2016,SC2034,SC2154 # what is quoted is for the shell inside; err is common's

load ../lib/common

# learns COMMAND: the build passes free, and under what is learned in a copy; a canary stays secret.
learns()
{
	mkdir -p "$HOME/.aws" "$T/free"
	echo CANARY >"$HOME/.aws/credentials"
	cp -a . "$T/free"
	(cd "$T/free" && sh -ec "$1") >"$T/log" 2>&1 </dev/null || complain "fails without cordon: $(cat "$T/log")" || return 1
	cp -a . "$T/again"
	expect 0 learn --open -o "$T/learned.json" -- sh -ec "cat ~/.aws/credentials >leak || :; $1" || return 1
	[ ! -e leak ] || complain 'it ran in the project itself' || return 1
	[ "$(wc -l <"$T/learned.json")" -le 25 ] || complain "$(cat "$T/learned.json")" || return 1
	! grep -q '"[^"]*\.aws' "$T/learned.json" || complain 'it grants the canary' || return 1
	expect 0 check "$T/learned.json" || return 1
	cd "$T/again" || return 1
	expect 0 run -p "$T/learned.json" -- sh -ec "$1" || complain "$(cat "$T/learned.json")" || return 1
	expect 1 run -p "$T/learned.json" -- cat "$HOME/.aws/credentials" || return 1
	[[ $out != *CANARY* ]] || complain 'the canary can be read'
}

@test "C with make: headers of a kit in the home" {
	mkdir -p "$HOME/kit/include"
	for i in 1 2 3; do echo "#define K$i $i" >"$HOME/kit/include/k$i.h"; done
	printf '#include <k1.h>\n#include <k2.h>\n#include <k3.h>\n#include <stdio.h>\nint main(void) { printf("%%d\\n", K1 + K2 + K3); return 0; }\n' >main.c
	printf 'all: main\n\ttest "$$(./main)" = 6\nmain: main.c\n\t$(CC) -I$(HOME)/kit/include -o main main.c\n' >Makefile
	expect 2 run -- make
	learns make
	grep -q '"~/kit/include"' "$T/learned.json" || complain "$(cat "$T/learned.json")"
}

@test "node with npm: the cache is the profile" {
	command -v npm >/dev/null || skip 'no npm'
	export npm_config_offline=true npm_config_update_notifier=false npm_config_audit=false npm_config_fund=false
	mkdir dep
	echo '{"name": "dep", "version": "1.0.0", "main": "dep.js"}' >dep/package.json
	echo 'module.exports = 42' >dep/dep.js
	(cd "$T" && npm pack --silent "$P/dep" >/dev/null)
	mkdir -p "$HOME/packages"
	mv "$T/dep-1.0.0.tgz" "$HOME/packages/"
	printf '{"name": "p", "version": "1.0.0", "dependencies": {"dep": "file:%s"}, "scripts": {"build": "node build.js"}}\n' "$HOME/packages/dep-1.0.0.tgz" >package.json
	echo 'require("fs").writeFileSync("made", String(require("dep")))' >build.js
	rm -rf dep
	rm -rf "$HOME/.npm"
	CORDON_TIMEOUT=300 learns 'npm install && npm run build && test "$(cat made)" = 42'
	grep -q '"node"' "$T/learned.json" || complain "$(cat "$T/learned.json")"
}

# The backend is in the tree, so nothing is fetched.
@test "python with pip: wheels in the home" {
	/usr/bin/python3 -m pip --version >/dev/null 2>&1 && /usr/bin/python3 -c 'import ensurepip' || skip 'no pip'
	mkdir -p "$HOME/wheels" "$HOME/.cache"
	printf '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n' >pyproject.toml
	cat >backend.py <<-'EOF'
		import zipfile
		def build_wheel(folder, *_):
		    name = "thing-1-py3-none-any.whl"
		    with zipfile.ZipFile(folder + "/" + name, "w") as z:
		        z.writestr("thing.py", "answer = 42\n")
		        z.writestr("thing-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: thing\nVersion: 1\n")
		        z.writestr("thing-1.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
		        z.writestr("thing-1.dist-info/RECORD", "")
		    return name
	EOF
	"$PYTHON" -c 'import backend; backend.build_wheel(".")'
	mv thing-1-py3-none-any.whl "$HOME/wheels"
	CORDON_TIMEOUT=300 learns '/usr/bin/python3 -m venv .venv && .venv/bin/pip install --no-index --find-links ~/wheels thing==1 && .venv/bin/pip install --no-index --no-deps --force-reinstall . && .venv/bin/python -c "import thing; assert thing.answer == 42"'
	grep -q '"~/wheels' "$T/learned.json" || complain "$(cat "$T/learned.json")"
}

@test "without a terminal nothing is confirmed; with one each is asked for; --diff has what the policy lacks" {
	echo x >"$HOME/kept"
	expect 1 learn -- cat "$HOME/kept"
	said '"extends": [' '// Left out: read' 'not confirmed'
	heard 'the policy is not complete'
	expect 0 learn --yes --diff -- cat "$HOME/kept"
	said '+ files.read "~/kept" // read '
	[ "$(grep -c '^+' "$T/out")" -eq 1 ]
	expect 0 learn --read "$HOME/kept" --diff -- cat "$HOME/kept"
	[ "$(cat "$T/out")" = x ] || complain 'nothing is lacking'
	# the answers come after the questions
	(sleep 2; printf 'n\n') | script -qec "\"$CORDON\" learn -- cat \"$HOME/kept\"" /dev/null >"$T/shown" || :
	grep -q "allow it with --read $HOME/kept" "$T/shown" && grep -q 'not confirmed' "$T/shown" || complain "$(cat "$T/shown")"
	(sleep 2; printf 'y\n') | script -qec "\"$CORDON\" learn -- cat \"$HOME/kept\"" /dev/null >"$T/shown" || :
	grep -q '"~/kept"' "$T/shown" || complain "$(cat "$T/shown")"
	touch there
	refused learn --yes -o there -- true
	expect 0 learn --yes --force -o there -- true
	grep -q extends there
}

@test "names that the command chose end no line and no text of the policy" {
	name='a"], "network": "all", "x": ["'
	mkdir "$HOME/d"
	echo x >"$HOME/d/$name"
	expect 0 learn --yes -o "$T/learned.json" -- sh -ec 'cat "$HOME/d/$1"' sh "$name"
	expect 0 check "$T/learned.json" || complain "$(cat "$T/learned.json")"
	expect 0 plan -p "$T/learned.json"
	said 'network   none'
	name=$(printf 'b\n}\n\033[2J')
	echo x >"$HOME/d/$name"
	expect 1 learn --yes --force -o "$T/learned.json" -- sh -ec 'cat "$HOME/d/$1"' sh "$name"
	expect 0 check "$T/learned.json" || complain "$(cat "$T/learned.json")"
	! grep -q "$escape" "$T/learned.json" || complain 'control characters'
}
