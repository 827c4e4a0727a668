// SPDX-License-Identifier: MIT
/*
 * Explains decisions. It must use the same index, settings and tables as the broker, and never
 * decide in another way.
 */
#include "explain/why.h"

#include <string.h>

#include "base/array.h"
#include "explain/refused.h"
#include "explain/remedy.h"
#include "host/resolve.h"
#include "plan/environ.h"
#include "plan/hosts.h"
#include "plan/network.h"
#include "policy/model/value.h"

void
why_source(const struct planned_rule *rule, struct str *to)
{
	const struct srcpos *srcpos = &rule->rule->srcpos;

	str_visible(to, srcpos->file);
	if (srcpos->line != 0)
		str_printf(to, ":%u:%u", srcpos->line, srcpos->column);
}

/* The answer for the network, sockets and variables: one line. */
struct why_line {
	const char *what, *subject;
	bool allowed;
	enum cause cause;	     /* if it is denied */
	const char *reason;	     /* if it is allowed */
	const struct srcpos *srcpos; /* or NULL */
	unsigned port;
	const char *remedy; /* or NULL */
	bool make_first;    /* the remedy is an error until the path exists */
};

static void
line_text(const struct why_line *line, const char *reason, const char *source, struct str *to)
{
	str_printf(to, "%s: %s ", line->allowed ? "allowed" : "denied", line->what);
	str_visible(to, line->subject);
	str_printf(to, "\n  because: %s", reason);
	if (source != NULL) {
		str_add(to, " (");
		str_visible(to, source);
		str_add(to, ")");
	}
	if (line->remedy != NULL) {
		str_printf(to, "\n  to allow it: %s", line->make_first ? "make it, then " : "");
		str_visible(to, line->remedy);
	}
	str_add(to, "\n");
}

/* The members of an answer about a path are null. */
static void
line_json(const struct why_line *line, const char *reason, const char *source, struct str *to)
{
	const struct why_head head = {line->what,  line->subject, line->allowed,
				      line->cause, reason,	  source};

	why_print_head(&head, to);
	str_add(to, ", \"remedy\": ");
	str_json_or_null(to, line->make_first ? NULL : line->remedy);
	str_add(to, ", \"profile\": null, \"path\": null, \"exists\": null, \"rights\": null, "
		    "\"vetted\": null, \"held_by\": null, \"rule\": null, \"protection\": null}\n");
}

static int
explain(const struct why_line *line, bool json, struct str *to)
{
	const struct refusal refusal = {.cause = (uint16_t)line->cause, .number = line->port};
	auto_str struct str source = {0}, reason = {0};

	if (line->reason != NULL)
		str_add(&reason, line->reason);
	else
		refused_print_cause(NULL, &refusal, &reason);
	if (line->srcpos != NULL && line->srcpos->line != 0)
		str_printf(&source, "%s:%u:%u", line->srcpos->file, line->srcpos->line,
			   line->srcpos->column);
	else if (line->srcpos != NULL)
		str_add(&source, line->srcpos->file);
	(json ? line_json : line_text)(line, reason.text == NULL ? "" : reason.text, source.text,
				       to);
	to->failed = to->failed || source.failed || reason.failed;
	return line->allowed;
}

