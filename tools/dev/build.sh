# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Builds, in one directory for each compiler and set of options. Read by ./dev.

default_compiler()
{
	if command -v gcc >/dev/null; then say gcc; else say cc; fi
}

# Runs a command without output; prints its output if it fails.
quietly()
{
	log=$1
	shift
	if ! "$@" >>"$log" 2>&1; then
		tail -n 100 "$log" >&2
		return 1
	fi
}

# compile DIR COMPILER [OPTION...]: configures again if compiler or options changed.
compile()
{
	dir=$1 compiler=$2
	shift 2
	wanted="$ROOT $compiler $*"
	if [ "$(cat "$dir/configured" 2>/dev/null)" != "$wanted" ]; then
		rm -rf "$dir"
		mkdir "$dir"
		quietly "$dir/dev.log" env CC="$compiler" meson setup "$dir" "$@" || return 1
		say "$wanted" >"$dir/configured"
	fi
	: >"$dir/dev.log"
	quietly "$dir/dev.log" ninja -C "$dir" || return 1
	grep 'warning:' "$dir/dev.log" || :
}

# Reuses a build directory that ./dev test configured with -Werror, instead of building twice.
compile_default()
{
	case $(cat build/configured 2>/dev/null) in
	"$ROOT $(default_compiler) -Dwerror=true") compile build "$(default_compiler)" -Dwerror=true ;;
	*) compile build "$(default_compiler)" ;;
	esac || fail 'the build failed'
}

compile_fuzz()
{
	compile build-fuzz clang -Dwerror=true -Dfuzz=true -Db_lundef=false \
	    -Db_sanitize=address,undefined
}

# Makes all builds for the tests; on failure prints the last line that callers expect.
compile_strict()
{
	for variant in "$@"; do
		start=$(date +%s)
		case $variant in
		gcc) compile build "$(default_compiler)" -Dwerror=true ;;
		clang) compile build-clang clang -Dwerror=true ;;
		asan)
			compile build-asan "$(default_compiler)" -Dwerror=true -Db_lundef=false \
			    -Db_sanitize=address,undefined
			;;
		tsan)
			compile build-tsan "$(default_compiler)" -Dwerror=true -Db_lundef=false \
			    -Db_sanitize=thread
			;;
		fuzz) compile_fuzz ;;
		esac || {
			say "FAILED build/$variant"
			say '0 passed, 1 failed, 0 skipped'
			exit 1
		}
		say "built $variant, $(($(date +%s) - start)) s"
	done
}

# sanitized_build KIND: builds where an ordinary user can read it, for in_the_open.
sanitized_build()
{
	folder=build-soak-${1%%,*} link=''
	# gcc's shared libubsan writes no log_path file beside libasan: findings in a guard would be lost
	[ "$1" = "${1%undefined}" ] || link=-static-libubsan
	compile "$folder" "$(default_compiler)" -Db_sanitize="$1" -Db_lundef=false \
	    -Dc_link_args="$link" || fail 'the build failed'
	mkdir -p "$open/$folder/tests/attack"
	cp "$folder/cordon" "$open/$folder/"
	cp "$folder/tests/attack/older.so" "$folder/tests/attack/oddcalls" "$open/$folder/tests/attack/"
	chmod -R go=u-w "$open/$folder"
	sanitized=$open/$folder/cordon
	say "# with -fsanitize=$1"
}

cmd_build()
{
	setup build
	compile_default
	say 'built build/cordon'
}
