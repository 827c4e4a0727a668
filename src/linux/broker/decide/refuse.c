// SPDX-License-Identifier: MIT
/*
 * Reports refusals: which right on which path, and the decision that refused it. The caller of the system
 * call gets an errno and nothing else.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/path.h"
#include "linux/broker/broker.h"
#include "linux/broker/nest.h"

/* Programs repeat failed calls: the last few refusals are remembered, and each is reported once. */
static bool
is_new(struct broker *broker, const struct refusal *refusal, const char *subject)
{
	uint64_t hash = hash_text(subject) ^ (uint64_t)refusal->what << 56 ^
			(uint64_t)refusal->group << 24;
	bool known = false;

	pthread_mutex_lock(&broker->small);
	for (size_t i = 0; i < REFUSALS; i++)
		known = known || broker->refusals[i] == hash;
	if (!known)
		broker->refusals[broker->refused++ % REFUSALS] = hash;
	pthread_mutex_unlock(&broker->small);
	return !known;
}

/* The caller waits for its answer, so its pid is not reused yet. */
static void
add_caller(const struct notif_call *request, struct refusal *to)
{
	pid_t pid = request->thread;
	pid_t group = pid <= 0 ? -1 : getpgid(pid), session = pid <= 0 ? -1 : getsid(pid);

	to->group = group < 0 ? 0 : group;
	to->session = session < 0 ? 0 : session;
}

void
refuse_event(const struct notif_call *request, struct refusal *refusal, const char *subject)
{
	struct broker *broker = request->broker;

	if (broker->events < 0 || nest_is_late(request))
		return;
	add_caller(request, refusal);
	if (is_new(broker, refusal, subject))
		refusal_send(broker->events, refusal, subject);
}

void
refuse_report(const struct notif_call *request, enum refused what, const char *path, enum cause why)
{
	refuse_event(request, &(struct refusal){.what = (uint16_t)what, .cause = (uint16_t)why},
		     path);
}

void
refuse_protected(const struct notif_call *request, enum refused what, const char *path,
		 const struct protection *protection)
{
	struct refusal refusal = {.what = (uint16_t)what};

	refusal_decided(&refusal, &(struct decision){.protection = protection});
	refusal.cause = CAUSE_VETTED;
	refuse_event(request, &refusal, path);
}

/* The process's name in /proc, without the newline. */
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
refuse_request(const struct notif_call *request, enum refused what, enum cause why)
{
	char name[24];

	if (request->broker->events < 0)
		return;
	read_name(what == REFUSED_OPEN ? request->thread : notif_process(request), name,
		  sizeof name);
	refuse_report(request, what, *name == '\0' ? "the command" : name, why);
}

void
refuse_datagrams(const struct notif_call *request)
{
	/* with "domains" libc creates one for each lookup, and works without it */
	if (request->broker->plan->settings.network.mode == NET_LOCALHOST)
		refuse_request(request, REFUSED_UDP,
			       request->broker->plan->settings.network.udp == UDP_ALLOW
				       ? CAUSE_NO_DATAGRAMS_HERE
				       : CAUSE_NO_DATAGRAMS);
}

/* Is path directly in folder, where programs that ignore TMPDIR write? */
static bool
is_in_tmp(const struct broker *broker, const char *folder, const char *path)
{
	size_t length = (size_t)(path_last(path) - path);

	return broker->private_tmp != NULL && strlen(folder) == length &&
	       strncmp(path, folder, length) == 0;
}

static void
report_right(const struct notif_call *request, const char *path, const struct decision *by,
	     unsigned missing, bool is_folder)
{
	struct refusal refusal = {.what = (uint16_t)__builtin_ctz(missing),
				  .missing = (uint8_t)missing,
				  .is_folder = is_folder};

	refusal_decided(&refusal, by);
	if (refusal.cause == CAUSE_NOT_GRANTED && is_in_tmp(request->broker, P_tmpdir "/", path))
		refusal.cause = CAUSE_NOT_GRANTED_TMP;
	else if (refusal.cause == CAUSE_NOT_GRANTED &&
		 is_in_tmp(request->broker, "/var/tmp/", path))
		refusal.cause = CAUSE_NOT_GRANTED_VAR_TMP;
	refuse_event(request, &refusal, path);
}

static int
deny(const struct notif_call *request, const char *path, const struct verdict *verdict,
     unsigned missing, bool is_folder)
{
	static const struct decision inside = {.nest = 1};
	int right = missing == 0 ? 0 : __builtin_ctz(missing);
	const struct decision *by = &verdict->by[right];

	if (verdict->rights & (1u << right))
		by = &inside;
	/* a path that does not name a file cannot be granted; a nest decides only where there is one */
	if (missing != 0 && *path == '/' && (by->nest == 0 || nest_depth(request) > 0))
		report_right(request, path, by, missing, is_folder);
	errno = EACCES;
	return -1;
}

int
refuse_rights(const struct notif_call *request, const char *path, const struct verdict *verdict,
	      unsigned missing)
{
	return deny(request, path, verdict, missing, false);
}

void
refuse_folder(const struct notif_call *request, const char *path, const struct verdict *verdict)
{
	if (!(verdict->rights & RIGHT_CREATE) && verdict->by[REFUSED_CREATE].nest == 0)
		deny(request, path, verdict, RIGHT_CREATE, true);
}

void
refuse_report_by_kernel(const struct notif_call *request, const char *path,
			const struct verdict *verdict, unsigned rights)
{
	unsigned missing = rights & ~verdict->rights;

	for (int i = 0; i < RIGHT_KINDS; i++)
		if (verdict->by[i].nest != 0)
			missing &= ~(1u << i);
	if (missing != 0)
		deny(request, path, verdict, missing, false);
}
