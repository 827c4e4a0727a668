#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Each right by itself: it allows its calls and no others. And patterns, for any name. The same
# attempts are made without cordon, where all of them work. `why` is not used here.

# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; T, out and err are common's

load ../lib/common

# Each attempt in a shell of its own, in a folder that is as new: prints the names of those that worked.
begin()
{
	mkdir "$T/own"
	cat >attempts <<-'END'
		attempt()
		{
			if (eval "$2") >/dev/null 2>&1; then echo "$1: worked"; else echo "$1: refused"; fi
		}
		cd "$1" || exit 9
		attempt list 'ls .'
		attempt read 'cat there'
		attempt write 'echo more >>there'
		attempt overwrite 'dd if=/dev/null of=there conv=notrunc'
		attempt cut ': >there'
		attempt mode 'chmod 640 there'
		attempt times 'touch -c -d @1000 there'
		attempt make 'exec 3>new && echo one >&3 && echo two >&3'
		attempt remake 'echo three >>new'
		attempt mkdir 'mkdir folder'
		attempt link 'ln there second'
		attempt symlink 'ln -s there pointer'
		attempt pipe 'mkfifo pipe'
		attempt deep 'echo x >deep/made'
		attempt move 'mv other moved'
		attempt save 'sed -i s/a/b/ there'
		attempt remove 'rm going'
		attempt rmdir 'rmdir empty'
	END
}

furnish()
{
	rm -rf "$T/own"
	mkdir -p "$T/own/deep" "$T/own/empty"
	echo a >"$T/own/there"
	echo a >"$T/own/other"
	echo a >"$T/own/going"
}

# grant RIGHTS MATCH: leaves the policy for it.
grant()
{
	given='{"files": {"rules": [{"effect": "allow", "rights": "'$1'", "path": "'$T/own'", "match": "'$2'"}]}}'
}

# only NAME...: with the policy exactly these attempts work, where free all of them do.
only()
{
	furnish
	sh attempts "$T/own" >"$T/free"
	! grep -v ': worked$' "$T/free" || complain 'not all of it works free' || return 1
	furnish
	expect 0 run --policy-json "$given" -- sh attempts "$T/own"
	sed -n 's/: worked$//p' "$T/out" | sort >"$T/worked"
	printf '%s\n' "$@" | sort | diff - "$T/worked" || complain 'not exactly these'
}

@test "create without write: a new file is written only through the fd that created it" {
	begin
	grant rc subpath
	only list read make mkdir link symlink pipe deep
	[ "$(cat "$T/own/new")" = "one
two" ] || complain 'what was made'
}

@test "delete alone removes names and changes nothing else" {
	begin
	grant rd subpath
	only list read remove rmdir
	[ ! -e "$T/own/going" ] && [ "$(cat "$T/own/there")" = a ]
}

@test "write alone changes files in place, and the refusal of an editor that saves by rename is reported" {
	begin
	grant rw subpath
	only list read write overwrite cut mode times
	furnish
	expect 4 run --policy-json "$given" -- sh -c 'sed -i s/a/b/ "$0/there" || exit 4' "$T/own"
	heard 'cordon: refused: create' "$T/own"
	grep -q "allow it with --write $T/own\$" "$T/err" || complain 'the folder was to be named'
	[ "$(cat "$T/own/there")" = a ] && [ "$(find "$T/own" -type f | wc -l)" -eq 3 ]
	# the option it names is the remedy
	expect 0 run --policy-json "$given" --write "$T/own" -- sed -i s/a/b/ "$T/own/there"
	[ "$(cat "$T/own/there")" = b ]
}

@test "all rights together allow every change" {
	begin
	grant rwcd subpath
	only list read write overwrite cut mode times make remake mkdir link symlink pipe deep move save remove rmdir
}

@test "a file without read or write rights cannot be moved to where there are such rights" {
	mkdir kept away
	for name in secret .env sub/.env kept/fixed; do
		mkdir -p "$(dirname "$name")" && echo SECRET >"$name"
	done
	ln kept/fixed away/second
	cat >moves.py <<-'END'
		import ctypes, sys
		libc = ctypes.CDLL(None)
		order = (2, 0) if sys.argv[1] == "exchange" else (0, 2)  # RENAME_EXCHANGE is 2
		def move(name):
		    to = name.replace("/", "-") + "-moved"
		    open(to, "w").close()
		    for flags in order:
		        if libc.renameat2(-100, name.encode(), -100, to.encode(), flags) == 0:
		            break
		    try:
		        with open(to, "r+") as file:
		            print(name, file.read().strip() or "empty")
		            file.write("changed")
		    except OSError as why:
		        print(name, why.errno)
		for name in ("secret", ".env", "sub/.env", "kept/fixed"):
		    move(name)
	END
	for order in exchange plain; do
		rm -rf "$T/free" && cp -r . "$T/free"
		(cd "$T/free" && "$PYTHON" moves.py "$order") >"$T/out"
		[ "$(grep -c SECRET "$T/out")" -eq 4 ] || complain 'free, it works'
		expect 0 run --policy-json '{"files": {"rules": [
	    {"effect": "deny", "rights": "r", "path": "$PROJECT/secret"},
	    {"effect": "deny", "rights": "r", "path": "**/.env", "match": "glob"},
	    {"effect": "deny", "rights": "w", "path": "$PROJECT/kept"},
	    {"effect": "deny", "rights": "wcd", "path": "$PROJECT/away"}]}}' -- "$PYTHON" moves.py "$order"
		unsaid SECRET
		[ "$(cat away/second)" = SECRET ]
	done
}

