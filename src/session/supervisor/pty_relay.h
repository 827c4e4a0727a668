/* SPDX-License-Identifier: MIT */
/*
 * Relays between the invoker's terminal and a pty of the command (--pty). Only tcsetattr() may
 * block: the supervisor's loop polls the fds and calls pty_relay_pump.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

#include "base/error.h"
#include "session/error_words.h"

enum { RELAY_IN, RELAY_COMMAND, RELAY_OUT, RELAY_FDS };

/* Bytes that were read and not yet written. */
struct relay_text {
	char text[8192];
	size_t start, end;
};

struct relay {
	int master, slave;	   /* of the pty; -1: closed */
	int outer;		   /* the invoker's terminal; -1: none, relay 0 and 1 */
	bool replaces_all;	   /* of 0-2; else only those that are terminals */
	bool is_like_outer;	   /* the pty has the settings of the invoker's terminal */
	bool is_wanted;		   /* the command needs the terminal */
	bool in_front;		   /* input is relayed; the invoker's terminal is raw */
	bool input_ended;	   /* end of input from the invoker */
	bool is_cut_off;	   /* end of file was sent to the command */
	char last_key;		   /* last byte of input */
	struct termios found, raw; /* original and raw settings of the invoker's terminal */
	struct relay_text typed, shown;
	struct error_words words; /* in what it shows */
	/* of struct output: remaining bytes, and whether there were more; NULL: no limit */
	uint64_t *left;
	bool *is_exhausted;
};

int pty_relay_open(struct relay *ret_relay, struct cordon_error *err);
/*
 * For an output limit: opens a relay if the command could write to a terminal, so that this output
 * is counted. Returns 1, or 0 without a terminal. Replaces only those of 0-2 that are terminals.
 */
int pty_relay_open_counting(struct relay *ret_relay, struct cordon_error *err);
/* Is one of 0-2 a terminal? */
bool pty_relay_terminal_is_standard(void);
/* Does the pty replace this one of 0-2? */
bool pty_relay_replaces(const struct relay *relay, int fd);
/* Closes the slave after the command inherited it. */
void pty_relay_handed_over(struct relay *relay);
/* Takes the invoker's terminal if it is wanted and in the foreground. False: it is not taken. */
bool pty_relay_enter(struct relay *relay);
/* The same, and marks the terminal as wanted. */
bool pty_relay_want(struct relay *relay);
/* Ends the input: sends end of file to the command. */
void pty_relay_cut_off(struct relay *relay);
/* Restores the settings of the invoker's terminal. */
void pty_relay_leave(struct relay *relay);
/* Copies the size of the invoker's terminal to the pty. */
void pty_relay_resize(const struct relay *relay);
/* Must the loop poll for the foreground? No signal reports it. */
bool pty_relay_waits_for_front(const struct relay *relay);
/* Fills in what to poll for. */
void pty_relay_poll(const struct relay *relay, struct pollfd fds[RELAY_FDS]);
/* Moves data without blocking. False: writing to the invoker failed, so the pty was closed. */
bool pty_relay_pump(struct relay *relay, const struct pollfd fds[RELAY_FDS]);
/* Is output left, or is the master still open? */
bool pty_relay_has_more(const struct relay *relay);
void pty_relay_close(struct relay *relay);

/* The settings of the invoker's terminal, in case the command dies before it restores them. */
struct terminal_note {
	int fd; /* -1: no terminal, or the supervisor is in its background */
	struct termios found;
};
void pty_relay_terminal_note(struct terminal_note *ret_note);
void pty_relay_terminal_restore(const struct terminal_note *note);
