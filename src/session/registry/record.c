// SPDX-License-Identifier: MIT
/*
 * Writes, locks and parses records. Parsing checks every member, because any program of the user
 * outside a sandbox can write such a file.
 */
#include "session/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "session/registry/record_dir.h"

#define RECORD_SIZE_MAX (64u << 10)
#define COMMAND_WORDS_MAX 32
#define COMMAND_BYTES_MAX 4096
#define WORDS_MAX 128

bool
record_is_id(const char *text)
{
	return strlen(text) == RECORD_ID_LENGTH &&
	       strspn(text, "0123456789abcdef") == RECORD_ID_LENGTH;
}

bool
record_is_name(const char *text)
{
	static const char first[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	static const char others[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t length = strlen(text);

	return length > 0 && length <= RECORD_NAME_MAX && strchr(first, *text) != NULL &&
	       strspn(text, others) == length && !record_is_id(text);
}

void
record_beside(const char *id, const char *what, char to[RECORD_SOCKET_SIZE])
{
	snprintf(to, RECORD_SOCKET_SIZE, "%.*s%s", RECORD_ID_LENGTH, id, what);
}

void
record_socket(const char *id, char to[RECORD_SOCKET_SIZE])
{
	record_beside(id, RECORD_SOCKET, to);
}

/* ---- writing ---- */

static void
put_text(struct str *to, const char *key, const char *text)
{
	str_printf(to, ",\n\"%s\": ", key);
	if (text == NULL)
		str_add(to, "null");
	else
		str_json(to, text);
}

static void
put_words(struct str *to, const char *key, const struct record_words *words)
{
	size_t start = to->length;

	str_printf(to, ",\n\"%s\": [", key);
	for (size_t i = 0; i < words->count && i < COMMAND_WORDS_MAX; i++) {
		char piece[COMMAND_BYTES_MAX / 4];

		if (to->length - start > COMMAND_BYTES_MAX)
			break;
		snprintf(piece, sizeof piece, "%s", words->items[i]);
		str_add(to, i == 0 ? "" : ", ");
		str_json(to, piece);
	}
	str_add(to, "]");
}

/* Fixed width, so that it can be overwritten in place. */
#define PROCESS_WIDTH 56
static void
print_process(const struct process *process, char to[PROCESS_WIDTH + 1])
{
	snprintf(to, PROCESS_WIDTH + 1, "{\"pid\": %11ld, \"started\": %20llu}", (long)process->pid,
		 (unsigned long long)process->started);
}

static void
print_record(const struct record *record, struct str *to, off_t *ret_guard_at)
{
	char process[PROCESS_WIDTH + 1];

	str_add(to, "{\"id\": ");
	str_json(to, record->id);
	put_text(to, "name", record->name);
	str_printf(to, ",\n\"since\": %lld", (long long)record->since);
	print_process(&record->supervisor, process);
	str_printf(to, ",\n\"supervisor\": %s", process);
	str_add(to, ",\n\"guard\": ");
	*ret_guard_at = (off_t)to->length;
	print_process(&record->guard, process);
	str_add(to, process);
	put_words(to, "command", &record->command);
	put_text(to, "project", record->project);
	put_words(to, "gaps", &record->gaps);
	put_text(to, "cgroup", record->cgroup);
	put_text(to, "tmp", record->tmp);
	put_text(to, "policy", record->policy);
	put_text(to, "token", record->token);
	put_text(to, "proxy", record->proxy);
	str_add(to, "}\n");
}

/* No other thread uses the file offset. fd_write_line blocks SIGXFSZ. */
static int
write_at(int fd, const char *text, size_t length, off_t at)
{
	return lseek(fd, at, SEEK_SET) < 0 ? -1 : fd_write_line(fd, text, length);
}

static int
lock(int fd)
{
	int rc;

	do
		rc = flock(fd, LOCK_EX);
	while (rc < 0 && errno == EINTR);
	return rc;
}

/* Locks the file before it has contents: another process may reap it if it is not locked. */
static int
make_locked(int folder, const char *id)
{
	int fd = openat(folder, id, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct stat st;
	int sys;

	if (fd < 0)
		return -1;
	if (lock(fd) == 0 && fstat(fd, &st) == 0) {
		if (st.st_nlink == 1)
			return fd;
		/* another process reaped it before it was locked */
		close(fd);
		errno = EAGAIN;
		return -1;
	}
	/* without the lock the next reader would reap the session */
	sys = errno;
	unlinkat(folder, id, 0);
	close(fd);
	errno = sys == EAGAIN ? EIO : sys;
	return -1;
}

int
record_make(int folder, const char *folder_path, const struct record *record,
	    struct record_file *ret_file, struct cordon_error *err)
{
	struct record_file file = {.fd = -1};
	auto_str struct str text = {0};

	print_record(record, &text, &file.guard_at);
	if (text.failed)
		return cordon_no_memory(err);
	if (snprintf(file.path, sizeof file.path, "%s/%s", folder_path, record->id) >=
	    (int)sizeof file.path)
		return cordon_fail(err, CORDON_E_PATH, ENAMETOOLONG, "cannot record the session");
	for (int tries = 0; tries < 100 && file.fd < 0; tries++) {
		file.fd = make_locked(folder, record->id);
		if (file.fd < 0 && errno != EAGAIN)
			break;
	}
	if (file.fd < 0)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot record the session in %s",
				   folder_path);
	if (write_at(file.fd, text.text, text.length, 0) < 0) {
		int sys = errno;

		record_remove(&file);
		return cordon_fail(err, CORDON_E_PATH, sys, "cannot record the session in %s",
				   folder_path);
	}
	*ret_file = file;
	return 0;
}

int
record_set_guard(const struct record_file *file, const struct process *guard)
{
	char text[PROCESS_WIDTH + 1];

	if (file->fd < 0)
		return 0;
	print_process(guard, text);
	return write_at(file->fd, text, strlen(text), file->guard_at);
}

int
record_put_grace(int folder, const char *id, int grace_ms)
{
	char name[RECORD_SOCKET_SIZE], text[16];
	auto_fd int fd = -1;

	record_beside(id, RECORD_GRACE, name);
	unlinkat(folder, name, 0);
	if (grace_ms <= 0)
		return 0;
	snprintf(text, sizeof text, "%d\n", grace_ms);
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -1 : fd_write_line(fd, text, strlen(text));
}

int
record_grace(const struct record_file *file)
{
	char name[PATH_MAX], text[16] = "";
	auto_fd int fd = -1;
	long grace;

	if (file->fd < 0 ||
	    snprintf(name, sizeof name, "%s" RECORD_GRACE, file->path) >= (int)sizeof name)
		return 0;
	fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof text - 1) <= 0)
		return 0;
	grace = strtol(text, NULL, 10);
	return grace > 0 && grace <= INT_MAX ? (int)grace : 0;
}

