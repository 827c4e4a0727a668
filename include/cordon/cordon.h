/* SPDX-License-Identifier: MIT */
/*
 * libcordon: runs a command in a sandbox that reaches only the files, hosts and sockets the policy allows.
 *
 * To use it, fill a setup with options, make a plan from the setup, then query or run the plan. Functions
 * that can fail return 0 (or a useful value >= 0), or a negated CORDON_E_* code after filling the caller's
 * error value. Arguments are borrowed; results belong to the caller. The library never prints, never exits
 * and keeps no global state.
 */
#ifndef CORDON_CORDON_H
#define CORDON_CORDON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CORDON_VERSION "0.1.0"

/* All error codes. Functions return them negated. */
enum cordon_code {
	CORDON_E_USAGE = 1, /* invalid option or argument */
	CORDON_E_SYNTAX,    /* policy text cannot be parsed */
	CORDON_E_POLICY,    /* policy text is well-formed but not valid */
	CORDON_E_PATH,	    /* a path cannot be resolved or opened */
	CORDON_E_TRUST,	    /* a file or a recorded approval is not trusted in its present state */
	CORDON_E_GAP,	    /* a required guarantee cannot be enforced on this host */
	CORDON_E_SYSTEM,    /* a system call failed unexpectedly */
	CORDON_E_MEMORY,    /* out of memory */
	CORDON_E_ESCAPE	    /* a path leads out of its root */
};

/*
 * Fixed size and without pointers: usable after fork and when memory is short, and sent through pipes
 * unchanged.
 */
struct cordon_error {
	int32_t code; /* CORDON_E_*, 0 for no error */
	int32_t sys;  /* errno of the cause, or 0 */
	int32_t line; /* line in policy text, or 0 */
	int32_t column;
	char text[240]; /* one line; begins with the source position if there is one */
};

enum cordon_format { CORDON_TEXT, CORDON_JSON };

/* Options of a setup. Each takes one string; list options may be repeated. */
enum cordon_option {
	CORDON_OPT_COMMAND,	/* "run" or "shell": selects the default profile */
	CORDON_OPT_POLICY,	/* FILE, PROFILE, or DIALECT:FILE */
	CORDON_OPT_POLICY_JSON, /* policy text, optionally after DIALECT: */
	CORDON_OPT_PROJECT,	/* DIR */
	CORDON_OPT_READ,	/* PATH ... */
	CORDON_OPT_WRITE,
	CORDON_OPT_EXECUTE,
	CORDON_OPT_DENY,
	CORDON_OPT_PROTECT,
	CORDON_OPT_NET, /* none, localhost, localhost:PORTS, domains, all */
	CORDON_OPT_UDP, /* value is ignored */
	CORDON_OPT_DOMAIN,
	CORDON_OPT_PORT,
	CORDON_OPT_OPAQUE_PORT, /* port on which any protocol is allowed */
	CORDON_OPT_PRIVATE,	/* ADDRESS/BITS: private addresses that a domain may resolve to */
	CORDON_OPT_RESOLVER,	/* ADDRESS:PORT */
	CORDON_OPT_SOCKET,
	CORDON_OPT_ENV,	 /* NAME or NAME=VALUE */
	CORDON_OPT_TMP,	 /* private, shared */
	CORDON_OPT_IPC,	 /* none, sysv */
	CORDON_OPT_TIME, /* limits */
	CORDON_OPT_OUTPUT,
	CORDON_OPT_PROCESSES,
	CORDON_OPT_MEMORY,
	CORDON_OPT_FILE_SIZE,
	CORDON_OPT_CPU_TIME,
	CORDON_OPT_OPEN_FILES,
	CORDON_OPT_ACCEPT,	      /* name of a guarantee */
	CORDON_OPT_NO_PROJECT_POLICY, /* value is ignored */
	CORDON_OPT_SYSTEM,	      /* "linux" or "macos" */
	CORDON_OPT_HOME,	      /* DIR; need not exist when planning for another system */
	CORDON_OPT_RECORD, /* resolved record of the editors: policy and project in one */
	CORDON_OPT_FACTS,  /* FILE: facts of a host, instead of probing this one */
	CORDON_OPT_TRACE,  /* value is ignored; reports what the kernel allows and refuses, too */
	CORDON_OPT_COUNT
};

struct cordon_setup;
struct cordon_plan;

