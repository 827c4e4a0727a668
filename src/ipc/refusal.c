// SPDX-License-Identifier: MIT
/* Sends and receives refusals, each as one message, and prints their text. */
#include "base/os.h"

#include "ipc/refusal.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "policy/model/guarantee.h"

#define USE_WAIT_MS 1000

static const struct {
	const char *name;
	enum guarantee guarantee;
} kinds[REFUSED_COUNT] = {
	[REFUSED_READ] = {"read", G_FILES_READ},
	[REFUSED_WRITE] = {"write", G_FILES_WRITE},
	[REFUSED_CREATE] = {"create", G_FILES_WRITE},
	[REFUSED_DELETE] = {"delete", G_FILES_WRITE},
	[REFUSED_EXECUTE] = {"execute", G_FILES_EXECUTE},
	[REFUSED_OPEN] = {"open", G_FILES_WRITE},
	[REFUSED_HIDE] = {"hide", G_FILES_METADATA},
	[REFUSED_LINK] = {"link", G_FILES_WRITE},
	[REFUSED_RENAME] = {"rename", G_FILES_WRITE},
	[REFUSED_CHANGE] = {"change", G_FILES_WRITE},
	[REFUSED_SOCKET] = {"socket", G_SOCKETS_PATH},
	[REFUSED_CONNECT] = {"connect", G_NET_TCP},
	[REFUSED_SEND] = {"send", G_NET_UDP},
	[REFUSED_RESOLVE] = {"resolve", G_NET_DNS},
	[REFUSED_NETWORK] = {"network", G_NET_TCP},
	[REFUSED_UDP] = {"network.udp", G_NET_UDP},
	[REFUSED_SYSV] = {"ipc.sysv", G_IPC_SYSV},
	[REFUSED_SIGNAL] = {"signal", G_PROCESS_SIGNAL},
	[REFUSED_STAT] = {"stat", G_FILES_READ},
};

void
refusal_forward(int line, const struct refusal *refusal)
{
	if (line >= 0)
		(void)!send(line, refusal, sizeof *refusal, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void
set_subject(struct refusal *refusal, const char *subject)
{
	size_t length = strlen(subject), room = sizeof refusal->subject - 1;

	refusal->version = REFUSAL_VERSION;
	snprintf(refusal->subject, sizeof refusal->subject, "%s",
		 length <= room ? subject : subject + length - room);
}

void
refusal_send(int line, struct refusal *refusal, const char *subject)
{
	set_subject(refusal, subject);
	refusal_forward(line, refusal);
}

void
refusal_send_use(int line, enum refused what, const char *subject)
{
	struct refusal use = {.what = (uint16_t)what, .is_use = true, .known = REFUSAL_PREDICTED};
	struct pollfd writable = {.fd = line, .events = POLLOUT};

	set_subject(&use, subject);
	/* the supervisor may be stopped: then the rest is lost, and the command goes on */
	if (line >= 0 && poll(&writable, 1, USE_WAIT_MS) == 1)
		refusal_forward(line, &use);
}

/* The sender may be the proxy, which handles untrusted data. */
static bool
is_valid(const struct refusal *refusal)
{
	return refusal->version == REFUSAL_VERSION && refusal->what < REFUSED_COUNT &&
	       refusal->known < REFUSAL_KNOWN && (refusal->cause > CAUSE_NONE || refusal->is_use) &&
	       refusal->cause < CAUSE_COUNT && refusal->detail < CAUSE_COUNT &&
	       refusal->layer < LAYER_COUNT;
}

bool
refusal_receive(int line, struct refusal *ret_refusal, bool *ret_ended)
{
	struct refusal got;
	ssize_t n;

	do
		n = recv(line, &got, sizeof got, MSG_DONTWAIT);
	while ((n < 0 && errno == EINTR) || (n > 0 && (n != sizeof got || !is_valid(&got))));
	*ret_ended = n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
	if (n <= 0)
		return false;
	got.rule[sizeof got.rule - 1] = got.name[sizeof got.name - 1] = '\0';
	got.subject[sizeof got.subject - 1] = '\0';
	*ret_refusal = got;
	return true;
}

void
refusal_decided(struct refusal *to, const struct decision *by)
{
	const struct planned_rule *rule = by->rule;

	to->nest = by->nest;
	to->overrides = by->overridden;
	to->cause = by->nest != 0	     ? CAUSE_NEST
		    : by->protection != NULL ? CAUSE_PROTECTED
		    : rule != NULL	     ? CAUSE_DENIED
					     : CAUSE_NOT_GRANTED;
	if (by->protection != NULL)
		snprintf(to->rule, sizeof to->rule, "%s", by->protection->pattern);
	if (by->protection != NULL || rule == NULL)
		return;
	snprintf(to->rule, sizeof to->rule, "%s", rule->rule->srcpos.file);
	to->line = rule->rule->srcpos.line;
	to->column = rule->rule->srcpos.column;
	to->layer = (uint8_t)rule->layer;
	to->match = (uint8_t)rule->match;
}

/* ---- text ---- */

const char *
refusal_what(const struct refusal *refusal)
{
	return kinds[refusal->what].name;
}

const char *
refusal_guarantee(const struct refusal *refusal)
{
	return guarantee_names[kinds[refusal->what].guarantee];
}

void
refusal_print_rule(const struct refusal *refusal, struct str *to)
{
	str_add(to, refusal->rule);
	if (refusal->line > 0)
		str_printf(to, ":%u:%u", (unsigned)refusal->line, (unsigned)refusal->column);
}

static void
print_parameter(const struct refusal *refusal, char which, struct str *to)
{
	switch (which) {
	case 'd':
		str_add(to, cause_text((enum cause)refusal->detail));
		break;
	case 'n':
		str_add(to, refusal->name);
		break;
	case 'r':
		refusal_print_rule(refusal, to);
		break;
	default:
		str_printf(to, "%u", (unsigned)refusal->number);
	}
}

void
refusal_print_reason(const struct refusal *refusal, struct str *to)
{
	const char *text = cause_text((enum cause)refusal->cause);

	for (size_t length; *text != '\0'; text += length) {
		length = strcspn(text, "%");
		str_add_n(to, text, length);
		if (text[length] == '%') {
			print_parameter(refusal, text[length + 1], to);
			length += 2;
		}
	}
}

void
refusal_print_option(const struct refusal *refusal, struct str *to)
{
	const char *subject = refusal->subject, *port = strrchr(subject, ':');
	auto_str struct str host = {0};

	switch (cause_row((enum cause)refusal->cause)->remedy) {
	case REMEDY_TMP:
		str_add(to, "--tmp shared");
		break;
	case REMEDY_DOMAIN:
		str_add_n(&host, subject,
			  port == NULL ? strlen(subject) : (size_t)(port - subject));
		str_add(to, "--domain ");
		str_shell(to, host.failed || host.text == NULL ? "" : host.text);
		break;
	case REMEDY_PORT:
		str_printf(to, "--port %u", (unsigned)refusal->number);
		break;
	case REMEDY_OPAQUE:
		str_printf(to, "--opaque-port %u", (unsigned)refusal->number);
		break;
	case REMEDY_PRIVATE:
		str_add(to, "\"network\": {\"private\": [");
		str_json(to, refusal->name);
		str_add(to, "]}");
		break;
	case REMEDY_ECH:
		str_add(to, "\"network\": {\"ech\": \"allow\"}");
		break;
	default:
		break;
	}
}
