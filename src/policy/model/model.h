/* SPDX-License-Identifier: MIT */
/*
 * What was asked for, exactly as written: one struct policy per text, whatever its dialect. Paths
 * still carry their tokens, nothing has been looked up, and every item knows where it stands.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum right {
	RIGHT_READ = 1,
	RIGHT_WRITE = 2, /* change existing content and metadata */
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

/*
 * One source of policy, most trusted first. A deny of a layer is final for the layers after it.
 * Profiles come before all files because they are ours; their own denies are not final.
 */
enum layer {
	LAYER_BUILTIN, /* protections no text can widen */
	LAYER_PROFILE,
	LAYER_SYSTEM,
	LAYER_USER,
	LAYER_COMMAND,
	LAYER_PROJECT,
	LAYER_COUNT
};

/* Where something stands. file is the name used in messages; line 0 means the whole source. */
struct place {
	const char *file;
	uint32_t line, column;
};

struct word {
	const char *text;
	struct place place;
};
struct words {
	struct word *items;
	size_t count;
};

/* Which list of the text a rule came from: kept so that printing gives back the short forms. */
enum list { LIST_READ, LIST_WRITE, LIST_EXECUTE, LIST_DENY, LIST_PROTECT, LIST_RULES };

struct rule {
	enum effect effect;
	unsigned rights;
	enum match match;
	enum list list;
	const char *path; /* as written, or the pattern */
	const char *why;  /* or NULL */
	bool worktrees;	  /* also for the repository's git directories outside the tree */
	bool optional;	  /* an unset token skips the rule instead of being an error */
	bool implied;	  /* written nowhere: the dialect grants it by itself */
	struct place place;
};

enum net_mode { NET_UNSET, NET_NONE, NET_LOCALHOST, NET_DOMAINS, NET_ALL };
struct port {
	uint16_t number;
	struct place place;
};
struct ports {
	struct port *items;
	size_t count;
};
/* Encrypted client hello: may TLS ask an allowed host for a name that nobody can read? */
enum ech { ECH_UNSET, ECH_REFUSE, ECH_ALLOW };
/* Datagrams on this machine, UDP and unix ones, with NET_LOCALHOST. */
enum udp { UDP_UNSET, UDP_REFUSE, UDP_ALLOW };
struct network {
	enum net_mode mode;
	struct place place;
	struct ports localhost; /* with NET_LOCALHOST: none means every port */
	struct words domains;	/* lower case A-labels, "*." in front for subdomains */
	struct ports ports;
	struct ports opaque;	     /* of those: carry anything, not only what names its host */
	struct words private_ranges; /* ADDRESS/BITS */
	struct word resolver;	     /* ADDRESS:PORT; text NULL when not given */
	enum ech ech;		     /* unset: refused */
	struct place ech_place;
	enum udp udp; /* unset: refused */
	struct place udp_place;
};

/* In order of how much passes. */
enum env_mode { ENV_UNSET, ENV_EXPLICIT, ENV_SCRUB, ENV_DEVELOPER, ENV_INHERIT };
struct env_set {
	const char *name, *value;
	struct place place;
};
struct environment {
	enum env_mode mode;
	struct place place;
	struct words allow; /* names; a trailing * is a prefix */
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
	uint64_t value; /* 0: not limited */
	struct place place;
};

enum tmp { TMP_UNSET, TMP_PRIVATE, TMP_SHARED };
/* System V queues, semaphores and memory: none, or those of every process of the user. */
enum ipc { IPC_UNSET, IPC_NONE, IPC_SYSV };
extern const char *const tmp_names[]; /* by enum tmp, the first empty; ends with NULL */
extern const char *const ipc_names[]; /* likewise */

/* Something a reader did not grant although the text asked for it, and why. For `check`. */
struct hole {
	struct place place;
	const char *text;
};

struct policy {
	struct arena arena;
	const char *file; /* for messages */
	const char *path; /* of the file it was read from, or NULL */
	enum dialect dialect;
	enum system system; /* whose overlays and lists were taken */

	bool has_extends; /* present, even when empty: "starts from nothing" */
	struct words extends;
	struct rule *rules;
	size_t rule_count;
	bool has_default;
	unsigned default_rights;
	struct place default_place;
	struct network network;
	struct words sockets;
	struct environment env;
	struct limit_value limits[LIMIT_COUNT];
	enum tmp tmp;
	struct place tmp_place;
	enum ipc ipc;
	struct place ipc_place;
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

/* Appends; the text is copied. policy_add_rule returns the new rule for further fields, or NULL. */
struct rule *policy_add_rule(struct policy *policy, enum list list, const char *path,
			     struct place place, struct cordon_error *err);
int policy_add_word(struct policy *policy, struct words *words, const char *text,
		    struct place place, struct cordon_error *err);
bool policy_words_have(const struct words *words, const char *text);
bool policy_ports_have(const struct ports *ports, unsigned number);
/* The same again in another list; texts are not copied. */
int policy_words_add(struct arena *arena, struct words *to, const struct word *word,
		     struct cordon_error *err);
int policy_ports_add(struct arena *arena, struct ports *to, const struct port *port,
		     struct cordon_error *err);

/* Names of things, shared by readers, printer and messages. */
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

/* What each short list grants or removes. */
unsigned policy_list_rights(enum list list);
/* "rwcdx" in any order, each letter once; -1 if it is anything else. */
int policy_rights_from_letters(const char *letters);
/* Five columns with '-' for absent, as in "r---x". to has room for 6. */
void policy_rights_to_columns(unsigned rights, char *to);
/* "rx", "" for none. to has room for 6. */
void policy_rights_to_letters(unsigned rights, char *to);
/* "read + execute", "none". to has room for RIGHTS_WORDS. */
#define RIGHTS_WORDS 48
void policy_rights_to_words(unsigned rights, char *to);
