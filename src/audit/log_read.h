/* SPDX-License-Identifier: MIT */
/*
 * Reads the audit log: an iterator over its events, oldest first, with filters. It can stand at the end and go
 * on later, across rotation and midnight. Lines that are not events, as one that a full disk cut, are skipped
 * and counted.
 */
#pragma once

#include "audit/event.h"
#include "base/json.h"

/* A member that is 0 or NULL selects everything. Texts are borrowed until log_close. */
struct log_filter {
	int64_t since, until; /* in seconds since 1970; until is not included */
	const char *session;  /* id, or the beginning of one */
	const char *project;  /* canonical path of its folder; also projects below */
	unsigned kinds;	      /* 1u << enum event_kind */
};

/* Valid until the next log_next() or log_close(). */
struct log_event {
	enum event_kind kind;
	int64_t time;
	const char *line;    /* as in the log, without newline */
	const char *session; /* NULL: none */
	const char *project; /* NULL: unknown */
	const struct json *json;
};

struct log_reader;

/* state_dir: struct cordon_plan's store. A missing log is empty. */
int log_open(const char *state_dir, const struct log_filter *filter, struct log_reader **ret_reader,
	     struct cordon_error *err);
/* Returns 1 with the next event, 0 at the end for now, or an error. */
int log_next(struct log_reader *reader, struct log_event *ret_event, struct cordon_error *err);
/* Number of lines that were no events. */
unsigned log_skipped(const struct log_reader *reader);
struct log_reader *log_close(struct log_reader *reader);
static inline void
auto_log_fn(struct log_reader **reader)
{
	log_close(*reader);
}
#define auto_log __attribute__((cleanup(auto_log_fn)))

/* Finds the session of the filter that started last; returns 0 if there is none. */
int log_last_session(const char *state_dir, const struct log_filter *filter, char ret_id[17],
		     struct cordon_error *err);
/* A member of an event: its text, or number; NULL or 0 if it has none. */
const char *log_text(const struct log_event *event, const char *key);
int64_t log_number(const struct log_event *event, const char *key);
