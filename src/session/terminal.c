// SPDX-License-Identifier: MIT
/*
 * A terminal of the command's own, relayed to the caller's. The caller's is raw meanwhile, so that
 * every key, ^C and ^Z included, reaches the command through its own terminal. Output of the command
 * passes as it is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/fd.h"
#include "session/session.h"

static int
open_pair(struct relay *relay, struct cordon_error *err)
{
	char name[128];

	relay->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (relay->master < 0 || grantpt(relay->master) < 0 || unlockpt(relay->master) < 0 ||
	    ptsname_r(relay->master, name, sizeof name) != 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a terminal");
	relay->slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (relay->slave < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot open the new terminal");
	return 0;
}

int
relay_open(struct arena *arena, struct relay *ret_relay, struct cordon_error *err)
{
	struct relay relay = {.master = -1, .slave = -1, .outer = isatty(0) ? 0 : -1};
	struct termios *saved = arena_alloc(arena, sizeof *saved, err);
	int rc;

	if (saved == NULL)
		return -CORDON_E_MEMORY;
	rc = open_pair(&relay, err);
	if (rc < 0) {
		relay_close(&relay);
		return rc;
	}
	relay.saved = saved;
	if (relay.outer >= 0 && tcgetattr(relay.outer, saved) == 0)
		tcsetattr(relay.slave, TCSANOW, saved);
	relay_resize(&relay);
	*ret_relay = relay;
	return 0;
}

void
relay_resize(const struct relay *relay)
{
	struct winsize size;

	if (relay->outer >= 0 && ioctl(relay->outer, TIOCGWINSZ, &size) == 0)
		ioctl(relay->master, TIOCSWINSZ, &size);
}

void
relay_resume(struct relay *relay)
{
	struct termios raw;

	if (relay->outer < 0 || relay->raw)
		return;
	raw = *(struct termios *)relay->saved;
	cfmakeraw(&raw);
	relay->raw = tcsetattr(relay->outer, TCSADRAIN, &raw) == 0;
	relay_resize(relay);
}

void
relay_suspend(struct relay *relay)
{
	if (relay->raw)
		tcsetattr(relay->outer, TCSADRAIN, relay->saved);
	relay->raw = false;
}

static bool
write_whole(int fd, const char *text, ssize_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, text, (size_t)length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		text += n;
		length -= n;
	}
	return true;
}

bool
relay_pump(struct relay *relay, bool from_outer, bool from_command)
{
	static const char end_of_input = 4; /* ^D */
	char buffer[16384];
	ssize_t n;

	if (from_outer) {
		n = read(0, buffer, sizeof buffer);
		if (n > 0)
			write_whole(relay->master, buffer, n);
		else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
			/* the caller's input ended: so does the command's */
			write_whole(relay->master, &end_of_input, 1);
			relay->input_done = true;
		}
	}
	if (!from_command)
		return true;
	n = read(relay->master, buffer, sizeof buffer);
	if (n > 0)
		return write_whole(1, buffer, n);
	/* EIO: nobody has the command's side open any more */
	return n < 0 && (errno == EINTR || errno == EAGAIN);
}

void
relay_handed_over(struct relay *relay)
{
	close(relay->slave);
	relay->slave = -1;
}

void
relay_close(struct relay *relay)
{
	relay_suspend(relay);
	if (relay->master >= 0)
		close(relay->master);
	if (relay->slave >= 0)
		close(relay->slave);
	relay->master = relay->slave = -1;
}
