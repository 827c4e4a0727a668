// SPDX-License-Identifier: MIT
/* Lets git read new objects as it would for a checkout, and compares them with their names. */
#include "base/os.h"

#include "review/new_objects.h"

#include <dirent.h>
#include <limits.h>
#include <sha1.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "review/ref_files.h"

#define LOOSE_MAX 20000 /* loose objects examined */
#define TOGETHER 256	/* of them at once */
#define DIGITS "0123456789abcdef"

static const char *const replaced = "its content is not what its name says; git checks it out "
				    "though no ref has changed";

struct object_check {
	const struct refs *refs;
	changed_fn *report;
	void *sink;
	char folder[PATH_MAX]; /* of the objects */
	struct arena arena;
	const char **names; /* loose objects to examine */
	size_t count;
	bool is_moved; /* the directory of the objects is another one than at the start */
	bool is_cut;
};

static void
report_path(const struct object_check *o, const char *path, const char *reason)
{
	o->report(o->sink, &(struct autorun_change){"replaced", path, reason, true});
}

static bool
is_new(const struct object_check *o, const char *path)
{
	struct stat at;

	return lstat(path, &at) == 0 && ref_files_time(&at) >= o->refs->started;
}

static bool
is_file(const char *path)
{
	struct stat at;

	return stat(path, &at) == 0 && S_ISREG(at.st_mode);
}

/* ---- loose objects ---- */

/* git reads the size and the type from the content, so these are part of what is hashed. */
static bool
is_hash(const char *name, const char *header, const char *content, size_t length)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	size_t digits = strlen(name);
	SHA1_CTX one;
	SHA2_CTX two;

	if (digits == 2 * SHA1_DIGEST_LENGTH) {
		SHA1Init(&one);
		SHA1Update(&one, (const uint8_t *)header, strlen(header) + 1);
		SHA1Update(&one, (const uint8_t *)content, length);
		SHA1Final(digest, &one);
	} else {
		SHA256Init(&two);
		SHA256Update(&two, (const uint8_t *)header, strlen(header) + 1);
		SHA256Update(&two, (const uint8_t *)content, length);
		SHA256Final(digest, &two);
	}
	for (size_t i = 0; i < digits; i++)
		if (name[i] != DIGITS[i % 2 == 0 ? digest[i / 2] >> 4 : digest[i / 2] & 15])
			return false;
	return true;
}

static void
report_loose(const struct object_check *o, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof path, "%s/%.2s/%s", o->folder, name, name + 2) < PATH_MAX)
		report_path(o, path, replaced);
}

/* Output for each name is "NAME TYPE SIZE\nCONTENT\n"; "NAME missing\n" if it is gone, which ends this. */
static bool
check_output(struct object_check *o, const char *const *names, size_t count,
	     const struct git_run_text *output)
{
	const char *at = output->text, *end = at + output->length;

	for (size_t i = 0; i < count; i++) {
		char type[16], header[64];
		size_t length;
		const char *content = memchr(at, '\n', (size_t)(end - at));

		if (content == NULL || !str_starts(at, names[i]))
			return false;
		at += strlen(names[i]);
		if (sscanf(at, " %15s%zu", type, &length) != 2 ||
		    (size_t)(end - content) < length + 2)
			return false;
		snprintf(header, sizeof header, "%s %zu", type, length);
		if (!is_hash(names[i], header, content + 1, length))
			report_loose(o, names[i]);
		at = content + length + 2;
	}
	return true;
}

/* git ends at an object that it cannot read; then each is examined alone. */
static void
check_some(struct object_check *o, const char *const *names, size_t count)
{
	static const char *const read[] = {"cat-file", "--batch", "--buffer", NULL};
	struct git_run_text input, output = {NULL, 0};
	auto_str struct str list = {0};

	for (size_t i = 0; i < count; i++)
		str_printf(&list, "%s\n", names[i]);
	input = (struct git_run_text){list.text, list.length};
	if (list.failed)
		o->is_cut = true;
	else if (git_run_query(&o->refs->in, read, &input, &output, NULL) == 1 &&
		 check_output(o, names, count, &output))
		;
	else if (count == 1 || git_run_is_late(&o->refs->in))
		o->is_cut = true;
	else
		for (size_t i = 0; i < count; i++)
			check_some(o, names + i, 1);
	free(output.text);
}

static void
add_loose(struct object_check *o, const char *two, const char *rest)
{
	size_t length = strlen(rest);
	const char **slot;

	if ((length != 38 && length != 62) || strspn(rest, DIGITS) != length)
		return;
	if (o->count == LOOSE_MAX) {
		o->is_cut = true;
		return;
	}
	slot = arena_push(&o->arena, &o->names, &o->count, sizeof *slot, NULL);
	if (slot != NULL)
		*slot = arena_printf(&o->arena, NULL, "%s%s", two, rest);
	if (slot == NULL || *slot == NULL) {
		o->count -= slot != NULL;
		o->is_cut = true;
	}
}

