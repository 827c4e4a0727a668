// SPDX-License-Identifier: MIT
/*
 * Port rules of Landlock rulesets. They are a lower bound, because Landlock does not know addresses.
 * Without network no port is allowed. Where the broker connects, the inner layer allows none, and the outer
 * layer allows the ports that the plan names.
 */
#include "linux/landlock/ruleset.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "linux/seccomp/syscalls.h"

#define RULE_NET_PORT 2

struct net_port_rule {
	uint64_t access, port;
};

/* With the whole network, or an accepted gap, Landlock handles no port right. */
uint64_t
rules_net_handled(const struct plan *plan, const struct ruleset_options *options, uint64_t known)
{
	const struct network *network = &plan->settings.network;

	if (network->mode == NET_NONE)
		return known;
	if (!plan->routes_network)
		return 0;
	if (!options->is_brokers)
		return known;
	return network->mode == NET_DOMAINS || network->localhost.count > 0
		       ? known & NET_CONNECT_TCP
		       : 0;
}

static int
allow(int ruleset, unsigned port, struct cordon_error *err)
{
	struct net_port_rule rule = {NET_CONNECT_TCP, port};

	if (syscall(SYS_landlock_add_rule, ruleset, RULE_NET_PORT, &rule, 0) == 0)
		return 0;
	return cordon_fail(err, CORDON_E_SYSTEM, errno, "Landlock does not accept port %u", port);
}

int
rules_net_allow(const struct plan *plan, const struct ruleset_options *options, int ruleset,
		struct cordon_error *err)
{
	const struct ports *local = &plan->settings.network.localhost;
	const struct egress *egress = options->egress;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < local->count; i++)
		rc = allow(ruleset, local->items[i].number, err);
	if (rc == 0 && egress != NULL)
		rc = allow(ruleset, egress->named, err);
	if (rc == 0 && egress != NULL)
		rc = allow(ruleset, egress->through, err);
	if (rc == 0 && egress != NULL)
		rc = allow(ruleset, egress->stub, err);
	return rc;
}
