// SPDX-License-Identifier: MIT
/*
 * Preloaded into a program: its Nth allocation fails. What comes before the program's own code (the
 * loader's) is not counted. By environment:
 *
 *   FAILALLOC_AT=N         which one fails; 0 or nothing: none
 *   FAILALLOC_FROM=1       every later one fails as well
 *   FAILALLOC_REPORT=FILE  gets one line when it happens: the function, the size and its caller
 *   FAILALLOC_COUNT=FILE   gets the number of allocations when the program ends
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library's own functions, under the names that it has for libraries that replace them. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

#define SEEN __attribute__((visibility("default")))

static struct {
	unsigned long at, count;
	pid_t pid;
	bool ready, from;
	const char *report, *total;
} state;

static __attribute__((constructor)) void
begin(void)
{
	const char *at = getenv("FAILALLOC_AT");

	state.at = at == NULL ? 0 : strtoul(at, NULL, 10);
	state.from = getenv("FAILALLOC_FROM") != NULL;
	state.report = getenv("FAILALLOC_REPORT");
	state.total = getenv("FAILALLOC_COUNT");
	state.pid = getpid();
	state.ready = true;
}

/* Nothing here may allocate. */
static void
say(const char *path, const char *text)
{
	int fd = path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		_exit(99);
	if (fd >= 0)
		close(fd);
}

static __attribute__((destructor)) void
end(void)
{
	char text[32];

	if (getpid() != state.pid)
		return;
	snprintf(text, sizeof text, "%lu\n", state.count);
	say(state.total, text);
}

/* The program leaves like this, and what it forked as well. */
SEEN _Noreturn void
_exit(int status)
{
	end();
	for (;;)
		syscall(SYS_exit_group, status);
}

static bool
fails(const char *what, size_t size, void *caller)
{
	Dl_info from = {0};
	char text[512];

	if (!state.ready || ++state.count < state.at || state.at == 0 ||
	    (state.count > state.at && !state.from))
		return false;
	if (state.count == state.at) {
		int found = dladdr(caller, &from);

		snprintf(text, sizeof text, "%s(%zu) by %s+0x%lx %s\n", what, size,
			 found ? from.dli_fname : "?",
			 (unsigned long)((char *)caller - (char *)from.dli_fbase),
			 found && from.dli_sname != NULL ? from.dli_sname : "");
		say(state.report, text);
	}
	errno = ENOMEM;
	return true;
}

SEEN void *
malloc(size_t size)
{
	return fails("malloc", size, __builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

SEEN void *
calloc(size_t count, size_t size)
{
	return fails("calloc", count * size, __builtin_return_address(0))
		       ? NULL
		       : __libc_calloc(count, size);
}

SEEN void *
realloc(void *old, size_t size)
{
	return fails("realloc", size, __builtin_return_address(0)) ? NULL
								   : __libc_realloc(old, size);
}

SEEN void *
aligned_alloc(size_t alignment, size_t size)
{
	return fails("aligned_alloc", size, __builtin_return_address(0))
		       ? NULL
		       : __libc_memalign(alignment, size);
}

SEEN int
posix_memalign(void **ret, size_t alignment, size_t size)
{
	void *memory = fails("posix_memalign", size, __builtin_return_address(0))
			       ? NULL
			       : __libc_memalign(alignment, size);

	if (memory == NULL)
		return ENOMEM;
	*ret = memory;
	return 0;
}
