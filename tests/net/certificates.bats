#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A company's certificates, named by variables: with a network the variable is passed on and its
# file can be read if it contains only certificates.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

# A certificate and its key, outside the project.
begin()
{
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=company.test -days 2 \
	    -keyout "$T/key.pem" -out "$T/company.pem" 2>/dev/null
}

# Each with the file read inside by the very variable.
@test "each variable that names a file of certificates is passed, and the file can be read" {
	begin
	for name in NODE_EXTRA_CA_CERTS SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO PIP_CERT; do
		export "$name=$T/company.pem"
		expect 0 run --net localhost -- sh -c 'eval "cat \"\$$1\""' sh "$name" || return 1
		silent
		cmp "$T/out" "$T/company.pem"
		allowed --net localhost read "$T/company.pem"
		said "$name"
		allowed --net localhost env "$name"
		unset "$name"
	done
	denied --net localhost read "$T/company.pem"
	# no network, no need
	export SSL_CERT_FILE=$T/company.pem
	denied read "$T/company.pem"
	expect 1 run -- cat "$T/company.pem"
	# of that folder this file alone, and only to be read
	expect 1 run --net localhost -- cat "$T/key.pem"
	expect 2 run --net localhost -- sh -c 'echo x >>"$SSL_CERT_FILE"'
}

@test "a file with other content is not granted, and the run says so" {
	begin
	cat "$T/company.pem" "$T/key.pem" >"$T/both.pem"
	{ echo 'TOKEN=abc' && cat "$T/company.pem"; } >"$T/env"
	{ cat "$T/company.pem" && echo hunter2; } >"$T/word"
	sed '/END/d' "$T/company.pem" >"$T/open"
	printf '\0' | cat "$T/company.pem" - >"$T/binary"
	: >"$T/empty"
	mkfifo "$T/pipe"
	for file in key.pem both.pem env word open binary empty pipe missing .; do
		export REQUESTS_CA_BUNDLE=$T/$file
		expect 0 run --net localhost -- sh -c 'echo "${REQUESTS_CA_BUNDLE-none}"' || return 1
		said none
		one_notice "cordon: REQUESTS_CA_BUNDLE is not passed: $T/$file" '--env REQUESTS_CA_BUNDLE --read PATH'
		denied -q --net localhost read "$T/$file"
	done
	# what was advised works
	export REQUESTS_CA_BUNDLE=$T/both.pem
	expect 0 run --net localhost --env REQUESTS_CA_BUNDLE --read "$T/both.pem" -- sh -c 'cat "$REQUESTS_CA_BUNDLE"'
	cmp "$T/out" "$T/both.pem"
	silent
}

# A command may have put the link there the last time.
@test "a link in the project does not make a secret readable" {
	begin
	ln -s "$T/key.pem" ca.pem
	export SSL_CERT_FILE=$P/ca.pem
	expect 1 run --net localhost -- cat ca.pem
	heard 'SSL_CERT_FILE is not passed'
	# nor anything else: a link in a folder that the command can change grants nothing
	ln -sf "$T/company.pem" ca.pem
	expect 1 run --net localhost -- cat ca.pem
	heard 'is a link in a folder the sandbox can change' 'SSL_CERT_FILE is not passed'
	rm ca.pem
	cp "$T/company.pem" ca.pem
	expect 0 run --net localhost -- sh -c 'cat "$SSL_CERT_FILE"'
	cmp "$T/out" "$T/company.pem"
	silent
}

@test "a readable file or folder is passed, and a deny still applies" {
	begin
	# comments and headings, as the lists of distributions and of curl have them
	{ printf '# Issuer: CN=company\n\nCompany Root\n============\n' && cat "$T/company.pem"; } >"$T/list.pem"
	export SSL_CERT_DIR=/etc SSL_CERT_FILE=$T/list.pem
	expect 0 run --net localhost -- sh -c 'echo "$SSL_CERT_DIR" && cat "$SSL_CERT_FILE"'
	silent
	said /etc 'Company Root'
	expect 0 run --net localhost --deny "$T/list.pem" -- sh -c 'echo "${SSL_CERT_FILE-none}"'
	said none
	heard 'SSL_CERT_FILE is not passed'
}

@test "node uses the certificates" {
	begin
	export NODE_EXTRA_CA_CERTS=$T/company.pem
	expect 0 run --net localhost -- node -e 'process.exit(0)'
	silent
	expect 0 run --net localhost -- node -e 'require("tls").createSecureContext(); console.log(process.env.NODE_EXTRA_CA_CERTS)'
	said "$T/company.pem"
	# it warns of a file that it cannot read
	[[ $err != *Warning* ]] || complain
}
