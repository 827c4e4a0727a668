#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The registries of npm and pip: passed as variables, without tokens.

# shellcheck disable=SC2154 # variables of common

load ../lib/common

settings()
{
	cat >"$HOME/.npmrc" <<-'END'
		; comment = registry=https://wrong.example/
		registry=https://bob:npm-secret@npm.corp.example/r/
		@acme:registry = "https://npm.acme.example/"
		//npm.corp.example/r/:_authToken=npm-token
		https-proxy=http://user:proxy-secret@proxy.example:3128/
		email=me@example.com
		cafile=/nonexistent/ca.pem
		init-author-name=${NAME}
	END
	mkdir -p "$XDG_CONFIG_HOME/pip"
	cat >"$XDG_CONFIG_HOME/pip/pip.conf" <<-'END'
		[global]
		index-url = https://u:pip-secret@pypi.corp.example/simple
		extra-index-url = https://a.example/ https://pip-token@b.example/x@y
		timeout = 5
	END
}

@test "registry and proxy pass with the profile, tokens and passwords do not, and that is said" {
	settings
	expect 0 run -p node -p python --net all -- env
	said 'npm_config_registry=https://npm.corp.example/r/' 'npm_config_@acme:registry=https://npm.acme.example/' \
	    'npm_config_https_proxy=http://proxy.example:3128/' 'PIP_INDEX_URL=https://pypi.corp.example/simple' \
	    'PIP_EXTRA_INDEX_URL=https://a.example/ https://b.example/x@y'
	unsaid secret token wrong.example me@example.com NAME= cafile TIMEOUT
	heard "tokens and passwords in $HOME/.npmrc are not passed; --read $HOME/.npmrc passes them" \
	    "pip.conf are not passed" 'cafile in ~/.npmrc is not passed'
	expect 0 run -q -p node --net all -- npm config get registry
	[ "$out" = https://npm.corp.example/r/ ]
}

@test "without the profile, without a network, or where the file can be read nothing is passed" {
	settings
	expect 0 run --net all -- env
	unsaid npm_config PIP_INDEX
	silent
	expect 0 run -p node -p python -- env
	unsaid npm_config PIP_INDEX
	silent
	expect 0 run -p node --net all --read "$HOME/.npmrc" -- env
	unsaid npm_config
	silent
}

@test "the user's own variables go first, and with domains no other proxy is set" {
	settings
	expect 0 run -q -p node --net all --env npm_config_registry=https://mine.example/ -- env
	said npm_config_registry=https://mine.example/
	unsaid corp.example
	expect 0 run -q -p node --domain npm.corp.example -- env
	said npm_config_registry=https://npm.corp.example/r/
	unsaid proxy.example
}
