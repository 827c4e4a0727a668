// SPDX-License-Identifier: MIT
/*
 * git settings from the environment, as git -c passes them on. Any input; paths found are absolute, and
 * relative only if the user's own setting is. Missing files are not read.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "git/config/git_ref_paths.h"
#include "host/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int condition)
{
	if (!condition)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char name[] = "GIT_CONFIG_PARAMETERS=";
	auto_arena struct arena arena = {0};
	char *text = arena_alloc(&arena, sizeof name + size, NULL);
	const char *const environ_of[] = {text, NULL};
	struct host host = {.system = SYSTEM_LINUX,
			    .cwd = "/nonexistent/project",
			    .project = "/nonexistent/project",
			    .home = "/nonexistent",
			    .environ = environ_of,
			    .view = &fs_real};
	struct git_ref_paths found;

	must(text != NULL);
	memcpy(text, name, sizeof name - 1);
	memcpy(text + sizeof name - 1, data, size);
	if (git_ref_paths_find(&arena, &host, &found, NULL) < 0)
		return 0;
	for (size_t i = 0; i < found.count; i++)
		must(*found.items[i].path == '/');
	for (size_t i = 0; i < found.words.programs.count; i++)
		must(*found.words.programs.items[i] != '/');
	return 0;
}
