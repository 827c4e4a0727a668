# SPDX-License-Identifier: MIT
# Attacks found with only the documents and the program. Each of them must fail.

load ../lib/common

@test "an approval covers what was listed, not all of the text" {
	policy <<<'{"network": "all", "env": {"mode": "developer"}, "files": {"read": ["/srv"]}}'
	export EDITOR=vi
	expect 0 trust --for shell --yes
	allowed --for shell read /srv/x
	# under the other command the same text asks for more
	denied connect example.com:443
	denied env EDITOR
	denied read /srv/x
	expect 1 trust
	expect 0 trust --yes
	allowed connect example.com:443
	allowed --for shell read /srv/x
}

@test "an approval does not widen when the user's policy changes" {
	user_policy <<<'{"files": {"read": ["/var"]}}'
	policy <<<'{"files": {"read": ["/var", "/srv"]}}'
	expect 0 trust --yes
	allowed read /srv/x
	rm "$XDG_CONFIG_HOME/cordon/config.json"
	denied read /var/x
	expect 1 trust
	said '/var'
}

@test "an option does not hide a request from the approval's list" {
	policy <<<'{"network": "all"}'
	expect 0 trust --net all --yes
	denied connect example.com:443
}

@test "an option takes precedence over an approval" {
	policy <<<'{"network": "all", "extends": ["terminal"]}'
	expect 0 trust --yes
	allowed connect example.com:443
	denied --net none connect example.com:443
	denied -p strict write x
}

@test "a base that replaces another is listed as such" {
	policy <<<'{"extends": ["strict"]}'
	expect 1 trust
	said 'instead of the one in force'
}

@test "sockets follow the rules of files: planted links, denies, pins" {
	user_policy <<<'{"sockets": ["$PROJECT/s.sock"]}'
	allowed socket s.sock
	ln -s /run/docker.sock s.sock
	refused_at "$XDG_CONFIG_HOME/cordon/config.json:1:14" why socket /run/docker.sock
	rm s.sock
	user_policy <<<'{"sockets": ["/run/docker.sock"], "files": {"deny": ["/run/docker.sock"]}}'
	denied socket /run/docker.sock
	XDG_RUNTIME_DIR=$T/run denied --socket "$T/run/cordon/x" socket "$T/run/cordon/x"
	rm "$XDG_CONFIG_HOME/cordon/config.json"
	mkdir "$HOME/real" "$HOME/other"
	ln -s real "$HOME/s"
	policy <<<'{"sockets": ["~/s/a.sock"]}'
	expect 0 trust --yes
	said "$HOME/real/a.sock"
	allowed socket "$HOME/real/a.sock"
	ln -sfn other "$HOME/s"
	denied socket "$HOME/other/a.sock"
	denied socket "$HOME/real/a.sock"
}

@test "a protected name that is a link protects its target" {
	mkdir x elsewhere
	allowed write x/tasks.json
	ln -s x .vscode
	denied write .vscode/tasks.json
	denied write x/tasks.json
	allowed write y/tasks.json
	ln -s ../elsewhere .git/hooks
	denied write .git/hooks/pre-commit
	denied write elsewhere/pre-commit
	allowed --write .vscode/tasks.json write .vscode/tasks.json
}

@test "the hooks folder is vetted, not writable" {
	mkdir .git/hooks
	allowed create .git/hooks
	said 'vetted'
	denied create .git/hooks/pre-commit
}

@test "a planted .git does not lose the policy above it" {
	policy <<<'{"files": {"deny": ["**/.env"]}}'
	mkdir sub
	cd sub
	denied read .env
	mkdir .git
	denied read .env
	rmdir .git
	touch .git
	denied read .env
}

@test "a policy that vanished is an error, not an empty one" {
	user_policy <<<'{"files": {"deny": ["/usr"]}}'
	denied read /usr/x
	mv "$XDG_CONFIG_HOME/cordon/config.json" "$T/moved"
	ln -s gone "$XDG_CONFIG_HOME/cordon/config.json"
	refused why read /usr/x
	rm -r "$XDG_CONFIG_HOME/cordon"
	allowed read /usr/x
	ln -s gone "$XDG_CONFIG_HOME/cordon"
	refused why read /usr/x
	rm "$XDG_CONFIG_HOME/cordon"
	touch "$XDG_CONFIG_HOME/cordon"
	refused why read /usr/x
	rm "$XDG_CONFIG_HOME/cordon"
	ln -s gone .cordon.json
	refused why read x
}

@test "a deny through a link that can be exchanged is refused" {
	mkdir v1
	ln -s v1 cur
	refused --policy-json '{"files": {"deny": ["$PROJECT/cur/key"]}}' || true
	refused why --policy-json '{"files": {"deny": ["$PROJECT/cur/key"]}}' read v1/key
	heard 'name its target'
	denied --policy-json '{"files": {"deny": ["$PROJECT/v1/key"]}}' read cur/key
}

@test "why says that a folder with a deny in it cannot be moved" {
	mkdir -p a/secret
	allowed --deny "$P/a/secret" delete a
	said 'cannot be moved'
}

@test "delete of a link is decided for the link, not its target" {
	touch x
	ln -s "$P/x" "$HOME/link"
	denied delete "$HOME/link"
	allowed write "$HOME/link"
	ln -s "$HOME/y" here
	allowed delete here
	denied write here
}

@test "empty lists grant nothing" {
	refused why --policy-json '{"network": {"domains": ["a.com"], "ports": []}}' connect a.com:443
	refused why --policy-json '{"network": {"localhost": []}}' connect localhost:80
	denied --policy-json '{"network": {"domains": []}}' connect a.com:443
}

@test "not every folder is a project" {
	mkdir -p "$HOME/.ssh" "$HOME/work"
	cd "$HOME/.ssh"
	refused why write authorized_keys
	cd /etc
	refused why write passwd
	cd /
	refused why write x
	cd "$HOME/work"
	allowed write x
}

@test "no output has terminal control sequences, and JSON is always valid" {
	local name bell

	name=$(printf 'a\302\2332Jb\377\342\200\256c')
	expect 1 why read "/srv/$name"
	! LC_ALL=C grep -q "$(printf '\302\233')" "$T/out" || complain 'raw bytes'
	! LC_ALL=C grep -q "$(printf '\377')" "$T/out" || complain 'raw bytes'
	! LC_ALL=C grep -q "$(printf '\342\200\256')" "$T/out" || complain 'raw bytes'
	expect 1 why --json read "/srv/$name"
	json 'd["allowed"] is False'
	refused check --policy-json "{\"accept\": [\"$(printf '\302\233')2J\"]}"
	! LC_ALL=C grep -q "$(printf '\302\233')" "$T/err" || complain 'raw bytes'
}

@test "a folder whose name is not UTF-8 cannot be approved" {
	local odd

	odd=$T/$(printf 'p\377')
	mkdir "$odd" 2>/dev/null || skip 'this file system takes only UTF-8 names'
	cd "$odd"
	policy "$odd/.cordon.json" <<<'{"network": "all"}'
	expect 125 trust --yes
	heard 'cannot be approved'
	denied connect example.com:443
}

@test "too many patterns are refused" {
	"$PYTHON" - >"$T/many.json" <<-'END'
		import json
		print(json.dumps({"files": {"rules": [
		    {"effect": "deny", "rights": "r", "match": "regex", "path": "/(.*)*(.*)*(.*)*X%d" % i}
		    for i in range(1100)]}}))
	END
	refused why -p "$T/many.json" read x
}
