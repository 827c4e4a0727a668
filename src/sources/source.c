// SPDX-License-Identifier: MIT
/*
 * Reads one policy from a file, a profile or an argument. Refuses a file that other users could
 * have written.
 */
#include "sources/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fd.h"
#include "base/json.h"
#include "base/path.h"
#include "sources/profile.h"

#define FILES_MAX 64

/* ---- files ---- */

/* In a directory writable by everyone, anyone can replace the file. */
static int
check_folder(struct loader *l, const char *path)
{
	const char *dir = path_parent(&l->stack->arena, path, l->err);
	struct stat st;

	if (dir == NULL)
		return -CORDON_E_MEMORY;
	if (stat(dir, &st) < 0)
		return cordon_fail(l->err, CORDON_E_PATH, errno, "cannot examine %s", dir);
	if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
		return cordon_fail(l->err, CORDON_E_TRUST, 0,
				   "%s lies in a folder that is writable by everyone", path);
	return 0;
}

/* The policy decides what the sandbox allows, so no other user may be able to write it. */
static int
check_owner(const char *path, const struct stat *st, enum layer layer, struct cordon_error *err)
{
	if (st->st_mode & S_IWOTH)
		return cordon_fail(err, CORDON_E_TRUST, 0,
				   "%s is writable by everyone; chmod o-w it first", path);
	if (layer <= LAYER_USER && st->st_uid != 0 && st->st_uid != geteuid())
		return cordon_fail(
			err, CORDON_E_TRUST, 0,
			"%s belongs to another user (uid %u); policy files must be yours or root's",
			path, (unsigned)st->st_uid);
	return 0;
}

static int
read_file(struct loader *l, const char *path, enum layer layer, struct text *ret_text)
{
	struct stack *stack = l->stack;
	struct stat st;
	const char **slot;
	int rc = fd_read_file(&stack->arena, path, JSON_SIZE_MAX, &ret_text->at, &ret_text->length,
			      &st, l->err);

	if (rc < 0)
		return rc;
	rc = check_owner(path, &st, layer, l->err);
	if (rc == 0)
		rc = check_folder(l, path);
	if (rc == 0 && stack->file_count >= FILES_MAX)
		rc = cordon_fail(l->err, CORDON_E_POLICY, 0,
				 "%s is one policy file more than the limit of %d", path,
				 FILES_MAX);
	if (rc < 0)
		return rc;
	slot = arena_push(&stack->arena, &stack->files, &stack->file_count, sizeof *slot, l->err);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = arena_strdup(&stack->arena, path, l->err);
	return *slot == NULL ? -CORDON_E_MEMORY : 0;
}

int
source_parse_file(struct loader *l, const char *path, const struct reading_as *as, enum layer layer,
		  struct policy **ret_policy, struct text *ret_text)
{
	auto_policy struct policy *policy = NULL;
	struct text text;
	int rc = read_file(l, path, layer, &text);

	if (rc == 0)
		rc = policy_read(path, text.at, text.length, as, &policy, l->err);
	if (rc < 0)
		return rc;
	policy->path = arena_strdup(&policy->arena, path, l->err);
	if (policy->path == NULL)
		return -CORDON_E_MEMORY;
	*ret_policy = take(&policy);
	if (ret_text != NULL)
		*ret_text = text;
	return 0;
}

/* ---- -p arguments ---- */

int
source_split(struct loader *l, const struct stack_text *text, struct argument *ret)
{
	const char *hash;

	*ret = (struct argument){{.system = l->input->system, .command = l->input->command},
				 text->value};
	for (int d = DIALECT_NATIVE; dialect_names[d] != NULL; d++) {
		size_t length = strlen(dialect_names[d]);

		if (strncmp(text->value, dialect_names[d], length) == 0 &&
		    text->value[length] == ':') {
			ret->as.dialect = (enum dialect)d;
			ret->rest = text->value + length + 1;
		}
	}
	hash = ret->as.dialect == DIALECT_CLASH && text->inline_as == NULL ? strrchr(ret->rest, '#')
									   : NULL;
	if (hash == NULL)
		return 0;
	ret->as.variant = hash + 1;
	ret->rest = arena_strndup(&l->stack->arena, ret->rest, (size_t)(hash - ret->rest), l->err);
	return ret->rest == NULL ? -CORDON_E_MEMORY : 0;
}

static int
no_such_profile(struct loader *l, const char *name)
{
	const char *nearest = profile_nearest(name);

	if (nearest != NULL)
		return cordon_fail(l->err, CORDON_E_USAGE, 0,
				   "there is no profile and no file \"%s\"; did you mean \"%s\"?",
				   name, nearest);
	return cordon_fail(
		l->err, CORDON_E_USAGE, 0,
		"there is no profile and no file \"%s\"; `cordon plan --profiles` lists the "
		"profiles",
		name);
}

bool
source_exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

int
source_parse_profile(struct loader *l, const struct profile *profile, struct policy **ret_policy)
{
	const struct reading_as as = {.dialect = DIALECT_NATIVE,
				      .system = l->input->system,
				      .command = l->input->command};

	return profile_read(profile, &as, ret_policy, l->err);
}

bool
source_is_profile(const struct stack_text *text, const struct argument *argument)
{
	return text->inline_as == NULL && argument->as.dialect == DIALECT_ANY &&
	       profile_find(argument->rest) != NULL;
}

int
source_parse(struct loader *l, const struct stack_text *text, const struct argument *argument,
	     struct policy **ret_policy)
{
	if (text->inline_as != NULL)
		return policy_read(text->inline_as, argument->rest, strlen(argument->rest),
				   &argument->as, ret_policy, l->err);
	if (source_is_profile(text, argument))
		return source_parse_profile(l, profile_find(argument->rest), ret_policy);
	if (strchr(argument->rest, '/') == NULL && !source_exists(argument->rest))
		return no_such_profile(l, argument->rest);
	return source_parse_file(l, argument->rest, &argument->as, LAYER_COMMAND, ret_policy, NULL);
}
