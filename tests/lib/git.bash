# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # what is set here is read by the tests; T and P are common's
# Functions for tests with the real git.

# Fixed dates, so that commits have the same id with and without cordon.
dates="export GIT_AUTHOR_DATE='2001-02-03T04:05:06Z' GIT_COMMITTER_DATE='2001-02-03T04:05:06Z'; set -ex"

begin()
{
	rm -rf .git
	cat >"$HOME/.gitconfig" <<-'END'
		[user]
			name = A B
			email = a@example.com
		[init]
			defaultBranch = main
		[protocol "file"]
			allow = always
		[gc]
			autoDetach = false
		[safe]
			directory = *
	END
	cp "$TREE/tests/git/git.py" "$T/git.py"
}

# Prints names, types, modes and contents of the tree, except files that depend on time.
picture()
{
	find . -not -path '*/objects/*' -not -name index -not -name ORIG_HEAD \
	    -printf '%p %y %m %l\n' | sort
	find . -type f -not -path '*/objects/*' -not -name index -not -name ORIG_HEAD -print0 |
	    sort -z | xargs -0 sha256sum
}

# same SCRIPT: runs it without cordon and under it, in the same directory, and compares the trees.
same()
{
	printf '%s\n' "$dates" "$1" >"$T/script"
	rm -rf "$P" && mkdir "$P" && cd "$P" || return 1
	sh "$T/script" >"$T/free" 2>&1 </dev/null || complain "fails without cordon: $(tail -20 "$T/free")" || return 1
	picture >"$T/picture-free"
	rm -rf "$T/left" && mv "$P" "$T/left" && mkdir "$P" && cd "$P" || return 1
	CORDON_TIMEOUT=300 expect 0 run --read "$T/script" -- sh "$T/script" || return 1
	picture >"$T/picture-boxed"
	diff "$T/picture-free" "$T/picture-boxed" >"$T/diff" || complain "$(cat "$T/diff")"
}

# repositories: creates one of each kind. Sets dirs to their git directories.
repositories()
{
	{
		git init . && echo a >a && git add a && git commit -m a
		git init nested && git init --bare bare.git && git init --bare odd
		git worktree add tree
		git config extensions.worktreeConfig true
		git push "$P/bare.git" main
		git submodule add "$P/bare.git" sub && git commit -m sub
	} >"$T/made" 2>&1 || complain "$(cat "$T/made")" || return 1
	dirs=".git nested/.git bare.git odd .git/worktrees/tree .git/modules/sub"
}

# attack KIND DIRECTORY...: runs all attempts under cordon; none succeeds.
attack()
{
	CORDON_TIMEOUT=300 expect 0 run --read "$T/git.py" -- "$PYTHON" "$T/git.py" "$@" || return 1
	[ "$out" = tried ] || complain 'an attempt succeeded'
}

# passes KIND DIRECTORY...: runs the same attempts without cordon, in a copy; they succeed.
passes()
{
	rm -rf "$T/free-copy"
	cp -a "$P" "$T/free-copy"
	(cd "$T/free-copy" && "$PYTHON" "$T/git.py" "$@") >"$T/free" 2>&1 </dev/null ||
	    complain "$(cat "$T/free")"
}
