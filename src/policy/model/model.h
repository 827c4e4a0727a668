/* SPDX-License-Identifier: MIT */
/*
 * The policy model: one struct policy per text, as written, in any dialect. Paths still contain
 * tokens, nothing has been looked up, and every item has its source position.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum right {
	RIGHT_READ = 1,
	RIGHT_WRITE = 2, /* change content and metadata of existing files */
	RIGHT_CREATE = 4,
	RIGHT_DELETE = 8,
	RIGHT_EXECUTE = 16,
	RIGHTS_CHANGE = RIGHT_WRITE | RIGHT_CREATE | RIGHT_DELETE,
	RIGHTS_ALL = 31
};
#define RIGHT_KINDS 5

enum system { SYSTEM_LINUX, SYSTEM_MACOS };
enum command { COMMAND_RUN, COMMAND_SHELL };
enum dialect { DIALECT_ANY, DIALECT_NATIVE, DIALECT_ZED, DIALECT_FLOW, DIALECT_CLASH };
enum effect { EFFECT_DENY, EFFECT_ALLOW };
enum match { MATCH_SUBPATH, MATCH_LITERAL, MATCH_CHILD, MATCH_GLOB, MATCH_REGEX };

static inline bool
match_is_pattern(enum match match)
{
	return match == MATCH_GLOB || match == MATCH_REGEX;
}

/*
 * One source of policy, most trusted first. A deny of one layer overrides allows of later layers.
 * Profiles come before all files because they are built in, but their denies can be overridden.
 */
enum layer {
	LAYER_BUILTIN, /* protections that no text can widen */
	LAYER_PROFILE,
	LAYER_SYSTEM,
	LAYER_USER,
	LAYER_COMMAND,
	LAYER_PROJECT,
	LAYER_COUNT
};

/* Source position. file is the name used in messages; line 0 means the whole source. */
struct srcpos {
	const char *file;
	uint32_t line, column;
};

struct word {
	const char *text;
	struct srcpos srcpos;
};
struct words {
	struct word *items;
	size_t count;
};

/* The list of the text that a rule came from; used to print short forms again. */
enum list { LIST_READ, LIST_WRITE, LIST_EXECUTE, LIST_DENY, LIST_PROTECT, LIST_RULES };

struct rule {
	enum effect effect;
	unsigned rights;
	enum match match;
	enum list list;
	const char *path;   /* as written, or the pattern */
	const char *why;    /* or NULL */
	bool worktrees;	    /* also applies to the repository's git directories outside the tree */
	bool optional;	    /* an unset token skips the rule instead of being an error */
	bool implied;	    /* not written: the dialect implies it */
	bool skips_missing; /* a path that does not exist skips the rule, with a note */
	struct srcpos srcpos;
};

enum net_mode { NET_UNSET, NET_NONE, NET_LOCALHOST, NET_DOMAINS, NET_ALL };
struct port {
	uint16_t number;
	struct srcpos srcpos;
};
struct ports {
	struct port *items;
	size_t count;
};
/* Encrypted client hello: may TLS use it, which hides the host name from the proxy? */
enum ech { ECH_UNSET, ECH_REFUSE, ECH_ALLOW };
/* With NET_LOCALHOST: UDP and unix datagrams on this machine. */
enum udp { UDP_UNSET, UDP_REFUSE, UDP_ALLOW };
struct network {
	enum net_mode mode;
	struct srcpos srcpos;
	struct ports localhost; /* empty: every port with NET_LOCALHOST, none with NET_DOMAINS */
	struct words domains;	/* lower-case A-labels; "*." in front for subdomains */
	struct ports ports;
	struct ports opaque;	     /* ports of these on which any protocol may pass */
	struct words private_ranges; /* ADDRESS/BITS */
	struct word resolver;	     /* ADDRESS:PORT; text is NULL if not given */
	enum ech ech;		     /* unset means refused */
	struct srcpos ech_srcpos;
	enum udp udp; /* unset means refused */
	struct srcpos udp_srcpos;
};

/* Ordered by how much passes. */
enum env_mode { ENV_UNSET, ENV_EXPLICIT, ENV_SCRUB, ENV_DEVELOPER, ENV_INHERIT };
struct env_set {
	const char *name, *value;
	struct srcpos srcpos;
};
struct environment {
	enum env_mode mode;
	struct srcpos srcpos;
	struct words allow; /* names; a trailing * matches a prefix */
	struct env_set *set;
	size_t set_count;
};