/* A changed directory may have been moved here with files that are older than the run. */
static void
find_loose(struct object_check *o, const char *two)
{
	char path[PATH_MAX];
	DIR *dir = snprintf(path, sizeof path, "%s/%s", o->folder, two) < PATH_MAX ? opendir(path)
										   : NULL;
	bool all = o->is_moved || (dir != NULL && is_new(o, path));
	const struct dirent *entry;
	struct stat at;

	/* git would wait for the writer of a FIFO */
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (fstatat(dirfd(dir), entry->d_name, &at, 0) == 0 && S_ISREG(at.st_mode) &&
		    (all || ref_files_time(&at) >= o->refs->started))
			add_loose(o, two, entry->d_name);
	if (dir != NULL)
		closedir(dir);
}

static void
check_loose(struct object_check *o)
{
	for (int i = 0; i < 256; i++)
		find_loose(o, (char[]){DIGITS[i >> 4], DIGITS[i & 15], '\0'});
	for (size_t i = 0; i < o->count; i += TOGETHER)
		check_some(o, o->names + i, o->count - i < TOGETHER ? o->count - i : TOGETHER);
}

/* ---- packs, and what leads to objects ---- */

/* git's own check of a file. Without its yes and in time, the file is not what it says. */
static void
check_file(struct object_check *o, const char *const *arguments, const char *path)
{
	struct git_run_text output = {NULL, 0};

	if (git_run_query(&o->refs->in, arguments, NULL, &output, NULL) != 1) {
		if (git_run_is_late(&o->refs->in))
			o->is_cut = true;
		else
			report_path(o, path, replaced);
	}
	free(output.text);
}

static void
check_pack(struct object_check *o, const char *folder, const char *name, bool all)
{
	size_t length = strlen(name);
	char pack[PATH_MAX], list[PATH_MAX];
	const char *const verify[] = {"verify-pack", list, NULL};

	if (length < 5 || strcmp(name + length - 4, ".idx") != 0 ||
	    snprintf(list, sizeof list, "%s/%s", folder, name) >= PATH_MAX ||
	    snprintf(pack, sizeof pack, "%s/%.*s.pack", folder, (int)length - 4, name) >= PATH_MAX)
		return;
	if (!is_file(list) || !is_file(pack))
		o->is_cut = true;
	else if (all || is_new(o, list) || is_new(o, pack))
		check_file(o, verify, pack);
}

static void
check_packs(struct object_check *o)
{
	char folder[PATH_MAX];
	bool all = o->is_moved || ref_files_sign(o->folder, "pack").inode != o->refs->packs.inode;
	DIR *dir = snprintf(folder, sizeof folder, "%s/pack", o->folder) < PATH_MAX
			   ? opendir(folder)
			   : NULL;
	const struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		check_pack(o, folder, entry->d_name, all);
	if (dir != NULL)
		closedir(dir);
}

/* Files that tell git where objects are, or the tree of a commit. */
static const struct {
	const char *path;
	const char *verify[3];
} leading[] = {
	{"pack/multi-pack-index", {"multi-pack-index", "verify", NULL}},
	{"pack/multi-pack-index.d", {"multi-pack-index", "verify", NULL}},
	{"info/commit-graph", {"commit-graph", "verify", NULL}},
	{"info/commit-graphs", {"commit-graph", "verify", NULL}},
	{"info/alternates", {NULL}},
};

static void
check_leading(struct object_check *o)
{
	char path[PATH_MAX];
	struct stat at;

	for (size_t i = 0; i < sizeof leading / sizeof leading[0]; i++) {
		if (snprintf(path, sizeof path, "%s/%s", o->folder, leading[i].path) >= PATH_MAX ||
		    lstat(path, &at) < 0 || (!o->is_moved && !is_new(o, path)))
			continue;
		if (leading[i].verify[0] != NULL)
			check_file(o, leading[i].verify, path);
		else if (at.st_size > 0)
			report_path(o, path, "git reads further objects from what it names");
	}
}

/* ---- both ends of a run ---- */

void
new_objects_record(struct refs *refs)
{
	refs->objects = ref_files_sign(refs->common_dir, "objects");
	refs->packs = ref_files_sign(refs->common_dir, "objects/pack");
}

bool
new_objects_report(const struct refs *refs, changed_fn *report, void *sink)
{
	struct object_check o = {.refs = refs, .report = report, .sink = sink};

	if (snprintf(o.folder, sizeof o.folder, "%s/objects", refs->common_dir) >= PATH_MAX ||
	    refs->in.program == NULL)
		return false;
	o.is_moved = ref_files_sign(refs->common_dir, "objects").inode != refs->objects.inode;
	check_loose(&o);
	check_packs(&o);
	check_leading(&o);
	arena_free(&o.arena);
	return !o.is_cut;
}
