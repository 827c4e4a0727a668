// SPDX-License-Identifier: MIT
/*
 * The plan once more, with every text folded as a folding folder does it: decomposed, in small
 * letters, without what is not seen. It is made when it is asked for the first time, and asked only
 * about paths that are not folded as they stand, or for plans that deny such.
 */
#include "linux/fold.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unicase.h>
#include <unictype.h>
#include <unistd.h>
#include <unistr.h>

#include "base/fd.h"
#include "base/path.h"
#include "plan/glob.h"

#define ENTRIES 64 /* are looked at for one that tells */

enum state { IS_NEW, IS_LOOKED_AT, IS_MADE };

struct fold {
	const struct index *of;
	const char *top;
	pthread_mutex_t lock;
	int state;
	bool has_odd;  /* something that is denied is written in another way than folded */
	bool is_whole; /* everything of it could be folded */
	struct index index;
};

struct fold *
fold_new(const struct index *index, const char *top)
{
	struct fold *fold = calloc(1, sizeof *fold);

	if (fold == NULL)
		return NULL;
	fold->of = index;
	fold->top = top;
	pthread_mutex_init(&fold->lock, NULL);
	return fold;
}

struct fold *
fold_free(struct fold *fold)
{
	if (fold != NULL)
		index_free(&fold->index);
	free(fold);
	return NULL;
}

/* ---- texts ---- */

static bool
is_folded(const struct fold *fold, const char *text)
{
	/* the folders above everything have one spelling here */
	if (fold->top != NULL && path_below(text, fold->top))
		text += strlen(fold->top);
	for (; *text != '\0'; text++)
		if ((*text >= 'A' && *text <= 'Z') || (unsigned char)*text >= 0x80)
			return false;
	return true;
}

/* What is not seen is not compared. Returns the length that is left. */
static size_t
drop_unseen(uint8_t *text, size_t length)
{
	size_t to = 0, size;
	ucs4_t code;

	for (size_t from = 0; from < length; from += size) {
		size = (size_t)u8_mbtouc(&code, text + from, length - from);
		if (uc_is_property_default_ignorable_code_point(code))
			continue;
		memmove(text + to, text + from, size);
		to += size;
	}
	return to;
}

/* One name; what is no text stays as it is, as the kernel has it. 0: no room. */
static size_t
fold_name(const char *name, size_t length, char *to, size_t room)
{
	size_t size = room;
	const uint8_t *from = (const uint8_t *)name;
	uint8_t *folded = u8_casefold(from, length, NULL, UNINORM_NFD, (uint8_t *)to, &size);

	if (folded == NULL && errno == EILSEQ && length <= room) {
		memcpy(to, name, length);
		return length;
	}
	if (folded != NULL && folded != (uint8_t *)to) {
		free(folded);
		folded = NULL;
	}
	return folded == NULL ? 0 : drop_unseen(folded, size);
}

/* Name by name, so that one that is no text does not keep the others from being folded. */
static bool
fold_text(const char *text, char to[PATH_MAX])
{
	size_t used = 0;

	while (*text != '\0') {
		size_t length = strcspn(text, "/"), size = 0;

		if (length > 0)
			size = fold_name(text, length, to + used, PATH_MAX - 2 - used);
		used += size;
		if ((length > 0 && size == 0) || used > PATH_MAX - 2)
			return false;
		text += length;
		if (*text == '/')
			to[used++] = *text++;
	}
	to[used] = '\0';
	return used < PATH_MAX - 2;
}

/* ---- the plan ---- */

static int
fold_rule(struct fold *fold, const struct planned_rule *rule)
{
	struct planned_rule copy = *rule;
	char text[PATH_MAX];

	if (rule->match == MATCH_REGEX)
		copy.path = arena_printf(&fold->index.arena, NULL, "(?i)%s", rule->path);
	else
		copy.path = fold_text(rule->path, text)
				    ? arena_printf(&fold->index.arena, NULL, "%s", text)
				    : NULL;
	return copy.path == NULL ? -CORDON_E_MEMORY : index_add(&fold->index, &copy, NULL);
}

static int
fold_protection(struct fold *fold, const struct protection *protection)
{
	struct protections *to = &fold->index.protections;
	struct protection *slot =
		arena_push(&fold->index.arena, &to->items, &to->count, sizeof *slot, NULL);
	struct glob *glob = NULL;
	char text[PATH_MAX];

	if (slot == NULL || !fold_text(protection->pattern, text) ||
	    glob_compile(&fold->index.arena, text, &glob, NULL, NULL) < 0)
		return -CORDON_E_MEMORY;
	*slot = *protection;
	slot->glob = glob;
	return 0;
}

static int
fold_plan(struct fold *fold)
{
	const struct index *of = fold->of;
	int rc = 0;

	fold->index.default_rights = of->default_rights;
	for (size_t i = 0; rc == 0 && i < of->path_count; i++)
		rc = fold_rule(fold, &of->paths[i]);
	for (size_t i = 0; rc == 0 && i < of->pattern_count; i++)
		rc = fold_rule(fold, &of->patterns[i]);
	for (size_t i = 0; rc == 0 && i < of->protections.count; i++)
		rc = fold_protection(fold, &of->protections.items[i]);
	return rc < 0 ? rc : index_finish(&fold->index, NULL);
}