/* Fill a setup, then use it for any number of plans. free accepts NULL and returns NULL. */
struct cordon_setup *cordon_setup_new(void);
struct cordon_setup *cordon_setup_free(struct cordon_setup *setup);
int cordon_setup_set(struct cordon_setup *setup, enum cordon_option option, const char *value,
		     struct cordon_error *err);
/*
 * Returns 1 if CORDON_OPT_RECORD asks for no restriction ("tracking_only"). Such a setup is for
 * cordon_track(); a plan made from it would use the default profile.
 */
int cordon_setup_tracks(const struct cordon_setup *setup);

/*
 * Read all sources, merge them and resolve paths. A plan with gaps is valid, and cordon_plan_gaps() counts
 * the gaps that were not accepted, but cordon_run() refuses it.
 */
int cordon_plan_new(const struct cordon_setup *setup, struct cordon_plan **ret_plan,
		    struct cordon_error *err);
struct cordon_plan *cordon_plan_free(struct cordon_plan *plan);

/* Returns a line to show to the user; NULL past the end. Owned by the plan. */
const char *cordon_plan_notice(const struct cordon_plan *plan, size_t index);
int cordon_plan_gaps(const struct cordon_plan *plan);
/* Returns the text of a gap with its reason and remedy; NULL past the end. Owned by the plan. */
const char *cordon_plan_gap(const struct cordon_plan *plan, size_t index);
/*
 * Would cordon_run() refuse the plan, apart from gaps, because a path that the user granted is missing? Then an
 * error that names it.
 */
int cordon_plan_check(const struct cordon_plan *plan, struct cordon_error *err);
/* Print the plan as text or JSON. verbose adds every rule, protected name and variable. */
int cordon_plan_print(const struct cordon_plan *plan, enum cordon_format format, int verbose,
		      char **ret_text, struct cordon_error *err);

/*
 * Would the plan allow this? what is "connect", "socket", "env", or rights ("read", "write", "rw", ...).
 * Returns 1 if allowed, 0 if denied, or an error. *ret_text explains the answer and names the deciding
 * rule.
 */
int cordon_plan_why(const struct cordon_plan *plan, const char *what, const char *subject,
		    enum cordon_format format, char **ret_text, struct cordon_error *err);

/*
 * What a session was refused, and what would allow it, from the log. session is an id or the beginning of one;
 * NULL: the session that started last. The plan of the setup tells which folders may be suggested. Returns
 * the number of refusals.
 */
int cordon_why_session(const struct cordon_setup *setup, const char *session,
		       enum cordon_format format, char **ret_text, struct cordon_error *err);

/* The same, with everything that the log knows of the session, as a page of HTML that loads nothing. */
int cordon_report(const struct cordon_setup *setup, const char *session, char **ret_text,
		  struct cordon_error *err);

/*
 * Print the Seatbelt profile of a plan for macOS with its parameters; works on any system. In text output
 * the parameters follow as comments; in JSON it is {"profile": TEXT, "parameters": {NAME: VALUE}}. Rules
 * that a session adds (private tmp, fingerprint, port of the proxy) are not included.
 */
int cordon_plan_sbpl(const struct cordon_plan *plan, enum cordon_format format, char **ret_text,
		     struct cordon_error *err);

/* The command to run. */
struct cordon_command {
	char *const *argv;
	int login; /* run as a login shell: prefix argv[0] with "-" */
	int pty;   /* run on a new pty */
	int leave; /* keep background processes; the session lasts until they end or it is killed */
	/* name of a shared session to join or start; NULL: a session of its own */
	const char *session;
	int status_fd;	  /* receives JSON lines about the session; -1: none */
	int64_t grace_ms; /* time from SIGTERM to SIGKILL when cordon ends it; -1: default */
	int fingerprint;  /* cordon_track on macOS: track by a profile that restricts nothing */
	/*
	 * Called for each new refusal of an access that would have succeeded without cordon, while the command
	 * runs, with a line for users in which control characters are escaped. NULL: none.
	 */
	void (*refused)(void *refused_context, const char *line);
	void *refused_context;
};

