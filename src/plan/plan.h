/* SPDX-License-Identifier: MIT */
/*
 * Policy times host: everything resolved and decided, and the list of what cannot be kept. A plan
 * touches nothing; it is what enforcement will be told, and what `why` answers from.
 */
#pragma once

#include "host/facts.h"
#include "host/host.h"
#include "host/mounts.h"
#include "rules/index.h"
#include "sources/merge.h"
#include "sources/trust_store.h"

/* Something an unapproved project asks for beyond what it may have. */
struct request {
	struct place place;
	const char *text;  /* in words */
	const char *path;  /* canonical, for what is granted by path; else NULL */
	const char *twice; /* why to look twice: what the words hide, or open; else NULL */
};

/* What is asked of the broker, call by call; everything else the kernel decides by itself. */
enum routing { ROUTE_NOTHING, ROUTE_CHANGES, ROUTE_READS };

enum keeping { KEPT_NOT_NEEDED, KEPT_ENFORCED, KEPT_ACCEPTED, KEPT_GAP };

struct promise {
	enum keeping keeping;
	const char *how;    /* the mechanism, or why not */
	const char *remedy; /* of a gap: what would help */
};

struct socket_grant {
	const char *path; /* canonical */
	const struct word *word;
};

/* Denies of running that are held entry by entry (exec_rules.h). */
#define LISTED_MAX 64

struct plan {
	struct arena arena;
	const struct host *host; /* borrowed */
	struct facts facts;
	struct stack *stack; /* owned */
	struct settings settings;
	struct mounts mounts;
	struct index index;
	struct socket_grant *sockets;
	size_t socket_count;
	struct request *requests;
	size_t request_count;
	const struct planned_rule *listed[LISTED_MAX];
	size_t listed_count;
	const char *
		unheld; /* which denied program can be executed all the same, in words; NULL: none */
	enum routing routing;
	const struct planned_rule *routed_by; /* why it is not less; NULL: no single rule */
	bool routes_sockets; /* names of unix sockets are asked of the broker, too */
	bool routes_signals; /* and with them who may be signalled */
	bool closes_sockets; /* or there are none but pairs: nobody could look at names */
	bool routes_network; /* and addresses: network localhost and domains */
	bool has_datagrams; /* UDP and unix datagrams; the broker sends those that name an address */
	struct promise promises[G_COUNT];
	const char **notices;
	size_t notice_count;
};

/* stack is taken over, also on failure. trust may be NULL: then nothing of a project is pinned. */
int plan_make(const struct host *host, const struct facts *facts, struct stack *stack,
	      const struct trust *trust, struct plan **ret_plan, struct cordon_error *err);
struct plan *plan_free(struct plan *plan);
static inline void
auto_plan_fn(struct plan **plan)
{
	plan_free(*plan);
}
#define auto_plan __attribute__((cleanup(auto_plan_fn)))

int plan_notice(struct plan *plan, struct cordon_error *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Guarantees that are needed, cannot be kept, and were not accepted. */
int plan_gaps(const struct plan *plan);

/* ---- the steps, each in a file of its own ---- */

/* rules.c: a written rule as planned rules in the index. */
int plan_add_rule(struct plan *plan, const struct rule *rule, enum layer layer,
		  struct cordon_error *err);
/* Where a rule's path leads; *ret_path NULL when an optional token is unset. */
int plan_rule_path(struct plan *plan, const struct rule *rule, const char **ret_path,
		   struct cordon_error *err);
/* Written as a folder, missing, and to be made at the start; a project's word is not enough. */
bool plan_rule_creates_dir(const struct plan *plan, const struct planned_rule *rule);
/* Missing, and so a grant of a profile that comes to nothing. */
bool plan_rule_is_absent(const struct plan *plan, const struct planned_rule *rule);
/* pattern_matches.c: what a glob that grants running matches now, as rules of their own. */
int plan_add_matches(struct plan *plan, const struct planned_rule *glob, struct cordon_error *err);
/* grants.c: marks grants of what is missing, and is made neither at the start nor by the command. */
void plan_leave_out(struct plan *plan);
/* Of create and delete what no rule at path gives: where a grant begins, its folder is not granted. */
unsigned plan_unnamed(const struct plan *plan, const char *path);
/* Does a rule let something be changed at path or above it? */
bool plan_changes_around(const struct plan *plan, const char *path);
/* rules.c: refuses grants that lead through a symbolic link the sandbox itself could have planted. */
int plan_check_links(struct plan *plan, struct cordon_error *err);
/* narrow.c: narrows by an unapproved project and lists what it asks for. */
int plan_narrow(struct plan *plan, struct cordon_error *err);
/* pins.c: drops what an approved project was granted and what now leads elsewhere. */
int plan_check_pins(struct plan *plan, const struct trust *trust, struct cordon_error *err);
/* trust_requests.c: one line that says what was not granted and how to grant it. */
int plan_note_requests(struct plan *plan, struct cordon_error *err);
/* pins.c: the same for sockets that are granted by path. */
int plan_check_socket_pins(struct plan *plan, const struct trust *trust, struct cordon_error *err);
/* sockets.c */
int plan_add_sockets(struct plan *plan, struct cordon_error *err);
/* Where a socket's name leads; NULL for a preset. */
int plan_socket_path(struct plan *plan, const struct word *word, const char **ret_path,
		     struct cordon_error *err);
/* What whoever reaches this socket can do beyond every rule, in words; NULL: nothing that is known. */
const char *plan_socket_danger(const char *text);
/* Was it the approved project that named this path? */
bool plan_is_projects_socket(const struct plan *plan, const struct socket_grant *grant);
struct socket_answer {
	bool allowed;
	const char *reason;
	const struct place *place; /* of the word that names it, or NULL */
};
/*
 * May the socket at a canonical path be connected to? What the session makes itself, and its private
 * tmp, are for who enforces: there it may.
 */
struct socket_answer plan_decide_socket(const struct plan *plan, const char *path);
/* May whatever lies in the project be connected to? Not in one that holds a home or system folders. */
bool plan_has_project_sockets(const struct plan *plan);
/* rules.c: the first of the links that the sandbox itself could have planted, or NULL. */
const char *plan_planted_link(const struct plan *plan, const char *const *links, size_t count);
/* guarantees.c */
void plan_check_guarantees(struct plan *plan);
