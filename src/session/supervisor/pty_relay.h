/* SPDX-License-Identifier: MIT */
/*
 * The caller's terminal, and with --pty one of the command's own between the two. Nothing here
 * blocks but setting a terminal: the supervisor's loop asks what to wait for, and hands back what
 * came.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

#include "base/error.h"

enum { RELAY_IN, RELAY_COMMAND, RELAY_OUT, RELAY_FDS };

/* What was read and not yet written. */
struct relay_text {
	char text[8192];
	size_t start, end;
};

struct relay {
	int master, slave;	   /* our side and the command's; -1: closed */
	int outer;		   /* the caller's terminal; -1: none, then 0 and 1 are relayed */
	bool replaces_all;	   /* of 0-2; else only those that are terminals */
	bool is_like_outer;	   /* the new one has the settings of the caller's */
	bool is_wanted;		   /* the command needs the terminal, or always did */
	bool in_front;		   /* keys are relayed; a terminal is raw meanwhile */
	bool input_ended;	   /* nothing more comes from the caller */
	bool is_cut_off;	   /* and the command knows */
	char last_key;		   /* that came */
	struct termios found, raw; /* the caller's terminal as it was, and as we set it */
	struct relay_text typed, shown;
	/* of an output limit: bytes that may still be shown, and whether there were more; NULL: no limit */
	uint64_t *left;
	bool *is_exhausted;
};

int pty_relay_open(struct relay *ret_relay, struct cordon_error *err);
/*
 * Only where there is a terminal that the command could write to: all of its output is to be counted.
 * 1, or 0 when there is none. None of 0-2 is replaced that is no terminal.
 */
int pty_relay_open_counting(struct relay *ret_relay, struct cordon_error *err);
/* Is one of 0-2 a terminal? */
bool pty_relay_terminal_is_standard(void);
/* Does the command get its new terminal as this one of 0-2? */
bool pty_relay_replaces(const struct relay *relay, int fd);
/* The command has its side now. */
void pty_relay_handed_over(struct relay *relay);
/* Takes the caller's terminal when it is wanted and we are in the foreground. True: we have it. */
bool pty_relay_enter(struct relay *relay);
/* The same, since the command needs it now. */
bool pty_relay_want(struct relay *relay);
/* Nothing will be typed any more: to the command, its input ends. */
void pty_relay_cut_off(struct relay *relay);
/* Leaves the caller's terminal as it was. */
void pty_relay_leave(struct relay *relay);
/* The size of the caller's terminal is the command's. */
void pty_relay_resize(const struct relay *relay);
/* True when nobody says that the terminal has become ours, so that it must be looked for. */
bool pty_relay_waits_for_front(const struct relay *relay);
/* What to poll for. */
void pty_relay_poll(const struct relay *relay, struct pollfd fds[RELAY_FDS]);
/* Moves what is there and fits. False: nobody sees it any more, and the new terminal hangs up. */
bool pty_relay_pump(struct relay *relay, const struct pollfd fds[RELAY_FDS]);
/* Something is still to be shown, or may still come. */
bool pty_relay_has_more(const struct relay *relay);
void pty_relay_close(struct relay *relay);

/* The settings of the caller's terminal, for a command that died before it could put them back. */
struct terminal_note {
	int fd; /* -1: there is none, or it is not ours now */
	struct termios found;
};
void pty_relay_terminal_note(struct terminal_note *ret_note);
void pty_relay_terminal_restore(const struct terminal_note *note);
