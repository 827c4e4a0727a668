// SPDX-License-Identifier: MIT
/*
 * Telling what was refused: which right on which path, why, and the narrowest option that would have
 * allowed it. The caller gets an errno and nothing else.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/str.h"
#include "explain/remedy.h"
#include "ipc/refusal.h"
#include "linux/broker/broker.h"
#include "linux/broker/nest.h"
#include "plan/network.h"

/* Whether it is news to who is told; the last few are remembered. */
static bool
is_new(struct broker *broker, const char *what, const char *path, const struct refusal *caller)
{
	uint64_t hash = hash_text(path) ^ hash_text(what) << 1 ^ (uint64_t)caller->group << 40;
	bool known = false;

	pthread_mutex_lock(&broker->small);
	for (size_t i = 0; i < REFUSALS; i++)
		known = known || broker->refusals[i] == hash;
	if (!known)
		broker->refusals[broker->refused++ % REFUSALS] = hash;
	pthread_mutex_unlock(&broker->small);
	return !known;
}

/* The call that this thread answers; NULL: none. */
static const struct notif_call *
answered(const struct broker *broker)
{
	return broker->has_caller ? pthread_getspecific(broker->caller) : NULL;
}

/* It waits for its answer: its number is nobody else's yet. */
static void
add_caller(const struct broker *broker, struct refusal *to)
{
	const struct notif_call *request = answered(broker);
	pid_t pid = request == NULL ? 0 : request->thread;
	pid_t group = pid <= 0 ? -1 : getpgid(pid), session = pid <= 0 ? -1 : getsid(pid);

	to->group = group < 0 ? 0 : group;
	to->session = session < 0 ? 0 : session;
}

void
refuse_report_option(struct broker *broker, const char *what, const char *path, const char *why,
		     const char *allow)
{
	size_t length = strlen(path);
	struct refusal refusal = {0};

	if (broker->events < 0 || (answered(broker) != NULL && nest_is_late(answered(broker))))
		return;
	add_caller(broker, &refusal);
	if (!is_new(broker, what, path, &refusal))
		return;
	snprintf(refusal.what, sizeof refusal.what, "%s", what);
	snprintf(refusal.subject, sizeof refusal.subject, "%s",
		 length < sizeof refusal.subject ? path
						 : path + length - (sizeof refusal.subject - 1));
	snprintf(refusal.reason, sizeof refusal.reason, "%s", why);
	/* what does not fit would allow something else */
	if (allow != NULL && strlen(allow) < sizeof refusal.allow)
		strcpy(refusal.allow, allow);
	refusal_send(broker->events, &refusal);
}

void
refuse_report(struct broker *broker, const char *what, const char *path, const char *why)
{
	refuse_report_option(broker, what, path, why, NULL);
}

/* Its own word for itself, with an end of line behind it in procfs. */
static void
read_name(pid_t process, char *to, size_t size)
{
	char path[40];
	auto_fd int fd = -1;
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, to, size - 1);
	to[n > 0 ? n - 1 : 0] = '\0';
}

void
refuse_unreadable(struct broker *broker, const struct notif_call *request)
{
	char name[24];

	read_name(request->thread, name, sizeof name);
	refuse_report(broker, "open", name,
		      "is not acted for: the file of its program may not be read");
}

void
refuse_request(struct broker *broker, const struct notif_call *request, const char *what,
	       const char *why)
{
	char name[24];

	if (broker->events < 0)
		return;
	read_name(notif_process(request), name, sizeof name);
	refuse_report(broker, what, *name == '\0' ? "the command" : name, why);
}

/* What it would have reached nobody knows yet, so no option is the one that would allow it. */
void
refuse_network(struct broker *broker, const struct notif_call *request)
{
	char advice[REFUSAL_WHY - 50], why[REFUSAL_WHY];

	network_advise_unnamed(&broker->plan->settings.network, advice, sizeof advice);
	snprintf(why, sizeof why, "asked for it, and none is granted; %s", advice);
	refuse_request(broker, request, REFUSAL_NETWORK, why);
}

void
broker_refused_datagrams(struct broker *broker, const struct notif_call *request)
{
	const struct network *network = &broker->plan->settings.network;

	/* with domains the C library makes one for each name it looks up, and needs none */
	if (network->mode == NET_LOCALHOST)
		refuse_request(broker, request, REFUSAL_DATAGRAMS,
			       "asked for UDP or unix datagrams, which are not granted; "
			       "allow them with --udp");
}

