// SPDX-License-Identifier: MIT
/*
 * Records of live sessions. An accepted record is one that a session could have written: its own id, a
 * plain name, absolute paths, valid pids.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "session/registry/record_dir.h"

#define ID "0123456789abcdef"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int condition)
{
	if (!condition)
		abort();
}

static void
check_words(const struct record_words *words)
{
	must(words->count <= 128);
	for (size_t i = 0; i < words->count; i++)
		must(words->items[i] != NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena struct arena arena = {0};
	struct record record = {0};

	if (record_parse(&arena, ID, (const char *)data, size, &record) < 0)
		return 0;
	must(strcmp(record.id, ID) == 0);
	must(record.name == NULL || record_is_name(record.name));
	must(record.since >= 0 && record.supervisor.pid >= 0 && record.guard.pid >= 0);
	must(record.project == NULL || *record.project == '/');
	must(record.tmp == NULL || (*record.tmp == '/' && strlen(record.tmp) < PATH_MAX));
	must(record.cgroup == NULL || (*record.cgroup == '/' && strlen(record.cgroup) < PATH_MAX));
	must(record.policy == NULL || strlen(record.policy) == RECORD_HASH_LENGTH);
	must(record.token == NULL || strlen(record.token) == RECORD_TOKEN_LENGTH);
	check_words(&record.command);
	check_words(&record.gaps);
	return 0;
}