@test "a granted file can be written, its name neither created nor removed, and why agrees" {
	begin
	furnish
	given='{"files": {"rules": [{"effect": "allow", "rights": "rwcd", "path": "'$T/own/there'"},
	    {"effect": "allow", "rights": "rwcd", "path": "'$T/own/missing'", "optional": true}]}}'
	allowed write "$T/own/there" --policy-json "$given"
	for name in there missing; do
		denied create "$T/own/$name" --policy-json "$given"
		denied delete "$T/own/$name" --policy-json "$given"
	done
	denied read "$T/own/missing" --policy-json "$given"
	expect 4 run --policy-json "$given" -- sh -c 'cd "$1" && echo b >there && ! rm there && ! sed -i s/b/c/ there && ! touch missing && exit 4' \
	    sh "$T/own"
	heard "refused: delete $T/own/there " "refused: create $T/own"
	[ "$(cat "$T/own/there")" = b ] && [ ! -e "$T/own/missing" ]
}

@test "literal matches the folder, child its entries, and neither anything deeper" {
	begin
	furnish
	echo x >"$T/own/deep/f"
	for match in literal child; do
		grant r "$match"
		sh -c 'ls "$0" && cat "$0/there" "$0/deep/f"' "$T/own" >/dev/null
		expect 0 run --policy-json "$given" -- sh -c 'for what in "ls $0" "ls $0/deep" "cat $0/there" "cat $0/deep/f"; do
		    if $what >/dev/null 2>&1; then echo "${what%% *} ${what##*/}"; fi; done' "$T/own"
		case $match in
		literal) [ "$out" = 'ls own' ] || complain 'only the folder itself' ;;
		child) [ "$out" = 'ls deep
cat there' ] || complain 'only what lies in it' ;;
		esac
	done
	grant rwcd child
	only read write overwrite cut mode times make remake mkdir link symlink pipe move save remove rmdir
	[ ! -e "$T/own/deep/made" ]
}

@test "patterns apply to unusual names, existing or created later" {
	cat >odd.py <<-'END'
		import os, sys
		folders = [b"a\nb", b" ", b"-rf", b"\xff\xfe", b"*", b"[x]", b"\\", b"~", b"%2e", b"'\"$(id)", b"n" * 250, "\u202e\u00e9".encode()]
		names = [b".env", b"k.pem", b".pem", b"\n.pem", b"\xff.pem", b"*.pem", b" .pem", b"n" * 240 + b".pem"]
		paths = [folder + b"/" + name for folder in folders for name in names]
		def works(path, flags):
		    try:
		        os.close(os.open(path, flags, 0o600))
		        return 1
		    except PermissionError:
		        return 0
		for folder in folders:
		    os.makedirs(folder, exist_ok=True)
		if sys.argv[1] == "make":
		    print(sum(works(p, os.O_CREAT | os.O_WRONLY) for p in paths))
		else:
		    print(sum(works(p, os.O_RDONLY) for p in paths), sum(works(p + b"x", os.O_CREAT | os.O_RDWR) for p in paths))
	END
	expect 0 run --deny '**/.env' --deny '**/*.pem' -- "$PYTHON" odd.py make
	[ "$out" = 0 ] || complain 'some were made'
	[ "$("$PYTHON" odd.py make)" = 96 ]
	[ "$("$PYTHON" odd.py read)" = '96 96' ]
	expect 0 run --deny '**/.env' --deny '**/*.pem' -- "$PYTHON" odd.py read
	[ "$out" = '0 96' ] || complain 'all of these and none of those'
}

# A policy in a subfolder applies to sessions in it, so neither it nor the folders above it can be moved.
@test "a folder with a policy in it cannot be moved, so no policy is lost" {
	local way
	local swap='import ctypes, sys; sys.exit(ctypes.CDLL(None).renameat2(-100, b"sub", -100, b"swap", 2) != 0)'

	for way in 'mv sub other' 'mv sub/deep other' 'mv -T sub empty' "$PYTHON -c '$swap'"; do
		for how in free boxed; do
			rm -rf sub other empty swap && mkdir -p sub/deep empty swap
			echo '{"files": {"deny": ["**/.env"]}}' >sub/deep/.cordon.json
			if [ "$how" = free ]; then
				sh -c "$way" && [ ! -e sub/deep/.cordon.json ] || complain "not free: $way" || return 1
			else
				expect 9 run -- sh -c "{ $way; } 2>/dev/null || exit 9" || return 1
				[ -e sub/deep/.cordon.json ] || return 1
			fi
		done
	done
	expect 0 run -- sh -c 'mkdir plain && mv plain plainer && mv swap swapped'
}

@test "no protected name can be created in the project, during the session or by leftovers" {
	mkdir -p sub/deep
	echo x >sub/deep/file
	find . "$P" -printf '%p %i %n %m %s %T@ %C@\n' | sort >"$T/before"
	for options in '' "--deny **/.env" '--protect absent --protect sub/none/deeper --deny none'; do
		# shellcheck disable=SC2086 # several words
		expect 0 run $options -- sh -c 'find . "$0" -printf "%p %i %n %m %s %T@ %C@\n" | sort' "$P"
		diff "$T/before" "$T/out" || complain "meanwhile, with $options"
		find . "$P" -printf '%p %i %n %m %s %T@ %C@\n' | sort | diff "$T/before" - || complain "afterwards, with $options"
	done
}
