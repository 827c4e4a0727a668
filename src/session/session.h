/* SPDX-License-Identifier: MIT */
/*
 * A session: prepare a command, start it in its sandbox through a guard, wait for it, end every
 * process it started, and clean up. The code between fork and exec is in child.c; it must not
 * allocate memory.
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
#include "session/error_words.h"
#include "session/record.h"

struct autorun_change;
struct spawner;
struct proxy_process;
struct proxy_task;
struct refusal;
struct rusage;

/* Where the record of a live session is written, and the members that the request lacks. */
struct session_origin {
	const char *runtime, *state; /* the user's cordon/ directories; NULL: unknown */
	const char *project;	     /* NULL: none */
	const char *policy;	     /* hash of the enforced policy; NULL: none */
};

/* Directories that cordon created. */
struct made_dirs {
	struct arena arena;
	const char **paths;
	size_t count;
};

struct session_request {
	const char *id;		/* part of the names of its record, cgroup and socket */
	struct plan *plan;	/* NULL only with track_only */
	struct made_dirs *made; /* by make_dirs; NULL only with track_only */
	bool track_only;	/* restrict nothing, but end every process */
	bool fingerprint;	/* with track_only: find them by a permissive profile (macOS) */
	const struct limit_value *limits;
	const struct session_origin *origin;
	struct invoker_ids ids;
	const char *name; /* of the shared session to join or start; NULL: not shared */
	char *const *argv;
	const char *const *environ; /* of the supervisor */
	bool login;		    /* put "-" before argv[0], as login(1) does */
	bool pty;		    /* relay a pty */
	bool leave;		    /* --leave: keep processes that outlive the command */
	int64_t grace_ms;	    /* between SIGTERM and SIGKILL; -1: the default */
	/* main function of the proxy process; never returns */
	void (*proxy_main)(const struct proxy_task *task);
	/* called for each refusal during the session */
	void (*refused)(void *sink, const struct refusal *refusal);
	/* called after its end for each autorun file that changed */
	void (*changed)(void *sink, const struct autorun_change *change);
	void *sink;
};

enum session_cause {
	SESSION_EXITED,
	SESSION_SIGNALLED,
	SESSION_TIME,	  /* time limit */
	SESSION_OUTPUT,	  /* output limit */
	SESSION_MEMORY,	  /* memory limit */
	SESSION_KILLED,	  /* cordon kill, or the guard was killed */
	SESSION_CPU_TIME, /* CPU time limit */
	SESSION_CRASHED,  /* the guard exited unexpectedly */
	SESSION_CAUSES
};
/* The values are cast to enum cordon_cause. */
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
	bool by_terminal; /* the terminal sent the signal to the supervisor as well */
	bool left;	  /* processes live on because of --leave */
	bool has_error_words; /* its output, as far as it passed here, says that something was refused */
	bool hit_processes; /* a fork failed because of the process limit */
	int64_t ms;
	unsigned changed;		/* how many changed autorun files were not reported */
	bool has_objects;		/* objects of a repository may have changed */
	struct tree_end end;		/* processes ended after the command, and survivors */
	struct cordon_error unrecorded; /* why the session has no record; code 0: it has one */
	pid_t ending;			/* for session_close */
};

/* Arguments of execve, in arena. */
struct command_line {
	const char *path;
	char *const *argv;
	char *const *envp;
};

/* err->sys is 126 or 127 if the command cannot be run; then no process was started. */
int session_run(const struct session_request *request, struct session_result *ret_result,
		struct cordon_error *err);
/*
 * Waits for the guard to exit, which happens in parallel to the reports about the end. Must be
 * called also after an error.
 */
void session_close(const struct session_result *result);

/* command.c: finds the program on the PATH of the command, and builds its environment. */
struct command_context {
	const char *private_tmp;	   /* NULL: none */
	const struct proxy_process *proxy; /* NULL: none */
};
int command_prepare(struct arena *arena, const struct session_request *request,
		    const struct command_context *origin, struct command_line *ret_command,
		    struct cordon_error *err);
#define SESSION_NOT_FOUND 127
#define SESSION_NOT_EXECUTABLE 126

/* Members of the record of a shared session, for processes that join it. */
struct shared_words {
	const char *token;
	const char *proxy; /* as proxy_spawn_print prints it; NULL: none */
};
/* record_new.c: creates the record. Without a directory for it, assets->record.fd is -1. */
struct assets;
int record_new(struct arena *arena, const struct session_request *request, struct assets *assets,
	       const struct shared_words *words, struct cordon_error *err);

/* limits.c: sets limits over all processes on the session group; own are those of each process. */
int limits_share(const struct session_request *request, struct limit_value own[LIMIT_COUNT],
		 struct session_group *ret_group, struct cordon_error *err);
