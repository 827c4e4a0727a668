/* SPDX-License-Identifier: MIT */
/*
 * Why something was refused: a closed list. The code that decides names the cause; the words for `run`,
 * the log and `why` are here only. In a text %n is a name, %u a number, %r the rule, %d the words of
 * another cause.
 */
#pragma once

/* How a text stands behind what was refused to a subject. */
enum cause_form {
	FORM_SUBJECT,  /* "read PATH is denied" */
	FORM_SENTENCE, /* "link PATH: the second name ..." */
	FORM_CALLER    /* "network for bash: ..." */
};

/* What would allow it. */
enum cause_remedy {
	REMEDY_NONE,
	REMEDY_RULE,	/* what the plan says: explain/remedy.h */
	REMEDY_CHANGE,	/* of a file that was to be changed: --write */
	REMEDY_GRANT,	/* --read or --write */
	REMEDY_TMP,	/* --tmp shared */
	REMEDY_LOCAL,	/* --net localhost: with the port */
	REMEDY_DOMAIN,	/* --domain */
	REMEDY_PORT,	/* --port */
	REMEDY_OPAQUE,	/* --opaque-port */
	REMEDY_PRIVATE, /* the address among the private ones of the policy */
	REMEDY_ECH,	/* "ech": "allow" */
};

