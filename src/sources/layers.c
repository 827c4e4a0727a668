// SPDX-License-Identifier: MIT
/*
 * Loads and orders policies. A missing system or user file is normal; any other unreadable file is
 * an error.
 *
 * There are two kinds of profiles. A base has "extends", an add-on has not and is added to any
 * base. The add-ons of all sources are combined. The base is the one named by the innermost source
 * that names one, else the default of the command.
 */
#include "sources/layers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/path.h"
#include "sources/profile.h"
#include "sources/source.h"

#define EXTENDS_DEPTH_MAX 16

struct stack *
layers_free(struct stack *stack)
{
	if (stack == NULL)
		return NULL;
	for (size_t i = 0; i < stack->count; i++)
		if (!stack->entries[i].options)
			policy_free(stack->entries[i].policy);
	if (!stack->project_trusted)
		policy_free(stack->project);
	arena_free(&stack->arena);
	free(stack);
	return NULL;
}

/* Takes ownership of policy on success only. */
static struct stack_entry *
push_entry(struct loader *l, struct policy *policy, enum layer layer)
{
	struct stack *stack = l->stack;
	struct stack_entry *entry =
		arena_push(&stack->arena, &stack->entries, &stack->count, sizeof *entry, l->err);

	if (entry != NULL)
		*entry = (struct stack_entry){.policy = policy, .layer = layer};
	return entry;
}

int
layers_read_one(const struct stack_input *input, const struct stack_text *text,
		struct policy **ret_policy, struct cordon_error *err)
{
	auto_stack struct stack *stack = calloc(1, sizeof *stack);
	struct loader l = {.stack = stack, .input = input, .err = err};
	struct argument argument;
	int rc;

	if (stack == NULL)
		return cordon_no_memory(err);
	rc = source_split(&l, text, &argument);
	return rc < 0 ? rc : source_parse(&l, text, &argument, ret_policy);
}

/* ---- profiles and extends ---- */

static struct stack_entry *
loaded_profile(const struct loader *l, const char *name)
{
	for (size_t i = 0; i < l->stack->count; i++)
		if (l->stack->entries[i].name != NULL &&
		    strcmp(l->stack->entries[i].name, name) == 0)
			return &l->stack->entries[i];
	return NULL;
}

static int load_extends(struct loader *l, const struct policy *policy, enum layer source,
			int depth);

/* Sources are loaded outermost first, except the project, which comes after the command line. */
static int
choose_again(struct loader *l, struct stack_entry *entry, enum layer source, int depth)
{
	if (source != LAYER_PROJECT || entry->chosen_by != LAYER_COMMAND)
		entry->chosen_by = source;
	if (entry->base)
		l->base_named[source] = true;
	return load_extends(l, entry->policy, source, depth + 1);
}

/* Loads parents first, so that the stack goes from general to particular. */
static int
load_profile(struct loader *l, const struct profile *profile, enum layer source, int depth)
{
	struct stack_entry *entry = loaded_profile(l, profile->name);
	auto_policy struct policy *policy = NULL;
	int rc;

	if (entry != NULL)
		return choose_again(l, entry, source, depth);
	rc = source_parse_profile(l, profile, &policy);
	if (rc == 0)
		rc = load_extends(l, policy, source, depth + 1);
	if (rc < 0)
		return rc;
	entry = push_entry(l, policy, LAYER_PROFILE);
	if (entry == NULL)
		return -CORDON_E_MEMORY;
	entry->name = profile->name;
	entry->chosen_by = source;
	entry->base = take(&policy)->has_extends;
	if (entry->base)
		l->base_named[source] = true;
	return 0;
}

static int
fail_at_word(struct loader *l, const struct word *word, const char *text)
{
	return cordon_fail_at(l->err, CORDON_E_POLICY, word->srcpos.file, word->srcpos.line,
			      word->srcpos.column, "\"%.60s\" %s", word->text, text);
}

/* Takes ownership of the policy, also on failure. */
static int
load_policy(struct loader *l, struct policy *taken, enum layer layer, int depth)
{
	auto_policy struct policy *policy = taken;
	int rc = load_extends(l, policy, layer, depth);

	if (rc < 0)
		return rc;
	if (push_entry(l, policy, layer) == NULL)
		return -CORDON_E_MEMORY;
	policy = NULL;
	return 0;
}

/* Loads a file named by "extends", relative to the file that names it. It gets the same source. */
static int
load_extended_file(struct loader *l, const struct policy *policy, const struct word *word,
		   enum layer source, int depth)
{
	struct reading_as as = {.system = l->input->system, .command = l->input->command};
	struct policy *extended = NULL;
	const char *path = word->text, *dir;
	int rc;

	if (source == LAYER_PROJECT)
		return fail_at_word(l, word,
				    "is a file; a project's policy can extend profiles only");
	if (*path != '/') {
		dir = policy->path == NULL ? "."
					   : path_parent(&l->stack->arena, policy->path, l->err);
		path = dir == NULL ? NULL : path_join(&l->stack->arena, dir, word->text, l->err);
		if (path == NULL)
			return -CORDON_E_MEMORY;
	}
	rc = source_parse_file(l, path, &as, source, &extended, NULL);
	return rc < 0 ? rc : load_policy(l, extended, source, depth + 1);
}

