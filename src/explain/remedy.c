// SPDX-License-Identifier: MIT
/*
 * Finds the remedy of a denied access. Users and programs paste it: it must work unchanged, and must not grant more than was
 * refused. Only add-on profiles are named, never a base.
 */
#include "explain/remedy.h"

#include <string.h>

#include "base/glob.h"
#include "base/path.h"
#include "base/str.h"
#include "explain/starter.h"
#include "explain/unwise.h"
#include "explain/why.h"
#include "policy/model/value.h"
#include "sources/layers.h"
#include "sources/profile.h"

/* ---- options ---- */

/* A deny that no option of the command line overrides. */
static bool
is_final(const struct planned_rule *rule, const char *path)
{
	if (rule->layer != LAYER_PROFILE && rule->layer < LAYER_COMMAND)
		return true;
	/* patterns override paths, and at the same path the project overrides the command line */
	return match_is_pattern(rule->match) ||
	       (rule->layer == LAYER_PROJECT && strcmp(rule->path, path) == 0);
}

/* Returns NULL if no option helps, or none may be suggested. */
static const char *
find_option(const struct plan *plan, const struct decision *by, const char *path, unsigned missing)
{
	if (by->overridden || (by->rule != NULL && is_final(by->rule, path)) ||
	    unwise_grant(plan, path, missing))
		return NULL;
	/* the file itself is granted: only a grant of its directory would help */
	if (plan->host->system == SYSTEM_LINUX && (missing & plan_unnamed(plan, path)))
		return NULL;
	if (missing & RIGHTS_CHANGE)
		return "--write";
	return missing & RIGHT_EXECUTE ? "--execute" : "--read";
}

bool
remedy_is_missing(const struct plan *plan, const struct resolved *at)
{
	return !at->exists && at->kind != FS_HIDDEN && plan->host->system == SYSTEM_LINUX &&
	       plan->host->view == &fs_real;
}

/* On Linux a grant of a missing path is an error, unless a directory above it has those rights. */
static bool
needs_making(const struct plan *plan, const struct resolved *at, unsigned missing)
{
	unsigned rights = missing & RIGHTS_CHANGE ? RIGHT_READ | RIGHTS_CHANGE
						  : RIGHT_READ | (missing & RIGHT_EXECUTE);
	char above[PATH_MAX];

	if (!remedy_is_missing(plan, at) || strlen(at->path) >= sizeof above)
		return false;
	strcpy(above, at->path);
	while (strcmp(above, "/") != 0) {
		char *slash = strrchr(above, '/');

		slash[slash == above] = '\0';
		if ((rights & ~index_rights(&plan->index, above)) == 0)
			return false;
	}
	return true;
}

/* Goes up to a directory that a rule makes writable: there new names may be suggested as well. */
static bool
find_changeable(const struct plan *plan, char path[PATH_MAX])
{
	while (strcmp(path, "/") != 0) {
		char *slash = strrchr(path, '/');

		slash[slash == path] = '\0';
		if (index_rights(&plan->index, path) & RIGHT_WRITE)
			return true;
	}
	return false;
}

/*
 * For a missing path in no writable directory. A trailing slash creates a directory; it is not
 * suggested for a name with digits, which may differ next time. For a file, names its directory.
 */
static bool
find_folder(const struct plan *plan, const struct resolved *at, char path[PATH_MAX])
{
	size_t length = strlen(path);
	char *slash = strrchr(path, '/');

	if (at->kind == FS_DIR && strpbrk(slash, "0123456789") == NULL && length + 1 < PATH_MAX &&
	    !unwise_folder(plan, path)) {
		strcpy(path + length, "/");
		return true;
	}
	slash[slash == path] = '\0';
	return !unwise_folder(plan, path) && fs_kind_of(plan->host->view, path) == FS_DIR;
}

const char *
remedy_option(const struct plan *plan, const struct decision *by, const struct resolved *at,
	      unsigned missing, char ret_path[PATH_MAX])
{
	const char *option = find_option(plan, by, at->path, missing);

	if (option == NULL || strlen(at->path) >= PATH_MAX || unwise_hint(plan, at->path, missing))
		return NULL;
	strcpy(ret_path, at->path);
	if (!needs_making(plan, at, missing))
		return option;
	if (!(missing & RIGHTS_CHANGE))
		return NULL;
	if (find_changeable(plan, ret_path))
		return option;
	strcpy(ret_path, at->path);
	return by->rule == NULL && by->protection == NULL && find_folder(plan, at, ret_path)
		       ? option
		       : NULL;
}

/* ---- profiles ---- */

