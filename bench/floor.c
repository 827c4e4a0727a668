// SPDX-License-Identifier: MIT
/*
 * The least a launcher can do: read a list of Landlock rules, load them, exec. What cordon costs is
 * held against it. With -f it forks first and waits, as a supervisor has to. It checks nothing, so
 * it is for measuring only.
 *
 *   floor [-f] RULES|- COMMAND [ARG...]      RULES as bench/rules writes them; -: none
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define PATH_BENEATH 1

struct beneath {
	uint64_t access;
	int32_t fd;
} __attribute__((packed));

/* One rule: the rights in hexadecimal, a blank, the path. */
static int
add_rule(int ruleset, char *line)
{
	struct beneath rule = {0};
	char *path;

	rule.access = strtoull(line, &path, 16);
	rule.fd = open(path + 1, O_PATH | O_CLOEXEC);
	if (rule.fd < 0 || syscall(ADD_RULE, ruleset, PATH_BENEATH, &rule, 0) < 0)
		return -1;
	return close(rule.fd);
}

static int
restrict_by(const char *rules)
{
	static char text[4 << 20];
	int file = open(rules, O_RDONLY | O_CLOEXEC), ruleset;
	ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
	uint64_t handled[3];
	char *line = text;

	if (length <= 0)
		return -1;
	close(file);
	for (int i = 0; i < 3; i++)
		handled[i] = strtoull(line, &line, 16);
	ruleset = (int)syscall(CREATE_RULESET, handled, sizeof handled, 0);
	for (line = strtok(line, "\n"); line != NULL; line = strtok(NULL, "\n"))
		if (add_rule(ruleset, line) < 0)
			return -1;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(RESTRICT_SELF, ruleset, 0);
}

int
main(int argc, char **argv)
{
	int forks = argc > 1 && strcmp(argv[1], "-f") == 0, status = 0;
	pid_t child = argc > 2 + forks && forks ? fork() : 0;

	if (argc < 3 + forks || child < 0)
		return 125;
	if (child > 0)
		return waitpid(child, &status, 0) == child && WIFEXITED(status)
			       ? WEXITSTATUS(status)
			       : 125;
	argv += 1 + forks;
	if (strcmp(argv[0], "-") != 0 && restrict_by(argv[0]) < 0)
		return 125;
	execv(argv[1], argv + 1);
	return 127;
}
