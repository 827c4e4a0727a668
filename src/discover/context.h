/* SPDX-License-Identifier: MIT */
/* Definitions of the public opaque types. */
#pragma once

#include <cordon/cordon.h>
#include <sys/types.h>

#include "enforce/session_group.h"
#include "plan/plan.h"

struct cordon_setup {
	struct arena arena;
	enum command command;
	bool system_given;
	enum system system;
	const char *project; /* as given; NULL: to be found */
	const char *home;    /* as given; NULL: the caller's */
	const char *facts_file;
	bool no_project_policy;
	bool traces;
	struct stack_text *texts;
	size_t text_count;
	struct policy *options; /* options such as --read */
	bool options_used;
	bool has_record;
	bool tracks;		/* the record says that nothing is restricted */
	struct invoker_ids ids; /* from the record */
	bool restricts;		/* an option other than a limit was given */
};

/* A plan and everything it borrows from. */
struct cordon_plan {
	struct arena arena;
	struct host host;
	struct facts facts;
	bool assumed; /* facts or system are not this host's: the plan cannot be run */
	const char *system_file, *user_file;
	const char *homes[4]; /* of the user: from the environment and the user database */
	size_t home_count;
	struct invoker_ids ids;
	const char *store; /* directory of approvals, on this machine; NULL: none */
	struct trust trust;
	bool has_trust;		    /* the project's policy was approved with this content */
	char hash[TRUST_HASH_SIZE]; /* of the project's policy as it was read */
	char trust_problem[sizeof((struct cordon_error *)0)->text];
	struct plan *plan;
	const char **gaps; /* in words */
	size_t gap_count;
};

/* Home of the effective user in the user database; NULL if it has none. Lives in arena. */
int home_of_user(struct arena *arena, const char **ret_home, struct cordon_error *err);
/* Looks uid up in the text of /etc/passwd, which is modified; NULL: ask the C library. */
const char *home_in_text(char *text, uid_t uid);

enum context_use {
	CONTEXT_RUN,	 /* to run: a home or "/" is refused as project */
	CONTEXT_LOOK,	 /* to look only: any directory is accepted */
	CONTEXT_TRUSTING /* like RUN, treating the project's policy as approved */
};

/* Absolute path in a variable of the caller, or NULL. */
const char *context_env_path(const struct host *host, const char *name);
/* Is the plan for another system than this one? Then its files are mostly unknown. */
bool context_plans_other_os(const struct cordon_plan *context);
/* Resolves a path of another system, as far as it is known. */
int context_foreign_path(struct cordon_plan *context, const char *path, const char **ret_path,
			 struct cordon_error *err);
/* project.c: finds the project, the working directory, and what git uses of them. */
int project_find(struct cordon_plan *context, const struct cordon_setup *setup,
		 enum context_use use, struct cordon_error *err);
/* Is the project a home, or does it contain one? */
bool project_is_home(const struct cordon_plan *context);
/* The error for a working directory that is no project. */
int project_fail(const struct cordon_plan *context, struct cordon_error *err);
/* Gathers the host: directories, project, facts. */
int context_open(const struct cordon_setup *setup, enum context_use use,
		 struct cordon_plan **ret_context, struct cordon_error *err);
/* Gathers only the directories, for commands that need no plan. */
int context_folders(const struct cordon_setup *setup, struct cordon_plan **ret_context,
		    struct cordon_error *err);
/* Makes the plan. only: a single policy instead of every source, or NULL. */
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