/* What ended a session. */
enum cordon_cause {
	CORDON_ENDED_EXIT,
	CORDON_ENDED_SIGNAL,
	CORDON_ENDED_TIME,     /* time limit */
	CORDON_ENDED_OUTPUT,   /* output limit */
	CORDON_ENDED_MEMORY,   /* memory limit */
	CORDON_ENDED_KILLED,   /* by cordon kill, or the guard was killed */
	CORDON_ENDED_CPU_TIME, /* limit of CPU time, by SIGXCPU */
	CORDON_ENDED_CRASHED,  /* the guard exited unexpectedly: a bug in cordon */
	CORDON_CAUSES
};

/* Room for one line of text. */
#define CORDON_LINE 600

/* Result of a session. */
struct cordon_run {
	enum cordon_cause cause;
	int status;	 /* exit status of the command; valid if signal is 0 */
	int signal;	 /* signal that ended the command, or 0 */
	int by_terminal; /* the terminal sent the signal, so the caller received it too */
	int ended;	 /* processes killed after the command ended */
	int left;	 /* processes that could not be killed; survivors names some */
	char survivors[240];
	char notice[240]; /* what could not be logged, or "" */
	int refused;	  /* number of accesses that cordon refused and reported */
	/*
	 * Of those that would have succeeded without cordon: their number, lines about the first, where many
	 * below one folder are one line ("" behind the last), the number of lines left out, members of a
	 * policy that would allow those of the lines (or ""), and the same for agents, an object of JSON.
	 */
	int refused_only_here;
	char refusals[3][CORDON_LINE];
	int refusals_more;
	char refusals_policy[CORDON_LINE];
	const char *refusals_advice; /* what the policy says to do then; NULL: nothing */
	char refusals_json[8192];
	int changed;		      /* autorun files that the session changed */
	char changes[5][CORDON_LINE]; /* the first of them; "" behind the last */
	/* it failed, its status or output suggests a refusal, and none was seen: CORDON_OPT_TRACE shows more */
	int unseen;
	int refused_daemon; /* a process that left the session was refused the network */
};

/*
 * Run a command inside the plan's sandbox, and wait until it and every process it started have ended. A
 * plan with gaps is refused. If nothing was started the result is an error; err->sys is 127 (not found) or
 * 126 (not executable) where that is the reason. Fds 0 to 2 must be open. Meanwhile the calling process
 * inherits orphans (Linux: it is a child subreaper). Only one run at a time per process: a second one fails
 * (CORDON_E_USAGE). Other children of the process are not touched.
 */
int cordon_run(struct cordon_plan *plan, const struct cordon_command *command,
	       struct cordon_run *ret_run, struct cordon_error *err);

/*
 * Learn what a command needs. It is run by the setup, on Linux with CORDON_OPT_TRACE; what it was refused is
 * offered to confirm, and it is run again with that, until it succeeds or nothing new is confirmed. The setup
 * gets the confirmed options. ret_policy is the policy, ret_diff the members that the policy of the setup lacks,
 * one in a line. A command that still fails is no error: see ret_run.
 */
struct cordon_learning {
	/* returns 1 to allow what was refused with this option, else 0 */
	int (*confirm)(void *sink, const char *refused, const char *option);
	void (*round)(void *sink, int number); /* before each run, from 1 */
	void *sink;
	int open; /* run in a copy of the project, which is removed */
};
int cordon_learn(struct cordon_setup *setup, const struct cordon_command *command,
		 const struct cordon_learning *how, struct cordon_run *ret_run, char **ret_policy,
		 char **ret_diff, struct cordon_error *err);

/*
 * Run a command without restrictions, and end every process it started when it exits. Of the setup only
 * limits apply; a setup with any restriction is refused.
 */
int cordon_track(const struct cordon_setup *setup, const struct cordon_command *command,
		 struct cordon_run *ret_run, struct cordon_error *err);

/*
 * List the user's live sessions, as text (a table, "" if there is none) or JSON. Returns their number. Also
 * removes what dead sessions left.
 */
int cordon_sessions(enum cordon_format format, char **ret_text, struct cordon_error *err);
/*
 * End sessions and wait until all their processes are gone. which is an id, a unique prefix of an id, or a
 * name; NULL means all. grace_ms: time from SIGTERM to SIGKILL, 0 for SIGKILL at once. Returns the number
 * of sessions ended, one line each in *ret_text; 0 if there is no such session.
 */
int cordon_kill(const char *which, int grace_ms, char **ret_text, struct cordon_error *err);

