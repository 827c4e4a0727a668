// SPDX-License-Identifier: MIT
/*
 * The least a launcher can do: read a list of Landlock rules, load them, exec. cordon's cost is measured
 * against it. -f forks and waits, as a supervisor must; -s also loads a filter that allows everything, to
 * measure the kernel's cost per system call. It checks nothing, so it is for measurements only.
 *
 *   floor [-f|-s] RULES|- COMMAND [ARG...]      RULES: output of bench/rules; -: none
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "layers.h"

static int
restrict_by(const char *rules)
{
	struct layer layers[LAYERS_MAX] = {{0}};
	int count = layers_read(rules, layers);

	if (count < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	for (int i = 0; i < count; i++)
		if (layer_enter(&layers[i]) < 0)
			return -1;
	return 0;
}

static int
load_filter(void)
{
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {1, &all};

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

int
main(int argc, char **argv)
{
	int forks = argc > 1 && strcmp(argv[1], "-f") == 0, status = 0;
	int filters = argc > 1 && strcmp(argv[1], "-s") == 0;
	pid_t child = argc > 2 + forks && forks ? fork() : 0;

	if (argc < 3 + forks + filters || child < 0)
		return 125;
	if (child > 0)
		return waitpid(child, &status, 0) == child && WIFEXITED(status)
			       ? WEXITSTATUS(status)
			       : 125;
	argv += 1 + forks + filters;
	if (strcmp(argv[0], "-") != 0 && restrict_by(argv[0]) < 0)
		return 125;
	if (filters && load_filter() < 0)
		return 125;
	execv(argv[1], argv + 1);
	return 127;
}
