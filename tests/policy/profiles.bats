#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The profiles of the program, and the completions of the shells.

# shellcheck disable=SC2016,SC2034,SC2088,SC2154 # ~ and $ are the program's; out and err are common's

load ../lib/common

COMMANDS='run shell setup hook mcp doctor check why plan trust init confine ps kill log learn report sbpl'

@test "--profiles lists the files of profiles/, and each can be used" {
	local name

	expect 0 plan --profiles
	[ "$out" = "$(cd "$TREE/profiles" && printf '%s\n' *.json | sed 's/\.json$//' | LC_ALL=C sort)" ]
	for name in $out; do
		timeout 60 "$CORDON" why -q -p "$name" read /etc >/dev/null || [ $? -eq 1 ] || return 1
		timeout 60 "$CORDON" why -q -p "$name" --system macos read /etc >/dev/null || [ $? -eq 1 ] ||
		    return 1
	done
	for name in agent terminal strict open-reads git ssh node python rust go c java browser; do
		[ -f "$TREE/profiles/$name.json" ] || complain "missing: $name" || return 1
	done
}

@test "no profile has a warning" {
	local name

	for name in $("$CORDON" plan --profiles); do
		expect 0 check "$name" || return 1
	done
}

@test "a file with a profile's name is named with a slash" {
	policy agent <<<'{"files": {"read": ["/srv"]}}'
	denied -p agent read /srv/x
	allowed -p ./agent read /srv/x
}

# each_base ARGUMENT...: denied with every base, and all that can be added to it at once.
each_base()
{
	local base name
	local more=()

	for name in $("$CORDON" plan --profiles); do
		case $name in
		agent | terminal | strict | open-reads) ;;
		*) more+=(-p "$name") ;;
		esac
	done
	[ "${#more[@]}" -ge 18 ] || complain 'where are the profiles?' || return 1
	for base in agent terminal strict; do
		denied -q -p "$base" "${more[@]}" "$@" || return 1
	done
	# apart: what it denies must not hide what another allows
	denied -q -p open-reads "$@"
}

# Caches are writable, folders with programs never are.
@test "no profile makes a folder of programs writable" {
	local folder

	for folder in /usr/bin /usr/local/bin /opt '~/.local/bin' '~/bin' '~/.cargo/bin' '~/go/bin' \
	    '~/.nvm/versions' '~/.pyenv/shims' '~/.volta/bin' '~/.bun/bin' '~/.local/share/pnpm' \
	    '~/.npm/_npx' '~/.cache/node/corepack' '~/.cache/pre-commit' '~/.gradle/wrapper' \
	    '~/.gradle/jdks' '~/.m2/wrapper' '~/.cache/ms-playwright' '~/.cache/pnpm/dlx' \
	    '~/.cache/pypoetry/virtualenvs/other/bin' '~/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.22.0.linux-amd64/bin' \
	    '~/go/pkg/mod/cache/download/golang.org/toolchain/@v'; do
		each_base create "$folder/x"
	done
}

@test "no profile grants writing settings that name programs" {
	local path

	for path in '~/.ccache/ccache.conf' '~/.cache/ccache/ccache.conf' '~/.cargo/config.toml' '~/.config/ccache/ccache.conf' \
	    '~/.config/go/env' '~/.gradle/init.gradle' '~/.m2/settings.xml' '~/.config/pypoetry/config.toml' \
	    '~/.config/uv/uv.toml' '~/.config/pip/pip.conf' '~/.config/pnpm/rc' '~/.yarnrc.yml' '~/.npmrc'; do
		each_base create "$path"
	done
}

# ccache starts the program that is named there; here only the writing is tried: free it works, confined it does not.
@test "c: the compiler cache without its settings" {
	mkdir -p "$HOME/.ccache"
	only_free 'echo "prefix_command = evil" >"$HOME/.ccache/ccache.conf"' -p c
	rm -f "$HOME/.ccache/ccache.conf"
	expect 0 run -p c -- sh -c 'mkdir ~/.ccache/0 && echo x >~/.ccache/0/x && mv ~/.ccache/0 ~/.ccache/1'
	expect 9 run -p c -- sh -c 'echo x >~/.ccache/x; mv ~/.ccache/x ~/.ccache/ccache.conf 2>/dev/null || exit 9'
}

@test "go: the user's toolchains cannot be changed" {
	local tool=go/pkg/mod/golang.org/toolchain@v0.0.1-go1.22.0.linux-amd64/bin

	mkdir -p "$HOME/$tool" "$HOME/go/pkg/mod/golang.org/x"
	only_free 'echo evil >"$HOME/'"$tool"'/go"' -p go
	only_free 'mv "$HOME/go/pkg/mod/golang.org" "$HOME/go/pkg/mod/was" && mv "$HOME/go/pkg/mod/was" "$HOME/go/pkg/mod/golang.org"' -p go
	expect 0 run -p go -- sh -c 'echo x >~/go/pkg/mod/golang.org/x/mod'
}

