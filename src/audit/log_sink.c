// SPDX-License-Identifier: MIT
/*
 * Sends events to systemd's journal in its native protocol, or to /dev/log. An event is one line without
 * control characters, so a text that the command chose ends no field and begins none.
 */
#include "base/os.h"

#include "audit/log_sink.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"

#define WAIT_MS 1000
#define NOTICE 5 /* severity */
#define USER 8	 /* facility, in its position */

static void
print_for_journal(const struct event *event, const struct str *line, struct str *to)
{
	str_printf(to, "MESSAGE=%s\nPRIORITY=%d\nSYSLOG_IDENTIFIER=cordon\nCORDON_EVENT=%s\n",
		   line->text, NOTICE, event_names[event->kind]);
	if (event->session != NULL)
		str_printf(to, "CORDON_SESSION=%s\n", event->session);
}

/* As syslog(3), whose ident and socket belong to the program that uses this library. */
static void
print_for_syslog(const struct event *event, const struct str *line, struct str *to)
{
	time_t now = time(NULL);
	struct tm local;
	char date[32];

	(void)event;
	if (localtime_r(&now, &local) != NULL &&
	    strftime(date, sizeof date, "%b %e %H:%M:%S", &local) > 0)
		str_printf(to, "<%d>%s cordon[%d]: %s", USER | NOTICE, date, (int)getpid(),
			   line->text);
	else
		to->failed = true;
}

static const struct {
	const char *name, *socket;
	void (*print)(const struct event *, const struct str *, struct str *);
} sinks[] = {
	[LOG_SINK_JOURNAL] = {"the journal", "/run/systemd/journal/socket", print_for_journal},
	[LOG_SINK_SYSLOG] = {"syslog", "/dev/log", print_for_syslog},
};

/* Connected, because only then poll() waits for room in the queue of the reader. */
static bool
send_line(int fd, const char *path, const struct str *text)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	struct pollfd writable = {.fd = fd, .events = POLLOUT};

	snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
	return fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) == 0 &&
	       poll(&writable, 1, WAIT_MS) >= 0 &&
	       send(fd, text->text, text->length, MSG_NOSIGNAL) >= 0;
}

int
log_sink_send(enum log_sink sink, const struct event *event, const struct str *line,
	      struct cordon_error *err)
{
	auto_fd int fd = os_socket(AF_UNIX, SOCK_DGRAM);
	auto_str struct str text = {0};

	sinks[sink].print(event, line, &text);
	if (text.failed)
		return cordon_no_memory(err);
	if (send_line(fd, sinks[sink].socket, &text))
		return 0;
	return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot send an event to %s, %s",
			   sinks[sink].name, sinks[sink].socket);
}
