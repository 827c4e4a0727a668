// SPDX-License-Identifier: MIT
/*
 * Reader of the native form. One function per key; the tables define the form, and the schema in
 * schema/ is tested against them. Blocks for the other system are checked and ignored.
 */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "policy/model/guarantee.h"
#include "policy/model/value.h"
#include "policy/read/native.h"

static int
add_word(struct policy_reading *r, const struct json *value, struct words *words,
	 const char *(*check)(const char *))
{
	const char *text;
	int rc = read_checked(r, value, check, &text);

	if (rc < 0)
		return rc;
	return policy_add_word(r->policy, words, text, read_srcpos(r, value), r->err);
}

/* ---- extends, sockets, accept ---- */

static const char *
check_extends(const char *text)
{
	return *text == '\0' ? "is empty" : NULL;
}

static int
read_extend(struct policy_reading *r, const struct json *value)
{
	return add_word(r, value, &r->policy->extends, check_extends);
}

static int
read_extends(struct policy_reading *r, const struct json *value)
{
	r->policy->has_extends = true;
	return read_list(r, value, read_extend);
}

static int
read_socket(struct policy_reading *r, const struct json *value)
{
	return add_word(r, value, &r->policy->sockets, value_socket);
}

static int
read_sockets(struct policy_reading *r, const struct json *value)
{
	return read_list(r, value, read_socket);
}

static int
read_gap(struct policy_reading *r, const struct json *value)
{
	const char *text, *nearest;
	int rc = read_text(r, value, &text);

	if (rc < 0)
		return rc;
	for (int i = 0; i < G_COUNT; i++)
		if (strcmp(guarantee_names[i], text) == 0)
			return policy_add_word(r->policy, &r->policy->accept, text,
					       read_srcpos(r, value), r->err);
	nearest = str_nearest_word(text, guarantee_names, G_COUNT);
	return read_fail(r, value, "\"%.40s\" is not the name of a guarantee%s%s%s", text,
			 nearest == NULL ? "" : "; did you mean \"", nearest == NULL ? "" : nearest,
			 nearest == NULL ? "" : "\"?");
}

static int
read_accept(struct policy_reading *r, const struct json *value)
{
	return read_list(r, value, read_gap);
}

/* ---- network ---- */

static int
read_localhost(struct policy_reading *r, const struct json *value)
{
	r->policy->network.mode = NET_LOCALHOST;
	/* every port, together with other keys */
	if (value->type == JSON_BOOL && value->integer == 1)
		return 0;
	/* "no port" must not turn into "every port" */
	if (value->type == JSON_ARRAY && value->count == 0)
		return read_fail(r, value,
				 "an empty list names no port; write \"network\": "
				 "\"localhost\" for every port, or \"none\"");
	return read_list(r, value, read_localhost_port);
}

static int
read_domains(struct policy_reading *r, const struct json *value)
{
	r->policy->network.mode = NET_DOMAINS;
	return read_list(r, value, read_domain);
}

static int
read_remote_port(struct policy_reading *r, const struct json *value)
{
	return read_port(r, value, &r->policy->network.ports);
}

static int
read_ports(struct policy_reading *r, const struct json *value)
{
	/* nor into the two default ports */
	if (value->type == JSON_ARRAY && value->count == 0)
		return read_fail(r, value,
				 "an empty list names no port; leave \"ports\" out for 80 and 443");
	return read_list(r, value, read_remote_port);
}

static int
read_opaque_port(struct policy_reading *r, const struct json *value)
{
	return read_port(r, value, &r->policy->network.opaque);
}

static int
read_opaque(struct policy_reading *r, const struct json *value)
{
	return read_list(r, value, read_opaque_port);
}

static int
read_range(struct policy_reading *r, const struct json *value)
{
	return add_word(r, value, &r->policy->network.private_ranges, value_range);
}

static int
read_private(struct policy_reading *r, const struct json *value)
{
	return read_list(r, value, read_range);
}

static int
read_resolver(struct policy_reading *r, const struct json *value)
{
	struct word *resolver = &r->policy->network.resolver;
	const char *text;
	int rc = read_checked(r, value, value_endpoint, &text);

	if (rc < 0)
		return rc;
	resolver->srcpos = read_srcpos(r, value);
	resolver->text = arena_strdup(&r->policy->arena, text, r->err);
	return resolver->text == NULL ? -CORDON_E_MEMORY : 0;
}

static int
read_ech(struct policy_reading *r, const struct json *value)
{
	int ech;
	int rc = read_name(r, value, ech_names, &ech);

	if (rc < 0)
		return rc;
	r->policy->network.ech = (enum ech)ech;
	r->policy->network.ech_srcpos = read_srcpos(r, value);
	return 0;
}

