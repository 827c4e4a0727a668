/* SPDX-License-Identifier: MIT */
/* Shared by the files of the linter; must not be included elsewhere. */
#pragma once

#include "explain/lint/lint.h"

/* A path that is known to contain secrets, and the rule that makes it readable. */
struct opened {
	const char *path;    /* canonical */
	const char *written; /* as written in a policy */
	bool open;
	const struct planned_rule *by; /* NULL: the default */
};

/* A directory on PATH outside the project. */
struct program_dir {
	const char *path; /* canonical */
	struct verdict verdict;
};

struct linter {
	struct plan *plan;
	struct findings *to;
	struct cordon_error *err;
	struct arena scratch;
	const char *home; /* canonical, or NULL */
	struct opened *secrets;
	size_t secret_count;
	struct program_dir *dirs;
	size_t dir_count;
	int guesses; /* how many misspelt names may still be tried */
};

/* One policy text of the plan. */
struct lint_text {
	const struct policy *policy;
	bool in_force; /* not the text of an unapproved project */
};

int lint_add(struct linter *l, enum severity severity, struct srcpos srcpos, const char *format,
	     ...) __attribute__((format(printf, 4, 5)));
/* Returns the source position of a rule, "config.json:4:12", in the scratch arena. */
const char *lint_source(struct linter *l, const struct planned_rule *rule);
/* Is it written by the user, the administrator or the project, and in force? */
bool lint_is_own(const struct planned_rule *rule);
/* Does this rule decide the verdict for some of these rights? */
bool lint_decides(const struct verdict *verdict, const struct planned_rule *rule, unsigned rights);
/* Returns the secrets that a rule (NULL: the default) opens, "~/.aws and 2 more"; or NULL. */
const char *lint_opened(struct linter *l, const struct planned_rule *by);
/* Is it the name of a variable whose value is a secret? */
bool lint_secret_name(const char *name, size_t length);

/* lint_rules.c: check one rule. */
int lint_missing(struct linter *l, struct planned_rule *rule);
int lint_secret(struct linter *l, struct planned_rule *rule);
int lint_wide(struct linter *l, struct planned_rule *rule);
int lint_programs(struct linter *l, struct planned_rule *rule);
int lint_builtin(struct linter *l, struct planned_rule *rule);
int lint_protected(struct linter *l, struct planned_rule *rule);
int lint_whole(struct linter *l, struct planned_rule *rule);
int lint_everything(struct linter *l, struct planned_rule *rule);
/* lint_conflicts.c: does a rule change any decision? Sets the rule's rights to 0 for a moment. */
int lint_reach(struct linter *l, struct planned_rule *rule);
int lint_reopened(struct linter *l, struct planned_rule *rule);
/* lint_conflicts.c: the same path allowed and denied in one layer. */
int lint_pairs(struct linter *l);
/* lint_settings.c: check the parts of a text that are not rules. */
int lint_holes(struct linter *l, const struct lint_text *text);
int lint_accept(struct linter *l, const struct lint_text *text);
int lint_ech(struct linter *l, const struct lint_text *text);
int lint_opaque(struct linter *l, const struct lint_text *text);
int lint_domains(struct linter *l, const struct lint_text *text);
int lint_sockets(struct linter *l, const struct lint_text *text);
int lint_env(struct linter *l, const struct lint_text *text);
int lint_default(struct linter *l, const struct lint_text *text);
int lint_letters(struct linter *l, const struct lint_text *text);
/* lint_settings.c: list the requests of an unapproved project. */
int lint_requests(struct linter *l);
/* lint_secrets.c: secrets in readable start-up files. */
int lint_startup(struct linter *l);