@test "no profile grants reading a secret" {
	local path

	for path in '~/.ssh/id_ed25519' '~/.gnupg/x' '~/.aws/credentials' '~/.netrc' '~/.npmrc' \
	    '~/.docker/config.json' '~/.kube/config' '~/.config/gh/hosts.yml' '~/.git-credentials' \
	    '~/.cargo/credentials.toml' '~/.bash_history' '~/.mozilla/x'; do
		each_base read "$path"
	done
	allowed -p open-reads read /srv/x
	denied -p open-reads read src/.env
}

@test "strict: less than agent" {
	denied -p strict read /proc/1
	denied -p strict connect example.org:443
	allowed -p agent read /proc/1
}

@test "profiles of tools grant what the tools need" {
	# what is missing is left out
	denied -p rust execute '~/.cargo/bin/cargo'
	mkdir -p "$HOME/.cargo/bin" "$HOME/.ccache" "$HOME/.ssh"
	touch "$HOME/.gitconfig" "$HOME/.ssh/known_hosts"
	allowed -p node write '~/.npm/_cacache/x'
	allowed -p python write '~/.cache/pip/x'
	allowed -p rust write '~/.cargo/registry/x'
	allowed -p rust execute '~/.cargo/bin/cargo'
	allowed -p go write '~/go/pkg/mod/x'
	allowed -p java write '~/.m2/repository/x'
	allowed -p c write '~/.ccache/x'
	allowed -p git read '~/.gitconfig'
	allowed -p ssh read '~/.ssh/known_hosts'
	allowed -p ssh read '~/.ssh/id_ed25519.pub'
	denied -p ssh read '~/.ssh/id_ed25519'
	allowed -p agent -p git --domain example.org connect example.org:22
}

@test "terminal: start-up files are readable, the network is open" {
	printf '' >"$HOME/.bashrc"
	allowed --for shell read '~/.bashrc'
	denied --for shell write '~/.bashrc'
	denied --for shell read '~/.config/gh/hosts.yml'
	allowed --for shell connect example.org:443
	denied read '~/.bashrc'
}

@test "profiles add up, in any order" {
	allowed -p agent -p node -p rust write '~/.npm/_cacache/x'
	allowed -p rust -p node -p agent write '~/.npm/_cacache/x'
	allowed -p node write inside
	policy mine.json <<<'{"extends": ["node", "git"]}'
	allowed -p mine.json write '~/.npm/_cacache/x'
	allowed -p mine.json write inside
}

# --- completions ---

# The options of a command by its --help, long and short, one a line.
helped()
{
	"$CORDON" "$1" --help | sed -n 's/^  \(-[a-z A-Z]\|  \) --\([a-z-]*\).*/--\2\n\1/p' |
	    sed 's/ //g' | grep . | cat - <(printf '%s\n' --help -h) | LC_ALL=C sort
}