/* A name beside everybody's: programs that do not ask TMPDIR want one. */
static bool
is_in_tmp(const struct broker *broker, const char *folder, const char *path)
{
	size_t length = (size_t)(path_last(path) - path);

	return broker->private_tmp != NULL && strlen(folder) == length &&
	       strncmp(path, folder, length) == 0;
}

static const char *
explain_tmp(const struct broker *broker, const char *path)
{
	if (is_in_tmp(broker, P_tmpdir "/", path))
		return "; TMPDIR names a folder that is, and in the shared one files of other "
		       "programs are reachable";
	return is_in_tmp(broker, "/var/tmp/", path) ? "; TMPDIR names a folder that is" : "";
}

/* The word of the plan that decided, for people. */
static void
explain(const struct broker *broker, const char *path, const struct decision *by, char *to,
	size_t size)
{
	const struct planned_rule *rule = by->rule;

	if (by->protection != NULL)
		snprintf(to, size, "is protected: %s", by->protection->reason);
	else if (rule != NULL && rule->rule->place.line > 0)
		snprintf(to, size, "is denied by %.100s:%u", rule->rule->place.file,
			 rule->rule->place.line);
	else if (rule != NULL && rule->rule->place.file[0] == '-')
		/* an option of the command line */
		snprintf(to, size, "is denied by %.100s", rule->rule->place.file);
	else if (rule != NULL && rule->rule->why != NULL)
		snprintf(to, size, "is denied: %.120s", rule->rule->why);
	else if (rule != NULL)
		snprintf(to, size, "is denied");
	else
		snprintf(to, size, "%s%s", REFUSAL_NOT_GRANTED, explain_tmp(broker, path));
}

/* The option that lifts it, with its path; nothing where none does. */
static void
advise(const struct broker *broker, const struct resolved *at, const struct decision *by,
       unsigned missing, struct str *to)
{
	char named[PATH_MAX];
	const char *option;

	if (by->rule == NULL && by->protection == NULL &&
	    is_in_tmp(broker, P_tmpdir "/", at->path)) {
		str_add(to, "--tmp shared");
		return;
	}
	option = remedy_option(broker->plan, by, at, missing, named);

	if (option != NULL)
		remedy_print_option(option, named, to);
}

static int
deny(struct broker *broker, const char *path, unsigned missing, enum fs_kind kind)
{
	struct stat st;
	struct resolved at = {.path = path, .kind = kind};
	struct verdict verdict;
	auto_str struct str allow = {0};
	char why[REFUSAL_WHY];

	/* a path that is no name of a file: nothing to grant */
	if (broker->events >= 0 && missing != 0 && *path == '/') {
		int i = __builtin_ctz(missing);

		verdict = broker_decide_own(broker, path);
		at.exists = lstat(path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR);
		explain(broker, path, &verdict.by[i], why, sizeof why);
		advise(broker, &at, &verdict.by[i], missing, &allow);
		/* no option of ours helps against a plan inside */
		if (verdict.rights & (1u << i)) {
			/* else the reason is none of the plan's, and has been told */
			if (answered(broker) != NULL && nest_depth(answered(broker)) > 0)
				refuse_report(broker, right_names[i], path,
					      "is denied by a sandbox inside");
		} else {
			refuse_report_option(broker, right_names[i], path, why,
					     allow.failed ? NULL : allow.text);
		}
	}
	errno = EACCES;
	return -1;
}

int
refuse_rights(struct broker *broker, const char *path, unsigned missing)
{
	return deny(broker, path, missing, FS_FILE);
}

void
broker_deny_folder(struct broker *broker, const char *path)
{
	if (!(broker_decide_own(broker, path).rights & RIGHT_CREATE))
		deny(broker, path, RIGHT_CREATE, FS_DIR);
}

void
refuse_report_by_kernel(struct broker *broker, const char *path, unsigned rights)
{
	unsigned missing = 0;

	if (broker->events >= 0 && *path == '/')
		missing = rights & ~broker_decide_own(broker, path).rights;
	if (missing != 0)
		refuse_rights(broker, path, missing);
}
