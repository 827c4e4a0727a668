// SPDX-License-Identifier: MIT
/* The grants of an approved project hold as long as they lead where they led when they were approved. */
#include <string.h>

#include "plan/request.h"

static bool
pin_holds(const struct trust *trust, const char *path)
{
	struct pin now = pin_now(path);

	for (size_t i = 0; i < trust->pin_count; i++) {
		const struct pin *pin = &trust->pins[i];

		if (strcmp(pin->path, path) == 0 &&
		    (pin->inode == 0 || (pin->inode == now.inode && pin->device == now.device)))
			return true;
	}
	return false;
}

static int
check_pins(struct plan *plan, const struct trust *trust, struct planned_rule *rules, size_t count,
	   struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct planned_rule *planned = &rules[i];

		if (planned->layer != LAYER_PROJECT || planned->effect != EFFECT_ALLOW ||
		    pin_holds(trust, planned->root))
			continue;
		rc = request_add_rule(plan, planned->rule, planned->path,
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

/* A socket is made anew at every start: its place is what was approved, not its inode. */
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
		rc = request_add(plan, grant.word->place, err,
				 "the socket %s (approved once, but it leads elsewhere now)",
				 grant.word->text);
		if (rc == 0)
			plan->requests[plan->request_count - 1].path = grant.path;
	}
	plan->socket_count = kept;
	return rc;
}