@test "bash: completes exactly the commands, options and profiles that there are" {
	local command

	for command in $COMMANDS; do
		bash -c '
			. "$1/completions/cordon.bash"
			COMP_WORDS=(cordon "$2" -) COMP_CWORD=2
			_cordon
			printf "%s\n" "${COMPREPLY[@]}"
		' bash "$TREE" "$command" | sed 's/ *$//' | LC_ALL=C sort >"$T/have"
		helped "$command" >"$T/want"
		diff "$T/want" "$T/have" || complain "bash: $command" || return 1
	done
	out=$(bash -c '. "$1/completions/cordon.bash"; COMP_WORDS=(cordon "") COMP_CWORD=1; _cordon
		printf "%s\n" "${COMPREPLY[@]}"' bash "$TREE" | sed 's/ *$//' | grep -v '^-' | LC_ALL=C sort)
	[ "$out" = "$("$CORDON" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' | LC_ALL=C sort)" ] || complain commands
	mkdir "$T/empty"
	out=$(bash -c '. "$1/completions/cordon.bash"; cd "$2"; COMP_WORDS=(cordon plan -p "") COMP_CWORD=3; _cordon
		printf "%s\n" "${COMPREPLY[@]}"' bash "$TREE" "$T/empty" | LC_ALL=C sort)
	[ "$out" = "$("$CORDON" plan --profiles | LC_ALL=C sort)" ] || complain profiles
}

# complete_bash WORD...: the words as bash takes them apart; the last is under the cursor.
complete_bash()
{
	bash -c '
		. "$1/completions/cordon.bash"
		_command_offset() { COMPREPLY=("from $1"); }
		shift
		COMP_WORDS=(cordon "$@") COMP_CWORD=$#
		_cordon
		printf "%s\n" "${COMPREPLY[@]}"
	' bash "$TREE" "$@" 2>&1
}

@test "bash: behind the options of run the command is completed as by itself" {
	[ "$(complete_bash run git sta)" = 'from 2' ]
	[ "$(complete_bash run git --)" = 'from 2' ]
	[ "$(complete_bash -- git sta)" = 'from 2' ]
	[ "$(complete_bash run -v --net = none -p node -- git --)" = 'from 9' ]
	[ "$(complete_bash run --net localhost : 80 --env A = b -pgit git -)" = 'from 11' ]
	complete_bash run --read /etc en | grep -qx env
	complete_bash run -- en | grep -qx env
	[ "$(complete_bash run --net no)" = none ]
	[ "$(complete_bash run --net = no)" = none ]
	[ "$(complete_bash run --track)" = --track-only ]
	[ "$(complete_bash plan --prof)" = --profiles ]
	[ "$(complete_bash --version --j)" = --json ]
}

@test "fish: behind the options of run the command is completed as by itself" {
	command -v fish >/dev/null || skip 'fish is not installed'
	cat >"$T/ask.fish" <<-'END'
		source $argv[1]
		complete -c inner -f -a 'this that'
		complete -c inner -l own
		for line in 'run inner th' 'run inner --' '-- inner --' 'run -v --net none -p node -- inner --o' \
		        'run --net=none --read /etc inner --o' 'run --net no' 'run --track' 'plan --prof' '--version --js' 'wh'
		    echo $line: (complete -C "cordon $line" | string replace -r '\t.*' '')
		end
	END
	cat >"$T/want" <<-'END'
		run inner th: that this
		run inner --: --own
		-- inner --: --own
		run -v --net none -p node -- inner --o: --own
		run --net=none --read /etc inner --o: --own
		run --net no: none
		run --track: --track-only
		plan --prof: --profiles
		--version --js: --json
		wh: why
	END
	fish "$T/ask.fish" "$TREE/completions/cordon.fish" >"$T/have"
	diff "$T/want" "$T/have"
}

# Without zsh and fish: what stands in the files, which keep one option a line.
@test "zsh: the same options and profiles" {
	local command

	for command in $COMMANDS; do
		"$PYTHON" - "$TREE/completions/_cordon" "$command" >"$T/have" <<-'END'
			import re, sys
			text = open(sys.argv[1], encoding="utf-8").read()
			def words(name):
			    body = re.search(r"\n\t" + name + r"=\((.*?)\n\t\)", text, re.S).group(1)
			    found = []
			    for line in body.splitlines():
			        line = line.strip()
			        if line.startswith("$"):
			            found += words(re.match(r"\$(\w+)", line).group(1))
			        elif line:
			            line = line.split("[")[0] + "["
			            found += re.findall(r"(?<![\w-])(--?[a-z][a-z-]*|-[A-Z])(?=[\s\[,}=+'(])", line)
			    return found
			print("\n".join(sorted(set(words("options_" + sys.argv[2])))))
		END
		helped "$command" >"$T/want"
		diff "$T/want" "$T/have" || complain "zsh: $command" || return 1
	done
	for command in $COMMANDS $("$CORDON" plan --profiles); do
		grep -Eq "(^|[^a-z-])$command([^a-z-]|\$)" "$TREE/completions/_cordon" ||
		    complain "zsh: $command" || return 1
	done
	if command -v zsh >/dev/null; then
		zsh -n "$TREE/completions/_cordon"
	fi
}

@test "fish: the same options and profiles" {
	local command

	for command in $COMMANDS; do
		"$PYTHON" - "$TREE/completions/cordon.fish" "$command" >"$T/have" <<-'END'
			import re, sys
			found = set()
			for line in open(sys.argv[1], encoding="utf-8"):
			    m = re.match(r"complete -c cordon -n '__cordon_of ([a-z ]+)'(.*)", line)
			    if m and sys.argv[2] in m.group(1).split():
			        found |= {"--" + n for n in re.findall(r" -l ([a-z-]+)", m.group(2))}
			        found |= {"-" + n for n in re.findall(r" -s ([a-zA-Z])", m.group(2))}
			print("\n".join(sorted(found)))
		END
		helped "$command" >"$T/want"
		diff "$T/want" "$T/have" || complain "fish: $command" || return 1
	done
	for command in $COMMANDS $("$CORDON" plan --profiles); do
		grep -Eq "(^|[^a-z-])$command([^a-z-]|\$)" "$TREE/completions/cordon.fish" ||
		    complain "fish: $command" || return 1
	done
	if command -v fish >/dev/null; then
		fish -n "$TREE/completions/cordon.fish"
	fi
}

@test "all three name the same guarantees as the program" {
	local file

	"$CORDON" plan -q --json >"$T/out" || [ $? -eq 1 ]
	json True
	"$PYTHON" -c 'import json, sys
print("\n".join(sorted(g["name"] for g in json.load(sys.stdin)["guarantees"])))' <"$T/out" >"$T/want"
	[ "$(wc -l <"$T/want")" -gt 20 ]
	for file in cordon.bash _cordon cordon.fish; do
		grep -Eo '\b(files|net|sockets|process|ipc|terminal|kernel|env|fds|limits|calls)\.[a-z]+\b' \
		    "$TREE/completions/$file" | LC_ALL=C sort -u >"$T/have"
		diff "$T/want" "$T/have" || complain "$file" || return 1
	done
}
