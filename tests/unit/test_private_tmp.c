// SPDX-License-Identifier: MIT
/*
 * A private folder is removed however deep what is in it is, whatever modes it has and however few descriptors
 * there are. As an ordinary user, to whom modes mean something.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/session.h"
#include "tap.h"

#define NOBODY 65534

struct shape {
	const char *name;
	int levels;
	int closed_from, closed_to; /* levels whose folders nobody may look into */
	rlim_t descriptors;
};

/* Without paths, which are too long for most of it. A folder is closed as soon as the next one is in it. */
static bool
make_levels(const struct shape *shape)
{
	int at = open(".", O_RDONLY | O_DIRECTORY);

	for (int i = 0; at >= 0 && i < shape->levels; i++) {
		int next = -1;

		if (mkdirat(at, shape->name, 0700) == 0 && mkdirat(at, "beside", 0) == 0)
			next = openat(at, shape->name, O_RDONLY | O_DIRECTORY);
		if (i >= shape->closed_from && i < shape->closed_to)
			fchmod(at, 0);
		close(at);
		at = next;
	}
	close(at);
	return at >= 0;
}

static int
make_and_remove(const char *base, const struct shape *shape)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/private", base);
	if (private_tmp_make(path, NULL) < 0 || chdir(path) < 0 || !make_levels(shape) ||
	    chdir("/") < 0)
		return 1;
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){shape->descriptors, shape->descriptors});
	return private_tmp_remove(path) == 0 && access(path, F_OK) < 0 ? 0 : 2;
}

static void
check_shape(const struct shape *shape)
{
	char base[] = "/tmp/cordon-test-XXXXXX";
	int status = -1;
	pid_t pid;

	check(mkdtemp(base) != NULL);
	check(geteuid() != 0 || chown(base, NOBODY, NOBODY) == 0);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && (setgid(NOBODY) < 0 || setuid(NOBODY) < 0))
			_exit(3);
		_exit(make_and_remove(base, shape));
	}
	check_int(waitpid(pid, &status, 0), pid);
	check_int(WEXITSTATUS(status), 0);
	check_int(rmdir(base), 0);
}

static void
deep_folders_are_removed(void)
{
	check_shape(&(struct shape){"d", 5000, 0, 0, 256});
}

static void
deep_folders_with_long_names_are_removed(void)
{
	char name[NAME_MAX + 1];

	memset(name, 'n', NAME_MAX);
	name[NAME_MAX] = '\0';
	check_shape(&(struct shape){name, 300, 0, 0, 256});
}

static void
folders_without_permissions_are_removed(void)
{
	check_shape(&(struct shape){"d", 400, 1, 400, 256});
}

static void
few_descriptors_are_enough(void)
{
	check_shape(&(struct shape){"d", 400, 100, 300, 20});
}

int
main(void)
{
	run(deep_folders_are_removed);
	run(deep_folders_with_long_names_are_removed);
	run(folders_without_permissions_are_removed);
	run(few_descriptors_are_enough);
	return tap_end();
}
