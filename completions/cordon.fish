# SPDX-License-Identifier: MIT
# Completion for fish. One option a line: the lists are tested against --help and plan --profiles.

set -l profiles agent aider browser c claude codex gemini git go java node open-reads opencode python rust ssh strict system terminal
set -l sockets ssh-agent gpg-agent docker podman wayland x11
set -l guarantees files.read files.write files.execute files.carveout files.future files.pattern \
    files.metadata net.tcp net.udp net.domains net.dns sockets.path sockets.abstract \
    process.signal process.ptrace process.control process.listing process.tree \
    ipc.sysv terminal.inject kernel.surface env.filter fds.closed limits.time \
    limits.output limits.processes limits.memory calls.interrupted

# The number of the word that begins the command inside, when the cursor is in it.
function __cordon_start
    set -l valued -p --policy --policy-json -C --project --read --write --execute --deny --protect --net --tmp --ipc \
        --domain --port --opaque-port --private --resolver --socket --env --time --output --processes --memory --file-size \
        --cpu-time --open-files --accept --home --session --grace --status-fd --hints
    set -l words (commandline -opc)
    set -l at 3
    test "$words[2]" = --; and echo 3; and return
    test "$words[2]" = run; or return
    while set -q words[$at]
        switch $words[$at]
            case --
                math $at + 1
                return
            case '-*'
                contains -- $words[$at] $valued; and set at (math $at + 1)
            case '*'
                echo $at
                return
        end
        set at (math $at + 1)
    end
    test $at -gt (math (count $words) + 1); or string match -q -- '-*' (commandline -ct); or echo $at
end

function __cordon_first
    set -l words (commandline -opc)
    not set -q words[2]
end

# In one of these commands, and not in the command inside.
function __cordon_of
    set -l words (commandline -opc)
    contains -- "$words[2]" $argv; and not string length -q -- (__cordon_start)
end

# The command inside is completed as it would be by itself.
function __cordon_command
    set -l words (commandline -opc) (commandline -ct)
    set -l start (__cordon_start)
    complete -C "$words[$start..-1]"
end

complete -c cordon -f
complete -c cordon -n 'string length -q -- (__cordon_start)' -a '(__cordon_command)'
complete -c cordon -n __cordon_first -s h -l help -d 'list the commands'
complete -c cordon -n __cordon_first -l version -d 'say the version'
complete -c cordon -n __cordon_first -a run -d 'run a command in a sandbox'
complete -c cordon -n __cordon_first -a shell -d 'start a shell in a sandbox'
complete -c cordon -n __cordon_first -a setup -d 'make an agent or an editor run its commands in a sandbox'
complete -c cordon -n __cordon_first -a hook -d "answer an agent's hook"
complete -c cordon -n __cordon_first -a mcp -d 'serve tools of the Model Context Protocol'
complete -c cordon -n __cordon_first -a doctor -d 'test what this host can enforce'
complete -c cordon -n __cordon_first -a why -d 'show whether something is allowed, and by which rule'
complete -c cordon -n __cordon_first -a plan -d 'print what would be enforced on this host, and how'
complete -c cordon -n __cordon_first -a check -d 'check and print policies'
complete -c cordon -n __cordon_first -a trust -d 'list and approve what a project requests'
complete -c cordon -n __cordon_first -a init -d 'write a starter policy for this project'
complete -c cordon -n __cordon_first -a confine -d 'resolve a path inside a root'
complete -c cordon -n __cordon_first -a ps -d 'list live sessions'
complete -c cordon -n __cordon_first -a kill -d 'end sessions'
complete -c cordon -n __cordon_first -a log -d 'show the log of sessions'
complete -c cordon -n __cordon_first -a learn -d 'run a command and write the policy that it needs'
complete -c cordon -n __cordon_first -a report -d 'write a page of HTML about a session'
complete -c cordon -n __cordon_first -a sbpl -d 'print the macOS profile of a policy and its parameters'
complete -c cordon -n __cordon_first -a record -d 'print the record of settings'

complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -s p -l policy -r -F -a "$profiles" -d 'add a policy file or a profile'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l policy-json -x -d 'add a policy given as text'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl record' -s C -l project -x -a '(__fish_complete_directories)' -d 'the project'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l read -r -F -d 'may be read'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l write -r -F -d 'may be read, changed, created, deleted'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l execute -r -F -d 'may be read and run'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l deny -r -F -d 'nothing at all'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l protect -r -F -d 'never changed, not even created'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l net -x -a 'none localhost domains all' -d 'how much network'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l udp -d 'UDP and unix datagrams on this machine'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l tmp -x -a 'private shared' -d 'the temporary folder'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l ipc -x -a 'none sysv' -d 'System V queues, semaphores and memory'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l domain -x -d 'a domain to reach'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l port -x -d 'one more port for the domains'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l opaque-port -x -d 'one more, for any protocol'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l private -x -d 'private addresses that a domain may resolve to'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l resolver -x -d 'where names are looked up'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l socket -r -F -a "$sockets" -d 'a unix socket'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l env -x -a '(set -x --names)' -d 'a variable that passes, or is set'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l time -x -d 'end everything after this time'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l output -x -d 'end everything after this much output'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l processes -x -d 'no more processes than that'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l memory -x -d 'no more memory than that'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l file-size -x -d 'no file larger than that'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l cpu-time -x -d 'no process computes longer than that'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l open-files -x -d 'no process opens more files than that'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l accept -x -a "$guarantees" -d 'run without this guarantee'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l no-project-policy -d 'leave the project policy aside'
complete -c cordon -n '__cordon_of doctor why plan check trust init report sbpl record' -l for -x -a 'run shell' -d 'whose default profile applies'
complete -c cordon -n '__cordon_of doctor why plan check trust init report sbpl record' -l system -x -a 'linux macos' -d 'plan for this system'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl record' -l home -x -a '(__fish_complete_directories)' -d 'what ~ stands for'
complete -c cordon -n '__cordon_of doctor why plan check trust init report sbpl' -l facts -r -F -d 'what the host can do, instead of probing'
complete -c cordon -n '__cordon_of run shell mcp doctor why plan check trust init learn report sbpl' -l trace -d 'report reads and programs, too; slower'
complete -c cordon -n '__cordon_of shell' -s c -l command -x -d 'run this by the shell, and no terminal'
complete -c cordon -n '__cordon_of shell' -s l -l login -d 'as a login shell, also with -c'
complete -c cordon -n '__cordon_of shell' -s i -l interactive -d 'as an interactive shell, also with -c'
complete -c cordon -n '__cordon_of run shell' -l pty -d 'a terminal of its own'
complete -c cordon -n '__cordon_of run record' -l track-only -d 'restrict nothing, only end all processes at the end'
complete -c cordon -n '__cordon_of run' -l fingerprint -d 'track by a profile that restricts nothing (macOS)'
complete -c cordon -n '__cordon_of run' -l leave -d 'what it leaves behind lives on'
complete -c cordon -n '__cordon_of run' -l session -x -d 'in the session of that name'
complete -c cordon -n '__cordon_of why log' -l session -x -d 'of this session'
complete -c cordon -n '__cordon_of why log' -l last -d 'of the session that started last'
complete -c cordon -n '__cordon_of log' -l project -x -a '(__fish_complete_directories)' -d 'of sessions in this folder'
complete -c cordon -n '__cordon_of log' -l since -x -d 'not older'
complete -c cordon -n '__cordon_of log' -l until -x -d 'only older'
complete -c cordon -n '__cordon_of log' -l refused -d 'only what was refused'
complete -c cordon -n '__cordon_of learn report' -s o -l out -r -F -d 'write it to this file'
complete -c cordon -n '__cordon_of learn' -l open -d 'confirm all that may be suggested, in a copy of the project'
complete -c cordon -n '__cordon_of learn' -l diff -d 'only what the policy lacks'
complete -c cordon -n '__cordon_of log' -l follow -d 'go on with what happens'
complete -c cordon -n '__cordon_of run shell' -l hints -x -a 'text json' -d 'what was refused, at the end'
complete -c cordon -n '__cordon_of run shell kill' -l grace -x -d 'from SIGTERM to SIGKILL'
complete -c cordon -n '__cordon_of kill' -l all -d 'all of them'
complete -c cordon -n '__cordon_of run shell' -l status-fd -x -d 'JSON lines about the session'
complete -c cordon -n '__cordon_of run shell' -l summary -d 'list changed files that other programs run later'
complete -c cordon -n '__cordon_of run shell plan' -s v -l verbose -d 'say everything'
complete -c cordon -n '__cordon_of run shell setup hook mcp doctor why plan check trust init confine ps kill log learn report sbpl record' -s q -l quiet -d 'no notices'
complete -c cordon -n '__cordon_of check' -l ref -x -d 'what a checkout of this ref would bring'
complete -c cordon -n '__cordon_of check init' -l print -d 'print the policy on standard output'
complete -c cordon -n '__cordon_of setup trust learn' -l yes -d 'approve what is listed'
complete -c cordon -n '__cordon_of setup' -l remove -d 'take back what was set up'
complete -c cordon -n '__cordon_of trust' -l revoke -d 'revoke the approval'
complete -c cordon -n '__cordon_of init learn report' -l force -d 'replace a policy that is there'
complete -c cordon -n '__cordon_of plan' -l profiles -d 'list the profiles'
complete -c cordon -n '__cordon_of confine' -l root -d 'the root itself counts as inside'
complete -c cordon -n '__cordon_of doctor why plan check trust confine ps log sbpl' -l json -d 'JSON instead of words'
complete -c cordon -n '__cordon_of --version' -s v -l verbose -d 'the build, and what this host can do'
complete -c cordon -n '__cordon_of --version' -l json -d 'the same as JSON'
complete -c cordon -n '__cordon_of run shell setup hook mcp doctor why plan check trust init confine ps kill log learn report sbpl record' -s h -l help -d 'say what it does'

complete -c cordon -n "__cordon_of why; and not __fish_seen_subcommand_from read write create delete execute connect socket env" -a 'read write create delete execute connect socket env'
complete -c cordon -n "__cordon_of why; and __fish_seen_subcommand_from read write create delete execute socket" -F
complete -c cordon -n "__cordon_of why; and __fish_seen_subcommand_from env" -a '(set -x --names)'
complete -c cordon -n '__cordon_of check' -F -a "$profiles"
complete -c cordon -n '__cordon_of confine record' -F
complete -c cordon -n '__cordon_of setup' -a 'claude codex gemini zed vscode devcontainer github'
complete -c cordon -n '__cordon_of hook' -a 'claude codex gemini'
complete -c cordon -n '__cordon_of help' -a 'run shell setup hook mcp doctor why plan check trust init confine ps kill log learn report sbpl record'