int
record_names(const struct record_file *file)
{
	const char *last = path_last(file->path);
	char name[PATH_MAX];

	if (file->fd < 0 || snprintf(name, sizeof name, "%.*s" RECORD_NAMES,
				     (int)(last - file->path), file->path) >= (int)sizeof name)
		return -1;
	return open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

void
record_remove(struct record_file *file)
{
	static const char *const beside[] = {RECORD_SOCKET, RECORD_GRACE};
	size_t length = strlen(file->path);

	if (file->fd < 0)
		return;
	/* remove these first: without the record they would never be found */
	for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
		if (length + strlen(beside[i]) >= sizeof file->path)
			continue;
		strcpy(file->path + length, beside[i]);
		unlink(file->path);
	}
	file->path[length] = '\0';
	/* one that stays would be reaped, but perhaps much later */
	for (int tries = 0; tries < 3 && unlink(file->path) < 0 && errno != ENOENT; tries++)
		;
	close(file->fd);
	file->fd = -1;
}

/* ---- reading ---- */

static int
read_text(const struct json *object, const char *key, size_t most, const char **ret)
{
	const struct json *value = json_member(object, key);

	if (value == NULL || (value->type == JSON_STRING && strlen(value->string) > most))
		return -1;
	if (value->type != JSON_STRING && value->type != JSON_NULL)
		return -1;
	*ret = value->type == JSON_STRING ? value->string : NULL;
	return 0;
}

static int
read_number(const struct json *object, const char *key, int64_t most, int64_t *ret)
{
	const struct json *value = json_member(object, key);

	if (value == NULL || value->type != JSON_NUMBER || !value->whole || value->integer < 0 ||
	    value->integer > most)
		return -1;
	*ret = value->integer;
	return 0;
}