static bool
has_odd_deny(const struct fold *fold, const struct planned_rule *rules, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (rules[i].effect == EFFECT_DENY && rules[i].rights != 0 &&
		    !is_folded(fold, rules[i].path))
			return true;
	return false;
}

/* Brings it to a state; what was found out before stays. */
static void
reach(struct fold *fold, enum state state)
{
	if (__atomic_load_n(&fold->state, __ATOMIC_ACQUIRE) >= (int)state)
		return;
	pthread_mutex_lock(&fold->lock);
	if (fold->state < IS_LOOKED_AT)
		fold->has_odd = has_odd_deny(fold, fold->of->paths, fold->of->path_count) ||
				has_odd_deny(fold, fold->of->patterns, fold->of->pattern_count);
	if (fold->state < IS_MADE && state == IS_MADE)
		fold->is_whole = fold_plan(fold) == 0;
	if (fold->state < (int)state)
		__atomic_store_n(&fold->state, (int)state, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&fold->lock);
}

/* ---- folders ---- */

static bool
has_letter(const char *name)
{
	bool found = false;

	for (; *name != '\0'; name++) {
		if ((unsigned char)*name >= 0x80)
			return false;
		found = found || (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z');
	}
	return found;
}

/* 1: the name is also there with other letters; 0: it is not; -1: it is gone, and tells nothing. */
static int
is_twice(int folder, const char *name)
{
	char other[NAME_MAX + 1];
	struct stat at, there, again;
	size_t i = 0;
	bool is_same;

	for (; i < NAME_MAX && name[i] != '\0'; i++)
		other[i] = (char)(name[i] ^ (has_letter((char[]){name[i], '\0'}) ? 0x20 : 0));
	other[i] = '\0';
	if (fstatat(folder, name, &at, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	is_same = fstatat(folder, other, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
		  there.st_ino == at.st_ino && there.st_dev == at.st_dev;
	if (is_same)
		return 1;
	return fstatat(folder, name, &again, AT_SYMLINK_NOFOLLOW) == 0 && again.st_ino == at.st_ino
		       ? 0
		       : -1;
}

/* One piece of a listing, at most *left entries. As is_twice of the first name that tells. */
static int
look_at_names(int folder, const char *listing, long size, int *left)
{
	int found = -1;

	for (long at = 0; at < size && found < 0 && (*left)-- > 0;) {
		const struct dirent *entry = (const struct dirent *)(const void *)(listing + at);

		if (has_letter(entry->d_name))
			found = is_twice(folder, entry->d_name);
		at += entry->d_reclen;
	}
	return found;
}

/* By a name that is in it. Without memory of its own: where there is none, nothing more is denied. */
static bool
folds_a_name(int folder)
{
	_Alignas(struct dirent) char listing[4096];
	int found = -1, left = ENTRIES;
	long size = 1;

	while (found < 0 && left > 0 && size > 0) {
		size = syscall(SYS_getdents64, folder, listing, sizeof listing);
		found = look_at_names(folder, listing, size, &left);
	}
	return found == 1 || size < 0;
}

/* may: what is said of one that is there and cannot be looked at */
static bool
folds(const char *folder, bool may)
{
	auto_fd int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int flags = 0;

	if (fd < 0)
		return may && errno != ENOENT && errno != ENOTDIR && errno != ELOOP;
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_CASEFOLD_FL))
		return true;
	return folds_a_name(fd);
}

/* Folders above what is granted cannot be looked at: by another spelling of those nothing is. */
static bool
is_below_folding(const struct fold *fold, const char *path)
{
	char folder[PATH_MAX];
	bool is_first = true;
	char *end;

	if (strlen(path) >= sizeof folder)
		return true;
	strcpy(folder, path);
	while ((end = strrchr(folder, '/')) != NULL && end > folder) {
		*end = '\0';
		if (folds(folder, is_first || index_decide(fold->of, folder).rights != 0))
			return true;
		is_first = false;
	}
	return false;
}

/* ---- asking ---- */

/* Nobody needs the other spelling, so what is vetted under its own is not changed under it. */
static void
narrow(struct verdict *verdict, const struct verdict *by)
{
	unsigned kept = by->rights;

	if (by->vetted != NULL && verdict->vetted == NULL)
		kept &= ~(unsigned)RIGHTS_CHANGE;
	for (int i = 0; i < RIGHT_KINDS; i++) {
		if (!(verdict->rights & ~kept & (1u << i)))
			continue;
		verdict->by[i] = by->by[i];
		if (by->rights & (1u << i))
			verdict->by[i] = (struct decision){.protection = by->vetted};
	}
	verdict->rights &= kept;
	if (verdict->held == NULL)
		verdict->held = by->held;
}

struct verdict
fold_decide(struct fold *fold, const char *path)
{
	struct verdict verdict = index_decide(fold->of, path), folded = {0};
	char text[PATH_MAX];

	reach(fold, IS_LOOKED_AT);
	if (verdict.rights == 0 || (!fold->has_odd && is_folded(fold, path)))
		return verdict;
	reach(fold, IS_MADE);
	/* what cannot be told is denied where it matters */
	if (fold->is_whole && fold_text(path, text))
		folded = index_decide(&fold->index, text);
	if ((verdict.rights & ~folded.rights) == 0 &&
	    (folded.vetted == NULL || verdict.vetted != NULL) &&
	    (folded.held == NULL || verdict.held != NULL))
		return verdict;
	if (is_below_folding(fold, path))
		narrow(&verdict, &folded);
	return verdict;
}
