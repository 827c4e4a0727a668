// SPDX-License-Identifier: MIT
/*
 * Counts the output of a command, through pipes. Used only with an output limit; otherwise the
 * command inherits fds 1 and 2. If they are one file they share one pipe, to keep the order of
 * lines.
 */
#include "base/os.h"

#include <sys/stat.h>
#include <unistd.h>

#include "session/session.h"
#include "session/supervisor/pty_relay.h"

static bool
are_one_file(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

int
output_open(uint64_t limit, struct relay *relay, struct output *ret_output,
	    struct cordon_error *err)
{
	struct output output = {.ours = {-1, -1}, .theirs = {-1, -1}, .left = limit};
	int pipes = are_one_file(1, 2) ? 1 : 2;

	for (int i = 0; i < pipes; i++) {
		int ends[2];

		if (relay != NULL && pty_relay_replaces(relay, i + 1))
			continue;
		if (os_pipe(ends) < 0) {
			int sys = errno;

			output_handed_over(&output);
			output_close(&output);
			return cordon_fail(err, CORDON_E_SYSTEM, sys, "cannot make a pipe");
		}
		output.ours[i] = ends[0];
		output.theirs[i] = ends[1];
	}
	if (pipes == 1)
		output.theirs[1] = output.theirs[0];
	*ret_output = output;
	if (relay != NULL) {
		relay->left = &ret_output->left;
		relay->is_exhausted = &ret_output->exhausted;
	}
	return 0;
}

void
output_handed_over(struct output *output)
{
	if (output->theirs[0] >= 0)
		close(output->theirs[0]);
	if (output->theirs[1] >= 0 && output->theirs[1] != output->theirs[0])
		close(output->theirs[1]);
	output->theirs[0] = output->theirs[1] = -1;
}

static void
shut(struct output *output, int which)
{
	close(output->ours[which]);
	output->ours[which] = -1;
}

static bool
holds(const struct output *output, int which)
{
	return output->buffered[which].from < output->buffered[which].to;
}

/* Reads nothing before the last data was written: a slow reader slows the command. */
void
output_poll(const struct output *output, struct pollfd fds[2])
{
	for (int i = 0; i < 2; i++) {
		fds[i] = (struct pollfd){.fd = output->ours[i], .events = POLLIN};
		if (holds(output, i))
			fds[i] = (struct pollfd){.fd = i + 1, .events = POLLOUT};
	}
}

static void
pass_on(struct output *output, int which)
{
	size_t from = output->buffered[which].from;
	ssize_t n = write(which + 1, output->buffered[which].text + from,
			  output->buffered[which].to - from);

	if (n >= 0) {
		output->buffered[which].from += (size_t)n;
		return;
	}
	if (errno == EINTR || errno == EAGAIN)
		return;
	/* the reader closed its end: close ours, so that the command's next write fails alike */
	output->buffered[which].from = output->buffered[which].to;
	if (output->ours[which] >= 0)
		shut(output, which);
}

static void
take_in(struct output *output, int which)
{
	ssize_t n = read(output->ours[which], output->buffered[which].text, OUTPUT_PIECE);
	size_t length = n > 0 ? (size_t)n : 0;

	if (n < 0 && errno == EINTR)
		return;
	if (length > output->left) {
		output->exhausted = true;
		length = (size_t)output->left;
	}
	output->left -= length;
	error_words_read(&output->words[which], output->buffered[which].text, length);
	output->buffered[which].from = 0;
	output->buffered[which].to = length;
	if (n <= 0 || output->exhausted)
		shut(output, which);
}

void
output_pump(struct output *output, int which)
{
	if (holds(output, which))
		pass_on(output, which);
	else if (output->ours[which] >= 0)
		take_in(output, which);
}

void
output_close(struct output *output)
{
	for (int i = 0; i < 2; i++)
		if (output->ours[i] >= 0)
			shut(output, i);
}
