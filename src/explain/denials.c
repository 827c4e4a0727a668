// SPDX-License-Identifier: MIT
/* Collects refusals of a session and folds those below one folder. */
#include "explain/denials.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "explain/remedy.h"
#include "explain/unwise.h"

/* A folder is never as wide as one of the root directory's. */
#define DEPTH_MIN 2

static int
keep_text(struct denials *denials, const char *text, const char **ret_text)
{
	*ret_text = text == NULL || *text == '\0' ? "" : arena_strdup(&denials->arena, text, NULL);
	return *ret_text == NULL ? -CORDON_E_MEMORY : 0;
}

static bool
is_known(const struct denials *denials, const struct event_refused *refused)
{
	for (size_t i = 0; i < denials->count; i++)
		if (strcmp(denials->items[i].what, refused->what) == 0 &&
		    strcmp(denials->items[i].subject, refused->subject) == 0 &&
		    strcmp(denials->items[i].cause, refused->cause) == 0)
			return true;
	return false;
}

int
denials_add(struct denials *denials, const struct event_refused *refused)
{
	struct denial *to;
	int rc = 0;

	if (refused->fails_anyway || is_known(denials, refused))
		return 0;
	to = arena_push(&denials->arena, &denials->items, &denials->count, sizeof *to, NULL);
	if (to == NULL)
		return -CORDON_E_MEMORY;
	to->count = 1;
	to->first = denials->added++;
	to->known = refused->known;
	to->had_allow = refused->allow != NULL && *refused->allow != '\0';
	rc |= keep_text(denials, refused->what, &to->what);
	rc |= keep_text(denials, refused->subject, &to->subject);
	rc |= keep_text(denials, refused->cause, &to->cause);
	rc |= keep_text(denials, refused->rule, &to->rule);
	rc |= keep_text(denials, refused->reason, &to->reason);
	rc |= keep_text(denials, refused->allow, &to->allow);
	if (rc < 0)
		denials->count--;
	return rc;
}

/* ---- folding ---- */

/* Changes of names and contents are granted by one option. */
static int
class_of(const struct denial *denial)
{
	static const char *const changes[] = {"write", "create", "delete", "link", "rename", NULL};

	for (int i = 0; changes[i] != NULL; i++)
		if (strcmp(denial->what, changes[i]) == 0)
			return 'w';
	return *denial->what;
}

static int
by_kind(const struct denial *left, const struct denial *right)
{
	int order = class_of(left) - class_of(right);

	if (order == 0)
		order = strcmp(left->cause, right->cause);
	if (order == 0)
		order = strcmp(left->rule, right->rule);
	return order == 0 ? strcmp(left->reason, right->reason) : order;
}

static int
by_subject(const void *a, const void *b)
{
	const struct denial *left = a, *right = b;
	int order = by_kind(left, right);

	return order == 0 ? strcmp(left->subject, right->subject) : order;
}

static int
by_first(const void *a, const void *b)
{
	const struct denial *left = a, *right = b;

	return (left->first > right->first) - (left->first < right->first);
}

/* Length of the path of the folder that both are in, or are. */
static size_t
common_folder(const char *a, const char *b)
{
	size_t folder = 0, at = 0;

	for (; a[at] != '\0' && a[at] == b[at]; at++)
		if (a[at] == '/')
			folder = at;
	if ((a[at] == '\0' || a[at] == '/') && (b[at] == '\0' || b[at] == '/'))
		folder = at;
	return folder;
}

/* Returns how deep the folder of both is; 0 if they cannot become one line. */
static size_t
depth_together(const struct denial *a, const struct denial *b)
{
	size_t length, depth = 0;

	if (*a->subject != '/' || *b->subject != '/' || by_kind(a, b) != 0 ||
	    a->had_allow != b->had_allow)
		return 0;
	length = common_folder(a->subject, b->subject);
	for (size_t i = 0; i < length; i++)
		depth += a->subject[i] == '/';
	return depth < DEPTH_MIN ? 0 : depth;
}

static bool
is_option_for_path(const char *allow)
{
	return strncmp(allow, "--read ", 7) == 0 || strncmp(allow, "--write ", 8) == 0 ||
	       strncmp(allow, "--execute ", 10) == 0;
}