/*
 * The log of sessions of the user. A member that is NULL or 0 selects everything. since and until are a time
 * ("2026-01-31", "2026-01-31 12:00", in local time; with a Z in UTC), "today", "yesterday", or an age ("10m",
 * "2h", "3d").
 */
struct cordon_log_filter {
	const char *since, *until; /* until itself is not included */
	const char *session;	   /* id, or the beginning of one */
	const char *project;	   /* DIR: its sessions, and those of projects below */
	int last;		   /* only the session that started last */
	int refused;		   /* only refusals */
};
struct cordon_log;

int cordon_log_open(const struct cordon_log_filter *filter, struct cordon_log **ret_log,
		    struct cordon_error *err);
/*
 * Returns 1 with the next event, oldest first, as one line of text or JSON with a newline; 0 at the end,
 * where a later call may find further events.
 */
int cordon_log_next(struct cordon_log *log, enum cordon_format format, char **ret_text,
		    struct cordon_error *err);
/* Number of lines of the log that were no events: a full disk may have cut one. */
unsigned cordon_log_skipped(const struct cordon_log *log);
struct cordon_log *cordon_log_close(struct cordon_log *log);

/*
 * Test what this host can enforce: each guarantee that the policy needs is tried on the running system with
 * an operation that must fail and one that must succeed. Returns 1 if the policy can be enforced apart from
 * the gaps it accepts, else 0. *ret_text says what is missing and how to get it.
 */
int cordon_doctor(const struct cordon_setup *setup, enum cordon_format format, char **ret_text,
		  struct cordon_error *err);

/*
 * Check policy text. file has the form of CORDON_OPT_POLICY; NULL checks the whole setup. *ret_warnings
 * counts findings that should fail a build; notes are not counted.
 */
int cordon_check(const struct cordon_setup *setup, const char *file, enum cordon_format format,
		 char **ret_text, int *ret_warnings, struct cordon_error *err);
/*
 * Check what git would check out from a ref of the project's repository: each protected file in it is a
 * finding, and a warning if the working tree lacks it or has other content. Runs the git found in the
 * invoker's PATH.
 */
int cordon_check_ref(const struct cordon_setup *setup, const char *ref, enum cordon_format format,
		     char **ret_text, int *ret_warnings, struct cordon_error *err);
/* Print the same text in canonical native form. */
int cordon_check_print(const struct cordon_setup *setup, const char *file, char **ret_text,
		       struct cordon_error *err);

/*
 * Print the record that Zed's settings mean, for CORDON_OPT_RECORD; a later file overrides key by key. files ends
 * with NULL; without any the record only tracks. Returns 1; or 0 if the settings are off or leave out the command
 * of the setup, and then *ret_text says why.
 */
int cordon_record(const struct cordon_setup *setup, const char *const *files, char **ret_text,
		  struct cordon_error *err);

/*
 * The version, how the library was built (compiler, C library, seccomp filters) and what this host can do, as
 * text or JSON. Reads no policy.
 */
int cordon_version(enum cordon_format format, char **ret_text, struct cordon_error *err);

/* Names of the built-in profiles; NULL past the end. */
const char *cordon_profile(size_t index);

/* Requests of the project's policy beyond what untrusted policies may grant. */
enum cordon_trust_action { CORDON_TRUST_LIST, CORDON_TRUST_APPROVE, CORDON_TRUST_REVOKE };
/* Returns the number of requests that remain unapproved. */
int cordon_trust(const struct cordon_setup *setup, enum cordon_trust_action action,
		 enum cordon_format format, char **ret_text, struct cordon_error *err);

/* Make a commented starter policy for the project, and the path where it belongs. */
int cordon_init_policy(const struct cordon_setup *setup, char **ret_text, char **ret_path,
		       struct cordon_error *err);

/*
 * Open path below root; symbolic links cannot lead out, even if changed at the same time. flags are those
 * of open(2), O_CLOEXEC is added; CORDON_CONFINE_ROOT accepts root itself. If the tail of path does not
 * exist, *ret_fd is -1 unless flags has O_CREAT. *ret_path is for display only. An escape fails with
 * CORDON_E_ESCAPE.
 */
#define CORDON_CONFINE_ROOT 1u
int cordon_confine(const char *root, const char *path, int flags, unsigned int mode,
		   unsigned int confine_flags, int *ret_fd, char **ret_path,
		   struct cordon_error *err);

#ifdef __cplusplus
}
#endif

#endif