static int
read_process(const struct json *object, const char *key, struct process *ret)
{
	const struct json *value = json_member(object, key);
	int64_t pid, started;

	if (value == NULL || value->type != JSON_OBJECT || value->count != 2 ||
	    read_number(value, "pid", INT_MAX, &pid) < 0 ||
	    read_number(value, "started", INT64_MAX, &started) < 0)
		return -1;
	*ret = (struct process){(pid_t)pid, (uint64_t)started};
	return 0;
}

static int
read_words(struct arena *arena, const struct json *object, const char *key,
	   struct record_words *ret)
{
	const struct json *value = json_member(object, key);

	if (value == NULL || value->type != JSON_ARRAY || value->count > WORDS_MAX)
		return -1;
	*ret = (struct record_words){0};
	for (const struct json *word = value->first; word != NULL; word = word->next) {
		const char **slot = arena_push(arena, &ret->items, &ret->count, sizeof *slot, NULL);

		if (slot == NULL || word->type != JSON_STRING)
			return -1;
		*slot = word->string;
	}
	return 0;
}

/* Is it NULL, or hexadecimal digits of exactly this length? */
static bool
is_hex(const char *text, size_t length)
{
	return text == NULL ||
	       (strlen(text) == length && strspn(text, "0123456789abcdef") == length);
}

static bool
is_path(const char *text)
{
	return text == NULL || *text == '/';
}

static int
read_members(struct arena *arena, const struct json *object, struct record *to)
{
	int64_t since;

	if (object->type != JSON_OBJECT || object->count != 13 ||
	    read_text(object, "id", RECORD_ID_LENGTH, &to->id) < 0 ||
	    read_text(object, "name", RECORD_NAME_MAX, &to->name) < 0 ||
	    read_number(object, "since", INT64_MAX, &since) < 0 ||
	    read_process(object, "supervisor", &to->supervisor) < 0 ||
	    read_process(object, "guard", &to->guard) < 0 ||
	    read_words(arena, object, "command", &to->command) < 0 ||
	    read_text(object, "project", PATH_MAX, &to->project) < 0 ||
	    read_words(arena, object, "gaps", &to->gaps) < 0 ||
	    read_text(object, "cgroup", PATH_MAX - 1, &to->cgroup) < 0 ||
	    read_text(object, "tmp", PATH_MAX - 1, &to->tmp) < 0 ||
	    read_text(object, "policy", RECORD_HASH_LENGTH, &to->policy) < 0 ||
	    read_text(object, "token", RECORD_TOKEN_LENGTH, &to->token) < 0 ||
	    read_text(object, "proxy", RECORD_PROXY_LENGTH, &to->proxy) < 0)
		return -1;
	to->since = since;
	return 0;
}

int
record_parse(struct arena *arena, const char *id, const char *text, size_t length,
	     struct record *ret)
{
	const struct json *object;
	struct record record = {0};

	if (json_read(arena, "record", text, length, &object, NULL) < 0 ||
	    read_members(arena, object, &record) < 0)
		return -1;
	if (record.id == NULL || strcmp(record.id, id) != 0 ||
	    (record.name != NULL && !record_is_name(record.name)) ||
	    !is_hex(record.policy, RECORD_HASH_LENGTH) ||
	    !is_hex(record.token, RECORD_TOKEN_LENGTH) ||
	    !is_hex(record.proxy, RECORD_PROXY_LENGTH) || !is_path(record.project) ||
	    !is_path(record.cgroup) || !is_path(record.tmp))
		return -1;
	*ret = record;
	return 0;
}

int
record_read(struct arena *arena, int fd, const char *id, struct record *ret)
{
	size_t length = 0, size;
	struct stat st;
	ssize_t n = 1;
	char *text;

	if (fstat(fd, &st) < 0 || st.st_size <= 0 || st.st_size > (off_t)RECORD_SIZE_MAX)
		return -1;
	size = (size_t)st.st_size;
	text = arena_alloc(arena, size + 1, NULL);
	while (text != NULL && length < size && n != 0) {
		n = pread(fd, text + length, size - length, (off_t)length);
		if (n < 0 && errno != EINTR)
			return -1;
		length += n > 0 ? (size_t)n : 0;
	}
	return text == NULL ? -1 : record_parse(arena, id, text, length, ret);
}