static int
read_udp(struct policy_reading *r, const struct json *value)
{
	bool allowed;
	int rc = read_bool(r, value, &allowed);

	if (rc < 0)
		return rc;
	r->policy->network.udp = allowed ? UDP_ALLOW : UDP_REFUSE;
	r->policy->network.udp_srcpos = read_srcpos(r, value);
	return 0;
}

/* Both keys together mean domains, and the ports of this machine beside them. */
static int
read_network_object(struct policy_reading *r, const struct json *value)
{
	static const struct read_key keys[] = {
		{"localhost", read_localhost}, {"domains", read_domains},   {"ports", read_ports},
		{"private", read_private},     {"resolver", read_resolver}, {"ech", read_ech},
		{"opaque", read_opaque},       {"udp", read_udp},
	};
	const struct json *local = json_member(value, "localhost");
	bool has_domains = json_member(value, "domains") != NULL;
	struct network *network = &r->policy->network;
	int rc;

	if (local != NULL && local->type == JSON_BOOL && has_domains)
		return read_fail(r, local,
				 "beside \"domains\" the ports of this machine are listed: "
				 "\"localhost\": [5432]");
	/* a block of a system that names domains alone replaces the ports outside it */
	if (local == NULL && has_domains)
		network->localhost = (struct ports){0};
	rc = read_keys(r, value, "\"network\"", keys, COUNT(keys));
	if (rc == 0 && has_domains)
		network->mode = NET_DOMAINS;
	return rc;
}

static int
read_network(struct policy_reading *r, const struct json *value)
{
	static const char *const words[] = {"", "none", "localhost", "", "all", NULL};
	struct network *network = &r->policy->network;
	int mode, rc;

	network->srcpos = read_srcpos(r, value);
	if (value->type == JSON_OBJECT)
		return read_network_object(r, value);
	if (value->type == JSON_STRING && strcmp(value->string, "domains") == 0)
		return read_fail(r, value, "\"domains\" needs names: %s",
				 "{\"domains\": [\"example.com\"]}");
	rc = read_name(r, value, words, &mode);
	if (rc < 0)
		return rc;
	network->mode = (enum net_mode)mode;
	network->localhost = (struct ports){0};
	return 0;
}

/* ---- env, limits, tmp ---- */

static int
read_env_mode(struct policy_reading *r, const struct json *value)
{
	int mode;
	int rc = read_name(r, value, env_names, &mode);

	if (rc == 0)
		r->policy->env.mode = (enum env_mode)mode;
	return rc;
}

static int
read_env_name(struct policy_reading *r, const struct json *value)
{
	return add_word(r, value, &r->policy->env.allow, value_env_pattern);
}

static int
read_env_allow(struct policy_reading *r, const struct json *value)
{
	return read_list(r, value, read_env_name);
}

static int
read_env_pair(struct policy_reading *r, const struct json *member)
{
	struct environment *env = &r->policy->env;
	const char *reason = value_env_name(member->key);
	const char *text;
	struct env_set *set;
	int rc;

	if (reason != NULL)
		return cordon_fail_at(r->err, CORDON_E_POLICY, r->policy->file, member->key_line,
				      member->key_column, "\"%.40s\" %s", member->key, reason);
	rc = read_text(r, member, &text);
	if (rc < 0)
		return rc;
	set = arena_push(&r->policy->arena, &env->set, &env->set_count, sizeof *set, r->err);
	if (set == NULL)
		return -CORDON_E_MEMORY;
	set->srcpos = read_srcpos(r, member);
	set->name = arena_strdup(&r->policy->arena, member->key, r->err);
	set->value = arena_strdup(&r->policy->arena, text, r->err);
	return set->name == NULL || set->value == NULL ? -CORDON_E_MEMORY : 0;
}

