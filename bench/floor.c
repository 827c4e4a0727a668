// SPDX-License-Identifier: MIT
/*
 * The least a launcher can do: read a list of Landlock rules, load them, exec. What cordon costs is
 * held against it. With -f it forks first and waits, as a supervisor has to; with -s it loads a filter
 * as well, which lets everything pass: what the kernel asks of every call of who has one. It checks
 * nothing, so it is for measuring only.
 *
 *   floor [-f|-s] RULES|- COMMAND [ARG...]      RULES as bench/rules writes them; -: none
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
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
#define RULESETS 4

struct beneath {
	uint64_t access;
	int32_t fd;
} __attribute__((packed));

struct ruleset {
	int fd;
	uint64_t handled[3]; /* files, net, scopes */
};

/* "rule RULESET RIGHTS PATH"; a ruleset takes only what it handles. */
static int
add_rule(const struct ruleset *rulesets, char *line)
{
	const struct ruleset *ruleset = &rulesets[strtoul(line, &line, 16) % RULESETS];
	struct beneath rule = {0};
	char *path;

	rule.access = strtoull(line, &path, 16) & ruleset->handled[0];
	if (rule.access == 0)
		return 0;
	rule.fd = open(path + 1, O_PATH | O_CLOEXEC);
	if (rule.fd < 0 || syscall(ADD_RULE, ruleset->fd, PATH_BENEATH, &rule, 0) < 0)
		return -1;
	return close(rule.fd);
}

/* "ruleset FILES NET SCOPES": what it handles. */
static void
create(struct ruleset *ruleset, char *line)
{
	for (int i = 0; i < 3; i++)
		ruleset->handled[i] = strtoull(line, &line, 16);
	ruleset->fd = (int)syscall(CREATE_RULESET, ruleset->handled, sizeof ruleset->handled, 0);
}

static int
restrict_by(const char *rules)
{
	static char text[4 << 20];
	struct ruleset rulesets[RULESETS] = {{0}};
	int file = open(rules, O_RDONLY | O_CLOEXEC), count = 0;
	ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);

	if (length <= 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	close(file);
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		if (strncmp(line, "ruleset ", 8) == 0 && count < RULESETS)
			create(&rulesets[count++], line + 8);
		else if (add_rule(rulesets, line + 5) < 0)
			return -1;
	}
	for (int i = 0; i < count; i++)
		if (syscall(RESTRICT_SELF, rulesets[i].fd, 0) < 0)
			return -1;
	return count > 0 ? 0 : -1;
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
