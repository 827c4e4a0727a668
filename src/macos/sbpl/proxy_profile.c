// SPDX-License-Identifier: MIT
/*
 * The profile of the proxy, which reads input from the network: it accepts connections on its port,
 * connects to the ports of the policy, and may open only the file by which the profile is tested. It has
 * read its configuration before. No user path occurs in it, so it has no parameters.
 */
#include "macos/sbpl/profile.h"

#include <stdlib.h>

#include "macos/sbpl/tables.h"

/*
 * Includes the denies for a session without network: the proxy's ports are allowed below, and nothing else.
 */
static void
add_denies(struct str *to)
{
	for (const struct table_row *row = table_unreached; row->action != NULL; row++)
		if (row->when == WHEN_ALWAYS || row->when == WHEN_NO_NETWORK)
			str_printf(to, "(%s) ; %s\n", row->action, row->reason);
}

static void
add_ports(struct str *to, const struct role *role)
{
	str_add(to, "\n; network\n(deny network*)\n");
	for (size_t i = 0; i < role->port_count; i++)
		str_printf(to, "(allow network-outbound (remote tcp \"*:%u\"))\n", role->ports[i]);
	for (size_t i = 0; i < role->datagram_count; i++)
		str_printf(to, "(allow network-outbound (remote udp \"*:%u\"))\n", role->ports[i]);
	if (role->listener != 0)
		str_printf(to, "(allow network-inbound (local tcp \"localhost:%u\"))\n",
			   role->listener);
	/* allowing inbound connections also allows bind; all sockets are bound already */
	str_add(to, "(deny network-bind)\n");
}

int
sbpl_proxy(const struct role *role, struct sbpl **ret_sbpl, struct cordon_error *err)
{
	auto_sbpl struct sbpl *sbpl = calloc(1, sizeof *sbpl);
	struct str text = {0};
	int rc;

	if (sbpl == NULL)
		return cordon_no_memory(err);
	str_add(&text, "(version 1)\n(deny default)\n\n; what the default does not reach\n");
	add_denies(&text);
	add_ports(&text, role);
	str_add(&text, "\n; by which it is tried: " SBPL_PROXY_DENIED " stays closed\n"
		       "(allow file-read-data (literal \"" SBPL_PROXY_ALLOWED "\"))\n");
	rc = str_finish(&text, &sbpl->text, err);
	str_free(&text);
	if (rc == 0)
		*ret_sbpl = take(&sbpl);
	return rc;
}
