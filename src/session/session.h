/* SPDX-License-Identifier: MIT */
/*
 * One supervised run: a command made ready, started inside its box, waited for, and cleaned up
 * after. Everything between fork and exec is in child.c and allocates nothing.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "enforce/enforce.h"
#include "plan/plan.h"

/* What the caller wants run. */
struct session_request {
	struct plan *plan;
	char *const *argv;
	bool login;    /* argv[0] gets a "-" in front, as login does it */
	bool pty;      /* a terminal of its own, relayed */
	int status_fd; /* JSON lines about the session; -1: none */
	const char *id;
};

enum session_cause { SESSION_EXITED, SESSION_SIGNALLED, SESSION_TIME };

struct session_result {
	enum session_cause cause;
	int status;	  /* exit status or signal number */
	bool by_terminal; /* the signal came from the terminal, so we got it too */
	double seconds;
};

/* A command resolved: what execve gets. In arena. */
struct command_line {
	const char *path;
	char *const *argv;
	char *const *envp;
};

/* 126 or 127 in err->sys when the command cannot be run; then nothing was started. */
int session_run(const struct session_request *request, struct session_result *ret_result,
		struct cordon_error *err);

/* command.c: looks the program up on the PATH it will see, and builds its environment. */
int command_prepare(struct arena *arena, const struct session_request *request,
		    const char *private_tmp, struct command_line *ret_command,
		    struct cordon_error *err);
#define SESSION_NOT_FOUND 127
#define SESSION_NOT_EXECUTABLE 126

/* tmp.c: the private folder; made 0700, removed with everything in it without following a link. */
int tmp_make(struct arena *arena, const struct host *host, const char **ret_path,
	     struct cordon_error *err);
int tmp_remove(const char *path);

/* guard.c: a process that outlives our death by SIGKILL just long enough to clean up. */
struct guard {
	pid_t pid;
	int life; /* held open by us alone; its end tells the guard that we are gone */
};
int guard_start(const char *private_tmp, struct guard *ret_guard, struct cordon_error *err);
/* Everything is cleaned up already: the guard goes without doing anything. */
void guard_dismiss(struct guard *guard);

/* child.c: from fork to exec. Never returns. */
struct child {
	const struct box *box;
	const struct command_line *command;
	const struct limit_value *limits;
	const char *cwd;
	int report;   /* where a struct cordon_error goes; closed by exec */
	int terminal; /* becomes the controlling terminal and 0-2; -1: as they are */
	pid_t parent;
};
_Noreturn void child_main(const struct child *child);

/* terminal.c: a pseudo terminal between the caller's and the command's. */
struct relay {
	int master, slave;
	int outer; /* the caller's terminal, raw while the relay runs; -1: none */
	bool raw;
	void *saved; /* its settings */
	bool input_done;
};
int relay_open(struct arena *arena, struct relay *ret_relay, struct cordon_error *err);
void relay_resize(const struct relay *relay);
/* Moves what is there; false when the command's side is closed. */
bool relay_pump(struct relay *relay, bool from_outer, bool from_command);
void relay_suspend(struct relay *relay);
void relay_resume(struct relay *relay);
void relay_close(struct relay *relay);