/* clang-format off */
#define CAUSES(X) \
	/* rights at a path */ \
	X(NOT_GRANTED, SUBJECT, RULE, "is not granted") \
	X(NOT_GRANTED_TMP, SUBJECT, TMP, "is not granted; TMPDIR names a folder that is, and in the shared one files of other programs are reachable") \
	X(NOT_GRANTED_VAR_TMP, SUBJECT, RULE, "is not granted; TMPDIR names a folder that is") \
	X(DENIED, SUBJECT, RULE, "is denied by %r") \
	X(PROTECTED, SUBJECT, RULE, "is protected") \
	X(VETTED, SUBJECT, NONE, "is protected") \
	X(NEST, SUBJECT, NONE, "is denied by a sandbox inside") \
	X(TERMINAL, SUBJECT, GRANT, "is a terminal of other processes") \
	X(SHARED_DIR, SUBJECT, NONE, "is a folder that all users share") \
	X(SETUID, SENTENCE, NONE, "it would run with its owner's rights") \
	X(HARD_LINK, SENTENCE, NONE, "the second name would give it other rights") \
	X(UNREADABLE, CALLER, NONE, "cordon cannot act for a program whose file may not be read") \
	X(UNKNOWN_CALLER, SENTENCE, NONE, "the calling process cannot be identified") \
	/* git: repositories and files that it writes */ \
	X(GIT_MODE, SENTENCE, NONE, "others could change the repository") \
	X(GIT_HIDE, SENTENCE, NONE, "git's settings are there, or below it") \
	X(GIT_EXCHANGE, SUBJECT, NONE, "cannot be exchanged") \
	X(GIT_IN_PLACE, SENTENCE, GRANT, "git changes it by a new file that takes its place") \
	X(GIT_MANY_OPEN, SENTENCE, NONE, "too many files of git's are open at once") \
	X(GIT_DUPLICATED, SENTENCE, NONE, "its descriptor cannot be duplicated while it is written") \
	X(GIT_UNREADABLE, SUBJECT, NONE, "cannot be read whole") \
	X(GIT_LONG_NAME, SUBJECT, NONE, "has too long a name for a repository") \
	X(GIT_HOOKS, SENTENCE, CHANGE, "it would be a repository with hooks") \
	X(GIT_ATTRIBUTES, SENTENCE, NONE, "it would be a repository with attributes") \
	X(GIT_REBASING, SENTENCE, NONE, "it would be a repository with an unfinished rebase") \
	X(GIT_REMOTES, SENTENCE, NONE, "it would be a repository with remotes of its own") \
	X(GIT_SHARED, SENTENCE, NONE, "it would be a repository that others can change") \
	X(GIT_LINKS, SENTENCE, NONE, "it would be a repository with links out of it") \
	X(GIT_SETTINGS_OUT, SENTENCE, NONE, "it would be a repository whose settings are elsewhere") \
	X(GIT_KEY, SENTENCE, CHANGE, "%n %d") \
	X(GIT_POINTER, SUBJECT, CHANGE, "is not a pointer as git writes it") \
	X(GIT_OUTSIDE, SUBJECT, CHANGE, "leads git out of the project, or through a link") \
	X(GIT_UNNAMED, SUBJECT, CHANGE, "leads git to a folder that is not called .git") \
	X(GIT_MOVED_REMOTE, SENTENCE, CHANGE, "a remote's path would lead elsewhere from this working tree") \
	X(GIT_ELSEWHERE, SUBJECT, CHANGE, "leads git elsewhere") \
	X(GIT_OWNER, SENTENCE, CHANGE, "it belongs to a repository whose name does not end in .git") \
	X(GIT_NOT_ITS, SUBJECT, CHANGE, "is not a git file") \
	X(NEST_CONTENT, SENTENCE, NONE, "the sandbox inside refuses its content") \
	/* git: keys and lines of its settings, and what they name */ \
	X(KEY_UNKNOWN, SUBJECT, CHANGE, "is not known to be harmless") \
	X(KEY_NAME, SUBJECT, CHANGE, "has a name that git never writes") \
	X(KEY_VALUE, SUBJECT, CHANGE, "has a value that git never writes") \
	X(KEY_PROGRAM, SUBJECT, CHANGE, "can start a program") \
	X(KEY_SUBMODULE, SUBJECT, CHANGE, "is not about a submodule") \
	X(KEY_NO_URL, SUBJECT, CHANGE, "belongs to a remote that has no address") \
	X(KEY_SHARED, SUBJECT, CHANGE, "lets all users change the repository") \
	X(KEY_GROUP, SUBJECT, CHANGE, "lets the group change the repository") \
	X(KEY_WORKTREE, SUBJECT, CHANGE, "leads to another working tree") \
	X(KEY_BARE, SUBJECT, CHANGE, "takes its working tree from a repository") \
	X(URL_ODD, SUBJECT, CHANGE, "is not an ordinary address") \
	X(URL_PROGRAM, SUBJECT, CHANGE, "names a program as its transport") \
	X(URL_SCHEME, SUBJECT, CHANGE, "has a scheme that is not known") \
	X(URL_FILE, SUBJECT, CHANGE, "is a file:// address with a host or with escapes") \
	X(REMOTE_LINK, SUBJECT, CHANGE, "leads to a repository by a link") \
	X(REMOTE_UNCHECKED, SUBJECT, CHANGE, "leads to a place whose repositories are not checked") \
	X(REMOTE_MISSING, SUBJECT, CHANGE, "leads to no repository, and one could come there later") \
	X(REMOTE_WORKTREE, SUBJECT, CHANGE, "leads into a working tree, where a commit could bring another repository") \
	X(REMOTE_UNTRUSTED, SUBJECT, CHANGE, "leads to a repository that cannot be trusted") \
	X(REMOTE_RELATIVE, SUBJECT, CHANGE, "is a path that leads elsewhere from another folder: give the whole path") \
	X(LINE_SECTION_END, SUBJECT, CHANGE, "has a section without an end") \
	X(LINE_SECTION, SUBJECT, CHANGE, "has a section that is not written as git writes it") \
	X(LINE_SECTION_NAME, SUBJECT, CHANGE, "has a section without a name") \
	X(LINE_QUOTE, SUBJECT, CHANGE, "has a quote without an end") \
	X(LINE_BACKSLASH, SUBJECT, CHANGE, "has a backslash before a character that cannot follow it") \
	X(LINE_NO_SECTION, SUBJECT, CHANGE, "has a key without a section") \
	X(LINE_NO_VALUE, SUBJECT, CHANGE, "has a key that is not followed by =") \
	X(LINE_CHARACTER, SUBJECT, CHANGE, "begins with a character that no line begins with") \
	X(LINE_TOO_LONG, SUBJECT, CHANGE, "is too long a text for settings") \
	X(LINE_NUL, SUBJECT, CHANGE, "has a NUL byte") \
	X(STEPS_NUL, SUBJECT, CHANGE, "has a NUL byte") \
	X(STEPS_EXEC, SENTENCE, CHANGE, "exec lines start programs when the rebase continues") \
	X(STEPS_STRATEGY, SENTENCE, CHANGE, "git runs this strategy as a program") \
	X(STEPS_SYNTAX, SUBJECT, CHANGE, "cannot be read as git reads it") \
	X(STEPS_OPTION, SENTENCE, CHANGE, "git passes this option on when patches continue, and it may write elsewhere") \
	/* symbolic links */ \
	X(LINK_LONG, SENTENCE, NONE, "a link that leads up from a path too long to be checked") \
	X(LINK_DENIED, SENTENCE, NONE, "a link on the way to what is denied") \
	X(LINK_GIT, SENTENCE, NONE, "a link out of a repository, which git writes through") \
	X(LINK_TMP, SENTENCE, TMP, "a link into the private tmp, which ends with the run; make it below TMPDIR, too") \
	X(LINK_REMOTE, SENTENCE, NONE, "a link on git's way to another repository") \
	X(LINK_NEST, SENTENCE, NONE, "the sandbox inside refuses where it leads") \
	/* sockets and other ways out */ \
	X(SOCKET, SENTENCE, NONE, "the socket is not granted") \
	X(SOCKET_MOVED, SENTENCE, NONE, "the socket is not granted, but would be at its new place") \
	X(SOCKET_UNCOPIED, SENTENCE, NONE, "the container refuses pidfd_getfd, and the session did not make this socket, or has too many: start the container with --cap-add SYS_PTRACE") \
	X(NO_SOCKET, SENTENCE, NONE, "what is there is not a socket") \
	X(NO_NETWORK, CALLER, NONE, "no network access is granted") \
	X(NO_DATAGRAMS, CALLER, NONE, "UDP and unix datagrams are not granted; allow them with --udp") \
	X(NO_DATAGRAMS_HERE, CALLER, NONE, "datagrams are granted, but need pidfd_getfd, which the container refuses: start it with --cap-add SYS_PTRACE") \
	X(NO_SYSV, CALLER, NONE, "System V shared memory, semaphores and message queues are not granted; allow them with --ipc sysv") \
	X(SIGNAL, CALLER, NONE, "signals reach only processes of this session") \
	/* hosts and ports */ \
	X(NET_NONE, SENTENCE, NONE, "no network access is granted") \
	X(NET_LOCAL_ONLY, SENTENCE, NONE, "only this machine may be reached") \
	X(NET_LOCAL_PORT, SENTENCE, LOCAL, "this port of this machine is not listed") \
	X(NET_LOCAL_DNS, SENTENCE, NONE, "the resolver of this machine sends queries outside, so its port must be listed") \
	X(NET_LOCAL_SERVER, SUBJECT, LOCAL, "is a server of this machine, and not of this session") \
	X(NET_OWN_ONLY, SENTENCE, NONE, "on this machine only servers of the session are reached") \
	X(NET_DOMAIN, SUBJECT, DOMAIN, "is not among the allowed domains") \
	X(NET_PORT, SUBJECT, PORT, "is among the allowed domains, but port %u is not among the ports") \
	X(NET_ANY_PORT, SUBJECT, PORT, "is at a port that is not listed") \
	X(NET_ADDRESS, SUBJECT, NONE, "is an address, and only names of the allowed domains may be reached") \
	X(NET_NOT_LOOKED_UP, SUBJECT, NONE, "was not looked up as a name of the allowed domains") \
	X(NET_UDP, SENTENCE, NONE, "datagrams are not granted") \
	X(NET_UDP_LOCAL, SENTENCE, NONE, "no mechanism here can check the addresses of datagrams") \
	X(NET_NO_PROXY, SENTENCE, NONE, "there is no proxy") \
	X(NET_FULL, SUBJECT, NONE, "is one connection too many: a session has at most %u") \
	X(NET_FEW_FILES, SUBJECT, NONE, "is one connection too many: the limit on open files (ulimit -Hn: %n) allows %u") \
	X(NET_LEADS_TO, SUBJECT, PRIVATE, "leads to %n, which is %d; only \"private\" of the policy's network would allow it") \
	X(NET_LEADS_TO_MANY, SUBJECT, NONE, "leads to too many addresses, %n among them") \
	X(NET_IS, SUBJECT, NONE, "is %d") \
	/* kinds of addresses */ \
	X(ADDRESS_THIS_MACHINE, SENTENCE, NONE, "this machine") \
	X(ADDRESS_THIS_PROXY, SENTENCE, NONE, "this proxy") \
	X(ADDRESS_PRIVATE, SENTENCE, NONE, "a private address") \
	X(ADDRESS_CARRIER, SENTENCE, NONE, "a carrier's private address") \
	X(ADDRESS_METADATA, SENTENCE, NONE, "a cloud's metadata service") \
	X(ADDRESS_LINK_LOCAL, SENTENCE, NONE, "a link-local address") \
	X(ADDRESS_RESERVED, SENTENCE, NONE, "a reserved address") \
	X(ADDRESS_DOCUMENTATION, SENTENCE, NONE, "a documentation address") \
	X(ADDRESS_6TO4, SENTENCE, NONE, "a 6to4 relay") \
	X(ADDRESS_BENCHMARK, SENTENCE, NONE, "a benchmark address") \
	X(ADDRESS_MULTICAST, SENTENCE, NONE, "a multicast address") \
	X(ADDRESS_TRANSLATION, SENTENCE, NONE, "a private translation address") \
	X(ADDRESS_DISCARD, SENTENCE, NONE, "a discarding address") \
	/* TLS, SSH and HTTP */ \
	X(PORT_WEB, SENTENCE, NONE, "this port is for TLS and HTTP only") \
	X(PORT_KNOWN, SENTENCE, OPAQUE, "this port is for TLS, HTTP and SSH only, as it is not listed as opaque") \
	X(START_LONG, SENTENCE, NONE, "its beginning is too long") \
	X(SSH_SERVER, SENTENCE, NONE, "the client speaks SSH and the server does not") \
	X(TLS_ECH, SUBJECT, ECH, "is asked for a server name that may be hidden (ECH); only \"ech\": \"allow\" of the policy's network would let it pass") \
	X(TLS_OTHER_NAME, SENTENCE, NONE, "the TLS client asks for another name than it connected to") \
	X(TLS_NO_HELLO, SENTENCE, NONE, "its first record is not a handshake") \
	X(TLS_TWO_NAMES, SENTENCE, NONE, "it has two server names") \
	X(TLS_NAME_BAD, SENTENCE, NONE, "its server name is malformed") \
	X(TLS_NAME_ODD, SENTENCE, NONE, "its server name is not a host name") \
	X(TLS_EXTENSIONS, SENTENCE, NONE, "its extensions are malformed") \
	X(TLS_NO_NAME, SENTENCE, NONE, "it has no server name (SNI)") \
	X(TLS_MALFORMED, SENTENCE, NONE, "it is malformed") \
	X(TLS_LONG, SENTENCE, NONE, "it is too long") \
	X(HTTP_TWO_HOSTS, SENTENCE, NONE, "it has two Host headers") \
	X(HTTP_HOST, SENTENCE, NONE, "its Host header is not a host name") \
	X(HTTP_TWO_LENGTHS, SENTENCE, NONE, "it gives its length twice") \
	X(HTTP_LENGTH, SENTENCE, NONE, "its Content-Length is not a number") \
	X(HTTP_CODING, SENTENCE, NONE, "its Transfer-Encoding is not \"chunked\"") \
	X(HTTP_OLD_CODING, SENTENCE, NONE, "HTTP/1.0 has no Transfer-Encoding") \
	X(HTTP_TWO_LOGINS, SENTENCE, NONE, "it has two Proxy-Authorization headers") \
	X(HTTP_NAMELESS, SENTENCE, NONE, "one of its headers has no name") \
	X(HTTP_HEADER, SENTENCE, NONE, "one of its headers has a malformed name") \
	X(HTTP_URL_USER, SENTENCE, NONE, "its URL has a user name in it") \
	X(HTTP_URL_HOST, SENTENCE, NONE, "its URL has no host name") \
	X(HTTP_FRAGMENT, SENTENCE, NONE, "its target has a fragment") \
	X(HTTP_CONNECT_TO, SENTENCE, NONE, "CONNECT needs NAME:PORT, and a name is not an address") \
	X(HTTP_TARGET_KIND, SENTENCE, NONE, "its target is neither a path nor an http URL") \
	X(HTTP_FIRST_LINE, SENTENCE, NONE, "its first line is not a request") \
	X(HTTP_METHOD, SENTENCE, NONE, "its method is malformed") \
	X(HTTP_TRACE, SENTENCE, NONE, "it is a TRACE request, which would return the headers that proxies add") \
	X(HTTP_TARGET, SENTENCE, NONE, "its target is malformed") \
	X(HTTP_VERSION, SENTENCE, NONE, "it is not HTTP/1.0 or HTTP/1.1") \
	X(HTTP_CONTROL, SENTENCE, NONE, "it has a control character in it") \
	X(HTTP_FOLDED, SENTENCE, NONE, "one of its headers continues in the next line") \
	X(HTTP_NO_HOST, SENTENCE, NONE, "it has no Host header") \
	X(HTTP_TARGET_HOST, SENTENCE, NONE, "its Host header names another host than its target") \
	X(HTTP_TARGET_PORT, SENTENCE, NONE, "its Host header names another port than its target") \
	X(HTTP_LONG, SENTENCE, NONE, "its head is too long") \
	X(HTTP_CONNECT_BODY, SENTENCE, NONE, "CONNECT has no body") \
	X(HTTP_TUNNEL, SENTENCE, NONE, "it asks for a proxy inside a tunnel") \
	X(HTTP_OTHER_HOST, SENTENCE, NONE, "the Host header names another host than it connected to") \
	X(HTTP_OTHER_PORT, SENTENCE, NONE, "the Host header names another port than it connected to") \
	X(HTTP_BODY, SENTENCE, NONE, "its body is malformed")
/* clang-format on */

enum cause {
	CAUSE_NONE,
#define CAUSE_ENUM(id, form, remedy, text) CAUSE_##id,
	CAUSES(CAUSE_ENUM)
#undef CAUSE_ENUM
		CAUSE_COUNT
};

struct cause_row {
	const char *id; /* as the enumerator, for programs */
	enum cause_form form;
	enum cause_remedy remedy;
	const char *text;
};
const struct cause_row *cause_row(enum cause cause);
/* Of one without parameters. */
const char *cause_text(enum cause cause);
