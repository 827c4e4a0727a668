// SPDX-License-Identifier: MIT
/*
 * Derives directories from patterns: the prefixes of a glob; for a regular expression, everything
 * below the directory it may match in.
 */
#include "plan/pattern_dirs.h"

#include <string.h>

#include "base/array.h"
#include "base/glob.h"
#include "base/str.h"

struct pattern_dirs_build {
	struct arena *arena;
	struct pattern_dirs *to;
	const char *by;
	bool nocase;
	struct cordon_error *err;
};

/* ---- parsing ---- */

static int
split_name(struct arena *arena, const char **at, const char **ret_name, struct cordon_error *err)
{
	auto_str struct str name = {0};

	for (; **at != '\0' && **at != '/'; ++*at) {
		/* a quoted slash is a slash */
		if (**at == '\\' && (*at)[1] == '/')
			continue;
		if (**at == '\\' && (*at)[1] != '\0')
			str_add_n(&name, (*at)++, 1);
		str_add_n(&name, *at, 1);
	}
	if (name.failed)
		return cordon_no_memory(err);
	*ret_name = arena_strdup(arena, name.text == NULL ? "" : name.text, err);
	return *ret_name == NULL ? -CORDON_E_MEMORY : 0;
}

int
pattern_dirs_split_glob(struct arena *arena, const char *glob, const char *const **ret_names,
			size_t *ret_count, struct cordon_error *err)
{
	const char **names = NULL, **slot;
	size_t count = 0;

	while (*glob != '\0') {
		const char *name = "";
		int rc;

		glob += strspn(glob, "/");
		rc = split_name(arena, &glob, &name, err);
		if (rc < 0)
			return rc;
		if (*name == '\0')
			continue;
		slot = arena_push(arena, &names, &count, sizeof *slot, err);
		if (slot == NULL)
			return -CORDON_E_MEMORY;
		*slot = name;
	}
	*ret_names = names;
	*ret_count = count;
	return 0;
}

/* May the expression have a branch outside groups and classes? */
static bool
has_branches(const char *regex)
{
	for (; *regex != '\0'; regex++) {
		if (*regex == '\\' && regex[1] != '\0')
			regex++;
		else if (*regex == '|')
			return true;
	}
	return false;
}

char *
pattern_dirs_regex_root(struct arena *arena, const char *regex, struct cordon_error *err)
{
	char *root = arena_strdup(arena, regex + (*regex == '^'), err);
	size_t plain;
	char *slash;

	if (root == NULL)
		return NULL;
	plain = strcspn(root, "\\.*+?()[]{}|^$");
	/* an element with a quantifier may be absent */
	if (plain > 0 && root[plain] != '\0' && strchr("*?{", root[plain]) != NULL)
		plain--;
	if (*root != '/' || plain == 0 || has_branches(regex))
		return arena_strdup(arena, "/", err);
	root[plain] = '\0';
	/* only whole names count, and the last one may continue */
	slash = strrchr(root, '/');
	slash[slash == root] = '\0';
	return root;
}

/* Does ".*" in front match the rest wherever a directory is moved? Only if the rest is one name. */
static bool
regex_floats(const char *regex)
{
	static const char *const starts[] = {".*/", "/.*/", "/(.*/)?", "(.*/)?"};

	regex += *regex == '^';
	for (size_t i = 0; i < COUNT(starts); i++) {
		const char *name = regex + strlen(starts[i]);

		if (!str_starts(regex, starts[i]))
			continue;
		for (; *name != '\0'; name++) {
			if (*name == '\\' && name[1] == '.')
				name++;
			else if (strchr("/\\.[(|{", *name) != NULL)
				return false;
		}
		return true;
	}
	return false;
}

/* ---- collecting ---- */

static int
add(struct pattern_dirs_build *m, const char *glob, bool below)
{
	struct glob *compiled;
	struct pattern_dir *dir;
	int rc;

	if (glob == NULL)
		return -CORDON_E_MEMORY;
	for (size_t i = 0; i < m->to->count; i++) {
		dir = &m->to->items[i];
		if (dir->below == below && dir->nocase == m->nocase && strcmp(dir->glob, glob) == 0)
			return 0;
	}
	rc = glob_compile(m->arena, glob, &compiled, NULL, m->err);
	if (rc < 0)
		return rc;
	dir = arena_push(m->arena, &m->to->items, &m->to->count, sizeof *dir, m->err);
	if (dir == NULL)
		return -CORDON_E_MEMORY;
	*dir = (struct pattern_dir){glob, below, m->nocase, m->by, compiled};
	return 0;
}

/* Adds every proper prefix of the glob. A leading "**" needs no particular directory. */
static int
add_glob(struct pattern_dirs_build *m, const char *glob)
{
	const char *const *names, *text = "";
	size_t count;
	int rc = pattern_dirs_split_glob(m->arena, glob, &names, &count, m->err);

	for (size_t i = 0; rc == 0 && i + 1 < count; i++) {
		bool deep = strcmp(names[i], "**") == 0;

		text = arena_printf(m->arena, m->err, "%s/%s", text, names[i]);
		if (text == NULL)
			return -CORDON_E_MEMORY;
		if (!deep || i > 0)
			rc = add(m, text, deep);
	}
	return rc;
}

/* Adds everything below its root directory, that directory, and those above. */
static int
add_regex(struct pattern_dirs_build *m, const char *regex)
{
	char *root = pattern_dirs_regex_root(m->arena, regex, m->err), *glob;
	int rc;

	if (root == NULL)
		return -CORDON_E_MEMORY;
	if (regex_floats(regex))
		return 0;
	glob = glob_quoted(m->arena, strcmp(root, "/") == 0 ? "" : root, m->err);
	if (glob == NULL)
		return -CORDON_E_MEMORY;
	rc = add(m, arena_printf(m->arena, m->err, "%s/**", glob), true);
	while (rc == 0 && *glob != '\0') {
		rc = add(m, arena_strdup(m->arena, glob, m->err), false);
		*strrchr(glob, '/') = '\0';
	}
	return rc;
}

int
pattern_dirs_make(struct arena *arena, const struct plan *plan, struct pattern_dirs *ret,
		  struct cordon_error *err)
{
	const struct index *index = &plan->index;
	struct pattern_dirs_build m = {.arena = arena, .to = ret, .err = err};
	int rc = 0;

	*ret = (struct pattern_dirs){0};
	for (size_t i = 0; rc == 0 && i < index->pattern_count; i++) {
		const struct planned_rule *rule = &index->patterns[i];

		if (rule->effect != EFFECT_DENY || rule->rights == 0)
			continue;
		m.by = rule->path;
		rc = rule->match == MATCH_GLOB ? add_glob(&m, rule->path)
					       : add_regex(&m, rule->path);
	}
	m.nocase = true;
	for (size_t i = 0; rc == 0 && i < index->protections.count; i++) {
		m.by = index->protections.items[i].pattern;
		rc = add_glob(&m, m.by);
	}
	return rc;
}

const struct pattern_dir *
pattern_dirs_find(const struct pattern_dirs *dirs, const char *path)
{
	for (size_t i = 0; i < dirs->count; i++) {
		const struct pattern_dir *dir = &dirs->items[i];
		size_t length = glob_match_longest(dir->compiled, path, dir->nocase);

		if (length != 0 && (dir->below || path[length] == '\0'))
			return dir;
	}
	return NULL;
}