/* Why a child that used so much ended. cpu_time is its own CPU time limit; 0: only the session's. */
enum session_cause limits_cause(int status, const struct rusage *used, uint64_t cpu_time);

/*
 * make_dirs.c: creates missing directories that are granted with a trailing slash, where that is
 * allowed; none for a plan with gaps, because it is refused.
 */
void make_dirs(struct plan *plan, struct made_dirs *made);
/* Removes them again, unless is_kept, and frees made. */
void make_dirs_remove(struct made_dirs *made, bool is_kept);

/*
 * private_tmp.c: the private tmp. The supervisor chooses its name. The guard creates it with mode
 * 0700, so that it exists only while a process is there to remove it. Removal is recursive and
 * follows no link.
 */
int private_tmp_name(struct arena *arena, const struct host *host, const char **ret_path,
		     struct cordon_error *err);
int private_tmp_make(const char *path, struct cordon_error *err);
int private_tmp_remove(const char *path);

/*
 * stdio_check.c: may fd become fd `number` of the command? free_connect: neither Landlock nor the
 * broker checks where a socket connects.
 */
int stdio_check(int fd, int number, bool free_connect, struct cordon_error *err);
bool stdio_check_connect_is_free(const struct plan *plan);

/* child.c: the code from fork to exec. */
struct child {
	struct sandbox *box; /* NULL only with track_only */
	bool track_only;
	bool fingerprint; /* track_only with a sandbox that restricts nothing */
	const struct command_line *command;
	const struct limit_value *limits;
	sigset_t mask;		       /* for the command: the original signal mask */
	bool free_connect;	       /* see stdio_check */
	bool ignore_children;	       /* SIGCHLD was ignored, and is for the command */
	int output[2];		       /* become fds 1 and 2; -1: inherited */
	int report;		       /* receives a struct cordon_error; closed by exec */
	int terminal;		       /* slave of a new pty; -1: none */
	bool terminal_is_all;	       /* it replaces 0-2; else only terminals */
	bool in_front;		       /* the command is in the foreground of the pty */
	const struct spawner *spawner; /* the child becomes the spawner; NULL: the command */
	pid_t parent;
};
_Noreturn void child_main(const struct child *child);
/* Both send an error to report. */
_Noreturn void child_fail(int report, const struct cordon_error *err);
_Noreturn void child_exec(const struct command_line *command, int report);

/* guard.c: the parent of the command. Its messages are in session/channel/channel.h. */
struct guard_task {
	struct child child;
	struct session_group group;	  /* killed and removed at the end */
	const char *private_tmp;	  /* created, and removed at the end; NULL: none */
	const struct record_file *record; /* removed at the end */
	pid_t invoker;			  /* its end ends the session; 0: not watched */
	bool leave;
	int64_t time_ms;  /* time limit; 0: none */
	int64_t grace_ms; /* between SIGTERM and SIGKILL; 0: SIGKILL at once */
	int spawner;	  /* channel to the spawner; -1: none */
};
struct guard {
	pid_t pid;
	int line;
};
int guard_start(const struct guard_task *task, struct guard *ret_guard, struct cordon_error *err);
/* A process that lives that long after SIGKILL is reported as a survivor. */
#define SESSION_DEADLINE_MS 10000

/* output_limit.c: relays and counts standard output and error. */
#define OUTPUT_PIECE 4096 /* a pipe that polls as writable takes that much without blocking */
struct relay;
struct output {
	int ours[2];	/* read ends of the command's 1 and 2; -1: none, or closed */
	int theirs[2];	/* write ends, equal if 1 and 2 are one file; -1: none */
	uint64_t left;	/* of the limit, in bytes */
	bool exhausted; /* the command wrote more */
	struct error_words words[2];
	struct {
		char text[OUTPUT_PIECE];
		size_t from, to;
	} buffered[2]; /* read, but not written yet */
};
/* Makes a pipe for each of 1 and 2. A relay (or NULL) counts the output of those that it replaces. */
int output_open(uint64_t limit, struct relay *relay, struct output *ret_output,
		struct cordon_error *err);
/* Closes the write ends after the command inherited them. */
void output_handed_over(struct output *output);
/* Fills in what to poll for; fd is -1 for a closed pipe. */
void output_poll(const struct output *output, struct pollfd fds[2]);
/* Reads from a pipe, or writes what was read. Call it only for an fd that poll() reported. */
void output_pump(struct output *output, int which);
void output_close(struct output *output);

/*
 * claim.c: allows one session per process, because signal mask and subreaper belong to the whole
 * process. *ret_claim is an fd or -1. Fails if another session is running.
 */
int session_claim(int *ret_claim, struct cordon_error *err);
void session_unclaim(int claim);
