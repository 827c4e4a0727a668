# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Checks the source text. Read by ./dev.

shell_scripts()
{
	find . \( -path './build*' -o -path ./.git \) -prune -o -type f -exec awk '
	FNR == 1 && /^#!.*(sh|bats)([ \t]|$)/ { print FILENAME }' {} +
}

# bats runs each test in a subshell, which shellcheck reports as a mistake.
lint_shell()
{
	shell_scripts | grep -v '\.bats$' | xargs shellcheck -x
	if shell_scripts | grep -q '\.bats$'; then
		shell_scripts | grep '\.bats$' | xargs shellcheck -s bats -e SC2030,SC2031
	fi
}

lint_man()
{
	set -- man/*.[0-9]
	[ -f "$1" ] || fail 'no manual pages'
	mandoc -T lint -W warning "$@"
}

c_folders()
{
	for folder in src include tests fuzz bench; do
		[ ! -d "$folder" ] || say "$folder"
	done
}

# Versions format differently with the same rules; the tree is formatted by Debian 12's.
lint_format()
{
	version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
	if [ "$version" -ne 14 ]; then
		say "1..0 # skip clang-format $version formats otherwise than 14"
		return
	fi
	say 1..1
	# shellcheck disable=SC2046 # fixed names
	if ! find $(c_folders) -name '*.[ch]' -exec clang-format --style=file --dry-run -Werror {} +; then
		say 'not ok 1 - format'
		return 1
	fi
	say 'ok 1 - format'
}

# Newer versions report every unchecked malloc of a test, do not know the cleanup attribute and register names
# there, and print their progress.
lint_cppcheck()
{
	# shellcheck disable=SC2046 # fixed names
	cppcheck --quiet --enable=warning,performance,portability --inline-suppr --std=c11 \
	    --error-exitcode=1 --suppress=missingInclude --suppress=missingIncludeSystem \
	    --suppress=nullPointerOutOfMemory --suppress=syntaxError:src/linux/cgroup/session_group.c \
	    --suppress=ctuuninitvar:src/macos/seatbelt.c \
	    --suppress=memleak:src/macos/sbpl/proxy_profile.c --suppress=normalCheckLevelMaxBranches \
	    -I include -I src $(c_folders | grep -v include)
}

cmd_lint()
{
	setup build fuzz lint
	compile_strict gcc
	lint_suites | tests/run build/test-logs
}
