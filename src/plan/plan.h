/* SPDX-License-Identifier: MIT */
/*
 * The plan: a policy applied to a host, with all paths resolved and decided, and a list of gaps. A
 * plan changes nothing; it is the input of enforcement and of `why`.
 */
#pragma once

#include "host/facts.h"
#include "host/host.h"
#include "host/mounts.h"
#include "policy/model/cause.h"
#include "rules/index.h"
#include "sources/merge.h"
#include "sources/trust_store.h"

/* A request of an unapproved project: anything beyond narrowing. */
struct request {
	struct srcpos srcpos;
	const char *text;  /* text for the user */
	const char *path;  /* canonical path of the grant, or NULL */
	const char *twice; /* a reason to look twice at the text or the path; else NULL */
};

/* Which calls are supervised; the kernel decides all others. */
enum routing { ROUTE_NOTHING, ROUTE_CHANGES, ROUTE_READS };

enum guarantee_status {
	GUARANTEE_NOT_NEEDED,
	GUARANTEE_ENFORCED,
	GUARANTEE_ACCEPTED,
	GUARANTEE_GAP
};

struct guarantee_state {
	enum guarantee_status status;
	const char *how;    /* the mechanism, or why there is none */
	const char *remedy; /* of a gap: a way to close it */
};

struct socket_grant {
	const char *path; /* canonical */
	const struct word *word;
};

/* Denies of execution that are enforced entry by entry (exec_rules.h). */
#define LISTED_MAX 64

struct plan {
	struct arena arena;
	const struct host *host; /* not owned */
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
		unenforced; /* a denied program that can be executed anyway, in words; NULL: none */
	enum routing routing;
	const struct planned_rule
		*routed_by;  /* the rule that needs this routing; NULL: no single rule */
	bool routes_sockets; /* names of unix sockets are supervised */
	bool routes_signals; /* targets of signals are supervised */
	bool closes_sockets; /* only socketpair() is allowed, because nothing can check names */
	bool routes_network; /* addresses are supervised: network localhost and domains */
	bool traces;	     /* calls that the kernel decides are seen by the broker */
	bool has_datagrams;  /* UDP and unix datagrams; the broker sends those with an address */
	struct guarantee_state guarantees[G_COUNT];
	const char **notices;
	size_t notice_count;
	const char *program; /* the command's name, for suggestions; not owned; NULL: unknown */
};

/* Takes ownership of stack, also on failure. trust may be NULL: nothing is pinned. */
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
/* Returns the number of gaps that were not accepted. */
int plan_gaps(const struct plan *plan);

/* ---- steps, each in its own file ---- */

/* rules.c: adds a written rule to the index. */
int plan_add_rule(struct plan *plan, const struct rule *rule, enum layer layer,
		  struct cordon_error *err);
/* Resolves a rule's path; *ret_path is NULL if an optional token is unset. */
int plan_rule_path(struct plan *plan, const struct rule *rule, const char **ret_path,
		   struct cordon_error *err);
/* Has path rights that its directory has not? If not, the command can create it. */
bool plan_rule_stands_out(const struct plan *plan, const char *path);
/* Is it written with a slash, missing, and created at the start? Never for a project. */
bool plan_rule_creates_dir(const struct plan *plan, const struct planned_rule *rule);
/* Is it an optional grant of a missing path, which has no effect? */
bool plan_rule_is_absent(const struct plan *plan, const struct planned_rule *rule);
/* pattern_matches.c: adds a rule for each present match of a glob that grants execution. */
int plan_add_matches(struct plan *plan, const struct planned_rule *glob, struct cordon_error *err);
/* grants.c: marks grants of missing paths that neither the start nor the command can create. */
int plan_mark_absent(struct plan *plan, struct cordon_error *err);
/* An error if a start would refuse a grant because its path is missing. */
int plan_check_missing(const struct plan *plan, struct cordon_error *err);
/* Which of create and delete does a rule at path not give, because its directory is not granted? */
unsigned plan_unnamed(const struct plan *plan, const char *path);
/* Does a rule at path or above it allow changes? */
bool plan_changes_around(const struct plan *plan, const char *path);
/* rules.c: refuses grants through a symbolic link that a sandbox could have planted. */
int plan_check_links(struct plan *plan, struct cordon_error *err);
/* narrow.c: applies an unapproved project and lists its requests. */
int plan_narrow(struct plan *plan, struct cordon_error *err);
/* pins.c: drops grants of an approved project that lead elsewhere now. */
int plan_check_pins(struct plan *plan, const struct trust *trust, struct cordon_error *err);
/* trust_requests.c: adds a notice about requests and how to approve them. */
int plan_note_requests(struct plan *plan, struct cordon_error *err);
/* pins.c: the same for sockets granted by path. */
int plan_check_socket_pins(struct plan *plan, const struct trust *trust, struct cordon_error *err);
/* sockets.c */
int plan_add_sockets(struct plan *plan, struct cordon_error *err);
/* Resolves the path of a socket; NULL for a preset. */
int plan_socket_path(struct plan *plan, const struct word *word, const char **ret_path,
		     struct cordon_error *err);
/* Returns what this socket allows beyond all rules, in words; NULL: nothing known. */
const char *plan_socket_danger(const char *text);
/* Did the approved project name this path? */
bool plan_is_projects_socket(const struct plan *plan, const struct socket_grant *grant);
struct socket_answer {
	bool allowed;
	enum cause cause;	     /* the reason of a refusal */
	const char *reason;	     /* the reason of a permission */
	const struct srcpos *srcpos; /* of the word that names it, or NULL */
};
/*
 * May the socket at a canonical path be connected to? The broker also allows sockets made by the
 * session and those in its private tmp.
 */
struct socket_answer plan_decide_socket(const struct plan *plan, const char *path);
/* May any socket in the project be connected to? Not if it contains homes or the like. */
bool plan_has_project_sockets(const struct plan *plan);
/* rules.c: returns the first link that a sandbox could have planted, or NULL. */
const char *plan_planted_link(const struct plan *plan, const char *const *links, size_t count);
/* guarantees.c */
void plan_check_guarantees(struct plan *plan);