/* Missing paths grant nothing, unless the profile creates them, with the directories above. */
static bool
rule_grants(struct arena *arena, const struct host *host, const struct rule *rule, const char *path,
	    unsigned missing)
{
	const struct token_text text = {rule->path, rule->srcpos, true, false};
	bool is_made = rule->path[strlen(rule->path) - 1] == '/';
	struct resolved at;
	const char *written;

	if (rule->effect != EFFECT_ALLOW || rule->match != MATCH_SUBPATH ||
	    (missing & ~rule->rights) != 0 ||
	    host_expand_token(arena, host, &text, &written, NULL) < 0 || written == NULL ||
	    resolve_path(arena, host->view, written, &at, NULL) < 0 || !(at.exists || is_made))
		return false;
	if (path_below(path, at.path))
		return true;
	return is_made && !at.exists && (missing & RIGHT_CREATE) && path_below(at.path, path) &&
	       host->home != NULL && !path_below(host->home, path);
}

/* The profile of an agent, which opens the network as well, is suggested for its program only. */
static bool
is_for_program(const struct plan *plan, const struct profile *profile)
{
	return plan->program != NULL && strcmp(plan->program, profile->name) == 0;
}

static bool
profile_grants(const struct plan *plan, const struct profile *profile, const char *path,
	       unsigned missing)
{
	const struct stack_input input = {.system = plan->host->system,
					  .command = plan->host->command};
	const struct stack_text text = {.value = profile->name};
	auto_policy struct policy *policy = NULL;
	auto_arena struct arena arena = {0};

	if (layers_read_one(&input, &text, &policy, NULL) < 0 ||
	    (policy->network.domains.count > 0 && !is_for_program(plan, profile)))
		return false;
	for (size_t i = 0; i < policy->rule_count; i++)
		if (rule_grants(&arena, plan->host, &policy->rules[i], path, missing))
			return true;
	return false;
}

/*
 * The program's own; else the only one. If several would grant it, as for a directory with caches of many
 * programs, the project tells which is meant, if it does; and also for ~/.local and the like, in which any
 * program may begin.
 */
const char *
remedy_profile(const struct plan *plan, const char *path, unsigned missing)
{
	const char *name = NULL, *of_project = NULL;
	const struct profile *profile;
	size_t count = 0, project_count = 0;

	for (size_t i = 0; (profile = profile_at(i)) != NULL; i++) {
		if (profile_is_base(profile) || layers_have_profile(plan->stack, profile->name) ||
		    !profile_grants(plan, profile, path, missing))
			continue;
		if (is_for_program(plan, profile))
			return profile->name;
		count++;
		name = profile->name;
		if (starter_suggests(plan, name)) {
			project_count++;
			of_project = name;
		}
	}
	if (count == 1 && !unwise_common(plan, path))
		return name;
	return project_count == 1 ? of_project : NULL;
}

struct advice
remedy_for(const struct plan *plan, const struct decision *by, const struct resolved *at,
	   unsigned missing)
{
	struct advice advice = {.option = find_option(plan, by, at->path, missing)};

	advice.make_first = advice.option != NULL && needs_making(plan, at, missing);
	if (by->rule == NULL && by->protection == NULL && !by->overridden)
		advice.profile = remedy_profile(plan, at->path, missing);
	return advice;
}

/* ---- text ---- */

void
remedy_print_option(const char *option, const char *path, struct str *to)
{
	auto_str struct str quoted = {0};

	if (value_is_glob(path))
		glob_quote(path, &quoted);
	else
		str_add(&quoted, path);
	str_printf(to, "%s ", option);
	str_shell(to, quoted.failed ? "" : quoted.text);
	to->failed = to->failed || quoted.failed;
}

void
remedy_print_text(const struct plan *plan, const struct decision *by, const struct resolved *at,
		  unsigned missing, struct str *to)
{
	struct advice advice = remedy_for(plan, by, at, missing);
	auto_str struct str option = {0};

	if (advice.option != NULL) {
		remedy_print_option(advice.option, at->path, &option);
		to->failed = to->failed || option.failed;
		str_printf(to, "  to allow it: %s", advice.make_first ? "make it, then " : "");
		str_visible(to, option.text == NULL ? "" : option.text);
		str_add(to, secret_is_path(plan, at->path)
				    ? "  (it looks like a secret: think twice)\n"
			    : unwise_hint(plan, at->path, missing)
				    ? "  (more than a command should get: think twice)\n"
				    : "\n");
	}
	if (advice.profile != NULL)
		str_printf(to, "  or with a profile: -p %s\n", advice.profile);
}

void
remedy_print_json(const struct plan *plan, const struct decision *by, const struct resolved *at,
		  unsigned missing, struct str *to)
{
	struct advice advice = {0};
	auto_str struct str remedy = {0};

	if (missing != 0)
		advice = remedy_for(plan, by, at, missing);
	str_add(to, ", \"remedy\": ");
	if (advice.option != NULL && !advice.make_first)
		remedy_print_option(advice.option, at->path, &remedy);
	str_json_or_null(to, remedy.text);
	str_add(to, ", \"profile\": ");
	str_json_or_null(to, advice.profile);
	to->failed = to->failed || remedy.failed;
}
