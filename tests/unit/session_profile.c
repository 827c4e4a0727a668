// SPDX-License-Identifier: MIT
/*
 * Not a test: the profile that a session applies, with what it adds to the plan's, in the form of
 * `cordon sbpl --json`. For tests/macos, which holds it against the tables.
 *
 *   session_profile HOME PROJECT POLICY TMP FINGERPRINT TAG PORT DOOR EDITOR     "": without
 *   session_profile proxy LISTENER RESOLVERS PORT...     of the proxy; so many of the ports, from the
 *                                                        front, are those of resolvers
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "discover/context.h"
#include "macos/sbpl/profile.h"

static const char *
given(const char *text)
{
	return *text == '\0' ? NULL : text;
}

static void
print(const struct sbpl *sbpl)
{
	auto_str struct str text = {0};

	str_add(&text, "{\"profile\": ");
	str_json(&text, sbpl->text);
	str_add(&text, ", \"parameters\": {");
	for (size_t i = 0; i < sbpl->parameter_count; i++) {
		str_printf(&text, "%s\"%s\": ", i == 0 ? "" : ", ", sbpl->parameters[i].name);
		str_json_bytes(&text, sbpl->parameters[i].value);
	}
	str_add(&text, "}}");
	puts(text.failed ? "" : text.text);
}

static int
refused(const struct cordon_error *err)
{
	fprintf(stderr, "%s\n", err->text);
	return 125;
}

static int
print_proxy(int argc, char **argv)
{
	uint16_t ports[16];
	struct role role = {.ports = ports};
	auto_sbpl struct sbpl *sbpl = NULL;
	struct cordon_error err = {0};

	role.listener = (uint16_t)strtoul(argv[2], NULL, 10);
	role.datagram_count = strtoul(argv[3], NULL, 10);
	for (int i = 4; i < argc && role.port_count < 16; i++)
		ports[role.port_count++] = (uint16_t)strtoul(argv[i], NULL, 10);
	if (sbpl_proxy(&role, &sbpl, &err) < 0)
		return refused(&err);
	print(sbpl);
	return 0;
}

int
main(int argc, char **argv)
{
	struct cordon_setup *setup = cordon_setup_new();
	auto_context struct cordon_plan *context = NULL;
	auto_sbpl struct sbpl *sbpl = NULL;
	struct sbpl_options options = {0};
	char allowed[PATH_MAX], denied[PATH_MAX], their_allowed[PATH_MAX], their_denied[PATH_MAX];
	struct cordon_error err = {0};
	int rc;

	if (argc > 3 && strcmp(argv[1], "proxy") == 0) {
		cordon_setup_free(setup);
		return print_proxy(argc, argv);
	}
	if (argc != 10 || setup == NULL)
		return 2;
	options.private_tmp = given(argv[4]);
	options.tag = given(argv[6]);
	options.proxy_port = (unsigned)strtoul(argv[7], NULL, 10);
	options.socket_path = given(argv[8]);
	snprintf(their_allowed, sizeof their_allowed, "%s/allow", argv[9]);
	snprintf(their_denied, sizeof their_denied, "%s/deny", argv[9]);
	if (*argv[9] != '\0')
		options.editor = (struct sbpl_fingerprint){their_allowed, their_denied};
	snprintf(allowed, sizeof allowed, "%s/allow", argv[5]);
	snprintf(denied, sizeof denied, "%s/deny", argv[5]);
	if (*argv[5] != '\0')
		options.fingerprint = (struct sbpl_fingerprint){allowed, denied};
	if (cordon_setup_set(setup, CORDON_OPT_SYSTEM, "macos", &err) < 0 ||
	    cordon_setup_set(setup, CORDON_OPT_HOME, argv[1], &err) < 0 ||
	    cordon_setup_set(setup, CORDON_OPT_PROJECT, argv[2], &err) < 0 ||
	    cordon_setup_set(setup, CORDON_OPT_POLICY_JSON, argv[3], &err) < 0)
		return refused(&err);
	rc = cordon_plan_new(setup, &context, &err);
	if (rc == 0)
		rc = sbpl_make(context->plan, &options, &sbpl, &err);
	cordon_setup_free(setup);
	if (rc < 0)
		return refused(&err);
	print(sbpl);
	return 0;
}
