/* SPDX-License-Identifier: MIT */
/*
 * One supervised run: a command made ready, started inside its box by a guard, waited for, ended
 * with everything it started, and cleaned up after. Everything between fork and exec is in child.c
 * and allocates nothing.
 */
#pragma once

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "enforce/enforce.h"
#include "enforce/process_tree.h"
#include "enforce/session_group.h"
#include "plan/plan.h"
#include "session/record.h"

struct autorun_change;
struct spawner;
struct proxy_hold;
struct proxy_task;
struct refusal;
struct rusage;

/* Where a session is written down while it lives, and what its record says beyond the request. */
struct session_place {
	const char *runtime, *state; /* the user's cordon/ folders; NULL: not known */
	const char *project;	     /* NULL: none */
	const char *policy;	     /* a hash of what is enforced; NULL: nothing is */
};

/* What the caller wants run. */
/* Folders that were not there before. */
struct made_dirs {
	struct arena arena;
	const char **paths;
	size_t count;
};

struct session_request {
	const char *id;		/* part of the name of what is made for it */
	struct plan *plan;	/* NULL only with track_only */
	struct made_dirs *made; /* of what it grants; NULL only with track_only */
	bool track_only;	/* nothing is restricted, only the end is guaranteed */
	bool fingerprint;	/* with that: by a profile that restricts nothing (macOS) */
	const struct limit_value *limits;
	const struct session_place *place;
	const char *name; /* of the session to join or to start; NULL: one of its own */
	char *const *argv;
	const char *const *environ; /* the caller's */
	bool login;		    /* argv[0] gets a "-" in front, as login does it */
	bool pty;		    /* a terminal of its own, relayed */
	bool leave;		    /* what the command leaves behind lives on */
	int64_t grace_ms;	    /* between SIGTERM and SIGKILL; -1: nothing was said */
	/* what a proxy does, in a process of its own; never returns */
	void (*proxy_main)(const struct proxy_task *task);
	/* told what was refused while it runs */
	void (*refused)(void *sink, const struct refusal *refusal);
	/* and, when it has ended, which files that run by themselves later are others now */
	void (*changed)(void *sink, const struct autorun_change *change);
	void *sink;
};

/* What ended it. */
enum session_cause {
	SESSION_EXITED,
	SESSION_SIGNALLED,
	SESSION_TIME,	  /* the time limit */
	SESSION_OUTPUT,	  /* the output limit */
	SESSION_MEMORY,	  /* the memory limit */
	SESSION_KILLED,	  /* cordon kill, or the guard was killed */
	SESSION_CPU_TIME, /* the limit of cpu time */
	SESSION_CRASHED,  /* the guard ended by itself */
	SESSION_CAUSES
};
/* One is cast to the other. */
_Static_assert((int)SESSION_EXITED == CORDON_ENDED_EXIT &&
		       (int)SESSION_SIGNALLED == CORDON_ENDED_SIGNAL &&
		       (int)SESSION_TIME == CORDON_ENDED_TIME &&
		       (int)SESSION_OUTPUT == CORDON_ENDED_OUTPUT &&
		       (int)SESSION_MEMORY == CORDON_ENDED_MEMORY &&
		       (int)SESSION_KILLED == CORDON_ENDED_KILLED &&
		       (int)SESSION_CPU_TIME == CORDON_ENDED_CPU_TIME &&
		       (int)SESSION_CRASHED == CORDON_ENDED_CRASHED &&
		       (int)SESSION_CAUSES == CORDON_CAUSES,
	       "in the order of enum cordon_cause");

