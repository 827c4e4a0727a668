// SPDX-License-Identifier: MIT
/* Reads and prints facts as JSON. enforce/ probes them. */
#include "host/facts.h"

#include <string.h>

#include "base/json.h"

static const char *const fact_names[FACT_COUNT] = {
	[FACT_LANDLOCK_ABI] = "landlock_abi",
	[FACT_SECCOMP_FILTER] = "seccomp_filter",
	[FACT_SECCOMP_NOTIFY] = "seccomp_notify",
	[FACT_NOTIFY_ADDFD] = "notify_addfd",
	[FACT_NOTIFY_WAIT_KILLABLE] = "notify_wait_killable",
	[FACT_NOTIFY_SYNC] = "notify_sync",
	[FACT_PIDFD] = "pidfd",
	[FACT_PIDFD_GETFD] = "pidfd_getfd",
	[FACT_OPENAT2] = "openat2",
	[FACT_CLOSE_RANGE] = "close_range",
	[FACT_YAMA] = "yama",
	[FACT_CGROUP] = "cgroup",
	[FACT_CGROUP_MEMORY] = "cgroup_memory",
	[FACT_CGROUP_PIDS] = "cgroup_pids",
	[FACT_SCOPE] = "scope",
	[FACT_SEATBELT] = "seatbelt",
	[FACT_BROKER] = "broker",
	[FACT_INSIDE] = "inside",
	[FACT_OUTER_CORDON] = "door",
	[FACT_AUDIT] = "audit",
	[FACT_TREE] = "tree",
};

static const char *const words[FACT_COUNT] = {
	[FACT_SECCOMP_FILTER] = "seccomp filters",
	[FACT_SECCOMP_NOTIFY] = "seccomp notification",
	[FACT_NOTIFY_ADDFD] = "passing descriptors to callers",
	[FACT_NOTIFY_WAIT_KILLABLE] = "supervised calls that signals do not interrupt",
	[FACT_NOTIFY_SYNC] = "fast supervised calls",
	[FACT_PIDFD] = "pidfds",
	[FACT_PIDFD_GETFD] = "pidfd_getfd",
	[FACT_OPENAT2] = "openat2",
	[FACT_CLOSE_RANGE] = "close_range",
	[FACT_CGROUP] = "a cgroup of our own",
	[FACT_CGROUP_MEMORY] = "memory limits of that cgroup",
	[FACT_CGROUP_PIDS] = "process limits of that cgroup",
	[FACT_SCOPE] = "scopes of systemd's user manager, for both limits",
	[FACT_SEATBELT] = "Seatbelt",
};

const char *
facts_words(enum fact fact)
{
	return words[fact];
}

static bool
is_number(enum fact fact)
{
	return fact == FACT_LANDLOCK_ABI || fact == FACT_YAMA || fact == FACT_OUTER_CORDON;
}

static int
bad(const char *file, const struct json *m, const char *expected, struct cordon_error *err)
{
	return cordon_fail_at(err, CORDON_E_POLICY, file, m->line, m->column,
			      "\"%.40s\" must be %s", m->key, expected);
}

static int
read_system(const char *file, const struct json *m, struct facts *to, struct cordon_error *err)
{
	for (int i = 0; i < 2; i++) {
		if (m->type == JSON_STRING && strcmp(m->string, system_names[i]) == 0) {
			to->system = (enum system)i;
			return 0;
		}
	}
	return bad(file, m, "\"linux\" or \"macos\"", err);
}

static int
read_kernel(const char *file, const struct json *m, struct facts *to, struct cordon_error *err)
{
	size_t length = sizeof to->kernel - 1;

	if (m->type != JSON_STRING)
		return bad(file, m, "a string", err);
	if (strlen(m->string) < length)
		length = strlen(m->string);
	/* not in the middle of a UTF-8 character */
	while (length > 0 && (m->string[length] & 0xc0) == 0x80)
		length--;
	memcpy(to->kernel, m->string, length);
	to->kernel[length] = '\0';
	return 0;
}

static int
read_fact(const char *file, const struct json *m, struct facts *to, struct cordon_error *err)
{
	for (int i = 0; i < FACT_COUNT; i++) {
		if (strcmp(fact_names[i], m->key) != 0)
			continue;
		if (is_number((enum fact)i) &&
		    (m->type != JSON_NUMBER || !m->whole || m->integer < 0 || m->integer > 1000))
			return bad(file, m, "a small whole number", err);
		if (!is_number((enum fact)i) && m->type != JSON_BOOL)
			return bad(file, m, "true or false", err);
		to->values[i] = (int)m->integer;
		return 0;
	}
	return cordon_fail_at(err, CORDON_E_POLICY, file, m->key_line, m->key_column,
			      "\"%.40s\" is not a known fact", m->key);
}

int
facts_read(const char *file, const char *text, size_t length, struct facts *ret,
	   struct cordon_error *err)
{
	auto_arena struct arena tree = {0};
	struct facts facts = {.kernel = "from a file"};
	const struct json *value;
	int rc = json_read(&tree, file, text, length, &value, err);

	if (rc < 0)
		return rc;
	if (value->type != JSON_OBJECT)
		return cordon_fail_at(err, CORDON_E_POLICY, file, value->line, value->column,
				      "facts are an object, not %s", json_type_name(value));
	for (const struct json *m = value->first; rc == 0 && m != NULL; m = m->next) {
		if (strcmp(m->key, "system") == 0)
			rc = read_system(file, m, &facts, err);
		else if (strcmp(m->key, "kernel") == 0)
			rc = read_kernel(file, m, &facts, err);
		else
			rc = read_fact(file, m, &facts, err);
	}
	if (rc == 0)
		*ret = facts;
	return rc;
}

void
facts_print(const struct facts *facts, struct str *to)
{
	str_printf(to, "{\"system\": \"%s\", \"kernel\": ", system_names[facts->system]);
	str_json(to, facts->kernel);
	for (int i = 0; i < FACT_COUNT; i++) {
		str_printf(to, ", \"%s\": ", fact_names[i]);
		if (is_number((enum fact)i))
			str_printf(to, "%d", facts->values[i]);
		else
			str_add(to, facts->values[i] ? "true" : "false");
	}
	str_add(to, "}");
}
