// SPDX-License-Identifier: MIT
/*
 * Relays a pty of the command to the invoker's terminal, which is raw meanwhile: every key, ^C and ^Z
 * included, reaches the command through the pty. Output is not changed.
 *
 * Job control of the invoker's shell keeps working. In the background and in a pipeline, where
 * another program may read the terminal, the command starts in the background of its pty. When it
 * uses the pty the kernel stops it, as without a relay; then the supervisor takes the invoker's
 * terminal or stops too.
 */
#include "base/os.h"

#include "session/supervisor/pty_relay.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A pipe that polls as writable takes that much without blocking. */
#define CHUNK 4096

/* Is this process group in the background of its controlling terminal? */
static bool
is_behind(int terminal)
{
	return tcgetsid(terminal) == getsid(0) && tcgetpgrp(terminal) != getpgrp();
}

static int
standard_terminal(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (isatty(fd))
			return fd;
	return -1;
}

bool
pty_relay_terminal_is_standard(void)
{
	return standard_terminal() >= 0;
}

/* ---- opening ---- */

static int
open_pair(struct relay *relay, struct cordon_error *err)
{
	char name[128];

	relay->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (relay->master < 0 || grantpt(relay->master) < 0 || unlockpt(relay->master) < 0 ||
	    ptsname_r(relay->master, name, sizeof name) != 0 ||
	    fcntl(relay->master, F_SETFL, O_RDWR | O_NONBLOCK) < 0 ||
	    fcntl(relay->master, F_SETFD, FD_CLOEXEC) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a terminal");
	relay->slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (relay->slave < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot open the new terminal");
	return 0;
}

/* Opens the terminal again if possible, because O_NONBLOCK on fds 0-2 would affect the invoker. */
static int
open_standard(struct relay *relay, struct cordon_error *err)
{
	int fd = standard_terminal();
	char name[128];

	relay->replaces_all = fd < 0;
	relay->is_wanted = fd < 0 || (isatty(0) && isatty(1) && isatty(2));
	if (fd < 0)
		return 0;
	if (tcgetsid(fd) == getsid(0) && os_terminal_name(fd, name, sizeof name))
		relay->outer = open(name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (relay->outer < 0)
		relay->outer = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (relay->outer < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot open the terminal");
	return 0;
}

/*
 * Copies the settings of the invoker's terminal to the pty; without a terminal, disables echo. In
 * the background the terminal has the settings of the shell's line editor: make_raw copies them
 * later.
 */
static void
set_up_slave(struct relay *relay)
{
	struct termios outer, settings;

	if (tcgetattr(relay->slave, &settings) < 0)
		return;
	if (relay->outer < 0) {
		settings.c_lflag &= (tcflag_t) ~(ECHO | ECHONL);
	} else if (tcgetattr(relay->outer, &outer) == 0) {
		relay->is_like_outer = !is_behind(relay->outer);
		settings.c_lflag |= outer.c_lflag & TOSTOP;
	}
	tcsetattr(relay->slave, TCSANOW, relay->is_like_outer ? &outer : &settings);
	pty_relay_resize(relay);
}

static int
open_new(struct relay *relay, struct cordon_error *err)
{
	int rc = open_pair(relay, err);

	if (rc < 0) {
		pty_relay_close(relay);
		return rc;
	}
	set_up_slave(relay);
	return 0;
}

int
pty_relay_open(struct relay *ret_relay, struct cordon_error *err)
{
	int rc;

	*ret_relay = (struct relay){.master = -1, .slave = -1, .outer = -1};
	rc = open_standard(ret_relay, err);
	return rc < 0 ? rc : open_new(ret_relay, err);
}

int
pty_relay_open_counting(struct relay *ret_relay, struct cordon_error *err)
{
	int rc;

	if (standard_terminal() >= 0) {
		rc = pty_relay_open(ret_relay, err);
		return rc < 0 ? rc : 1;
	}
	*ret_relay = (struct relay){.master = -1, .slave = -1, .outer = -1};
	ret_relay->outer = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (ret_relay->outer < 0)
		return 0;
	rc = open_new(ret_relay, err);
	return rc < 0 ? rc : 1;
}

bool
pty_relay_replaces(const struct relay *relay, int fd)
{
	return relay->replaces_all || isatty(fd);
}

void
pty_relay_handed_over(struct relay *relay)
{
	close(relay->slave);
	relay->slave = -1;
}

static void
shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void
pty_relay_close(struct relay *relay)
{
	pty_relay_leave(relay);
	shut(&relay->master);
	shut(&relay->slave);
	shut(&relay->outer);
}

/* ---- the invoker's terminal ---- */

void
pty_relay_resize(const struct relay *relay)
{
	struct winsize size;

	if (relay->outer >= 0 && ioctl(relay->outer, TIOCGWINSZ, &size) == 0)
		ioctl(relay->master, TIOCSWINSZ, &size);
}

static bool
are_equal(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
	       a->c_lflag == b->c_lflag && memcmp(a->c_cc, b->c_cc, sizeof a->c_cc) == 0;
}

/* Does the terminal still have the settings of make_raw? */
static bool
is_raw(const struct relay *relay)
{
	struct termios now;

	return relay->in_front && tcgetattr(relay->outer, &now) == 0 &&
	       are_equal(&now, &relay->raw);
}

static void
make_raw(struct relay *relay)
{
	struct termios raw;

	if (is_raw(relay) || tcgetattr(relay->outer, &relay->found) < 0)
		return;
	if (!relay->is_like_outer)
		tcsetattr(relay->master, TCSANOW, &relay->found);
	relay->is_like_outer = true;
	raw = relay->found;
	cfmakeraw(&raw);
	tcsetattr(relay->outer, TCSADRAIN, &raw);
	/* the driver may not accept every setting */
	tcgetattr(relay->outer, &relay->raw);
	pty_relay_resize(relay);
}

bool
pty_relay_enter(struct relay *relay)
{
	if (!relay->is_wanted)
		return false;
	if (!relay->is_cut_off && relay->outer >= 0 && is_behind(relay->outer)) {
		relay->in_front = false;
		return false;
	}
	if (!relay->is_cut_off && relay->outer >= 0)
		make_raw(relay);
	relay->in_front = true;
	return true;
}

bool
pty_relay_want(struct relay *relay)
{
	relay->is_wanted = true;
	return pty_relay_enter(relay);
}

void
pty_relay_leave(struct relay *relay)
{
	/* leave settings alone that another program of the pipeline made since */
	if (relay->outer >= 0 && !is_behind(relay->outer) && is_raw(relay))
		tcsetattr(relay->outer, TCSADRAIN, &relay->found);
	relay->in_front = false;
}

bool
pty_relay_waits_for_front(const struct relay *relay)
{
	return relay->is_wanted && !relay->in_front && relay->master >= 0;
}

/* ---- relaying ---- */

static size_t
length(const struct relay_text *text)
{
	return text->end - text->start;
}

/* Reserves space for the two bytes of type_end. */
static size_t
room(const struct relay_text *text)
{
	return sizeof text->text - 2 - text->end;
}

void
pty_relay_poll(const struct relay *relay, struct pollfd fds[RELAY_FDS])
{
	bool reads = relay->in_front && !relay->input_ended && room(&relay->typed) > 0;
	int in = relay->outer >= 0 ? relay->outer : 0, out = relay->outer >= 0 ? relay->outer : 1;
	int events = (room(&relay->shown) > 0 ? POLLIN : 0) |
		     (length(&relay->typed) > 0 ? POLLOUT : 0);

	fds[RELAY_IN] = (struct pollfd){.fd = reads ? in : -1, .events = POLLIN};
	fds[RELAY_COMMAND] =
		(struct pollfd){.fd = events != 0 ? relay->master : -1, .events = (short)events};
	fds[RELAY_OUT] =
		(struct pollfd){.fd = length(&relay->shown) > 0 ? out : -1, .events = POLLOUT};
}

/* Returns the number of bytes read, 0 if none are available, -1 at end of file or error. */
static int
fill(struct relay_text *text, int fd)
{
	ssize_t n = read(fd, text->text + text->end, room(text));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0)
		return -1;
	text->end += (size_t)n;
	return (int)n;
}

/* Returns false if the write failed. */
static bool
pour(struct relay_text *text, int fd)
{
	size_t amount = length(text) < CHUNK ? length(text) : CHUNK;
	ssize_t n = write(fd, text->text + text->start, amount);

	if (n < 0 && errno != EINTR && errno != EAGAIN)
		return false;
	text->start += n > 0 ? (size_t)n : 0;
	if (text->start == text->end)
		text->start = text->end = 0;
	return true;
}

/* Types VEOF for end of file: once at the start of a line, else twice. */
static void
type_end(struct relay *relay)
{
	struct relay_text *typed = &relay->typed;
	struct termios settings;
	char key = 4;

	if (tcgetattr(relay->master, &settings) == 0)
		key = (char)settings.c_cc[VEOF];
	if (relay->last_key != '\0' && relay->last_key != '\n')
		typed->text[typed->end++] = key;
	typed->text[typed->end++] = key;
}

void
pty_relay_cut_off(struct relay *relay)
{
	if (!relay->input_ended)
		type_end(relay);
	relay->input_ended = relay->is_cut_off = true;
}

static void
read_keys(struct relay *relay, int fd)
{
	int n = fill(&relay->typed, fd);

	if (n > 0)
		relay->last_key = relay->typed.text[relay->typed.end - 1];
	else if (n < 0 && relay->outer >= 0 && is_behind(relay->outer))
		relay->in_front = false;
	else if (n < 0 && relay->outer >= 0)
		relay->input_ended = true;
	else if (n < 0)
		pty_relay_cut_off(relay);
}

/* Returns false if no process has the slave open. */
static bool
read_shown(struct relay *relay)
{
	int n = fill(&relay->shown, relay->master);
	size_t counted = n > 0 ? (size_t)n : 0;

	error_words_read(&relay->words, relay->shown.text + relay->shown.end - counted, counted);
	if (relay->left != NULL && counted > *relay->left) {
		*relay->is_exhausted = true;
		relay->shown.end -= counted - (size_t)*relay->left;
		counted = (size_t)*relay->left;
	}
	if (relay->left != NULL)
		*relay->left -= counted;
	return n >= 0;
}

bool
pty_relay_pump(struct relay *relay, const struct pollfd fds[RELAY_FDS])
{
	const struct pollfd *command = &fds[RELAY_COMMAND];

	if (fds[RELAY_IN].revents != 0)
		read_keys(relay, fds[RELAY_IN].fd);
	if (fds[RELAY_OUT].revents != 0 && !pour(&relay->shown, fds[RELAY_OUT].fd)) {
		relay->shown.start = relay->shown.end = 0;
		shut(&relay->master);
		return false;
	}
	if (relay->master < 0 || command->revents == 0)
		return true;
	if ((command->revents & POLLOUT) && !pour(&relay->typed, relay->master))
		relay->typed.start = relay->typed.end = 0;
	if ((command->events & POLLIN) && (command->revents & ~POLLOUT) && !read_shown(relay))
		shut(&relay->master);
	return true;
}

bool
pty_relay_has_more(const struct relay *relay)
{
	return relay->master >= 0 || length(&relay->shown) > 0;
}

/* ---- without a relay ---- */

void
pty_relay_terminal_note(struct terminal_note *ret_note)
{
	struct terminal_note note = {.fd = standard_terminal()};

	if (note.fd >= 0 && (is_behind(note.fd) || tcgetattr(note.fd, &note.found) < 0))
		note.fd = -1;
	*ret_note = note;
}

void
pty_relay_terminal_restore(const struct terminal_note *note)
{
	if (note->fd >= 0 && !is_behind(note->fd))
		tcsetattr(note->fd, TCSADRAIN, &note->found);
}