static int
read_env_set(struct policy_reading *r, const struct json *value)
{
	if (value->type != JSON_OBJECT)
		return read_fail(r, value, "\"set\" must be an object of names and values, not %s",
				 json_type_name(value));
	for (const struct json *m = value->first; m != NULL; m = m->next) {
		int rc = read_env_pair(r, m);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
read_env(struct policy_reading *r, const struct json *value)
{
	static const struct read_key keys[] = {{"mode", read_env_mode},
					       {"allow", read_env_allow},
					       {"set", read_env_set}};

	r->policy->env.srcpos = read_srcpos(r, value);
	return read_keys(r, value, "\"env\"", keys, COUNT(keys));
}

/* Reads a whole number, or text with a unit if `parse` is given. */
static int
read_limit(struct policy_reading *r, const struct json *value, enum limit limit,
	   const char *(*parse)(const char *, uint64_t *))
{
	struct limit_value *to = &r->policy->limits[limit];
	const char *reason;
	int64_t number;
	int rc;

	to->srcpos = read_srcpos(r, value);
	if (value->type != JSON_STRING || parse == NULL) {
		rc = read_whole(r, value, 1, VALUE_MOST, &number);
		if (rc == 0)
			to->value = (uint64_t)number;
		return rc;
	}
	reason = parse(value->string, &to->value);
	return reason == NULL ? 0 : read_fail(r, value, "\"%.40s\" %s", value->string, reason);
}

#define LIMIT_READER(name, limit, parse)                                    \
	static int name(struct policy_reading *r, const struct json *value) \
	{                                                                   \
		return read_limit(r, value, limit, parse);                  \
	}
LIMIT_READER(read_time, LIMIT_TIME, value_duration)
LIMIT_READER(read_output, LIMIT_OUTPUT, value_size)
LIMIT_READER(read_processes, LIMIT_PROCESSES, NULL)
LIMIT_READER(read_memory, LIMIT_MEMORY, value_size)
LIMIT_READER(read_file_size, LIMIT_FILE_SIZE, value_size)
LIMIT_READER(read_cpu_time, LIMIT_CPU_TIME, value_duration)
LIMIT_READER(read_open_files, LIMIT_OPEN_FILES, NULL)

static int
read_limits(struct policy_reading *r, const struct json *value)
{
	static const struct read_key keys[] = {
		{"time", read_time},
		{"output", read_output},
		{"processes", read_processes},
		{"memory", read_memory},
		{"file_size", read_file_size},
		{"cpu_time", read_cpu_time},
		{"open_files", read_open_files},
	};

	return read_keys(r, value, "\"limits\"", keys, COUNT(keys));
}

static int
read_tmp(struct policy_reading *r, const struct json *value)
{
	int tmp;
	int rc = read_name(r, value, tmp_names, &tmp);

	r->policy->tmp_srcpos = read_srcpos(r, value);
	if (rc == 0)
		r->policy->tmp = (enum tmp)tmp;
	return rc;
}

static int
read_ipc(struct policy_reading *r, const struct json *value)
{
	int ipc;
	int rc = read_name(r, value, ipc_names, &ipc);

	r->policy->ipc_place = read_srcpos(r, value);
	if (rc == 0)
		r->policy->ipc = (enum ipc)ipc;
	return rc;
}

static int
read_log(struct policy_reading *r, const struct json *value)
{
	int log;
	int rc = read_name(r, value, event_log_names, &log);

	r->policy->log_place = read_srcpos(r, value);
	if (rc == 0)
		r->policy->log = (enum event_log)log;
	return rc;
}

/* ---- whole policy ---- */

static int
read_schema(struct policy_reading *r, const struct json *value)
{
	const char *text;

	return read_text(r, value, &text);
}

static int
read_block(struct policy_reading *r, const struct json *value)
{
	static const struct read_key keys[] = {
		{"files", native_read_files},
		{"network", read_network},
		{"sockets", read_sockets},
		{"env", read_env},
		{"limits", read_limits},
		{"tmp", read_tmp},
		{"ipc", read_ipc},
		{"log", read_log},
		{"accept", read_accept},
	};
	char what[16];

	snprintf(what, sizeof what, "\"%s\"", value->key);
	return read_keys(r, value, what, keys, COUNT(keys));
}

/* Reads the block of another system into a discarded policy, for its errors. */
static int
read_other_block(struct policy_reading *r, const struct json *value)
{
	auto_policy struct policy *scratch = policy_new(r->policy->file, r->err);
	struct policy_reading other = {scratch, r->as, r->err};
	int rc = scratch == NULL ? -CORDON_E_MEMORY : read_block(&other, value);

	return rc < 0 ? rc : read_check_regexes(&other);
}

int
native_read(struct policy_reading *r, const struct json *value)
{
	static const struct read_key keys[] = {
		{"$schema", read_schema},
		{"extends", read_extends},
		{"files", native_read_files},
		{"network", read_network},
		{"sockets", read_sockets},
		{"env", read_env},
		{"limits", read_limits},
		{"tmp", read_tmp},
		{"ipc", read_ipc},
		{"accept", read_accept},
		{"linux", NULL},
		{"macos", NULL},
		{"on_refusal", read_on_refusal},
		{"log", read_log},
	};
	int rc = read_keys(r, value, "the policy", keys, COUNT(keys));

	/* blocks last: they add to and override what is outside them */
	for (int i = 0; rc == 0 && i < 2; i++) {
		const struct json *block = json_member(value, system_names[i]);

		if (block != NULL)
			rc = (int)r->as->system == i ? read_block(r, block)
						     : read_other_block(r, block);
	}
	return rc;
}
