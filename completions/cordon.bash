# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2207 # the words have no spaces
# Completion for bash. The lists are tested against --help and plan --profiles; nothing is run here.

_cordon_words()
{
	COMPREPLY+=($(compgen -W "$1" -- "$2"))
}

_cordon_files()
{
	local IFS=$'\n'

	compopt -o filenames 2>/dev/null
	COMPREPLY+=($(compgen -f -- "$1"))
}

_cordon_folders()
{
	local IFS=$'\n'

	compopt -o filenames 2>/dev/null
	COMPREPLY+=($(compgen -d -- "$1"))
}

_cordon_policy()
{
	_cordon_words 'agent aider browser c claude codex gemini git go java node open-reads opencode python rust ssh strict system terminal' "$1"
	_cordon_files "$1"
}

# The value of an option; fails for options that take none.
_cordon_value()
{
	case $1 in
	-p | --policy) _cordon_policy "$2" ;;
	-C | --project | --home) _cordon_folders "$2" ;;
	--read | --write | --execute | --deny | --protect | --facts | -o | --out) _cordon_files "$2" ;;
	--net) _cordon_words 'none localhost domains all' "$2" ;;
	--hints) _cordon_words 'text json' "$2" ;;
	--tmp) _cordon_words 'private shared' "$2" ;;
	--ipc) _cordon_words 'none sysv' "$2" ;;
	--for) _cordon_words 'run shell' "$2" ;;
	--system) _cordon_words 'linux macos' "$2" ;;
	--env) COMPREPLY=($(compgen -e -- "$2")) ;;
	--socket)
		_cordon_words 'ssh-agent gpg-agent docker podman wayland x11' "$2"
		_cordon_files "$2"
		;;
	--accept)
		_cordon_words 'files.read files.write files.execute files.carveout files.future
			files.pattern files.metadata net.tcp net.udp net.domains net.dns sockets.path
			sockets.abstract process.signal process.ptrace process.control process.listing
			process.tree ipc.sysv terminal.inject kernel.surface env.filter fds.closed
			limits.time limits.output limits.processes limits.memory calls.interrupted' "$2"
		;;
	--policy-json | --domain | --port | --opaque-port | --private | --resolver | --time | --output | --processes | --memory | \
	    --file-size | --cpu-time | --open-files | --session | --grace | --status-fd | --ref | \
	    --since | --until | -c | --command) ;;
	*) return 1 ;;
	esac
}

_cordon_options()
{
	local run='-p --policy --policy-json -C --project --read --write --execute --deny --protect --net --udp --tmp --ipc
		--domain --port --opaque-port --private --resolver --socket --env --time --output --processes --memory --file-size
		--cpu-time --open-files --accept --no-project-policy --home --trace'
	local setup="$run --for --system --facts"

	case $1 in
	run)
		printf '%s' "$run -v --verbose -q --quiet --pty --track-only --fingerprint --leave --session --grace
			--status-fd --hints --summary"
		;;
	shell)
		printf '%s' "$run -v --verbose -q --quiet --pty --grace --status-fd --hints --summary
			-c --command -l --login -i --interactive"
		;;
	setup) printf '%s' '-q --quiet --yes --remove' ;;
	hook) printf '%s' '-q --quiet' ;;
	mcp) printf '%s' "$run -q --quiet" ;;
	doctor) printf '%s' "$setup -q --quiet --json" ;;
	why) printf '%s' "$setup -q --quiet --last --session --json" ;;
	sbpl) printf '%s' "$setup -q --quiet --json" ;;
	record) printf '%s' '-C --project --for --system --home --track-only -q --quiet -h --help' ;;
	plan) printf '%s' "$setup -v --verbose -q --quiet --profiles --json" ;;
	check) printf '%s' "$setup -q --quiet --ref --print --json" ;;
	trust) printf '%s' "$setup -q --quiet --yes --revoke --json" ;;
	init) printf '%s' "$setup -q --quiet --print --force" ;;
	confine) printf '%s' '-q --quiet --root --json' ;;
	ps) printf '%s' '-q --quiet --json' ;;
	--version) printf '%s' '-v --verbose -q --quiet --json' ;;
	kill) printf '%s' '-q --quiet --all --grace' ;;
	learn) printf '%s' "$run -q --quiet --open -o --out --diff --yes --force" ;;
	report) printf '%s' "$setup -q --quiet -o --out --force" ;;
	log) printf '%s' '-q --quiet --session --project --since --until --last --refused --follow --json' ;;
	esac
}

# What is no option: by command, and for `why` by the word before.
_cordon_operand()
{
	case $1:$2 in
	why:connect) ;;
	why:env) COMPREPLY=($(compgen -e -- "$3")) ;;
	why:read | why:write | why:create | why:delete | why:execute | why:socket) _cordon_files "$3" ;;
	why:*)
		_cordon_words 'read write create delete execute connect socket env' "$3"
		_cordon_files "$3"
		;;
	check:*) _cordon_policy "$3" ;;
	help:*) _cordon_words "$commands" "$3" ;;
	setup:setup) _cordon_words 'claude codex gemini zed vscode devcontainer github' "$3" ;;
	hook:hook) _cordon_words 'claude codex gemini' "$3" ;;
	confine:*) _cordon_files "$3" ;;
	esac
}

# The number of the word that begins the command of `run`. Run in a shell of its own, for its replies.
_cordon_start()
{
	local at=2

	while [ "$at" -lt "$COMP_CWORD" ]; do
		case ${COMP_WORDS[at]} in
		--) printf '%d' "$((at + 1))" && return ;;
		-*)
			if [ "${COMP_WORDS[at + 1]}" != = ] && _cordon_value "${COMP_WORDS[at]}" ''; then
				at=$((at + 1))
			fi
			;;
		*) printf '%d' "$at" && return ;;
		esac
		at=$((at + 1))
		# bash takes words apart there
		while [[ ${COMP_WORDS[at]} = [:=] ]]; do
			at=$((at + 2))
		done
	done
	[[ $at -gt $COMP_CWORD || ${COMP_WORDS[at]} = -* ]] || printf '%d' "$at"
}

# The command inside is completed as it would be by itself.
_cordon_command()
{
	if [ "$1" -eq "$COMP_CWORD" ]; then
		COMPREPLY=($(compgen -c -- "$2"))
		_cordon_files "$2"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	else
		_cordon_files "$2"
	fi
}

_cordon()
{
	local start current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local commands='run shell setup hook mcp doctor why plan check trust init confine ps kill log learn report sbpl record'

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		_cordon_words "$commands -- --help --version" "$current"
		return
	fi
	case ${COMP_WORDS[1]} in
	run) start=$(_cordon_start 2>/dev/null) ;;
	--) start=2 ;;
	esac
	if [ -n "$start" ]; then
		_cordon_command "$start" "$current"
		return
	fi
	# bash takes --option=value apart
	if [ "$current" = = ]; then
		current=''
	elif [ "$before" = = ]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	_cordon_value "$before" "$current" && return
	case $current in
	-*) _cordon_words "$(_cordon_options "${COMP_WORDS[1]}") -h --help" "$current" ;;
	*) _cordon_operand "${COMP_WORDS[1]}" "$before" "$current" ;;
	esac
}

complete -F _cordon cordon
