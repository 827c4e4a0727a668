// SPDX-License-Identifier: MIT
/*
 * Applies the network settings of an unapproved project: less than granted takes effect, more is a
 * request.
 */
#include <string.h>

#include "plan/trust_requests.h"

static bool
covers_domain(const struct network *have, const char *name)
{
	for (size_t i = 0; have->mode == NET_DOMAINS && i < have->domains.count; i++)
		if (merge_domain_covers(have->domains.items[i].text, name))
			return true;
	return have->mode == NET_ALL;
}

/* Keeps ports that both name; others become requests. all: an empty list means all ports. */
static int
narrow_ports(struct plan *plan, struct ports *have, const struct ports *wanted, bool all,
	     struct cordon_error *err)
{
	bool is_local = have == &plan->settings.network.localhost;
	struct ports kept = {0};
	int rc = 0;

	all = all && have->count == 0;
	for (size_t i = 0; rc == 0 && i < wanted->count; i++) {
		const struct port *port = &wanted->items[i];

		rc = all || policy_ports_have(have, port->number)
			     ? policy_ports_add(&plan->arena, &kept, port, err)
			     : trust_requests_add(plan, port->srcpos, err, "network port %u%s",
						  port->number, is_local ? " of this machine" : "");
	}
	if (rc == 0)
		*have = kept;
	return rc;
}

/* The ports of this machine that a project lists beside its domains. */
static int
narrow_beside(struct plan *plan, const struct network *wanted, struct cordon_error *err)
{
	struct network *have = &plan->settings.network;

	if (have->mode != NET_ALL)
		return narrow_ports(plan, &have->localhost, &wanted->localhost,
				    have->mode == NET_LOCALHOST, err);
	have->localhost = wanted->localhost;
	return 0;
}

static int
narrow_domains(struct plan *plan, const struct network *wanted, struct cordon_error *err)
{
	struct network *have = &plan->settings.network;
	struct words kept = {0};
	int rc = narrow_beside(plan, wanted, err);

	for (size_t i = 0; rc == 0 && i < wanted->domains.count; i++) {
		const struct word *word = &wanted->domains.items[i];

		rc = covers_domain(have, word->text)
			     ? policy_words_add(&plan->arena, &kept, word, err)
			     : trust_requests_add(plan, word->srcpos, err, "network to %s",
						  word->text);
	}
	if (rc < 0)
		return rc;
	if (have->mode == NET_ALL || have->mode == NET_DOMAINS) {
		have->mode = NET_DOMAINS;
		have->domains = kept;
	} else if (have->mode != NET_LOCALHOST || have->localhost.count == 0) {
		have->mode = NET_NONE;
	}
	return 0;
}

static int
narrow_localhost(struct plan *plan, const struct network *wanted, struct cordon_error *err)
{
	struct network *have = &plan->settings.network;
	int rc;

	if (have->mode == NET_ALL) {
		have->mode = NET_LOCALHOST;
		have->localhost = wanted->localhost;
		return 0;
	}
	if (have->mode == NET_DOMAINS && have->localhost.count > 0) {
		have->mode = NET_LOCALHOST;
	} else if (have->mode != NET_LOCALHOST) {
		rc = trust_requests_add(plan, wanted->srcpos, err, "network to this machine");
		have->mode = NET_NONE;
		return rc;
	}
	if (wanted->localhost.count == 0)
		return have->localhost.count == 0
			       ? 0
			       : trust_requests_add(plan, wanted->srcpos, err,
						    "network to every port of this machine");
	rc = narrow_ports(plan, &have->localhost, &wanted->localhost, true, err);
	/* an empty list would mean every port */
	if (rc == 0 && have->localhost.count == 0)
		have->mode = NET_NONE;
	return rc;
}

/* Ports for any protocol. With the whole network all ports are, so that a list narrows. */
static int
request_opaque(struct plan *plan, const struct network *wanted, struct cordon_error *err)
{
	struct network *have = &plan->settings.network;
	int rc = 0;

	if (have->mode == NET_ALL) {
		have->opaque = wanted->opaque;
		return 0;
	}
	for (size_t i = 0; rc == 0 && i < wanted->opaque.count; i++) {
		const struct port *port = &wanted->opaque.items[i];

		if (!policy_ports_have(&have->opaque, port->number))
			rc = trust_requests_add(
				plan, port->srcpos, err,
				"anything on network port %u, not only TLS, HTTP and SSH",
				port->number);
	}
	return rc;
}

/* The whole network includes datagrams: narrowed to this machine they may stay. */
static int
narrow_udp(struct plan *plan, const struct network *wanted, struct cordon_error *err)
{
	struct network *have = &plan->settings.network;

	if (wanted->udp == UDP_REFUSE || (wanted->udp == UDP_ALLOW && have->mode == NET_ALL))
		have->udp = wanted->udp;
	if (wanted->udp != UDP_ALLOW || have->udp == UDP_ALLOW)
		return 0;
	return trust_requests_add(plan, wanted->udp_srcpos, err,
				  "UDP and unix datagrams on this machine");
}

/* Ports, ranges, resolver and ECH. What is granted already is not requested. */
static int
narrow_details(struct plan *plan, const struct network *wanted, struct cordon_error *err)
{
	struct network *have = &plan->settings.network;
	const struct word *resolver = &wanted->resolver;
	int rc = 0;

	/* with the whole network any list of ports narrows */
	if (wanted->ports.count > 0 && have->mode == NET_ALL)
		have->ports = wanted->ports;
	else if (wanted->ports.count > 0)
		rc = narrow_ports(plan, &have->ports, &wanted->ports, false, err);
	if (rc == 0)
		rc = request_opaque(plan, wanted, err);
	for (size_t i = 0; rc == 0 && i < wanted->private_ranges.count; i++) {
		const struct word *range = &wanted->private_ranges.items[i];

		if (!policy_words_have(&have->private_ranges, range->text))
			rc = trust_requests_add(plan, range->srcpos, err,
						"domains that resolve to private addresses (%s)",
						range->text);
	}
	if (rc == 0 && resolver->text != NULL &&
	    (have->resolver.text == NULL || strcmp(have->resolver.text, resolver->text) != 0))
		rc = trust_requests_add(plan, resolver->srcpos, err, "names looked up at %s",
					resolver->text);
	if (rc == 0 && wanted->ech == ECH_ALLOW && have->ech != ECH_ALLOW)
		rc = trust_requests_add(plan, wanted->ech_srcpos, err,
					"TLS with a hidden server name (ECH)");
	if (wanted->ech == ECH_REFUSE)
		have->ech = ECH_REFUSE;
	return rc == 0 ? narrow_udp(plan, wanted, err) : rc;
}

int
narrow_net(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	const struct network *wanted = &project->network;
	struct network *have = &plan->settings.network;
	/* before the mode, because ports of localhost and of domains are different lists */
	int rc = narrow_details(plan, wanted, err);

	if (rc < 0)
		return rc;
	switch (wanted->mode) {
	case NET_UNSET:
		return 0;
	case NET_NONE:
		have->mode = NET_NONE;
		return 0;
	case NET_LOCALHOST:
		return narrow_localhost(plan, wanted, err);
	case NET_DOMAINS:
		return narrow_domains(plan, wanted, err);
	case NET_ALL:
		break;
	}
	return have->mode == NET_ALL
		       ? 0
		       : trust_requests_add(plan, wanted->srcpos, err, "the whole network");
}