struct session_result {
	enum session_cause cause;
	int status; /* exit status or signal number of the command */
	bool is_signal;
	bool by_terminal;   /* the signal came from the terminal, so we got it too */
	bool left;	    /* something lives on, as was asked for */
	bool hit_processes; /* the limit kept something from being started */
	int64_t ms;
	unsigned changed;    /* how many more were than it was told of */
	struct tree_end end; /* what was ended after the command, and what would not end */
	struct cordon_error unrecorded; /* why there was no record of it; code 0: there was */
	pid_t ending;			/* for session_close */
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
/*
 * Waits for the last process of a session that is over: its exit takes as long as what the caller has
 * to say about the end, and goes on meanwhile. In any case, also after an error.
 */
void session_close(const struct session_result *result);

/* command.c: looks the program up on the PATH it will see, and builds its environment. */
struct command_place {
	const char *private_tmp;	/* NULL: none */
	const struct proxy_hold *proxy; /* NULL: none */
};
int command_prepare(struct arena *arena, const struct session_request *request,
		    const struct command_place *place, struct command_line *ret_command,
		    struct cordon_error *err);
#define SESSION_NOT_FOUND 127
#define SESSION_NOT_EXECUTABLE 126

/* What the record of a shared session has for processes that join it. */
struct shared_words {
	const char *token;
	const char *proxy; /* as proxy_print has it; NULL: none */
};
/* record_new.c: a record for the session, when there is a place for it; else assets->record.fd is -1. */
struct assets;
int record_new(struct arena *arena, const struct session_request *request, struct assets *assets,
	       const struct shared_words *words, struct cordon_error *err);

/* limits.c: the group keeps what counts over all processes; own is what is left to each of them. */
int limits_share(const struct session_request *request, struct limit_value own[LIMIT_COUNT],
		 struct session_group *ret_group, struct cordon_error *err);
/* How a child of ours ended that used so much, with a limit of cpu time of its own (0: ours alone). */
enum session_cause limits_cause(int status, const struct rusage *used, uint64_t cpu_time);

/*
 * make_dirs.c: makes what is granted with a slash at its end and missing, where that is allowed; nothing for a plan
 * with gaps, which is refused.
 */
void make_dirs(struct plan *plan, struct made_dirs *made);
/* Removes them again, unless something was started for which they are kept. */
void make_dirs_remove(struct made_dirs *made, bool is_kept);

/*
 * private_tmp.c: the private folder. Its name is chosen first; it is made, 0700, by the guard, so that there
 * is always somebody to remove it; with everything in it, without following a link.
 */
int private_tmp_name(struct arena *arena, const struct host *host, const char **ret_path,
		     struct cordon_error *err);
int private_tmp_make(const char *path, struct cordon_error *err);
int private_tmp_remove(const char *path);

/*
 * stdio_check.c: may what is open as fd be the command's descriptor of that number? free_connect: nobody is
 * asked before a socket gets another end.
 */
int stdio_check(int fd, int number, bool free_connect, struct cordon_error *err);
bool stdio_check_connect_is_free(const struct plan *plan);

/* child.c: from fork to exec. Never returns. */
struct child {
	struct sandbox *box; /* NULL only when nothing is to be restricted */
	bool track_only;
	bool fingerprint; /* the box restricts nothing, and is there with track_only as well */
	const struct command_line *command;
	const struct limit_value *limits;
	sigset_t mask;		       /* the caller's, and the command's */
	bool free_connect;	       /* see stdio_check */
	bool ignore_children;	       /* the caller ignored SIGCHLD, and so will the command */
	int output[2];		       /* become 1 and 2; -1: as they are */
	int report;		       /* where a struct cordon_error goes; closed by exec */
	int terminal;		       /* a new one; -1: none */
	bool terminal_is_all;	       /* it becomes 0-2; else only those that are terminals */
	bool in_front;		       /* the command has the new terminal's foreground */
	const struct spawner *spawner; /* it stays and starts commands itself; NULL: it is one */
	pid_t parent;
};
_Noreturn void child_main(const struct child *child);
/* The ways to end on the way there: what went wrong goes to report. */
_Noreturn void child_fail(int report, const struct cordon_error *err);
_Noreturn void child_exec(const struct command_line *command, int report);

/* guard.c: the parent of the command, and its end. See session/channel/channel.h for what it says. */
struct guard_task {
	struct child child;
	struct session_group group;	  /* ended and removed with everything */
	const char *private_tmp;	  /* made, granted, and removed at the end; NULL: none */
	const struct record_hold *record; /* removed likewise */
	pid_t invoker;			  /* the supervisor's parent; 0: its end ends nothing */
	bool leave;
	int64_t time_ms;  /* the limit; 0: none */
	int64_t grace_ms; /* SIGTERM that long before SIGKILL; 0: SIGKILL at once */
	int spawner;	  /* our end of the line to it; -1: there is none */
};
struct guard {
	pid_t pid;
	int line;
};
int guard_start(const struct guard_task *task, struct guard *ret_guard, struct cordon_error *err);
/* How long a process may take to die of SIGKILL before it is named as a survivor. */
#define SESSION_DEADLINE_MS 10000

/* output_limit.c: standard output and error through us, counted. */
#define OUTPUT_PIECE 4096 /* that much a pipe takes at once when it takes anything */
struct relay;
struct output {
	int ours[2];	/* where the command's 1 and 2 arrive; -1: none, or closed */
	int theirs[2];	/* handed to the command; the same twice for one file; -1: none */
	uint64_t left;	/* bytes that may still pass */
	bool exhausted; /* more came than may pass */
	struct {
		char text[OUTPUT_PIECE];
		size_t from, to;
	} held[2]; /* arrived, and not passed on yet */
};
/* A pipe for each of 1 and 2 that relay, which may be NULL, does not replace: what that shows it counts. */
int output_open(uint64_t limit, struct relay *relay, struct output *ret_output,
		struct cordon_error *err);
/* The command has them now. */
void output_handed_over(struct output *output);
/* What each of the two waits for; nothing: fd is -1. Events are 0 when nothing is. */
void output_poll(const struct output *output, struct pollfd fds[2]);
/* Takes what has arrived on one of them, or passes on what was held; never waits. */
void output_pump(struct output *output, int which);
void output_close(struct output *output);

/*
 * claim.c: signals, orphans and who inherits them are the whole process's; the first of two runs to end
 * would take them from the other. A descriptor or -1 in *ret_claim; an error where another run has it.
 */
int session_claim(int *ret_claim, struct cordon_error *err);
void session_unclaim(int claim);
