// SPDX-License-Identifier: MIT
/*
 * Reads the files of the log one after the other, in pieces. The file that is appended to stays open at its
 * end; when it was renamed or a newer one exists, the rest of it is read first. Never writes.
 */
#include "base/os.h"

#include "audit/log_read.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/log.h"
#include "audit/log_files.h"
#include "base/fd.h"
#include "base/path.h"

#define PIECE (256u << 10)
/* No line of ours is that long: a request of a project may be a long list. */
#define LINE_MAX_SIZE (4u << 20)

struct log_reader {
	char *folder;
	struct log_filter filter;
	char event[32];	      /* of every wanted line, as it is written there; "": any */
	char first_day[32];   /* older files have no event of the filter */
	struct log_file file; /* which is open */
	int fd;		      /* -1: none */
	char *buffer;
	size_t from, to, room; /* of the buffer: what is read and not returned */
	bool is_overlong;      /* the rest of a line that was too long is skipped */
	bool is_over;	       /* there is a newer file: its end is read for the last time */
	unsigned skipped;
	struct arena arena; /* of the last event */
};

/* ---- files ---- */

static bool
is_newer(const struct log_file *file, const struct log_file *than)
{
	int days = strcmp(file->day, than->day);

	return days > 0 || (days == 0 && file->number > than->number);
}

static bool
is_same(const struct log_file *file, const struct log_file *as)
{
	return file->device == as->device && file->inode == as->inode;
}

/* Returns 0 if the name is gone or names another file by now: then it must be looked up again. */
static int
open_file(struct log_reader *reader, const struct log_file *file, struct cordon_error *err)
{
	char path[PATH_MAX];
	auto_fd int fd = -1;
	struct stat at;

	if (reader->fd >= 0)
		close(reader->fd);
	reader->fd = -1;
	errno = ENAMETOOLONG;
	if (snprintf(path, sizeof path, "%s/%s", reader->folder, file->name) < (int)sizeof path)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &at) < 0)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot read the audit log %s/%s",
				   reader->folder, file->name);
	if ((uint64_t)at.st_dev != file->device || (uint64_t)at.st_ino != file->inode)
		return 0;
	reader->file = *file;
	reader->fd = fd_take(&fd);
	return 1;
}

/* The file that is read may have another name since it was opened, or be deleted with all older ones. */
static void
update_name(struct log_reader *reader, const struct log_file *files, size_t count)
{
	if (reader->fd < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		if (is_same(&files[i], &reader->file)) {
			reader->file = files[i];
			return;
		}
	}
	reader->file.number = 0;
}

/* Finds the file after the one that was read. Returns 0 if there is none. */
static int
find_next(struct log_reader *reader, struct log_file *ret_file, struct cordon_error *err)
{
	auto_arena struct arena arena = {0};
	struct log_file *files;
	size_t count;
	int rc = log_files_list(&arena, reader->folder, &files, &count, err);

	if (rc < 0)
		return rc;
	update_name(reader, files, count);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(files[i].day, reader->first_day) < 0 ||
		    !is_newer(&files[i], &reader->file))
			continue;
		*ret_file = files[i];
		return 1;
	}
	return 0;
}

/* ---- lines ---- */

/* Makes room for a piece; text that was returned is dropped. */
static int
make_room(struct log_reader *reader, struct cordon_error *err)
{
	char *larger;

	if (reader->from > 0)
		memmove(reader->buffer, reader->buffer + reader->from, reader->to - reader->from);
	reader->to -= reader->from;
	reader->from = 0;
	if (reader->room - reader->to >= PIECE)
		return 0;
	larger = realloc(reader->buffer, reader->room + PIECE);
	if (larger == NULL)
		return cordon_no_memory(err);
	reader->buffer = larger;
	reader->room += PIECE;
	return 0;
}

/* Returns the number of bytes that were read, 0 at the end of the file, or an error. */
static int
read_piece(struct log_reader *reader, struct cordon_error *err)
{
	int rc = make_room(reader, err);
	ssize_t n;

	if (rc < 0)
		return rc;
	do
		n = read(reader->fd, reader->buffer + reader->to, PIECE);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot read the audit log %s/%s",
				   reader->folder, reader->file.name);
	reader->to += (size_t)n;
	return (int)n;
}

/* Returns the next whole line in the buffer, terminated; NULL: there is none. */
static char *
take_line(struct log_reader *reader)
{
	char *line = reader->buffer + reader->from, *end;

	if (reader->from == reader->to)
		return NULL;
	end = memchr(line, '\n', reader->to - reader->from);
	if (end == NULL && reader->to - reader->from > LINE_MAX_SIZE) {
		reader->from = reader->to;
		reader->is_overlong = true;
	}
	if (end == NULL)
		return NULL;
	*end = '\0';
	reader->from = (size_t)(end - reader->buffer) + 1;
	return line;
}

/* Drops a line without an end: no further process writes to its file. */
static void
drop_rest(struct log_reader *reader)
{
	reader->skipped += reader->from < reader->to;
	reader->from = reader->to = 0;
	reader->is_overlong = false;
}

/*
 * Goes on to the next file. The end of this one is read once more before: a process may have written to it
 * after it was found to be at its end, and before the other file existed. Returns 0 at the end of the log.
 */
static int
next_file(struct log_reader *reader, struct cordon_error *err)
{
	struct log_file file;
	int rc = find_next(reader, &file, err);

	if (rc <= 0)
		return rc;
	if (reader->fd >= 0 && !reader->is_over) {
		reader->is_over = true;
		return 1;
	}
	drop_rest(reader);
	reader->is_over = false;
	rc = open_file(reader, &file, err);
	return rc < 0 ? rc : 1;
}

