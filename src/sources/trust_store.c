// SPDX-License-Identifier: MIT
/*
 * The trust store: STATE/trust/HASH-OF-PATH.json, mode 0600 in a directory of mode 0700. Records
 * are replaced atomically, so no lock is needed. A record that other users could have written is
 * refused.
 */
#include "sources/trust_store.h"

#include <errno.h>
#include <sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"

#define RECORD_MAX JSON_SIZE_MAX

void
trust_store_hash(const char *text, size_t length, char ret_hash[TRUST_HASH_SIZE])
{
	SHA2_CTX context;
	uint8_t digest[SHA256_DIGEST_LENGTH];

	SHA256Init(&context);
	SHA256Update(&context, (const uint8_t *)text, length);
	SHA256Final(digest, &context);
	for (size_t i = 0; i < sizeof digest; i++)
		snprintf(ret_hash + i * 2, 3, "%02x", digest[i]);
}

static char *
record_path(struct arena *arena, const char *state_dir, const char *file, struct cordon_error *err)
{
	char hash[TRUST_HASH_SIZE];

	trust_store_hash(file, strlen(file), hash);
	return arena_printf(arena, err, "%s/trust/%s.json", state_dir, hash);
}

static int
damaged(const char *path, struct cordon_error *err)
{
	return cordon_fail(err, CORDON_E_TRUST, 0, "%s is damaged; remove it and approve again",
			   path);
}

static bool
number_of(const struct json *object, const char *key, uint64_t *ret_number)
{
	const char *text = json_member_text(object, key);

	return text != NULL && str_number(text, UINT64_MAX, ret_number);
}

static int
read_pins(struct arena *arena, const struct json *list, struct trust *to, struct cordon_error *err)
{
	for (const struct json *item = list->first; item != NULL; item = item->next) {
		struct pin *pin = arena_push(arena, &to->pins, &to->pin_count, sizeof *pin, err);

		if (pin == NULL)
			return -CORDON_E_MEMORY;
		pin->path = json_member_text(item, "path");
		if (pin->path == NULL || !number_of(item, "device", &pin->device) ||
		    !number_of(item, "inode", &pin->inode))
			return -CORDON_E_TRUST;
	}
	return 0;
}

static int
read_approved(struct arena *arena, const struct json *list, struct trust *to,
	      struct cordon_error *err)
{
	for (const struct json *item = list->first; item != NULL; item = item->next) {
		struct word *word = arena_push(arena, &to->approved.items, &to->approved.count,
					       sizeof *word, err);

		if (word == NULL)
			return -CORDON_E_MEMORY;
		if (item->type != JSON_STRING)
			return -CORDON_E_TRUST;
		word->text = item->string;
	}
	return 0;
}

static int
read_record(struct arena *arena, const struct json *value, struct trust *to,
	    struct cordon_error *err)
{
	const char *file = json_member_text(value, "file"), *hash = json_member_text(value, "hash");
	const struct json *pins, *approved;
	int rc;

	if (file == NULL || hash == NULL || strlen(hash) != TRUST_HASH_SIZE - 1)
		return -CORDON_E_TRUST;
	pins = json_member(value, "pins");
	approved = json_member(value, "approved");
	if (pins == NULL || pins->type != JSON_ARRAY || approved == NULL ||
	    approved->type != JSON_ARRAY)
		return -CORDON_E_TRUST;
	to->file = file;
	memcpy(to->hash, hash, TRUST_HASH_SIZE);
	rc = read_pins(arena, pins, to, err);
	return rc < 0 ? rc : read_approved(arena, approved, to, err);
}

int
trust_store_load(struct arena *arena, const char *state_dir, const char *file, struct trust *ret,
		 struct cordon_error *err)
{
	char *path = record_path(arena, state_dir, file, err);
	struct cordon_error why = {0};
	const struct json *value;
	struct stat st;
	char *text;
	size_t length;
	int rc;

