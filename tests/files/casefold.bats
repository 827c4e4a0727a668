#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2034 # $ is for the shell inside; err is read by complain
# Folders in which a file has several names, such as file systems of Windows and macOS and casefold
# folders on Linux. A protected or denied file is protected or denied by each of these names.

load ../lib/common

# in_folding KIND SCRIPT: in a project of that kind, mounted for the script alone; python is $0, for
# the tries.
in_folding()
{
	mkdir -p "$T/disk"
	timeout 120 unshare -m bash -c "set -e
		\"\$0\" \"\$TREE/tests/files/foldfs.py\" \"\$T/disk\" $1 3>&- &
		server=\$!
		trap 'cd /; umount -l \"\$T/disk\"; kill \$server 2>/dev/null; wait' EXIT
		left=600
		until grep -q foldfs /proc/self/mounts; do
			left=\$((left - 1)) && [ \$left -gt 0 ]
			sleep 0.05
		done
		cd \"\$T/disk\"
		\"\$0\" \"\$TREE/tests/files/spellings.py\" make
		cp \"\$TREE/tests/files/spellings.py\" .
		$2" "$PYTHON" >"$T/out" 2>"$T/err" || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
}

can_mount()
{
	[ "$(id -u)" -eq 0 ] && [ -w /dev/fuse ] && unshare -m true 2>/dev/null
}

# every_way KIND COUNT: all of them go through free, and none confined.
every_way()
{
	export TREE T
	in_folding "$1" "\"\$0\" spellings.py try $1"
	[ "$(grep -c ^through: "$T/out")" -eq "$2" ] || complain 'not all are the same file'
	in_folding "$1" "\"\$CORDON\" run --deny '**/.env' --deny kept -- \"\$0\" spellings.py try $1"
	[ "$out" = "tried: $2" ] || complain 'some went through'
}

@test "on a casefolding file system no other spelling of a denied name can be read, created or changed" {
	can_mount || skip 'needs to mount'
	every_way letters 19
}

@test "names with trailing dots and 8.3 names are refused as well" {
	can_mount || skip 'needs to mount'
	every_way short 20
}

@test "names on an empty casefolding file system are protected before the first one exists" {
	can_mount || skip 'needs to mount'
	export TREE T
	empty='rm -r * .git .env .vscode; echo x >1; '
	in_folding letters "$empty"'mkdir .vſcode; ls -d .vscode'
	said .vscode
	in_folding letters "$empty"'"$CORDON" run -- sh -c "mkdir .vſcode; echo x >2; ls -A"'
	[ "$out" = "$(printf '1\n2')" ] || complain 'made, or more than that was refused'
}

@test "why agrees with the kernel about other spellings" {
	can_mount || skip 'needs to mount'
	export TREE T
	asks='for name in .env .ENV .eNv KEPT/FILE .vſcode/x .Git/Hooks/x other.X GIT~1; do
		for what in read create; do
			"$CORDON" why --deny "**/.env" --deny kept "$what" "$name" >/dev/null && echo "$what $name" || [ $? -eq 1 ]
		done; done'
	in_folding letters "$asks"
	[ "$out" = "$(printf '%s\n' 'read .vſcode/x' 'read .Git/Hooks/x' 'read other.X' 'create other.X' 'read GIT~1' 'create GIT~1')" ] ||
	    complain 'where letters are one'
	in_folding short "$asks"
	[ "$out" = "$(printf '%s\n' 'read .vſcode/x' 'read .Git/Hooks/x' 'read other.X' 'create other.X')" ] ||
	    complain 'where names are short'
	# where each is a name of its own
	mkdir kept
	echo x | tee .env kept/file >/dev/null
	allowed --deny '**/.env' create .ENV
	allowed --deny kept read KEPT/FILE
	denied --deny '**/.env' read .env
}

@test "a file system without link counts: a linked file is not taken for an unlinked one" {
	can_mount || skip 'needs to mount'
	export TREE T P by
	way='cd "$P"; $by chmod 604 "$T/disk/kept/file" || :; stat -c %h:%a "$T/disk/kept/file"'
	by='' in_folding uncounted "$way"
	[ "$out" = 0:604 ] || complain free
	by="$CORDON run --" in_folding uncounted "$way"
	[ "$out" = 0:644 ] || complain confined
}
