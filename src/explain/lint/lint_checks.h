/* SPDX-License-Identifier: MIT */
/* What the files of the linter share; nobody else includes this. */
#pragma once

#include "explain/lint/lint.h"

/* A place that is known to hold secrets, and who makes it readable. */
struct opened {
	const char *path;    /* canonical */
	const char *written; /* as people write it */
	bool open;
	const struct planned_rule *by; /* NULL: the default */
};

/* A folder on PATH that lies outside the project. */
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
	int guesses; /* how many more misspelt names may be tried */
};

/* One policy text of the plan. */
struct lint_text {
	const struct policy *policy;
	bool in_force; /* not the text of an unapproved project */
};

int lint_add(struct linter *l, enum severity severity, struct place place, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* "config.json:4:12": where a rule stands, in the scratch arena. */
const char *lint_source(struct linter *l, const struct planned_rule *rule);
/* Written by the user, the administrator or the project, and in force. */
bool lint_is_own(const struct planned_rule *rule);
/* Does the verdict rest on this rule for some of these rights? */
bool lint_decides(const struct verdict *verdict, const struct planned_rule *rule, unsigned rights);
/* The secrets that a rule (NULL: the default) opens: "~/.aws, ~/.kube and 2 more"; or NULL. */
const char *lint_opened(struct linter *l, const struct planned_rule *by);
/* Does a variable's name say that its value is a secret? */
bool lint_secret_name(const char *name, size_t length);

/* lint_rules.c: judge one rule. */
int lint_missing(struct linter *l, struct planned_rule *rule);
int lint_secret(struct linter *l, struct planned_rule *rule);
int lint_wide(struct linter *l, struct planned_rule *rule);
int lint_programs(struct linter *l, struct planned_rule *rule);
int lint_builtin(struct linter *l, struct planned_rule *rule);
int lint_protected(struct linter *l, struct planned_rule *rule);
int lint_whole(struct linter *l, struct planned_rule *rule);
int lint_everything(struct linter *l, struct planned_rule *rule);
/* lint_conflicts.c: what a rule changes; the rule's rights are 0 for a moment. */
int lint_reach(struct linter *l, struct planned_rule *rule);
int lint_reopened(struct linter *l, struct planned_rule *rule);
/* lint_conflicts.c: the same path allowed and denied in one layer. */
int lint_pairs(struct linter *l);
/* lint_settings.c: judge what one text says apart from its rules. */
int lint_holes(struct linter *l, const struct lint_text *text);
int lint_accept(struct linter *l, const struct lint_text *text);
int lint_ech(struct linter *l, const struct lint_text *text);
int lint_opaque(struct linter *l, const struct lint_text *text);
int lint_domains(struct linter *l, const struct lint_text *text);
int lint_sockets(struct linter *l, const struct lint_text *text);
int lint_env(struct linter *l, const struct lint_text *text);
int lint_default(struct linter *l, const struct lint_text *text);
int lint_letters(struct linter *l, const struct lint_text *text);
/* lint_settings.c: what an unapproved project asks for. */
int lint_requests(struct linter *l);
/* lint_secrets.c: secrets in readable start-up files. */
int lint_startup(struct linter *l);