	*ret = (struct trust){0};
	if (path == NULL)
		return -CORDON_E_MEMORY;
	/* the target of a link is not protected like the store */
	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		return cordon_fail(err, CORDON_E_TRUST, 0,
				   "%s is a link; remove it and approve again", path);
	rc = fd_read_file(arena, path, RECORD_MAX, &text, &length, &st, &why);
	if (rc < 0 && (why.sys == ENOENT || why.sys == ENOTDIR))
		return 0;
	if (rc < 0) {
		if (err != NULL)
			*err = why;
		return rc;
	}
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return cordon_fail(
			err, CORDON_E_TRUST, 0,
			"%s could have been written by others; remove it and approve again", path);
	if (json_read(arena, path, text, length, &value, NULL) < 0)
		return damaged(path, err);
	rc = read_record(arena, value, ret, err);
	if (rc == -CORDON_E_MEMORY)
		return rc;
	if (rc < 0 || strcmp(ret->file, file) != 0)
		return damaged(path, err);
	return 1;
}

static void
print_record(const struct trust *trust, struct str *to)
{
	str_add(to, "{\n  \"file\": ");
	str_json(to, trust->file);
	str_printf(to, ",\n  \"hash\": \"%s\",\n  \"approved\": [", trust->hash);
	for (size_t i = 0; i < trust->approved.count; i++) {
		str_add(to, i == 0 ? "\n    " : ",\n    ");
		str_json(to, trust->approved.items[i].text);
	}
	str_add(to, "],\n  \"pins\": [");
	for (size_t i = 0; i < trust->pin_count; i++) {
		str_add(to, i == 0 ? "\n    {\"path\": " : ",\n    {\"path\": ");
		str_json(to, trust->pins[i].path);
		str_printf(to, ", \"device\": \"%llu\", \"inode\": \"%llu\"}",
			   (unsigned long long)trust->pins[i].device,
			   (unsigned long long)trust->pins[i].inode);
	}
	str_add(to, "]\n}\n");
}

int
trust_store_save(const char *state_dir, const struct trust *trust, struct cordon_error *err)
{
	auto_arena struct arena arena = {0};
	auto_str struct str text = {0};
	char *path = record_path(&arena, state_dir, trust->file, err);
	char *dir = path == NULL ? NULL : path_parent(&arena, path, err);
	const struct json *value;
	struct trust again = {0};
	int rc;

	if (dir == NULL)
		return -CORDON_E_MEMORY;
	rc = fd_make_dir(dir, 0700, err);
	if (rc < 0)
		return rc;
	print_record(trust, &text);
	if (text.failed)
		return cordon_no_memory(err);
	/* check that the record can be read back */
	if (text.length > RECORD_MAX ||
	    json_read(&arena, path, text.text, text.length, &value, NULL) < 0 ||
	    read_record(&arena, value, &again, err) < 0 || strcmp(again.file, trust->file) != 0)
		return cordon_fail(
			err, CORDON_E_TRUST, 0,
			"this cannot be approved: it is too large, or a path in it is not UTF-8");
	return fd_replace_file(path, text.text, text.length, 0600, err);
}

int
trust_store_remove(const char *state_dir, const char *file, struct cordon_error *err)
{
	auto_arena struct arena arena = {0};
	char *path = record_path(&arena, state_dir, file, err);

	if (path == NULL)
		return -CORDON_E_MEMORY;
	if (unlink(path) == 0)
		return 1;
	if (errno == ENOENT || errno == ENOTDIR)
		return 0;
	return cordon_fail(err, CORDON_E_TRUST, errno, "cannot remove %s", path);
}

struct pin
trust_store_pin(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		/* an unreadable path must differ from an absent one, and from every real inode */
		return (struct pin){path, errno == ENOENT || errno == ENOTDIR ? 0 : UINT64_MAX, 0};
	return (struct pin){path, (uint64_t)st.st_dev, (uint64_t)st.st_ino};
}
