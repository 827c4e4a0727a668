/* SPDX-License-Identifier: MIT */
/* What the public opaque types hold. */
#pragma once

#include <cordon/cordon.h>
#include <sys/types.h>

#include "plan/plan.h"

struct cordon_setup {
	struct arena arena;
	enum command command;
	bool system_given;
	enum system system;
	const char *project; /* as named; NULL: to be found */
	const char *home;    /* as named; NULL: the caller's */
	const char *facts_file;
	bool no_project_policy;
	struct stack_text *texts;
	size_t text_count;
	struct policy *options; /* --read and its like */
	bool options_used;
	bool tracks;	/* a record says that nothing is restricted */
	bool restricts; /* an option says something else than a limit */
};

/* Everything a plan borrows from. */
struct cordon_plan {
	struct arena arena;
	struct host host;
	struct facts facts;
	bool assumed; /* the facts or the system are not this host's: good for plans only */
	const char *system_file, *user_file;
	const char *homes[4]; /* of whoever asks: by the environment and the user database */
	size_t home_count;
	const char *store; /* where approvals are kept, always on this machine; NULL: nowhere */
	struct trust trust;
	bool has_trust;		    /* the project's policy was approved as it is */
	char hash[TRUST_HASH_SIZE]; /* of the project's policy as it was read */
	char trust_problem[sizeof((struct cordon_error *)0)->text];
	struct plan *plan;
	const char **gaps; /* in words */
	size_t gap_count;
};

/* The home of who we are, by the user database; NULL when it does not know. The arena's. */
int home_of_user(struct arena *arena, const char **ret_home, struct cordon_error *err);
/* In the text of /etc/passwd, which is cut up; NULL also when a line is only for the C library. */
const char *home_in_text(char *text, uid_t uid);

enum context_use {
	CONTEXT_RUN,	 /* a project that may become writable: homes and roots are refused */
	CONTEXT_LOOK,	 /* nothing will run: any folder will do */
	CONTEXT_TRUSTING /* as RUN, with the project's policy taken as approved */
};

/* An absolute path that a variable of the caller's names; NULL: none. */
const char *context_env_path(const struct host *host, const char *name);
/* Is it planned for another system than this one? Then little is known of its files. */
bool context_plans_other_os(const struct cordon_plan *context);
/* Where a path of another system leads, by that little. */
int context_foreign_path(struct cordon_plan *context, const char *path, const char **ret_path,
			 struct cordon_error *err);
/* project.c: the project, the working directory, and what git takes from there. */
int project_find(struct cordon_plan *context, const struct cordon_setup *setup,
		 enum context_use use, struct cordon_error *err);
/* The host part: folders, project, facts. */
int context_open(const struct cordon_setup *setup, enum context_use use,
		 struct cordon_plan **ret_context, struct cordon_error *err);
/* Only the folders of the host part: for what needs no plan. */
int context_folders(const struct cordon_setup *setup, struct cordon_plan **ret_context,
		    struct cordon_error *err);
/* The plan part. only: one policy text instead of every source, or NULL. */
int context_plan(struct cordon_plan *context, const struct cordon_setup *setup,
		 enum context_use use, const struct stack_text *only, struct cordon_error *err);
void context_input(const struct cordon_plan *context, const struct cordon_setup *setup,
		   struct stack_input *ret_input);
static inline void
auto_context_fn(struct cordon_plan **context)
{
	cordon_plan_free(*context);
}
#define auto_context __attribute__((cleanup(auto_context_fn)))
