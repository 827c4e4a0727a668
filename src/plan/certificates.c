// SPDX-License-Identifier: MIT
/*
 * Recognises files of CA certificates by content: blocks of certificates, and between them only empty lines,
 * comments and headings. Any other line, such as a key, makes it unfit.
 */
#include "plan/certificates.h"

#include <stdio.h>
#include <string.h>

#include "host/host.h"
#include "host/resolve.h"
#include "plan/environ.h"

#define LONGEST (4u << 20)

static const char *const variables[] = {
	"AWS_CA_BUNDLE",      "CARGO_HTTP_CAINFO", "CURL_CA_BUNDLE",	  "DENO_CERT",
	"GIT_SSL_CAINFO",     "NIX_SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "PIP_CERT",
	"REQUESTS_CA_BUNDLE", "SSL_CERT_DIR",	   "SSL_CERT_FILE",	  NULL};

/* ---- content ---- */

static bool
is_line(const char *at, size_t length, const char *what)
{
	static const char *const kinds[] = {"CERTIFICATE", "TRUSTED CERTIFICATE", "X509 CRL"};
	char line[64];

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		size_t n = (size_t)snprintf(line, sizeof line, "-----%s %s-----", what, kinds[i]);

		if (n == length && strncmp(at, line, n) == 0)
			return true;
	}
	return false;
}

/* Base64 of at most 76 characters, the longest lines of PEM. */
static bool
is_base64(const char *at, size_t length)
{
	return length <= 76 && strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					  "0123456789+/=") >= length;
}

/* A comment, or a heading with an underline, as in curl's list. */
static bool
is_comment(const char *at, size_t length)
{
	const char *below = at + strcspn(at, "\n");

	below += *below == '\n';
	return *at == '#' || strspn(at, "=") >= length ||
	       (strspn(below, "=") >= 3 && strspn(below, "=") == strcspn(below, "\r\n"));
}

bool
certificates_only(const char *text)
{
	bool is_inside = false;
	size_t count = 0;

	while (*text != '\0') {
		size_t whole = strcspn(text, "\n"), length = whole;

		while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL)
			length--;
		if (!is_inside && is_line(text, length, "BEGIN")) {
			is_inside = true;
			count++;
		} else if (is_inside && is_line(text, length, "END")) {
			is_inside = false;
		} else if (length > 0 &&
			   !(is_inside ? is_base64(text, length) : is_comment(text, length))) {
			return false;
		}
		text += whole + (text[whole] == '\n');
	}
	return count > 0 && !is_inside;
}

/* ---- the plan ---- */

/* Returns the caller's value if the command would get it, else NULL. */
static const char *
find_value(const struct plan *plan, const char *name)
{
	const char *value = host_getenv(plan->host, name);

	if (value == NULL || *value == '\0' || plan->settings.network.mode == NET_NONE ||
	    plan->settings.env.mode == ENV_EXPLICIT || plan->host->view->list == NULL ||
	    environ_decide(&plan->settings, name).value != NULL)
		return NULL;
	return value;
}

static int
grant(struct plan *plan, const char *name, const char *file, struct cordon_error *err)
{
	auto_arena struct arena arena = {0};
	struct rule *rule = arena_alloc(&plan->arena, sizeof *rule, err);
	size_t length;
	char *text;

	if (rule == NULL)
		return -CORDON_E_MEMORY;
	*rule = (struct rule){.effect = EFFECT_ALLOW,
			      .rights = RIGHT_READ,
			      .path = file,
			      .why = "certificates that a variable names",
			      .optional = true,
			      .srcpos = {name, 0, 0}};
	/* an unreadable or too large file is not granted */
	if (*file != '/' || host_read_file(&arena, file, LONGEST, &text, &length, NULL) < 0 ||
	    strlen(text) != length || !certificates_only(text))
		return 0;
	return plan_add_rule(plan, rule, LAYER_PROFILE, err);
}

int
certificates_grant(struct plan *plan, struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && variables[i] != NULL; i++) {
		const char *file = find_value(plan, variables[i]);

		if (file != NULL)
			rc = grant(plan, variables[i], file, err);
	}
	return rc;
}

static bool
can_be_read(struct plan *plan, const char *path)
{
	auto_arena struct arena arena = {0};
	struct resolved at;

	return *path == '/' && resolve_path(&arena, plan->host->view, path, &at, NULL) == 0 &&
	       at.exists && (index_rights(&plan->index, at.path) & RIGHT_READ);
}

static int
allow(struct plan *plan, const char *name, struct cordon_error *err)
{
	struct words *to = &plan->settings.env.allow;
	struct word *items = arena_alloc(&plan->arena, (to->count + 1) * sizeof *items, err);

	if (items == NULL)
		return -CORDON_E_MEMORY;
	if (to->count > 0)
		memcpy(items, to->items, to->count * sizeof *items);
	items[to->count++] = (struct word){name, {name, 0, 0}};
	to->items = items;
	return 0;
}

int
certificates_pass(struct plan *plan, struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && variables[i] != NULL; i++) {
		const char *name = variables[i], *file = find_value(plan, name);

		if (file == NULL || environ_names(&plan->settings, name))
			continue;
		if (can_be_read(plan, file))
			rc = allow(plan, name, err);
		else
			rc = plan_notice(
				plan, err,
				"%s is not passed: %s cannot be read inside, and only a file "
				"of certificates alone is granted by it; allow both with "
				"--env %s --read PATH",
				name, file, name);
	}
	return rc;
}