/* The host as the session sees it: a name that /etc/hosts maps to loopback is localhost. */
static const char *
host_in_session(const struct network *network, const char *host, unsigned port)
{
	static const uint8_t loopback[16] = {[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1};
	auto_arena struct arena arena = {0};
	size_t length;
	char *text;

	/* with domains and a private range that covers loopback, the name decides */
	if (network->mode == NET_DOMAINS && network_covers_private(network, loopback) &&
	    !network_lists_local(network, port))
		return host;
	return host_read_file(&arena, "/etc/hosts", HOSTS_FILE_MAX, &text, &length, NULL) == 0 &&
			       hosts_is_loopback(text, host)
		       ? "localhost"
		       : host;
}

#define SUBJECT_SIZE 300 /* longer than a host and a port */

/* Copies HOST:PORT to `to` without a trailing /udp; returns whether there was one. */
static bool
strip_udp(const char *subject, char to[SUBJECT_SIZE])
{
	static const char suffix[] = "/udp";
	size_t length = strlen(subject), end = strlen(suffix);

	if (length <= end || length >= SUBJECT_SIZE || strcmp(subject + length - end, suffix) != 0)
		return false;
	memcpy(to, subject, length - end);
	to[length - end] = '\0';
	return true;
}

/* Checks what datagrams need in addition to a connection. */
static void
decide_datagrams(const struct plan *plan, const char *host, struct net_answer *answer,
		 struct str *remedy)
{
	const struct network *network = &plan->settings.network;

	if (network->mode == NET_ALL || plan->has_datagrams)
		return;
	if (answer->allowed)
		answer->cause = network->udp == UDP_ALLOW && network->mode == NET_LOCALHOST
					? CAUSE_NET_UDP_LOCAL
					: CAUSE_NET_UDP;
	answer->allowed = false;
	answer->reason = NULL;
	/* no option allows datagrams to a name */
	if (!network_is_loopback(host)) {
		str_free(remedy);
		*remedy = (struct str){0};
	} else if (network->udp != UDP_ALLOW) {
		str_add(remedy, remedy->text == NULL ? "--udp" : " --udp");
	}
}

static int
why_connect(const struct plan *plan, const char *subject, bool json, struct str *to,
	    struct cordon_error *err)
{
	const struct network *network = &plan->settings.network;
	auto_str struct str remedy = {0};
	const struct srcpos *srcpos = NULL;
	struct net_answer answer;
	char named[256], plain[SUBJECT_SIZE];
	const char *host;
	unsigned port;
	bool is_udp = strip_udp(subject, plain);
	int rc = network_split(is_udp ? plain : subject, named, sizeof named, &port, err);

	if (rc < 0)
		return rc;
	host = host_in_session(network, named, port);
	answer = plan->routes_network ? network_decide_socket(network, host, port)
				      : network_decide(network, host, port);
	if (!answer.allowed)
		network_advise(network, host, port, &answer, &remedy);
	if (is_udp)
		decide_datagrams(plan, host, &answer, &remedy);
	if (remedy.failed)
		return cordon_no_memory(err);
	if (answer.domain != NULL)
		srcpos = &answer.domain->srcpos;
	else if (network->srcpos.file != NULL)
		srcpos = &network->srcpos;
	return explain(&(struct why_line){.what = "connect",
					  .subject = subject,
					  .allowed = answer.allowed,
					  .cause = answer.cause,
					  .reason = answer.reason,
					  .srcpos = srcpos,
					  .port = port,
					  .remedy = remedy.text},
		       json, to);
}

static bool
is_preset(const char *name)
{
	for (size_t i = 0; socket_presets[i] != NULL; i++)
		if (strcmp(socket_presets[i], name) == 0)
			return true;
	return false;
}

/* Prints the danger of a socket whether it is granted or not. */
static int
explain_socket(const struct why_line *line, bool json, struct str *to)
{
	const char *danger = json ? NULL : plan_socket_danger(line->subject);
	int allowed = explain(line, json, to);

	if (danger != NULL)
		str_printf(to, "  think twice: %s\n", danger);
	return allowed;
}

static int
why_preset(const struct plan *plan, const char *name, bool json, struct str *to,
	   struct cordon_error *err)
{
	auto_arena struct arena arena = {0};
	const struct words *granted = &plan->settings.sockets;
	const struct srcpos *srcpos = NULL;
	const char *remedy = arena_printf(&arena, err, "--socket %s", name);

	if (remedy == NULL)
		return -CORDON_E_MEMORY;
	for (size_t i = 0; i < granted->count; i++)
		if (strcmp(granted->items[i].text, name) == 0)
			srcpos = &granted->items[i].srcpos;
	return explain_socket(&(struct why_line){.what = "socket",
						 .subject = name,
						 .allowed = srcpos != NULL,
						 .cause = CAUSE_SOCKET,
						 .reason = srcpos != NULL ? "the policy names it"
									  : NULL,
						 .srcpos = srcpos,
						 .remedy = srcpos != NULL ? NULL : remedy},
			      json, to);
}

/* Would connecting fail whatever the policy? */
static bool
is_no_socket(enum fs_kind kind)
{
	return kind == FS_DIR || kind == FS_FILE || kind == FS_OTHER;
}

static int
why_socket_path(const struct plan *plan, const char *subject, bool json, struct str *to,
		struct cordon_error *err)
{
	auto_arena struct arena arena = {0};
	struct socket_answer answer;
	auto_str struct str remedy = {0};
	struct resolved resolved;
	int rc = why_subject(plan, subject, &arena, &resolved, err);

	if (rc < 0)
		return rc;
	answer = plan_decide_socket(plan, resolved.path);
	if (answer.allowed && is_no_socket(resolved.kind))
		answer = (struct socket_answer){.cause = CAUSE_NO_SOCKET};
	/* no remedy for a directory: each socket must be named */
	if (!answer.allowed && !is_no_socket(resolved.kind)) {
		str_add(&remedy, "--socket ");
		str_shell(&remedy, resolved.path);
	}
	if (remedy.failed)
		return cordon_no_memory(err);
	return explain_socket(&(struct why_line){.what = "socket",
						 .subject = resolved.path,
						 .allowed = answer.allowed,
						 .cause = answer.cause,
						 .reason = answer.reason,
						 .srcpos = answer.srcpos,
						 .remedy = remedy.text,
						 .make_first = remedy_is_missing(plan, &resolved)},
			      json, to);
}

static int
why_env(const struct plan *plan, const char *name, bool json, struct str *to,
	struct cordon_error *err)
{
	struct env_answer answer = environ_decide(&plan->settings, name);
	auto_arena struct arena arena = {0};
	const char *remedy = arena_printf(&arena, err, "--env %s", name);

	if (remedy == NULL)
		return -CORDON_E_MEMORY;
	return explain(&(struct why_line){.what = "env",
					  .subject = name,
					  .allowed = answer.passes,
					  .reason = answer.reason,
					  .srcpos = answer.srcpos,
					  .remedy = answer.passes ? NULL : remedy},
		       json, to);
}

static int
why_socket(const struct plan *plan, const char *subject, bool json, struct str *to,
	   struct cordon_error *err)
{
	return is_preset(subject) ? why_preset(plan, subject, json, to, err)
				  : why_socket_path(plan, subject, json, to, err);
}

int
why_answer(const struct plan *plan, const char *what, const char *subject, bool json,
	   struct str *to, struct cordon_error *err)
{
	static const struct {
		const char *what;
		int (*answer)(const struct plan *plan, const char *subject, bool json,
			      struct str *to, struct cordon_error *err);
	} kinds[] = {{"connect", why_connect}, {"socket", why_socket}, {"env", why_env}};

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (strcmp(what, kinds[i].what) == 0)
			return kinds[i].answer(plan, subject, json, to, err);
	return why_path(plan, what, subject, json, to, err);
}
