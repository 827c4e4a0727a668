// SPDX-License-Identifier: MIT
/*
 * Writes the denials of the system log to the audit log. The command chooses what is denied, so each kind
 * is written once and their number is limited. The system log may be late, so it is read for a moment after
 * the session ended.
 */
#include "base/os.h"

#include "macos/denial_log.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "audit/log.h"
#include "base/clock.h"
#include "base/fd.h"
#include "macos/sbpl/denial_parse.h"
#include "plan/plan.h"

#define LINE_MAX_BYTES 65536
#define EVENTS_MAX 1000

struct denial_log {
	const struct reporter *from;
	int life, log; /* fds; -1: closed */
	pid_t pid;     /* of the process that prints the system log */
	char line[LINE_MAX_BYTES];
	size_t length;
	bool too_long;	/* skip the rest of this line */
	char word[200]; /* the last line that was no report: an error message, perhaps */
	uint64_t seen[EVENTS_MAX];
	size_t count;
	bool is_full;
};

/* ---- events ---- */

static void
write_event(const struct denial_log *report, const char *event, struct str *more)
{
	auto_str struct str line = {0};
	char when[32];

	log_time(when, sizeof when);
	str_printf(&line, "{\"time\": \"%s\", \"session\": \"%s\", \"event\": \"%s\"%s}", when,
		   report->from->id, event, more->text == NULL ? "" : more->text);
	/* a failure cannot be reported from here */
	if (!line.failed && !more->failed)
		log_append(report->from->state_dir, line.text, NULL);
}

static void
write_denial(const struct denial_log *report, const struct seatbelt_denial *denial)
{
	static const char *const names[RIGHT_KINDS] = {"read", "write", "create", "delete",
						       "execute"};
	auto_str struct str more = {0};

	str_printf(&more, ", \"operation\": \"%s\"", denial->operation);
	if (denial->right >= 0)
		str_printf(&more, ", \"right\": \"%s\"", names[denial->right]);
	str_add(&more, denial->right >= 0 ? ", \"path\": " : ", \"subject\": ");
	str_json_bytes(&more, denial->subject);
	str_add(&more, ", \"process\": ");
	str_json_bytes(&more, denial->process);
	str_printf(&more, ", \"pid\": %ld", (long)denial->pid);
	write_event(report, "denied", &more);
}

static void
write_words(const struct denial_log *report, const char *words)
{
	auto_str struct str more = {0};

	str_add(&more, ", \"reason\": ");
	str_json_bytes(&more, words);
	write_event(report, "denials not reported", &more);
}

/* ---- reading ---- */

static uint64_t
hash_of(const struct seatbelt_denial *denial)
{
	const char *const texts[] = {denial->operation, denial->subject};
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < 2; i++)
		for (const char *at = texts[i];; at++) {
			hash = (hash ^ (unsigned char)*at) * 1099511628211u;
			if (*at == '\0')
				break;
		}
	return hash;
}

/* Each kind once, and a limited number. */
static bool
is_news(struct denial_log *report, const struct seatbelt_denial *denial)
{
	uint64_t hash = hash_of(denial);

	for (size_t i = 0; i < report->count; i++)
		if (report->seen[i] == hash)
			return false;
	if (report->count < EVENTS_MAX) {
		report->seen[report->count++] = hash;
		return true;
	}
	if (!report->is_full)
		write_words(report, "there were more than were recorded");
	report->is_full = true;
	return false;
}

static void
take_line(struct denial_log *report)
{
	auto_arena struct arena arena = {0};
	struct seatbelt_denial denial;

	if (report->length > 0 && *report->line != '{')
		snprintf(report->word, sizeof report->word, "%.*s",
			 (int)(report->length < 190 ? report->length : 190), report->line);
	if (!report->too_long &&
	    denial_parse(&arena, report->line, report->length, report->from->tag, &denial, NULL) ==
		    1 &&
	    is_news(report, &denial))
		write_denial(report, &denial);
	report->length = 0;
	report->too_long = false;
}

static void
take_text(struct denial_log *report, const char *text, size_t length)
{
	for (; length > 0; text++, length--) {
		if (*text == '\n')
			take_line(report);
		else if (report->length < sizeof report->line)
			report->line[report->length++] = *text;
		else
			report->too_long = true;
	}
}

static void
read_log(struct denial_log *report)
{
	char text[4096];
	ssize_t n = read(report->log, text, sizeof text);

	if (n > 0)
		take_text(report, text, (size_t)n);
	else if (n == 0 || errno != EINTR) {
		close(report->log);
		report->log = -1;
	}
}

/* ---- the process ---- */

static void
start_log(struct denial_log *report)
{
	static char path[] = "PATH=/usr/bin:/bin";
	char *environment[] = {path, NULL};
	int ends[2];

	if (os_pipe(ends) < 0)
		return;
	report->pid = fork();
	if (report->pid == 0) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		if (dup2(ends[1], 1) == 1 && dup2(ends[1], 2) == 2)
			execve(report->from->argv[0], (char *const *)report->from->argv,
			       environment);
		_exit(127);
	}
	close(ends[1]);
	report->log = ends[0];
}

static void
follow(struct denial_log *report)
{
	int64_t until = 0;

	while (report->log >= 0 && (until == 0 || clock_ms() < until)) {
		struct pollfd fds[2] = {{.fd = report->log, .events = POLLIN},
					{.fd = report->life, .events = POLLIN}};

		if (poll(fds, 2, until == 0 ? -1 : (int)(until - clock_ms())) < 0 && errno != EINTR)
			return;
		if (fds[0].revents)
			read_log(report);
		if (fds[1].revents) {
			close(report->life);
			report->life = -1;
			until = clock_ms() + report->from->late_ms;
		}
	}
}

/* If the program exits by itself, it was refused: the log needs an administrator. */
static void
end_log(struct denial_log *report)
{
	bool ended = report->log < 0;
	int status = 0;

	if (report->pid <= 0)
		return;
	if (!ended)
		kill(report->pid, SIGKILL);
	while (waitpid(report->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (ended && status != 0)
		write_words(report, *report->word == '\0' ? "the system's log cannot be followed"
							  : report->word);
}

static _Noreturn void
reporter_main(const struct reporter *reporter, int life)
{
	struct denial_log report = {.from = reporter, .life = life, .log = -1};
	int *const own[] = {&report.life};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	for (int fd = 0; fd < 3; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			_exit(1);
	/* keep no fds of the session open, or a reader would wait for this process */
	fd_keep_only(own, 1);
	if (chdir("/") == 0)
		start_log(&report);
	if (report.log >= 0)
		follow(&report);
	end_log(&report);
	_exit(0);
}

int
denial_log_start(const struct reporter *reporter)
{
	int ends[2], sys;
	pid_t child;

	if (os_pipe(ends) < 0)
		return -1;
	child = fork();
	if (child == 0) {
		pid_t grandchild = fork();

		close(ends[1]);
		if (grandchild == 0)
			reporter_main(reporter, ends[0]);
		_exit(grandchild < 0);
	}
	sys = errno;
	close(ends[0]);
	if (child > 0) {
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
		return ends[1];
	}
	close(ends[1]);
	errno = sys;
	return -1;
}
