// SPDX-License-Identifier: MIT
/* The options of a setup that concern the network. */
#include "api/setup_option.h"

#include <string.h>

#include "base/str.h"
#include "policy/model/value.h"

static int
add_port(struct cordon_setup *setup, struct ports *ports, const struct setup_option *option,
	 const char *value, struct cordon_error *err)
{
	struct port port = {.srcpos = setup_srcpos(option)};
	uint64_t number;

	if (!str_number(value, UINT16_MAX, &number) || number == 0)
		return setup_refuse(option, value, "is not a port from 1 to 65535", err);
	port.number = (uint16_t)number;
	return policy_ports_add(&setup->options->arena, ports, &port, err);
}

static int
read_ports(struct cordon_setup *setup, const struct setup_option *option, const char *list,
	   struct ports *to, struct cordon_error *err)
{
	auto_free char *copy = strdup(list);
	char *rest = copy, *item;
	int rc = 0;

	if (copy == NULL)
		return cordon_no_memory(err);
	while (rc == 0 && (item = strsep(&rest, ",")) != NULL)
		rc = add_port(setup, to, option, item, err);
	return rc;
}

/*
 * Later modes replace earlier ones, but domains and ports of this machine go together, in either
 * order. A mode that would leave out a named domain is refused.
 */
static int
set_mode(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	 const struct network *wanted, struct cordon_error *err)
{
	struct network *to = &setup->options->network;
	bool ports = wanted->localhost.count > 0;
	bool joins = (to->mode == NET_DOMAINS && ports) ||
		     (wanted->mode == NET_DOMAINS && to->localhost.count > 0);

	if (to->domains.count > 0 && wanted->mode == NET_LOCALHOST && !ports)
		return setup_refuse(option, value,
				    "with --domain needs ports, as in localhost:5432", err);
	if (to->domains.count > 0 && wanted->mode == NET_NONE)
		return setup_refuse(option, value, "does not go with --domain", err);
	to->mode = joins ? NET_DOMAINS : wanted->mode;
	if (ports || !joins)
		to->localhost = wanted->localhost;
	to->srcpos = setup_srcpos(option);
	return 0;
}

/* Nothing is stored unless the whole list parses: an empty port list would allow every port. */
int
setup_network_mode(struct cordon_setup *setup, const struct setup_option *option, const char *value,
		   struct cordon_error *err)
{
	static const char listed[] = "localhost:";
	struct ports ports = {0};
	int mode = NET_NONE, rc = 0;

	if (str_starts(value, listed)) {
		rc = read_ports(setup, option, value + strlen(listed), &ports, err);
		mode = NET_LOCALHOST;
	} else {
		while (mode <= NET_ALL && strcmp(net_names[mode], value) != 0)
			mode++;
	}
	if (rc < 0)
		return rc;
	if (mode > NET_ALL)
		return setup_refuse(option, value,
				    "is none of none, localhost, localhost:PORT,..., domains, all",
				    err);
	return set_mode(setup, option, value,
			&(struct network){.mode = (enum net_mode)mode, .localhost = ports}, err);
}

/* An option without a value. */
int
setup_network_udp(struct cordon_setup *setup, const struct setup_option *option, const char *value,
		  struct cordon_error *err)
{
	(void)value, (void)err;
	setup->options->network.udp = UDP_ALLOW;
	setup->options->network.udp_srcpos = setup_srcpos(option);
	return 0;
}

int
setup_network_domain(struct cordon_setup *setup, const struct setup_option *option,
		     const char *value, struct cordon_error *err)
{
	struct network *network = &setup->options->network;
	char name[VALUE_DOMAIN_SIZE];
	const char *reason = value_domain(value, name);

	if (reason != NULL)
		return setup_refuse(option, value, reason, err);
	if (network->mode != NET_UNSET && network->mode != NET_DOMAINS &&
	    network->localhost.count == 0)
		return setup_refuse(
			option, value,
			network->mode == NET_LOCALHOST
				? "with --net localhost needs its ports, as in "
				  "--net localhost:5432"
				: "needs the network mode domains, but --net names another",
			err);
	network->mode = NET_DOMAINS;
	network->srcpos = setup_srcpos(option);
	return policy_add_word(setup->options, &network->domains, name, setup_srcpos(option), err);
}

int
setup_network_port(struct cordon_setup *setup, const struct setup_option *option, const char *value,
		   struct cordon_error *err)
{
	return add_port(setup, &setup->options->network.ports, option, value, err);
}

int
setup_network_private(struct cordon_setup *setup, const struct setup_option *option,
		      const char *value, struct cordon_error *err)
{
	const char *reason = value_range(value);

	if (reason != NULL)
		return setup_refuse(option, value, reason, err);
	return policy_add_word(setup->options, &setup->options->network.private_ranges, value,
			       setup_srcpos(option), err);
}

int
setup_network_opaque_port(struct cordon_setup *setup, const struct setup_option *option,
			  const char *value, struct cordon_error *err)
{
	int rc = add_port(setup, &setup->options->network.opaque, option, value, err);

	return rc < 0 ? rc : setup_network_port(setup, option, value, err);
}
