// SPDX-License-Identifier: MIT
/* Checks that grants of an approved project lead to the same files as when they were approved. */
#include <string.h>

#include "plan/trust_requests.h"

static int
by_path(const void *a, const void *b)
{
	return strcmp((*(const struct pin *const *)a)->path, (*(const struct pin *const *)b)->path);
}

/* Sorts by path for binary search. */
static int
sort_pins(struct plan *plan, const struct trust *trust, const struct pin ***ret_pins,
	  struct cordon_error *err)
{
	const struct pin **pins =
		arena_alloc(&plan->arena, (trust->pin_count + 1) * sizeof *pins, err);

	if (pins == NULL)
		return -CORDON_E_MEMORY;
	for (size_t i = 0; i < trust->pin_count; i++)
		pins[i] = &trust->pins[i];
	qsort(pins, trust->pin_count, sizeof *pins, by_path);
	*ret_pins = pins;
	return 0;
}

/* A path may have several approved pins. pins ends with NULL. What is missing now leads nowhere. */
static bool
pin_matches(const struct pin *const *pins, size_t count, const char *path)
{
	struct pin now = trust_store_pin(path);
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (strcmp(pins[middle]->path, path) < 0)
			low = middle + 1;
		else
			count = middle;
	}
	for (; pins[low] != NULL && strcmp(pins[low]->path, path) == 0; low++)
		if (pins[low]->inode == 0 || now.inode == 0 ||
		    (pins[low]->inode == now.inode && pins[low]->device == now.device))
			return true;
	return false;
}

static int
check_pins(struct plan *plan, const struct trust *trust, struct planned_rule *rules, size_t count,
	   struct cordon_error *err)
{
	const struct pin **pins = NULL;
	int rc = sort_pins(plan, trust, &pins, err);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct planned_rule *planned = &rules[i];

		if (planned->layer != LAYER_PROJECT || planned->effect != EFFECT_ALLOW ||
		    pin_matches(pins, trust->pin_count, planned->root))
			continue;
		rc = trust_requests_add_rule(plan, planned->rule, planned->path,
					     " (approved once, but it leads elsewhere now)", err);
		planned->rights = 0;
	}
	return rc;
}

int
plan_check_pins(struct plan *plan, const struct trust *trust, struct cordon_error *err)
{
	int rc;

	if (trust == NULL || !plan->stack->project_trusted)
		return 0;
	rc = check_pins(plan, trust, plan->index.paths, plan->index.path_count, err);
	return rc < 0 ? rc
		      : check_pins(plan, trust, plan->index.patterns, plan->index.pattern_count,
				   err);
}

/* A socket gets a new inode at every start, so only its path is compared. */
static bool
socket_was_approved(const struct trust *trust, const char *path)
{
	for (size_t i = 0; i < trust->pin_count; i++)
		if (strcmp(trust->pins[i].path, path) == 0)
			return true;
	return false;
}

int
plan_check_socket_pins(struct plan *plan, const struct trust *trust, struct cordon_error *err)
{
	size_t kept = 0;
	int rc = 0;

	if (trust == NULL || !plan->stack->project_trusted)
		return 0;
	for (size_t i = 0; rc == 0 && i < plan->socket_count; i++) {
		const struct socket_grant grant = plan->sockets[i];

		if (!plan_is_projects_socket(plan, &grant) ||
		    socket_was_approved(trust, grant.path)) {
			plan->sockets[kept++] = grant;
			continue;
		}
		rc = trust_requests_add(plan, grant.word->srcpos, err,
					"the socket %s (approved once, but it leads elsewhere now)",
					grant.word->text);
		if (rc == 0)
			plan->requests[plan->request_count - 1].path = grant.path;
	}
	plan->socket_count = kept;
	return rc;
}