/*
 * The same option for the folder, if that is wise; another option only if it is that of both. A deny is
 * lifted path by path: at its own path an option may have no effect.
 */
static const char *
allow_together(struct denials *denials, const struct denial *a, const struct denial *b,
	       const char *folder, const struct plan *plan)
{
	auto_str struct str option = {0};
	const char *name;

	if (strcmp(a->allow, b->allow) == 0)
		return a->allow;
	if (strncmp(a->cause, "not-granted", strlen("not-granted")) != 0 ||
	    !is_option_for_path(a->allow) || !is_option_for_path(b->allow) || plan == NULL ||
	    unwise_folder(plan, folder) || fs_kind_of(plan->host->view, folder) != FS_DIR)
		return "";
	name = arena_strndup(&denials->arena, a->allow, strcspn(a->allow, " "), NULL);
	if (name != NULL)
		remedy_print_option(name, folder, &option);
	name = option.failed || option.text == NULL
		       ? NULL
		       : arena_strdup(&denials->arena, option.text, NULL);
	return name == NULL ? "" : name;
}

static void
join(struct denials *denials, struct denial *to, const struct denial *other,
     const struct plan *plan)
{
	const char *folder = arena_strndup(&denials->arena, to->subject,
					   common_folder(to->subject, other->subject), NULL);

	if (folder == NULL)
		return;
	to->allow = allow_together(denials, to, other, folder, plan);
	to->subject = folder;
	if (strcmp(to->what, other->what) != 0)
		to->what = "change";
	to->count += other->count;
	to->first = to->first < other->first ? to->first : other->first;
}

static void
remove_at(struct denials *denials, size_t at)
{
	memmove(&denials->items[at], &denials->items[at + 1],
		(--denials->count - at) * sizeof *denials->items);
}

/* Everything below a folder that is one line already belongs to it. */
static void
absorb(struct denials *denials, size_t at, const struct plan *plan)
{
	struct denial *folder = &denials->items[at];

	while (at + 1 < denials->count && by_kind(folder, folder + 1) == 0 &&
	       path_below(folder[1].subject, folder->subject) &&
	       depth_together(folder, folder + 1) > 0) {
		join(denials, folder, folder + 1, plan);
		remove_at(denials, at + 1);
	}
}

/* Joins the two neighbours with the deepest folder. Returns false if none can be joined. */
static bool
fold_one(struct denials *denials, const struct plan *plan)
{
	size_t best = 0, deepest = 0;

	for (size_t i = 0; i + 1 < denials->count; i++) {
		size_t depth = depth_together(&denials->items[i], &denials->items[i + 1]);

		if (depth > deepest) {
			deepest = depth;
			best = i;
		}
	}
	if (deepest == 0)
		return false;
	join(denials, &denials->items[best], &denials->items[best + 1], plan);
	remove_at(denials, best + 1);
	absorb(denials, best, plan);
	while (best > 0 &&
	       path_below(denials->items[best - 1].subject, denials->items[best].subject) &&
	       depth_together(&denials->items[best - 1], &denials->items[best]) > 0) {
		join(denials, &denials->items[best - 1], &denials->items[best], plan);
		remove_at(denials, best--);
	}
	return true;
}

/* A refused network is always shown: the error of the program seldom names it. */
static void
show_network(struct denials *denials)
{
	struct denial kept;
	size_t at = 0;

	while (at < denials->count && strcmp(denials->items[at].what, "network") != 0)
		at++;
	if (at < DENIALS_SHOWN || at == denials->count)
		return;
	kept = denials->items[at];
	memmove(&denials->items[DENIALS_SHOWN], &denials->items[DENIALS_SHOWN - 1],
		(at - (DENIALS_SHOWN - 1)) * sizeof kept);
	denials->items[DENIALS_SHOWN - 1] = kept;
}

void
denials_fold(struct denials *denials, const struct plan *plan)
{
	if (denials->count == 0)
		return;
	qsort(denials->items, denials->count, sizeof *denials->items, by_subject);
	while (denials->count > DENIALS_SHOWN && fold_one(denials, plan))
		;
	qsort(denials->items, denials->count, sizeof *denials->items, by_first);
	show_network(denials);
}

void
denials_free(struct denials *denials)
{
	arena_free(&denials->arena);
	*denials = (struct denials){0};
}
