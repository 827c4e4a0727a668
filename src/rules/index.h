/* SPDX-License-Identifier: MIT */
/*
 * The index of all rules: which rights a path has, and which rule decides. Rules are added once. A
 * decision costs one hash lookup per component of the path and one try per pattern. `why` and the
 * broker use the same code.
 */
#pragma once

#include <stdint.h>

#include "policy/model/model.h"
#include "rules/protected.h"

/* A rule with its path resolved. */
struct planned_rule {
	const char *path;    /* canonical; of a pattern the pattern */
	const char *written; /* root as written, absolute, if it differs from root; else NULL */
	const char *
		root; /* the path itself; of a glob its plain leading directories; of a regex "/" */
	enum effect effect;
	unsigned rights;
	enum match match;
	enum layer layer;
	const struct rule *rule; /* the rule as written */
	const void *compiled;	 /* patterns: struct glob or pcre2_code */
	bool exists;		 /* the path existed when the plan was made */
	bool is_folder;		 /* and was a directory */
	bool is_absent;		 /* allows a missing path that nothing can create: ignored */
	bool is_alias;		 /* not written: a second name that a mount gives */
	/* of such a pattern: root is matched as if it were this path; else NULL */
	const char *alias_of;
	bool same_path; /* set by index_finish: same path as the previous entry */
};

struct index {
	struct arena arena; /* also owns data of rules that no policy owns */
	struct planned_rule *paths;
	size_t path_count;
	/* set by index_finish: number of denies before each path; hash table of paths */
	size_t *denies;
	struct index_slot *slots;
	size_t slot_count; /* a power of two */
	struct planned_rule *patterns;
	size_t pattern_count;
	unsigned default_rights;
	struct protections protections;
};

/* What decided one right. */
struct decision {
	const struct planned_rule *rule;     /* NULL: the default */
	const struct protection *protection; /* a protected name removed the right */
	bool overridden; /* rule is a deny that overrides an allow of a less trusted layer */
	int nest; /* the nest that decided, from 1; -1: an unregistered one; 0: the plan itself */
};

struct verdict {
	unsigned rights;
	struct decision by[RIGHT_KINDS];
	/*
	 * a deny below this directory. It may be emptied but not moved, or the deny would stay
	 * behind, and no link may replace it, or the deny would apply to another file
	 */
	const struct planned_rule *pinned_by;
	const struct protection *vetted; /* changes must pass the check of this name's content */
	bool limit_hit;			 /* a pattern gave up: counted as a match of a deny only */
};

/* Adds a rule; call index_finish after the last one. */
int index_add(struct index *index, const struct planned_rule *rule, struct cordon_error *err);
/* Call this after the last index_add, and again after adding more. */
int index_finish(struct index *index, struct cordon_error *err);
void index_free(struct index *index);
/* Decides the rights of a canonical path, with the rule that decided each. */
struct verdict index_decide(const struct index *index, const char *path);
/* The same without the reasons, which is faster. */
unsigned index_rights(const struct index *index, const char *path);
/* Rights of a path, of an entry that no rule names, and of one in a new directory below. */
struct tree_rights {
	unsigned self, child, descendant;
};
struct tree_rights index_tree_rights(const struct index *index, const char *path);
/* The same for successive paths of one directory, whose rules the cache keeps. Initially zero. */
struct tree_rights_cache {
	const char *path; /* not owned; must stay valid until the next call */
	size_t length;
	uint64_t hash;
	struct layer_state {
		unsigned rights;
		/* by layer: rights whose last rule is a deny, and rights allowed at any time */
		unsigned denied[LAYER_COUNT], allowed[LAYER_COUNT];
	} states[3];
};
struct tree_rights index_tree_rights_cached(const struct index *index, const char *path,
					    struct tree_rights_cache *cache);

/*
 * May an allow of this rule lift the protection of a name by naming it? So may the user's own sources, and
 * profiles for paths below the home directory (the state of an agent), but not for the project.
 */
bool index_rule_lifts(const struct planned_rule *rule);

/* ---- for decide.c and tree_rights.c ---- */

/* Number of the first rule whose path is not smaller than the first length bytes of path. */
size_t index_first(const struct index *index, const char *path, size_t length);
/* Number of the first rule of that path, whose hash is given (hash.h), or path_count. */
size_t index_find(const struct index *index, const char *path, size_t length, uint64_t hash);
/* Does rule number exist, with the same path as rule first? */
bool index_has(const struct index *index, size_t number, size_t first);
/* Does a rule apply this many components below its path? */
bool index_match_reaches(enum match match, size_t below);
/* Returns 1 if the pattern matches, 0 if not, -1 if it gave up. */
int index_matches(const struct planned_rule *pattern, const char *path);