/* Returns 1 with the next line, 0 at the end of the log, or an error. */
static int
next_line(struct log_reader *reader, char **ret_line, struct cordon_error *err)
{
	int rc;

	while ((*ret_line = take_line(reader)) == NULL) {
		rc = reader->fd < 0 ? 0 : read_piece(reader, err);
		if (rc == 0)
			rc = next_file(reader, err);
		if (rc <= 0)
			return rc;
	}
	return 1;
}

/* ---- events ---- */

static bool
read_time(const char *text, int64_t *ret_seconds)
{
	struct tm parts = {0};
	const char *end = text == NULL ? NULL : strptime(text, "%Y-%m-%dT%H:%M:%SZ", &parts);

	if (end == NULL || *end != '\0')
		return false;
	*ret_seconds = timegm(&parts);
	return true;
}

static bool
read_kind(const struct json *object, enum event_kind *ret_kind)
{
	const char *name = json_member_text(object, "event");

	for (int kind = 0; name != NULL && kind < EVENT_KINDS; kind++) {
		if (strcmp(event_names[kind], name) != 0)
			continue;
		*ret_kind = (enum event_kind)kind;
		return true;
	}
	return false;
}

/* An event of a later version may have members that we do not know, and is read by those that we know. */
static bool
read_event(struct log_reader *reader, const char *line, struct log_event *to)
{
	arena_free(&reader->arena);
	*to = (struct log_event){.line = line};
	if (json_read(&reader->arena, "audit log", line, strlen(line), &to->json, NULL) < 0 ||
	    to->json->type != JSON_OBJECT ||
	    !read_time(json_member_text(to->json, "time"), &to->time) ||
	    !read_kind(to->json, &to->kind))
		return false;
	to->session = json_member_text(to->json, "session");
	to->project = json_member_text(to->json, "project");
	return true;
}

static bool
is_wanted(const struct log_filter *filter, const struct log_event *event)
{
	if ((filter->kinds != 0 && !(filter->kinds & 1u << event->kind)) ||
	    (filter->since != 0 && event->time < filter->since) ||
	    (filter->until != 0 && event->time >= filter->until))
		return false;
	if (filter->session != NULL &&
	    (event->session == NULL || !str_starts(event->session, filter->session)))
		return false;
	return filter->project == NULL ||
	       (event->project != NULL && path_below(event->project, filter->project));
}

/* Cheap, and never false for a wanted line: parsing each line would take longer than reading it. */
static bool
may_be_wanted(const struct log_reader *reader, const char *line)
{
	const char *session = reader->filter.session;

	return strstr(line, reader->event) != NULL &&
	       (session == NULL || strstr(line, session) != NULL);
}

int
log_next(struct log_reader *reader, struct log_event *ret_event, struct cordon_error *err)
{
	struct log_event event;
	char *line;
	int rc;

	while ((rc = next_line(reader, &line, err)) > 0) {
		if (reader->is_overlong || *line == '\0') {
			reader->skipped += reader->is_overlong;
			reader->is_overlong = false;
			continue;
		}
		if (!may_be_wanted(reader, line))
			continue;
		if (!read_event(reader, line, &event)) {
			reader->skipped++;
		} else if (is_wanted(&reader->filter, &event)) {
			*ret_event = event;
			return 1;
		}
	}
	return rc;
}

/* ---- the reader ---- */

int
log_open(const char *state_dir, const struct log_filter *filter, struct log_reader **ret_reader,
	 struct cordon_error *err)
{
	auto_log struct log_reader *reader = calloc(1, sizeof *reader);

	if (reader == NULL)
		return cordon_no_memory(err);
	reader->fd = -1;
	reader->filter = *filter;
	if (asprintf(&reader->folder, "%s/audit", state_dir) < 0) {
		reader->folder = NULL;
		return cordon_no_memory(err);
	}
	for (unsigned kind = 0; kind < EVENT_KINDS; kind++)
		if (filter->kinds == 1u << kind)
			snprintf(reader->event, sizeof reader->event, "\"event\": \"%s\"",
				 event_names[kind]);
	if (filter->since > 0)
		log_date((uint64_t)filter->since, reader->first_day, sizeof reader->first_day);
	reader->first_day[10] = '\0';
	*ret_reader = take(&reader);
	return 0;
}

unsigned
log_skipped(const struct log_reader *reader)
{
	return reader->skipped;
}

struct log_reader *
log_close(struct log_reader *reader)
{
	if (reader == NULL)
		return NULL;
	if (reader->fd >= 0)
		close(reader->fd);
	arena_free(&reader->arena);
	free(reader->buffer);
	free(reader->folder);
	free(reader);
	return NULL;
}

int
log_last_session(const char *state_dir, const struct log_filter *filter, char ret_id[17],
		 struct cordon_error *err)
{
	auto_log struct log_reader *reader = NULL;
	struct log_filter starts = *filter;
	struct log_event event;
	int rc, found = 0;

	starts.kinds = 1u << EVENT_START;
	rc = log_open(state_dir, &starts, &reader, err);
	while (rc >= 0 && (rc = log_next(reader, &event, err)) > 0) {
		if (event.session == NULL || strlen(event.session) != 16)
			continue;
		memcpy(ret_id, event.session, 17);
		found = 1;
	}
	return rc < 0 ? rc : found;
}

const char *
log_text(const struct log_event *event, const char *key)
{
	return json_member_text(event->json, key);
}

int64_t
log_number(const struct log_event *event, const char *key)
{
	const struct json *member = json_member(event->json, key);

	return member == NULL || member->type != JSON_NUMBER ? 0 : member->integer;
}
