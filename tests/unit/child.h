/* SPDX-License-Identifier: MIT */
/* Trying things in a child, as root and as an ordinary user: what cannot be undone stays there. */
#pragma once

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum who { AS_ROOT, AS_USER };

/* What a child says when the test itself could not be set up; no errno is that large. */
#define CHILD_BROKEN 250
#define CHILD_NOBODY 65534

/* Root with everything: in a container "root" is often less, and free calls fail there too. */
static inline bool
child_can_be_root(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[2] = {{0}, {0}};

	return geteuid() == 0 && syscall(SYS_capget, &header, caps) == 0 &&
	       (caps[0].effective >> CAP_SYS_ADMIN & 1) != 0 &&
	       (caps[0].effective >> CAP_SYS_BOOT & 1) != 0 &&
	       (caps[0].effective >> CAP_SYS_MODULE & 1) != 0;
}

static inline void
child_become(enum who who)
{
	if (who == AS_USER && geteuid() == 0 &&
	    (setresgid(CHILD_NOBODY, CHILD_NOBODY, CHILD_NOBODY) != 0 ||
	     setresuid(CHILD_NOBODY, CHILD_NOBODY, CHILD_NOBODY) != 0))
		_exit(CHILD_BROKEN);
}

/* The exit status of child, or minus the signal that ended it. */
static inline int
child_wait(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return CHILD_BROKEN;
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* Runs function in a child with a session of its own; as child_wait. */
static inline int
child_run(enum who who, int (*function)(const void *), const void *argument)
{
	pid_t child = fork();

	if (child < 0)
		return CHILD_BROKEN;
	if (child != 0)
		return child_wait(child);
	setsid();
	child_become(who);
	_exit(function(argument));
}