enum limit {
	LIMIT_TIME, /* seconds */
	LIMIT_OUTPUT,
	LIMIT_PROCESSES,
	LIMIT_MEMORY,
	LIMIT_FILE_SIZE,
	LIMIT_CPU_TIME,
	LIMIT_OPEN_FILES,
	LIMIT_COUNT
};
struct limit_value {
	uint64_t value; /* 0: no limit */
	struct srcpos srcpos;
};

enum tmp { TMP_UNSET, TMP_PRIVATE, TMP_SHARED };
/* System V queues, semaphores and memory: none, or those of all processes of the user. */
enum ipc { IPC_UNSET, IPC_NONE, IPC_SYSV };
/* What an agent is told to do after a refusal: stop, find another way, or whichever fits. */
enum on_refusal { ON_REFUSAL_UNSET, ON_REFUSAL_STOP, ON_REFUSAL_WORKAROUND, ON_REFUSAL_SMART };
/* Where events of sessions go besides the log of cordon. */
enum event_log { EVENT_LOG_UNSET, EVENT_LOG_FILE, EVENT_LOG_JOURNAL, EVENT_LOG_SYSLOG };
extern const char *const event_log_names[]; /* by enum event_log, the first empty; ends with NULL */
extern const char
	*const on_refusal_names[];    /* by enum on_refusal, the first empty; ends with NULL */
extern const char *const tmp_names[]; /* by enum tmp, the first empty; ends with NULL */
extern const char *const ipc_names[]; /* likewise */

/* Something the text requests that its reader did not grant, and why. For `check`. */
struct hole {
	struct srcpos srcpos;
	const char *text;
	bool at_start; /* also a notice of each plan */
};

struct policy {
	struct arena arena;
	const char *file; /* for messages */
	const char *path; /* the file it was read from, or NULL */
	enum dialect dialect;
	enum system system; /* the system whose blocks and lists were used */

	bool has_extends; /* present, even if empty: an empty list means no base */
	struct words extends;
	struct rule *rules;
	size_t rule_count;
	bool has_default;
	unsigned default_rights;
	struct srcpos default_srcpos;
	struct network network;
	struct words sockets;
	struct environment env;
	struct limit_value limits[LIMIT_COUNT];
	enum tmp tmp;
	struct srcpos tmp_srcpos;
	enum ipc ipc;
	struct srcpos ipc_place;
	enum on_refusal on_refusal;
	enum event_log log;
	struct srcpos log_place;
	struct words accept;

	struct hole *holes;
	size_t hole_count;
};

struct policy *policy_new(const char *file, struct cordon_error *err);
struct policy *policy_free(struct policy *policy);
static inline void
auto_policy_fn(struct policy **policy)
{
	policy_free(*policy);
}
#define auto_policy __attribute__((cleanup(auto_policy_fn)))

/* Appends a copy of the text. policy_add_rule returns the new rule for further fields, or NULL. */
struct rule *policy_add_rule(struct policy *policy, enum list list, const char *path,
			     struct srcpos srcpos, struct cordon_error *err);
int policy_add_word(struct policy *policy, struct words *words, const char *text,
		    struct srcpos srcpos, struct cordon_error *err);
bool policy_words_have(const struct words *words, const char *text);
bool policy_ports_have(const struct ports *ports, unsigned number);
/* The same for another list; texts are not copied. */
int policy_words_add(struct arena *arena, struct words *to, const struct word *word,
		     struct cordon_error *err);
int policy_ports_add(struct arena *arena, struct ports *to, const struct port *port,
		     struct cordon_error *err);

/* Names, shared by readers, printer and messages. */
extern const char *const right_names[RIGHT_KINDS];
extern const char *const match_names[];
extern const char *const list_names[];
extern const char *const net_names[];
extern const char *const env_names[];
extern const char *const ech_names[];
extern const char *const limit_names[LIMIT_COUNT];
extern const char *const layer_names[LAYER_COUNT];
extern const char *const system_names[2];
extern const char *const dialect_names[];

/* The rights that each short list allows or denies. */
unsigned policy_list_rights(enum list list);
/* Parses letters of "rwcdx" in any order, each at most once; else -1. */
int policy_rights_from_letters(const char *letters);
/* Writes five columns with '-' for absent, such as "r---x". to has room for 6. */
void policy_rights_to_columns(unsigned rights, char *to);
/* Writes "rx", or "" for none. to has room for 6. */
void policy_rights_to_letters(unsigned rights, char *to);
/* Writes "read + execute", or "none". to has room for RIGHTS_WORDS. */
#define RIGHTS_WORDS 48
void policy_rights_to_words(unsigned rights, char *to);