static int
no_such_extend(struct loader *l, const struct word *word)
{
	const char *nearest = profile_nearest(word->text);
	char text[100];

	snprintf(text, sizeof text, "is not a profile%s%.30s%s; a file needs a \"/\" in its name",
		 nearest == NULL ? "" : " (did you mean \"", nearest == NULL ? "" : nearest,
		 nearest == NULL ? "" : "\"?)");
	return fail_at_word(l, word, text);
}

static int
load_extends(struct loader *l, const struct policy *policy, enum layer source, int depth)
{
	if (policy->has_extends && policy->extends.count == 0)
		l->base_named[source] = true;
	for (size_t i = 0; i < policy->extends.count; i++) {
		const struct word *word = &policy->extends.items[i];
		const struct profile *profile = profile_find(word->text);
		int rc;

		if (depth >= EXTENDS_DEPTH_MAX)
			return fail_at_word(l, word,
					    "is extended in a circle, or more than 16 deep");
		if (profile != NULL)
			rc = load_profile(l, profile, source, depth);
		else if (strchr(word->text, '/') != NULL)
			rc = load_extended_file(l, policy, word, source, depth);
		else
			rc = no_such_extend(l, word);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static bool
base_is_of(const struct stack_entry *entry, enum layer source)
{
	return entry->name == NULL || !entry->base || entry->chosen_by == source;
}

/* Drops bases that only other sources chose; the order of the rest is kept. */
static void
choose_base(struct loader *l, enum layer innermost)
{
	struct stack *stack = l->stack;
	size_t kept = 0;

	for (size_t i = 0; i < stack->count; i++) {
		if (base_is_of(&stack->entries[i], innermost))
			stack->entries[kept++] = stack->entries[i];
		else
			policy_free(stack->entries[i].policy);
	}
	stack->count = kept;
}

/* ---- the sources ---- */

/*
 * Is path truly absent? A dangling link, or a directory that cannot be reached, is a lost policy
 * and must not pass for none.
 */
static int
is_absent(struct loader *l, const char *path, bool *ret_absent)
{
	const char *dir = path_parent(&l->stack->arena, path, l->err);
	struct stat st;

	if (dir == NULL)
		return -CORDON_E_MEMORY;
	*ret_absent = !source_exists(path) &&
		      (stat(dir, &st) == 0 ? S_ISDIR(st.st_mode) : !source_exists(dir));
	return 0;
}

static int
load_optional_file(struct loader *l, const char *path, enum layer layer)
{
	struct reading_as as = {.system = l->input->system, .command = l->input->command};
	struct policy *policy = NULL;
	bool absent;
	int rc;

	if (path == NULL)
		return 0;
	rc = is_absent(l, path, &absent);
	if (rc < 0 || absent)
		return rc;
	rc = source_parse_file(l, path, &as, layer, &policy, NULL);
	return rc < 0 ? rc : load_policy(l, policy, layer, 0);
}

/* Returns 1, 0 if path does not exist, or an error. */
static int
stat_optional(struct loader *l, const char *path, struct stat *ret_stat)
{
	if (stat(path, ret_stat) == 0)
		return 1;
	if (errno == ENOENT || errno == ENOTDIR)
		return 0;
	return cordon_fail(l->err, CORDON_E_PATH, errno, "cannot examine %s", path);
}

/*
 * Zed's own project settings count as the project's policy, even when the command line names them,
 * and through any link. *ret_path is the name under which they are approved, or NULL.
 */
static int
project_settings(struct loader *l, const char *path, const char **ret_path)
{
	struct stat named, own;
	int rc;

	*ret_path = NULL;
	if (l->input->project == NULL)
		return 0;
	rc = stat_optional(l, path, &named);
	if (rc <= 0)
		return rc;
	path = path_join(&l->stack->arena, l->input->project, ".zed/settings.json", l->err);
	if (path == NULL)
		return -CORDON_E_MEMORY;
	rc = stat_optional(l, path, &own);
	if (rc > 0 && own.st_dev == named.st_dev && own.st_ino == named.st_ino)
		*ret_path = path;
	return rc < 0 ? rc : 0;
}

static int load_project_file(struct loader *l, const char *path, const struct reading_as *as);

static int
load_argument(struct loader *l, const struct stack_text *text)
{
	struct argument argument;
	struct policy *policy = NULL;
	const char *settings = NULL;
	int rc = source_split(l, text, &argument);

	if (rc < 0)
		return rc;
	if (source_is_profile(text, &argument))
		return load_profile(l, profile_find(argument.rest), LAYER_COMMAND, 0);
	if (text->inline_as == NULL)
		rc = project_settings(l, argument.rest, &settings);
	if (rc < 0)
		return rc;
	if (settings != NULL)
		return load_project_file(l, settings, &argument.as);
	rc = source_parse(l, text, &argument, &policy);
	return rc < 0 ? rc : load_policy(l, policy, LAYER_COMMAND, 0);
}

/* The parents of an unapproved policy are not loaded, but an unknown name is still an error. */
static int
check_extends(struct loader *l, const struct policy *policy)
{
	for (size_t i = 0; i < policy->extends.count; i++) {
		const struct word *word = &policy->extends.items[i];

		if (profile_find(word->text) != NULL)
			continue;
		return strchr(word->text, '/') != NULL
			       ? load_extended_file(l, policy, word, LAYER_PROJECT, 0)
			       : no_such_extend(l, word);
	}
	return 0;
}

/*
 * Loads the project's policy last. Without approval it stays out of the entries: the plan lets it
 * only narrow, and lists what it requests beyond that.
 */
static int
load_project_file(struct loader *l, const char *path, const struct reading_as *as)
{
	const struct stack_input *input = l->input;
	auto_policy struct policy *policy = NULL;
	struct text text;
	int rc;

	if (l->stack->project != NULL)
		return cordon_fail(l->err, CORDON_E_USAGE, 0,
				   "%s: the project has a policy of its own already (%s)", path,
				   l->stack->project->file);
	rc = source_parse_file(l, path, as, LAYER_PROJECT, &policy, &text);
	if (rc < 0)
		return rc;
	l->stack->project_trusted = input->trusted != NULL &&
				    input->trusted(input->trusted_ctx, path, text.at, text.length);
	l->stack->project = policy;
	if (!l->stack->project_trusted)
		return check_extends(l, take(&policy));
	return load_policy(l, take(&policy), LAYER_PROJECT, 0);
}

static int
load_project(struct loader *l)
{
	struct reading_as as = {.system = l->input->system, .command = l->input->command};
	const char *path;

	if (l->input->no_project_policy || l->input->project == NULL || l->stack->project != NULL)
		return 0;
	path = path_join(&l->stack->arena, l->input->project, PROJECT_POLICY_NAME, l->err);
	if (path == NULL)
		return -CORDON_E_MEMORY;
	return source_exists(path) ? load_project_file(l, path, &as) : 0;
}

static int
load_sources(struct loader *l)
{
	const struct stack_input *input = l->input;
	int rc = load_optional_file(l, input->system_file, LAYER_SYSTEM);

	if (rc == 0)
		rc = load_optional_file(l, input->user_file, LAYER_USER);
	for (size_t i = 0; rc == 0 && i < input->text_count; i++)
		rc = load_argument(l, &input->texts[i]);
	if (rc == 0 && input->options != NULL) {
		struct stack_entry *entry = push_entry(l, input->options, LAYER_COMMAND);

		if (entry == NULL)
			return -CORDON_E_MEMORY;
		entry->options = true;
	}
	return rc == 0 ? load_project(l) : rc;
}

static int
load_base(struct loader *l)
{
	static const char *const defaults[] =
		{[COMMAND_RUN] = "agent", [COMMAND_SHELL] = "terminal"};

	/* innermost first; the command line overrides an approved project */
	static const enum layer sources[] = {LAYER_COMMAND, LAYER_PROJECT, LAYER_USER,
					     LAYER_SYSTEM};

	for (size_t i = 0; i < COUNT(sources); i++) {
		if (l->base_named[sources[i]]) {
			choose_base(l, sources[i]);
			return 0;
		}
	}
	return load_profile(l, profile_find(defaults[l->input->command]), LAYER_BUILTIN, 0);
}

/*
 * The order in which values replace each other: bases, add-ons, then files from outside in. The
 * command line comes last, after an approved project.
 */
static int
entry_rank(const struct stack_entry *entry)
{
	static const int ranks[LAYER_COUNT] =
		{[LAYER_SYSTEM] = 2, [LAYER_USER] = 3, [LAYER_PROJECT] = 4, [LAYER_COMMAND] = 5};

	if (entry->layer == LAYER_PROFILE)
		return entry->base ? 0 : 1;
	return ranks[entry->layer];
}

/* Insertion sort is stable, and there are about a dozen entries. */
static void
sort_entries(struct stack *stack)
{
	for (size_t i = 1; i < stack->count; i++) {
		struct stack_entry entry = stack->entries[i];
		size_t j = i;

		for (; j > 0 && entry_rank(&stack->entries[j - 1]) > entry_rank(&entry); j--)
			stack->entries[j] = stack->entries[j - 1];
		stack->entries[j] = entry;
	}
}

int
layers_load(const struct stack_input *input, struct stack **ret_stack, struct cordon_error *err)
{
	auto_stack struct stack *stack = calloc(1, sizeof *stack);
	struct loader l = {.stack = stack, .input = input, .err = err};
	int rc;

	if (stack == NULL)
		return cordon_no_memory(err);
	rc = load_sources(&l);
	if (rc == 0)
		rc = load_base(&l);
	if (rc < 0)
		return rc;
	sort_entries(stack);
	*ret_stack = take(&stack);
	return 0;
}

bool
layers_have_profile(const struct stack *stack, const char *name)
{
	for (size_t i = 0; i < stack->count; i++)
		if (stack->entries[i].name != NULL && strcmp(stack->entries[i].name, name) == 0)
			return true;
	return false;
}
