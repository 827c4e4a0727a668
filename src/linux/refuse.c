// SPDX-License-Identifier: MIT
/*
 * Telling what was refused: which right on which path, why, and the narrowest option that would have
 * allowed it. The caller gets an errno and nothing else.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "audit/event.h"
#include "base/hash.h"
#include "linux/broker.h"
#include "linux/nest.h"

/* In the order of the rights' bits. */
static const char *const options[RIGHT_KINDS] = {"--read", "--write", "--write", "--write",
						 "--execute"};

/* Whether it is news; the last few are remembered. */
static bool
is_new(struct broker *broker, const char *what, const char *path)
{
	uint64_t hash = hash_text(path) ^ hash_text(what) << 1;
	bool known = false;

	pthread_mutex_lock(&broker->small);
	for (size_t i = 0; i < REFUSALS; i++)
		known = known || broker->refusals[i] == hash;
	if (!known)
		broker->refusals[broker->refused++ % REFUSALS] = hash;
	pthread_mutex_unlock(&broker->small);
	return !known;
}

static void
tell(struct broker *broker, const char *what, const char *path, const char *why, const char *option)
{
	size_t length = strlen(path);
	struct refusal refusal = {0};

	if (broker->events < 0 || nest_is_late(broker) || !is_new(broker, what, path))
		return;
	snprintf(refusal.what, sizeof refusal.what, "%s", what);
	snprintf(refusal.subject, sizeof refusal.subject, "%s",
		 length < sizeof refusal.subject ? path
						 : path + length - (sizeof refusal.subject - 1));
	snprintf(refusal.reason, sizeof refusal.reason, "%s", why);
	/* what does not fit would allow something else */
	if (option != NULL && (size_t)snprintf(refusal.allow, sizeof refusal.allow, "%s %s", option,
					       path) >= sizeof refusal.allow)
		refusal.allow[0] = '\0';
	event_refused(broker->events, &refusal);
}

void
broker_refused(struct broker *broker, const char *what, const char *path, const char *why)
{
	tell(broker, what, path, why, NULL);
}

/* The word of the plan that decided, for people. */
static void
explain(const struct decision *by, char *to, size_t size)
{
	const struct planned_rule *rule = by->rule;

	if (by->protection != NULL)
		snprintf(to, size, "is protected: %s", by->protection->reason);
	else if (rule != NULL && rule->rule->place.line > 0)
		snprintf(to, size, "is denied by %.100s:%u", rule->rule->place.file,
			 rule->rule->place.line);
	else if (rule != NULL && rule->rule->why != NULL)
		snprintf(to, size, "is denied: %.120s", rule->rule->why);
	else
		snprintf(to, size, rule == NULL ? "is not granted" : "is denied");
}

int
broker_deny(struct broker *broker, const char *path, unsigned missing)
{
	struct verdict verdict;
	char why[REFUSAL_WHY];

	/* a path that is no name of a file: nothing to grant */
	if (broker->events >= 0 && missing != 0 && *path == '/') {
		int i = __builtin_ctz(missing);

		verdict = broker_judge_own(broker, path);
		explain(&verdict.by[i], why, sizeof why);
		/* no option of ours helps against a plan inside */
		if (verdict.rights & (1u << i))
			tell(broker, right_names[i], path, "is denied by a sandbox inside", NULL);
		else
			tell(broker, right_names[i], path, why, options[i]);
	}
	errno = EACCES;
	return -1;
}
