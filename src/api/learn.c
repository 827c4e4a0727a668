// SPDX-License-Identifier: MIT
/*
 * Learns what a command needs: runs it by the policy, offers what was refused, and runs it again with what the
 * caller confirmed, until it succeeds or nothing is left to confirm. It never runs with more than that.
 */
#include "base/os_process.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/report.h"
#include "api/setup_option.h"
#include "base/fd.h"
#include "base/path.h"
#include "explain/learned.h"
#include "explain/option_member.h"

#define ROUNDS_MAX 12

struct learning {
	struct cordon_setup *setup;
	const struct cordon_command *command;
	const struct cordon_learning *how;
	struct cordon_run *run;
	struct learned learned;
	struct cordon_plan *plan; /* of the last round */
};

/* ---- a throw-away copy of the project ---- */

static int
copy_folder(const char *from, const char *to, struct cordon_error *err)
{
	char source[PATH_MAX];
	int status = -1;
	pid_t pid;

	if (snprintf(source, sizeof source, "%s/.", from) >= (int)sizeof source)
		return cordon_fail(err, CORDON_E_PATH, ENAMETOOLONG, "cannot copy the project");
	pid = fork();
	if (pid == 0) {
		execlp("cp", "cp", "-a", "--", source, to, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && status == 0
		       ? 0
		       : cordon_fail(err, CORDON_E_PATH, 0, "cannot copy the project to %s", to);
}

/* The working directory becomes the one of the same name in the copy. */
static int
enter_copy(struct learning *l, const char *project, const char *copy, struct cordon_error *err)
{
	char here[PATH_MAX], there[2 * PATH_MAX];

	if (getcwd(here, sizeof here) == NULL)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot find the working directory");
	snprintf(there, sizeof there, "%s%s", copy,
		 path_below(here, project) ? here + strlen(project) : "");
	if (chdir(there) < 0)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot enter %.200s", there);
	return cordon_setup_set(l->setup, CORDON_OPT_PROJECT, copy, err);
}

static int
make_copy(struct learning *l, char copy[PATH_MAX], struct cordon_error *err)
{
	const char *tmp = getenv("TMPDIR");
	auto_context struct cordon_plan *plan = NULL;
	int rc = cordon_plan_new(l->setup, &plan, err);

	if (rc < 0)
		return rc;
	if (*plan->host.project == '\0')
		return project_fail(plan, err);
	snprintf(copy, PATH_MAX, "%s/cordon-learn-XXXXXX",
		 tmp == NULL || *tmp != '/' ? P_tmpdir : tmp);
	if (mkdtemp(copy) == NULL)
		return *copy = '\0', cordon_fail(err, CORDON_E_PATH, errno,
						 "cannot make a folder in %s", P_tmpdir);
	rc = copy_folder(plan->host.project, copy, err);
	return rc < 0 ? rc : enter_copy(l, plan->host.project, copy, err);
}

/* ---- rounds ---- */

static int
make_plan(struct learning *l, struct cordon_error *err)
{
	int rc;

	l->plan = cordon_plan_free(l->plan);
	/* planning reads the memory of a child, which cannot be read while this process is hidden */
	os_allow_core();
	rc = cordon_plan_new(l->setup, &l->plan, err);
	if (rc == 0 && cordon_plan_gaps(l->plan) > 0)
		rc = cordon_fail(err, CORDON_E_GAP, 0, "cannot keep %.300s",
				 cordon_plan_gap(l->plan, 0));
	return rc;
}

/* Without domains a refused connection has no name; with them each name is refused, and reported. */
static int
make_first_plan(struct learning *l, struct cordon_error *err)
{
	int rc = make_plan(l, err);

	if (rc < 0 || l->plan->plan->settings.network.mode != NET_NONE)
		return rc;
	rc = cordon_setup_set(l->setup, CORDON_OPT_NET, "domains", err);
	return rc < 0 ? rc : make_plan(l, err);
}

static int
run_once(struct learning *l, struct cordon_error *err)
{
	auto_denials struct denials denials = {0};
	int rc;

	if (os_no_core() < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno,
				   "cannot hide the launcher's memory");
	*l->run = (struct cordon_run){0};
	rc = report_collect(l->plan, l->command, l->run, &denials, err);
	return rc < 0 ? rc : learned_add(&l->learned, &denials, l->plan->plan, err);
}

/* Gives the option to the setup, if the policy has a member for it. Returns 1 if it did. */
static int
give(struct learning *l, const char *option, struct cordon_error *err)
{
	struct cordon_error why = {0};

	for (size_t i = 0; i < OPTION_MEMBERS; i++) {
		auto_str struct str value = {0};
		int rc;

		if (!option_member_read(&option_members[i], option, &value))
			continue;
		rc = setup_set_named(l->setup, option_members[i].option, value.text, &why);
		/* a path with a control character is no value of an option */
		return rc == -CORDON_E_MEMORY ? cordon_no_memory(err) : rc == 0;
	}
	return 0;
}

/* Returns how many options are new in the next round. */
static int
confirm(struct learning *l, struct cordon_error *err)
{
	int given = 0;

	for (size_t i = 0; i < l->learned.count; i++) {
		struct learned_item *item = &l->learned.items[i];
		int rc;

		if (item->is_asked || *item->option == '\0')
			continue;
		item->is_asked = true;
		if (!l->how->confirm(l->how->sink, item->reason, item->option))
			continue;
		rc = give(l, item->option, err);
		if (rc < 0)
			return rc;
		item->is_given = rc > 0;
		given += rc;
	}
	return given;
}

static int
run_rounds(struct learning *l, struct cordon_error *err)
{
	int rc = make_first_plan(l, err);

	for (int round = 1; rc == 0 && round <= ROUNDS_MAX; round++) {
		l->how->round(l->how->sink, round);
		rc = run_once(l, err);
		if (rc < 0 || (l->run->status == 0 && l->run->signal == 0))
			break;
		rc = confirm(l, err);
		if (rc <= 0)
			break;
		rc = make_plan(l, err);
	}
	return rc < 0 ? rc : 0;
}

static int
print_both(struct learning *l, char **ret_policy, char **ret_diff, struct cordon_error *err)
{
	auto_str struct str policy = {0}, diff = {0};
	int rc;

	learned_print(&l->learned, l->plan->plan, l->command->argv, &policy);
	learned_print_diff(&l->learned, l->plan->plan, &diff);
	rc = str_finish(&policy, ret_policy, err);
	if (rc < 0)
		return rc;
	rc = str_finish(&diff, ret_diff, err);
	if (rc < 0) {
		free(*ret_policy);
		*ret_policy = NULL;
	}
	return rc;
}

int
cordon_learn(struct cordon_setup *setup, const struct cordon_command *command,
	     const struct cordon_learning *how, struct cordon_run *ret_run, char **ret_policy,
	     char **ret_diff, struct cordon_error *err)
{
	struct learning l = {.setup = setup, .command = command, .how = how, .run = ret_run};
	char copy[PATH_MAX] = "";
	auto_fd int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = how->open ? make_copy(&l, copy, err) : 0;

	setup->traces = enforce_system() == SYSTEM_LINUX;
	if (rc == 0)
		rc = run_rounds(&l, err);
	if (rc == 0)
		rc = print_both(&l, ret_policy, ret_diff, err);
	if (*copy != '\0' && (here < 0 || fchdir(here) < 0 || private_tmp_remove(copy) < 0) &&
	    rc == 0)
		snprintf(ret_run->notice, sizeof ret_run->notice, "cannot remove %.200s", copy);
	learned_free(&l.learned);
	cordon_plan_free(l.plan);
	return rc;
}
